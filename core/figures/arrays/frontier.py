"""The numbers of the certified supply frontier of one loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import RULE_WORDS
from core.instant import Action, Focus

COLUMNS = (
    "x",
    "y",
    "admitted",
    "frontier",
    "T_cert",
    "g",
    "rho_ul",
    "rho_dl",
    "D_ul",
    "D_dl",
    "phi",
    "verdict",
    "route",
    "coding",
    "many",
)
"""Of the actions; `admitted` and `frontier` are the value again where the action gets that far, nan elsewhere; `route` and
`coding` are rows of the sources of texts."""


def frontier_data(focus: Focus, before: Focus | None = None) -> dict[str, Any]:
    """Columns of every source, keys of the actions, what the axes must hold, and the title.

    Args:
        focus: the loop.
        before: the loop before the last move, or a pinned one.
    """
    d, unit = focus.distinct, focus.model.V_max
    routes, route = coded(focus.offer.spelled["route"])
    codings, coding = coded(focus.offer.spelled["coding"])
    value = (d["U"] / unit).astype(np.float32)
    columns: dict[str, Any] = {
        "x": d["slots"].astype(np.int32),
        "y": value,
        "admitted": np.where(d["admitted"], value, np.float32(np.nan)),
        "frontier": np.where(d["frontier"], value, np.float32(np.nan)),
        "T_cert": d["T_cert"].astype(np.float32),
        "g": d["g"].astype(np.int32),
        "rho_ul": d["rho_ul"].astype(np.float32),
        "rho_dl": d["rho_dl"].astype(np.float32),
        "D_ul": (1e3 * d["D_ul"]).astype(np.float32),
        "D_dl": (1e3 * d["D_dl"]).astype(np.float32),
        "phi": (d["phi"] / unit).astype(np.float32),
        "verdict": d["verdict"].astype(np.uint8),
        "route": route,
        "coding": coding,
        "many": d["many"].astype(np.int32),
    }
    x_end, y_ends = extent(focus)
    if before is not None:  # of another instant where it is pinned
        more, (low_, high_) = extent(before)
        x_end, y_ends = max(x_end, more), (min(y_ends[0], low_), max(y_ends[1], high_))
    Ts = focus.instant.scenario.control.Ts
    low, high = focus.extent["T_cert"]
    return {
        "title": title(focus),
        "keys": d["key"].tolist(),
        "x_end": x_end,
        "y_ends": y_ends,
        "colour_range": (max(low, 0.0), max(high, low + Ts)),
        "sources": {
            "routes": {"text": routes},
            "codings": {"text": codings},
            "actions": columns,
            "edge": staircase(focus, x_end),
            "ghost": _ghost(before),
            "ghost_edge": staircase(before, x_end) if before is not None else {"x": [], "y": []},
            **named_actions(focus),
        },
    }


def coded(texts: Iterable[str]) -> tuple[list[str], NDArray[np.int32]]:
    """Texts that differ, and which of them each row has: many actions share a route, and texts are long."""
    places: dict[str, int] = {}
    which = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int32)
    return list(places), which


def title(focus: Focus) -> str:
    """What survives each stage, in words."""
    counts, rule = focus.counts, RULE_WORDS[focus.allocation.admission.rule]
    return (
        f"What is worth its slots to UAV {focus.uav}?  {counts['candidates']} actions, {counts['admitted']} {rule}, "
        f"{counts['frontier']} on the frontier"
    )


def extent(focus: Focus) -> tuple[float, tuple[float, float]]:
    """Most slots and both ends of U/V_max that hold every action; axes even where there is none."""
    unit, d = focus.model.V_max, focus.distinct
    low, high = (u / unit for u in focus.extent["U"])
    values = d["U"][np.isfinite(d["U"])] / unit
    if values.size:
        low, high = min(low, float(values.min())), max(high, float(values.max()))
    room = max(high - low, 1e-6)  # above, also for the label of an action at the edge
    return float(focus.extent["slots"][1]), (low - 0.06 * room, high + 0.16 * room)


def staircase(focus: Focus, end: float) -> dict[str, Any]:
    """The most value that the frontier offers for at most so many slots, as the corners of a stepped line."""
    offer = focus.offer
    slots, U = offer.whole.slots[offer.frontier], offer.appraisal.U[offer.frontier] / focus.model.V_max
    if slots.size == 0:
        return {"x": [], "y": []}
    order = np.lexsort((-U, slots))
    slots, best = slots[order], np.maximum.accumulate(U[order])
    first = np.flatnonzero(np.diff(best, prepend=-np.inf) > 0)
    x = np.append(np.repeat(slots[first], 2)[1:], max(end, float(slots[-1])))
    return {"x": x.astype(np.float32), "y": np.repeat(best[first], 2).astype(np.float32)}


def named_actions(focus: Focus) -> dict[str, Any]:
    """The action in focus, the allocator's choice and those that the sentence names, with their labels."""
    held, chosen = focus.held, focus.chosen
    same = held is not None and chosen is not None and held.key == chosen.key
    rivals = [a for a in map(focus.action, focus.rivals) if a is not None and not (chosen and a.key == chosen.key)]
    words = "in focus, allocator's choice" if same else "in focus"
    return {
        "held": _labelled(focus, [held], words),
        "chosen": _labelled(focus, [] if same else [chosen], "allocator's choice"),
        "rivals": _labelled(focus, rivals, "the sentence's rival"),
    }


def _labelled(focus: Focus, actions: Sequence[Action | None], words: str) -> dict[str, Any]:
    found = [a for a in actions if a is not None]
    end = focus.extent["slots"][1]
    return {
        "x": [a.slots for a in found],
        "y": [a.U / focus.model.V_max for a in found],
        "text": [f"\u00a0{words}, {a.slots} slots\u00a0\u00a0" for a in found],
        # towards the middle, so that the plot's edge cuts nothing
        "align": ["left" if a.slots < 0.35 * end else "right" if a.slots > 0.7 * end else "center" for a in found],
    }


def _ghost(before: Focus | None) -> dict[str, NDArray[Any]]:
    if before is None:
        return {"x": np.empty(0, np.int32), "y": np.empty(0, np.float32)}
    d = before.distinct
    on = d["frontier"]
    return {"x": d["slots"][on].astype(np.int32), "y": (d["U"][on] / before.model.V_max).astype(np.float32)}
