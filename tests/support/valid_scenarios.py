"""Random scenarios that are valid, with any digits: fields drawn together, nothing on the steps of a slider.

`random_scenarios` draws by another law: it spreads over orders of magnitude and repairs what is refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from random_scenarios import DRAWN

from core.control import ControlModel
from core.errors import SafeExplorerError
from core.scenario import Scenario, quantity_of

PLAIN = Scenario()
TOGETHER: tuple[dict[str, Any], ...] = (
    {},
    {"mission.speed_mps": 25.0, "control.corridor_radius_m": 60.0},
    {"control.Ts": 1.0, "network.slot_ms": 2.0, "control.corridor_radius_m": 100.0},
    {"control.Ts": 0.274, "network.slots": 450, "network.slot_ms": 0.55},
    {"control.w_u": 0.05, "control.w_d": 0.95},
    {"control.H": 6, "control.h_max": 4},
    {"mission.altitude_min_m": 150.0, "mission.altitude_max_m": 151.5},
)
"""Values that only fit together: each begins some of the draws."""


def value_of(name: str, rng: random.Random) -> Any:
    """Any value that the field takes by itself."""
    meta, default = quantity_of(name), PLAIN.value(name)
    if isinstance(default, bool):
        return rng.random() < 0.5
    if isinstance(default, tuple):
        if meta.choices:
            return tuple(rng.sample(meta.choices, rng.randint(1, len(meta.choices))))
        return tuple(sorted(rng.sample(range(int(meta.lo or 0), int(meta.hi or 0) + 1), rng.randint(1, 3))))
    if isinstance(default, str):
        return rng.choice(meta.choices or ("",))
    assert meta.lo is not None
    assert meta.hi is not None
    if isinstance(default, int):
        return rng.randint(int(meta.lo), int(meta.hi))
    value = rng.choice([rng.uniform(meta.lo, meta.hi), meta.lo, meta.hi, default * (1 + 1e-13)])
    value = round(value, rng.randint(0, 5)) if rng.random() < 0.3 else value
    return min(max(value, meta.lo), meta.hi)


def changes(rng: random.Random) -> dict[str, Any]:
    """Values of one to twenty fields, whether they fit together or not."""
    names = rng.sample(DRAWN, rng.choice([1, 2, 3, 5, 8, 20]))
    return {**{name: value_of(name, rng) for name in names}, **rng.choice(TOGETHER)}


def valid_scenarios(seed: int) -> Iterator[Scenario]:
    """Scenarios that `core` flies, without end; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        try:
            made = PLAIN.replace(**changes(rng))
            ControlModel.of(made)
        except SafeExplorerError:
            continue
        yield made
