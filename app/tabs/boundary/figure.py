"""The safety boundary: Φ over certificates and over states (the paper's drift-mechanism figure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper
from bokeh.plotting import figure

from app.figures.plot import Steady, fit, named, one_look, put
from app.tabs.boundary.plots import certificate_plot, column_ticks, plane_plot, ways_plot
from core.figures.arrays.boundary import (
    at_column,
    at_pair,
    colour_span,
    hatched,
    level_lines,
    maps,
    other_choice,
    same_g,
    share,
    steps,
)
from core.figures.arrays.contour import Field, columns_of, round_levels
from core.figures.arrays.fields import FAILURE, Certificate, columns, exponents, plane_axes, plane_ends
from core.figures.arrays.marks import marks_over_g, marks_over_ways
from core.instant import Focus
from core.style import diverging

STEPS = 120
"""Shades on each side of Φ = 0: fields travel to the browser as whole numbers −STEPS … STEPS."""

NO_GHOSTS: dict[str, Any] = {
    "ghost": {"x": np.empty(0, np.float32), "y": np.empty(0, np.float32)},
    "ways_ghost": {"xs": [], "ys": []},
    "plane_ghost": {"xs": [], "ys": []},
}

_GHOSTS: WeakKeyDictionary[Focus, dict[tuple[int, ...], dict[str, Any]]] = WeakKeyDictionary()
"""Boundaries of the loops that are drawn as ghosts, by columns of the first map, for as long as anybody shows them."""


@dataclass(frozen=True)
class BoundaryFigure:
    """Three plots made once, the sources that a slider move patches, and what stays during a drag."""

    certificate: figure
    ways: figure
    plane: figure
    sources: dict[str, ColumnDataSource]
    scale: LinearColorMapper
    keys: dict[str, list[str]] = field(default_factory=dict)
    steady: Steady = field(default_factory=Steady)


def boundary_figure(height: int = 400) -> BoundaryFigure:
    """Empty boundary plots; fill them with `update_boundary`."""
    shades = LinearColorMapper(palette=diverging(2 * STEPS + 1, 0.7), low=-STEPS, high=STEPS)
    scale = LinearColorMapper(palette=diverging(81, 0.7), low=-1, high=1)
    certificate, first = certificate_plot(shades, scale, height)
    ways, second = ways_plot(shades, height)
    plane, third = plane_plot(shades, height)
    one_look(certificate, ways, plane)
    return BoundaryFigure(certificate, ways, plane, named("boundary", {**first, **second, **third}), scale)


def update_boundary(fig: BoundaryFigure, focus: Focus, before: Focus | None = None) -> None:
    """Patch every source with the numbers of a loop.

    Args:
        fig: made by `boundary_figure`.
        focus: the loop.
        before: the loop before the last move, or a pinned one, drawn as a ghost of its boundary.
    """
    fig.steady.at(focus)
    data = boundary_data(focus, before, fig.steady)
    for name, columns_ in data["sources"].items():
        put(fig.sources[name], columns_)
    for name in ("candidates", "pairs"):
        fig.sources[name].selected.indices = []
    fig.keys.update(data["keys"])
    fig.scale.update(low=-data["span"], high=data["span"])
    column_ticks(fig.certificate, len(columns(focus)) - 1)
    fit(fig.certificate.x_range, 0.5, len(columns(focus)) + 0.5)
    right, low, high = plane_ends(focus)
    fit(fig.plane.x_range, 0.0, right)
    fit(fig.plane.y_range, low, high)
    for plot in (fig.certificate, fig.ways, fig.plane):
        plot.title.text = data["titles"][plot.name]


def boundary_data(focus: Focus, before: Focus | None = None, steady: Steady | None = None) -> dict[str, Any]:
    """Columns of every source, keys of the marks, the span of the colours and the titles, from the loop alone.

    Args:
        focus: the loop.
        before: the same loop before the last move.
        steady: what stays during a drag; nothing when None.
    """
    certificate = Certificate.of(focus)
    phi_g, phi_ways, phi_plane = maps(focus, certificate, columns(focus))
    rough = colour_span(phi_g, phi_ways)
    span = steady.first("span", -rough, rough)[1] if steady is not None else rough
    levels = round_levels(span)
    level_steps, level_names = level_lines(phi_g, levels)
    e, (v, sigma) = exponents(), plane_axes(focus)
    over, over_keys = marks_over_g(focus, certificate)
    ways, ways_keys = marks_over_ways(focus, certificate)
    ways_field, plane_field = Field(e, e, phi_ways), Field(v, sigma, phi_plane)
    ways_lines, ways_labels = ways_field.labelled(levels)
    plane_lines, plane_labels = plane_field.labelled(levels)
    right, low, high = plane_ends(focus)
    hold_v, hold_sigma = focus.hold_corner
    m, s, states = focus.model, focus.state, focus.instant.states
    others = np.arange(len(states)) != focus.loop
    frame = {"left": [0.0], "bottom": [m.sigma_min]}
    g_text = f"g = {certificate.g}" if certificate.g else "no certificate"
    return {
        "span": span,
        "keys": {"candidates": over_keys, "pairs": ways_keys},
        "titles": {
            "certificate": f"Which certificates are safe for UAV {focus.uav}?  ρ_dl = {share(certificate.rho_dl)}",
            "ways": f"Uplink and downlink at {g_text}",
            "plane": f"In which states is it safe?  {g_text}, ρ_ul = {share(certificate.rho_ul)}",
        },
        "sources": {
            "map": _image(phi_g, span, 0.5, FAILURE[0], float(phi_g.shape[1]), FAILURE[1] - FAILURE[0]),
            "line": steps(phi_g, 0.0),
            "levels": level_steps,
            "level_names": _names(level_names),
            **(_ghosts(before, tuple(columns(focus).tolist())) if before is not None else NO_GHOSTS),
            "gate": hatched(focus),
            "candidates": over,
            "held": at_column(focus, certificate, focus.held),
            "chosen": at_column(focus, certificate, other_choice(focus)),
            "ways": _image(phi_ways, span, FAILURE[0], FAILURE[0], *[FAILURE[1] - FAILURE[0]] * 2),
            "ways_zero": columns_of(ways_field.lines(0.0), power=True),
            "ways_levels": columns_of(ways_lines, power=True),
            "ways_names": _names([(10.0**x, 10.0**y, text) for x, y, text in ways_labels]),
            "pairs": ways,
            "pair_held": at_pair(focus.held),
            "pair_chosen": at_pair(same_g(other_choice(focus), certificate)),
            "plane": _image(phi_plane, span, 0.0, low, right, high - low),
            "zero": columns_of(plane_field.lines(0.0)),
            "plane_levels": columns_of(plane_lines),
            "plane_names": _names(plane_labels),
            "domain": {**frame, "right": [1.0], "top": [m.sigma_max]},
            "hold": {**frame, "right": [hold_v], "top": [hold_sigma]},
            "state": {"x": [s.V / m.V_max], "y": [s.tr_sigma]},
            "others": {
                "x": (states.V[others] / m.V_max).astype(np.float32),
                "y": states.tr_sigma[others].astype(np.float32),
                "uav": (np.flatnonzero(others) + 1).astype(np.int32),
            },
        },
    }


def _ghosts(before: Focus, g: tuple[int, ...]) -> dict[str, Any]:
    """The boundaries before the last move or of the pinned loop; the same during the whole drag.

    Args:
        before: that loop.
        g: of the columns of the first map as it is now.
    """
    kept = _GHOSTS.setdefault(before, {})
    if g not in kept:
        phi_g, phi_ways, phi_plane = maps(before, Certificate.of(before), np.array(g))
        e = exponents()
        kept[g] = {
            "ghost": steps(phi_g, 0.0),
            "ways_ghost": columns_of(Field(e, e, phi_ways).lines(0.0), power=True),
            "plane_ghost": columns_of(Field(*plane_axes(before), phi_plane).lines(0.0)),
        }
    return kept[g]


def _image(phi: np.ndarray, span: float, x: float, y: float, dw: float, dh: float) -> dict[str, Any]:
    shades = np.clip(np.round(phi / span * STEPS), -STEPS, STEPS).astype(np.int8)
    # a shade of its own on either side of the boundary, however close to it
    shades[(shades == 0) & (phi > 0)] = 1
    shades[(shades == 0) & (phi < 0)] = -1
    return {"image": [shades], "x": [x], "y": [float(y)], "dw": [float(dw)], "dh": [float(dh)]}


def _names(labels: list[tuple[Any, ...]]) -> dict[str, Any]:
    return {"x": [x for x, _, _ in labels], "y": [y for _, y, _ in labels], "text": [text for _, _, text in labels]}
