"""Which certificates are safe for a loop: Φ over the interaction index g and the certified uplink delivery."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.figures import phi_map
from core.figures.arrays.boundary import (
    at_column,
    colour_span,
    hatched,
    level_lines,
    maps,
    other_choice,
    share,
    steps,
)
from core.figures.arrays.contour import round_levels
from core.figures.arrays.fields import FAILURE, Certificate, columns, exponents
from core.figures.arrays.marks import marks_over_g
from core.figures.paper.axes import BLACK, label, legend_under, patch, powers
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import focus_words
from core.instant import Focus


def safety_boundary(focus: Focus, link: str = "") -> Figure:
    """Φ/V_max over (g, 1 − ρ_ul) at the loop's state, with its actions.

    Args:
        focus: the loop and its action.
        link: query string of the page that shows the same.
    """
    certificate = Certificate.of(focus)
    phi, phi_ways, _ = maps(focus, certificate)
    span = colour_span(phi, phi_ways)
    wanted, e, g = round_levels(span), exponents(), columns(focus)
    marked, _ = marks_over_g(focus, certificate)
    zero, (lines, names) = _exponents(steps(phi, 0.0)), level_lines(phi, wanted)
    refused, last = hatched(focus), len(g) - 1
    held, chosen = (_lifted(at_column(focus, certificate, a)) for a in (focus.held, other_choice(focus)))

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        phi_map.shade(figure, axes, phi, span, (0.5, len(g) + 0.5, *np.log10(FAILURE)), steps=True)
        found = phi_map.boundary(axes, [zero] if np.isfinite(zero[:, 1]).any() else [])
        phi_map.levels(
            axes,
            [np.column_stack([x, np.log10(y)]) for x, y in zip(lines["xs"], lines["ys"], strict=True)],
            [(x, np.log10(y), text) for x, y, text in names],
        )
        hatch: dict[str, Any] = {"facecolor": "none", "edgecolor": BLACK, "hatch": "////", "linewidth": 0}
        for left, right in zip(refused["left"], refused["right"], strict=True):
            axes.axvspan(left, right, alpha=0.5, zorder=1, **hatch)
        found |= phi_map.marks(axes, marked["x"], np.log10(marked["y"]), marked["kind"])
        found |= phi_map.rings(axes, held, chosen)
        if len(refused["left"]):
            found["refused whatever Φ says"] = patch(**{**hatch, "alpha": 0.5})
        label(axes, "interaction index g [opportunities]", "uplink may fail: 1 − ρ_ul")
        axes.set_xticks(range(1, last + 2), [*map(str, range(1, last)), f"{last}+", "none"])
        powers(axes.yaxis, -6, 0)
        axes.set_ylim(np.log10(FAILURE[1]), np.log10(FAILURE[0]))
        legend_under(figure, found, 6 if wide else 3)

    drawn = f"{certificate.name}, ρ_dl = {share(certificate.rho_dl)}"
    return Figure(
        "safety-boundary",
        f"Certificates that are safe for UAV {focus.uav}: bound Φ on the drift over g and ρ_ul, with {drawn}. {focus_words(focus)}",
        Stamp.of_instant(focus.instant, link),
        {
            "field": phi_map.field_table(phi, g, 1.0 - 10.0**e, ("g", "rho_ul")),
            "boundary": phi_map.lines_table(
                [np.column_stack([zero[:, 0], 1.0 - 10.0 ** zero[:, 1]])], "column", "rho_ul"
            ),
            "actions": phi_map.marks_table(marked),
        },
        paint,
        (2.75, 3.1),
    )


def _exponents(stepped: dict[str, Any]) -> np.ndarray:
    return np.column_stack([stepped["x"], np.log10(stepped["y"])])


def _lifted(at: dict[str, Any]) -> dict[str, Any]:
    return {"x": at["x"], "y": [float(np.log10(y)) for y in at["y"]]}
