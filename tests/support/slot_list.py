"""The slots of one action as a list that reads like the paper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.network import Actions, Options, Routes, slot_layouts
from core.scenario import Scenario


class SlotUse(NamedTuple):
    """One reserved attempt: `length` slots from `slot` on, counted from the action's first slot."""

    slot: int
    length: int
    direction: str
    hop: int
    attempt: int
    tx: int
    rx: int


def slot_uses(
    scenario: Scenario,
    actions: Actions,
    ul_options: Options,
    dl_options: Options,
    ul_routes: Routes,
    dl_routes: Routes,
    index: int,
) -> list[SlotUse]:
    """`slot_layouts` of one action as a list."""
    layout = slot_layouts(
        scenario, actions, ul_options, dl_options, ul_routes, dl_routes, np.array([index], dtype=np.int64)
    )
    columns = (layout.slot, layout.length, layout.direction, layout.hop, layout.attempt, layout.tx, layout.rx)
    return [
        SlotUse(s, n, "dl" if direction else "ul", hop, attempt, tx, rx)
        for s, n, direction, hop, attempt, tx, rx in zip(*(c.tolist() for c in columns), strict=True)
    ]
