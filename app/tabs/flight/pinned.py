"""The pinned flights beside those shown: the same policies with the pinned take-off, changes and seed, at the pinned cycle."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from app.picture import Picture
from app.tabs.flight.tables import counted
from core.figures.arrays.flight import FLAWLESS, Curve, Curves, Floats, curves
from core.instant import Flight
from core.style import INK


@dataclass(frozen=True, eq=False)
class Pinned:
    """What is drawn faintly beside the flights shown.

    Args:
        name: its settings, "pinned: …".
        flights: by policy, the pinned one first; those shown themselves where nothing that decides a flight differs.
        curves: of these, at the pinned cycle and UAV.
        series: RMSE over the cycles by policy; none where the flights shown are the same.
        V: V/V_max of the pinned UAV under the pinned policy; none where that line is there already.
        distributions: as in `Curves`; none where the same cycles of the same flights are counted.
    """

    name: str
    flights: dict[str, Flight]
    curves: Curves
    series: dict[str, Curve] = field(default_factory=dict)
    V: dict[str, Curve] = field(default_factory=dict)
    distributions: dict[str, dict[str, Curve]] = field(default_factory=dict)

    @property
    def faint(self) -> dict[str, dict[str, Curve]]:
        """Its lines by plot and policy."""
        return {"series": self.series, "focus": self.V, **self.distributions}

    @property
    def chip(self) -> str:
        """What is pinned and how it is drawn, as HTML."""
        if self.series:
            said = f"{self.name}; {counted(self.curves)}"
        elif self.distributions:
            said = f"{self.name}: the same flights; {counted(self.curves)}"
        else:
            said = f"{self.name}: the same flights and cycles"
        return (
            f'<span class="chip counted" data-pinned=""><span class="key" style="border-color:{INK};border-top-style:dashed;'
            f'opacity:.6"></span>{html.escape(said)}</span>'
        )


def pinned_flights(
    picture: Picture, name: str, shown: Mapping[str, Flight], now: Curves, loop: int, known: Mapping[str, Flight]
) -> Pinned:
    """The pinned picture as flights; nothing is flown for it.

    Args:
        picture: the pinned one.
        name: its settings.
        shown: flights shown, by policy.
        now: their curves.
        loop: in focus, counted from 0.
        known: flights of it that are at hand.
    """
    policy = picture.inputs.policy
    flights = {p: known.get(p) or picture.inputs.flight(p) for p in dict.fromkeys((policy, *shown))}
    other = {p for p, flight in flights.items() if p not in shown or shown[p].key != flight.key}
    found = curves(flights, picture.inputs.cycle, picture.focus.loop)
    counted_alike = not other and (found.start, found.cycle) == (now.start, now.cycle)
    return Pinned(
        name,
        flights,
        found,
        {p: _line(found.rmse[p]) for p in flights if p in other},
        {policy: _line(found.V[policy])} if policy in other or picture.focus.loop != loop else {},
        {}
        if counted_alike
        else {n: {p: c for p, c in of.items() if p != FLAWLESS} for n, of in found.distributions.items()},
    )


def _line(values: Floats) -> Curve:
    y = np.asarray(values, dtype=float)
    return np.arange(len(y), dtype=float), y
