"""How uplink and downlink decide together: Φ over both certified deliveries at the action's g."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.figures import phi_map
from core.figures.arrays.boundary import at_pair, colour_span, maps, other_choice, same_g
from core.figures.arrays.contour import Field, round_levels
from core.figures.arrays.fields import FAILURE, Certificate, exponents
from core.figures.arrays.marks import marks_over_ways
from core.figures.paper.axes import label, legend_under, powers
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import focus_words
from core.instant import Focus


def uplink_downlink(focus: Focus, link: str = "") -> Figure:
    """Φ/V_max over (1 − ρ_ul, 1 − ρ_dl) at the loop's state, with the actions of the same g.

    Args:
        focus: the loop and its action.
        link: query string of the page that shows the same.
    """
    certificate = Certificate.of(focus)
    phi_g, phi, _ = maps(focus, certificate)
    span, e = colour_span(phi_g, phi), exponents()
    field = Field(e, e, phi)
    zero, (lines, names) = field.lines(0.0), field.labelled(round_levels(span))
    marked, _ = marks_over_ways(focus, certificate)
    held = _lifted(at_pair(focus.held))
    chosen = _lifted(at_pair(same_g(other_choice(focus), certificate)))
    ends = tuple(np.log10(FAILURE))

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        phi_map.shade(figure, axes, phi, span, (*ends, *ends))
        found = phi_map.boundary(axes, zero)
        phi_map.levels(axes, lines, names)
        found |= phi_map.marks(axes, np.log10(marked["x"]), np.log10(marked["y"]), marked["kind"])
        found |= phi_map.rings(axes, held, chosen)
        label(axes, "uplink may fail: 1 − ρ_ul", "downlink may fail: 1 − ρ_dl")
        for axis in (axes.xaxis, axes.yaxis):
            powers(axis, -6, 0)
        axes.set(xlim=ends[::-1], ylim=ends[::-1])
        legend_under(figure, found, 6 if wide else 3)

    g = f"g = {certificate.g}" if certificate.g else "no certificate"
    return Figure(
        "uplink-downlink",
        f"Uplink and downlink of UAV {focus.uav} at {g}: bound Φ on the drift over ρ_ul and ρ_dl, for {certificate.name}. {focus_words(focus)}",
        Stamp.of_instant(focus.instant, link),
        {
            "field": phi_map.field_table(phi, 1.0 - 10.0**e, 1.0 - 10.0**e, ("rho_ul", "rho_dl")),
            "boundary": phi_map.lines_table([1.0 - 10.0**one for one in zero], "rho_ul", "rho_dl"),
            "actions": phi_map.marks_table(marked),
        },
        paint,
        (2.75, 3.1),
    )


def _lifted(at: dict[str, Any]) -> dict[str, Any]:
    return {name: [float(np.log10(v)) for v in values] for name, values in at.items()}
