"""Flights of several policies: RMSE and V over the cycles, distributions, shares of the modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.figures.arrays.flight import FLAWLESS, Curve, Curves, curves
from core.figures.paper.axes import label, legend_under, letters, line, patch, policy_line
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import flight_words
from core.instant import Flight
from core.style import INK, MODE_COLOUR, MODE_NAME

AXES = {
    "rmse": ("RMSE [m]", "share ≤ x"),
    "v": ("V / V_max", "share ≥ x"),
    "delay": ("command delay [ms]", "share ≤ x"),
}
"""Labels of the distributions."""
IDEAL = {"color": INK, "linestyle": "dashed", "linewidth": 1.0}
LAG = {"color": INK, "linestyle": "solid", "linewidth": 0.8}


def flight_series(flights: Mapping[str, Flight], k: int, loop: int, link: str = "") -> Figure:
    """Two panels over the cycles: RMSE of the swarm, and V/V_max of one loop with its exchanges.

    Args:
        flights: by policy, the inspected one first; same take-off, seed and changes.
        k: last cycle drawn.
        loop: counted from 0.
        link: query string of the page that shows the same.
    """
    found = flown(flights, k, loop)
    inspected, until = next(iter(flights)), found.cycle + 1
    cycle = np.arange(until)

    def paint(figure: Any, wide: bool) -> None:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(1.2, 1))
        entries: dict[str, Any] = {}
        for policy in reversed(list(flights)):  # the inspected one on top
            style = policy_line(policy, policy == inspected)
            top.plot(cycle, found.rmse[policy][:until], **style)
            bottom.plot(cycle, found.V[policy][:until], **style)
        entries |= {policy: line(**policy_line(policy, policy == inspected)) for policy in flights}
        top.plot(cycle, found.flawless[:until], **IDEAL)
        entries[FLAWLESS] = line(**IDEAL)
        if (found.lag[:until] > 0).any():
            top.plot(cycle, found.lag[:until], **LAG)
            entries["lag v/k"] = line(**LAG)
        V = found.V[inspected]
        for at, marker, words in ((found.delivered, "o", "exchange delivered"), (found.lost, "x", "exchange lost")):
            here = at[at < until]
            style = {
                "marker": marker,
                "markersize": 2.8,
                "linestyle": "none",
                "color": "#E5352B" if marker == "x" else policy_line(inspected)["color"],
            }
            if len(here):
                bottom.plot(here, V[here], zorder=5, **style)
                entries[words] = line(**style)
        for change in (c for c in found.changes if c < until):
            for axes in (top, bottom):
                axes.axvline(change, color=INK, linestyle="dotted", linewidth=1.0)
            entries["settings change"] = line(color=INK, linestyle="dotted", linewidth=1.0)
        label(top, y="RMSE [m]")
        label(bottom, "cycle k", f"V / V_max, UAV {loop + 1}")
        bottom.set_xlim(0, max(until - 1, 1))
        bottom.set_ylim(bottom=0.0)
        for axes in (top, bottom):
            axes.grid(True)
        letters((top, bottom))
        legend_under(figure, entries, 5 if wide else 3)

    series = [
        pd.DataFrame({"policy": p, "cycle": cycle, "rmse_m": found.rmse[p][:until], "V_over_V_max": found.V[p][:until]})
        for p in flights
    ]
    marks = pd.DataFrame(
        {
            "cycle": np.concatenate([found.delivered, found.lost]),
            "exchange": ["delivered"] * len(found.delivered) + ["lost"] * len(found.lost),
        }
    )
    return Figure(
        "flight-series",
        f"(a) RMSE of the swarm by cycle, (b) tracking energy of UAV {loop + 1} and the exchanges of {inspected}. {flights_words(flights)}",
        flight_stamp(flights, found, link),
        {
            "series": pd.concat(series, ignore_index=True),
            "yardsticks": pd.DataFrame(
                {"cycle": cycle, "flawless_rmse_m": found.flawless[:until], "lag_m": found.lag[:until]}
            ),
            "exchanges": marks[marks["cycle"] < until],
        },
        paint,
        (3.2, 3.4),
    )


def flight_distributions(flights: Mapping[str, Flight], k: int, loop: int, link: str = "") -> Figure:
    """Three panels: ECDF of the RMSE, tail of V/V_max, ECDF of the command delay; since the last change of settings.

    Args:
        flights, k, loop, link: as for `flight_series`.
    """
    found = flown(flights, k, loop)
    inspected = next(iter(flights))

    def paint(figure: Any, wide: bool) -> None:
        if wide:
            panels = dict(zip(AXES, figure.subplots(1, 3), strict=True))
        else:
            panels = dict(zip(AXES, figure.subplots(3, 1), strict=True))
        for name, axes in panels.items():
            drawn: Mapping[str, Curve] = found.distributions[name]
            for policy in reversed(list(drawn)):
                style = IDEAL if policy == FLAWLESS else policy_line(policy, policy == inspected)
                axes.plot(*drawn[policy], **style)
            label(axes, *AXES[name])
            if name == "v":
                axes.set_yscale("log")
                axes.set_ylim(top=1.2)
            else:
                axes.set_ylim(0, 1.02)
            axes.set_xlim(*(() if name == "rmse" else (0,)))
            axes.grid(True)
        letters(panels.values())
        entries = {policy: line(**policy_line(policy, policy == inspected)) for policy in found.numbers}
        legend_under(figure, entries | {FLAWLESS: line(**IDEAL)}, 6 if wide else 3)

    rows = [
        pd.DataFrame({"distribution": name, "policy": policy, "value": x, "share": y})
        for name, drawn in found.distributions.items()
        for policy, (x, y) in drawn.items()
    ]
    return Figure(
        "flight-distributions",
        f"(a) Share of cycles with at most this RMSE, (b) share of UAV-cycles with at least this V/V_max, (c) share of commands with at most this delay; "
        f"cycles {found.start} to {found.cycle}. {flights_words(flights)}",
        flight_stamp(flights, found, link),
        {"distributions": pd.concat(rows, ignore_index=True)},
        paint,
        (5.2, 2.5),
    )


def flight_modes(flights: Mapping[str, Flight], k: int, loop: int, link: str = "") -> Figure:
    """Share of UAV-cycles that each policy spends in each mode, since the last change of settings.

    Args:
        flights, k, loop, link: as for `flight_series`.
    """
    found = flown(flights, k, loop)

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        policies = list(found.shares)
        left = np.zeros(len(policies))
        y = np.arange(len(policies))[::-1]
        for mode in MODE_NAME:
            share = 100 * np.array([found.shares[p][mode] for p in policies])
            axes.barh(y, share, left=left, height=0.7, color=MODE_COLOUR[mode])
            left += share
        axes.set_yticks(y, policies)
        axes.tick_params(axis="y", length=0)
        axes.set(xlim=(0, 100))
        label(axes, "share of UAV-cycles [%]")
        entries = {name: patch(facecolor=MODE_COLOUR[mode]) for mode, name in MODE_NAME.items()}
        legend_under(figure, entries, 4)

    rows = [(p, name, found.shares[p][mode]) for p in found.shares for mode, name in MODE_NAME.items()]
    height = 0.75 + 0.22 * max(len(found.shares), 1)
    return Figure(
        "flight-modes",
        f"How the loops spend the cycles {found.start} to {found.cycle} under each policy. {flights_words(flights)}",
        flight_stamp(flights, found, link),
        {"shares": pd.DataFrame(rows, columns=["policy", "mode", "share"])},
        paint,
        (height, height),
    )


def flown(flights: Mapping[str, Flight], k: int, loop: int) -> Curves:
    """What is drawn, everything flown first: a file never shows half of it."""
    for flight in flights.values():
        flight.reach(flight.at(k) + 1)
    return curves(flights, k, loop)


def flights_words(flights: Mapping[str, Flight]) -> str:
    """What was flown, in words."""
    return f"Flights of {flight_words(next(iter(flights.values())), ', '.join(flights))}."


def flight_stamp(flights: Mapping[str, Flight], found: Curves, link: str) -> Stamp:
    """Of flights, at the last cycle drawn."""
    first = next(iter(flights.values()))
    return Stamp(first.scenario_at(found.cycle).digest(), first.calibration_at(found.cycle).digest, link)
