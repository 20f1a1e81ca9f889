"""Random instants of small flights, with random what-ifs and random actions in focus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.instant import Flight, Focus, Instant, takeoff
from core.scenario import Scenario

SWARMS = (1, 2, 5, 10, 10, 10, 24, 24, 60, 200)
"""UAVs of the flights; the small ones more often, for they are quick."""
CYCLES = {1: 11, 2: 11, 5: 11, 10: 11, 24: 7, 60: 4, 200: 2}
"""How far each is flown."""


@dataclass(frozen=True)
class Case:
    """A loop in focus, the same loop before a move, and any loop of another instant."""

    focus: Focus
    before: Focus
    pinned: Focus


def case(seed: int) -> Case:
    """One random state: budget 1 … 400, SNR −20 … +20 dB, every formulation and rule, overridden states, any held action."""
    rng = np.random.default_rng(seed)
    uavs = int(rng.choice(SWARMS))
    base = Scenario().replace(**{"mission.uavs": uavs, "mission.duration_s": 8.0})
    here = Flight.of(takeoff(base), "SAFE", int(rng.integers(2))).instant(int(rng.integers(CYCLES[uavs] + 1)))
    loop = int(rng.integers(uavs))
    first = _what_if(here, base, loop, rng)
    before = first.on(loop, _key(first, loop, rng))
    after = first.replace(scenario=first.scenario.replace(**_move(rng)))
    return Case(after.on(loop, before.wanted), before, _pinned(here, base, loop, np.random.default_rng((seed, 1))))


def _pinned(here: Instant, base: Scenario, loop: int, rng: np.random.Generator) -> Focus:
    """A loop, half the time the same one, at any cycle that is flown, with another what-if and any action in focus."""
    flight, uavs = here.flight, base.mission.uavs
    loop = loop if rng.uniform() < 0.5 else int(rng.integers(uavs))
    there = _what_if(flight.instant(int(rng.integers(CYCLES[uavs] + 1))), base, loop, rng)
    return there.on(loop, _key(there, loop, rng))


def _what_if(here: Instant, base: Scenario, loop: int, rng: np.random.Generator) -> Instant:
    fields: dict[str, Any] = {
        "network.slots": int(np.exp(rng.uniform(0.0, np.log(400.5)))),
        "network.snr_offset_db": round(float(rng.uniform(-20.0, 20.0)), 1),
        "formulation": str(rng.choice(["predicted", "repaired", "paper"])),
        "allocation.admission": str(rng.choice(["drift", "drift", "reach", "none"])),
        "allocation.sync_exchanges": int(rng.integers(4)),
    }
    there = here.replace(scenario=base.replace(**fields), focus=loop)
    m = there.model
    state: dict[str, Any] = {
        "V": float(rng.uniform(0.0, 1.2)) * m.V_max,
        "tr_sigma": m.sigma_min + float(rng.uniform(0.0, 1.2)) * (m.sigma_max - m.sigma_min),
        "c": int(rng.integers(13)),
        "c_fail": int(rng.integers(6)),
    }
    return there.replace(**{name: value for name, value in state.items() if rng.uniform() < 0.4})


def _move(rng: np.random.Generator) -> dict[str, Any]:
    moves: list[dict[str, Any]] = [
        {"twin.beta": round(float(rng.uniform(0.005, 0.3)), 3)},
        {"twin.delta_T": round(float(rng.uniform(0.005, 0.3)), 3)},
        {"twin.H_T": int(rng.integers(1, 60))},
        {"network.snr_offset_db": round(float(rng.uniform(-20.0, 20.0)), 1)},
        {"network.slots": int(rng.integers(1, 401))},
        {},
    ]
    return moves[int(rng.integers(len(moves)))]


def _key(here: Instant, loop: int, rng: np.random.Generator) -> str:
    """The key of any action of the loop, or "" to follow the allocator."""
    keys = here.on(loop).distinct["key"]
    return str(rng.choice(keys)) if len(keys) and rng.uniform() < 0.6 else ""
