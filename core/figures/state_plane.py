"""In which states an action is safe: Φ over tracking energy and uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.figures import phi_map
from core.figures.arrays.boundary import colour_span, maps, share
from core.figures.arrays.contour import Field, round_levels
from core.figures.arrays.fields import Certificate, plane_axes, plane_ends
from core.figures.paper.axes import BLACK, label, legend_under, line, patch
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import focus_words
from core.instant import Focus


def state_plane(focus: Focus, link: str = "") -> Figure:
    """Φ/V_max of one certificate over (V/V_max, tr Σ), with the loops of the swarm.

    Args:
        focus: the loop and its action.
        link: query string of the page that shows the same.
    """
    certificate = Certificate.of(focus)
    phi_g, phi_ways, phi = maps(focus, certificate)
    span, (v, sigma) = colour_span(phi_g, phi_ways), plane_axes(focus)
    field = Field(v, sigma, phi)
    zero, (lines, names) = field.lines(0.0), field.labelled(round_levels(span))
    right, low, high = plane_ends(focus)
    m, s, states = focus.model, focus.state, focus.instant.states
    corners = {"admissible domain": (1.0, m.sigma_max, "solid"), "hold-admissible": (*focus.hold_corner, "dotted")}
    others = np.arange(len(states)) != focus.loop

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        phi_map.shade(figure, axes, phi, span, (0.0, right, low, high))
        found = phi_map.boundary(axes, zero)
        phi_map.levels(axes, lines, names)
        for words, (x, y, dash) in corners.items():
            style: dict[str, Any] = {"edgecolor": BLACK, "facecolor": "none", "linestyle": dash, "linewidth": 0.8}
            edge = [(0.0, m.sigma_min), (x, m.sigma_min), (x, y), (0.0, y), (0.0, m.sigma_min)]
            axes.plot(*zip(*edge, strict=True), color=BLACK, linestyle=dash, linewidth=0.8, zorder=3)
            found[words] = patch(**style)
        dot: dict[str, Any] = {"marker": "o", "markersize": 3, "linestyle": "none", "markerfacecolor": "#ffffff"}
        dot |= {"markeredgecolor": BLACK, "markeredgewidth": 0.5}
        cross: dict[str, Any] = {"marker": "+", "markersize": 8, "linestyle": "none"}
        if others.any():
            axes.plot(states.V[others] / m.V_max, states.tr_sigma[others], zorder=5, alpha=0.85, **dot)
            found["other loops"] = line(**dot)
        axes.plot(s.V / m.V_max, s.tr_sigma, color="#ffffff", markeredgewidth=3.2, zorder=6, **cross)
        axes.plot(s.V / m.V_max, s.tr_sigma, color=BLACK, markeredgewidth=1.6, zorder=7, **cross)
        found[f"UAV {focus.uav}"] = line(color=BLACK, markeredgewidth=1.6, **cross)
        label(axes, "tracking energy V / V_max", "uncertainty tr Σ [m²]")
        axes.set(xlim=(0.0, right), ylim=(low, high))
        legend_under(figure, found, 6 if wide else 3)

    g = f"g = {certificate.g}" if certificate.g else "no certificate"
    drawn = f"{g}, ρ_ul = {share(certificate.rho_ul)}, ρ_dl = {share(certificate.rho_dl)}"
    return Figure(
        "state-plane",
        f"States in which {certificate.name} of UAV {focus.uav} is safe ({drawn}). {focus_words(focus)}",
        Stamp.of_instant(focus.instant, link),
        {
            "field": phi_map.field_table(phi, v, sigma, ("V_over_V_max", "tr_sigma_m2")),
            "boundary": phi_map.lines_table(zero, "V_over_V_max", "tr_sigma_m2"),
            "loops": pd.DataFrame(
                {
                    "uav": np.arange(1, len(states) + 1),
                    "V_over_V_max": states.V / m.V_max,
                    "tr_sigma_m2": states.tr_sigma,
                    "in_focus": ~others,
                }
            ),
            "domain": pd.DataFrame(
                [(words, x, m.sigma_min, y) for words, (x, y, _) in corners.items()],
                columns=["region", "V_over_V_max_at_most", "tr_sigma_m2_from", "tr_sigma_m2_to"],
            ),
        },
        paint,
        (2.75, 3.1),
    )
