"""The few actions that P2 may choose against the whole frontier: one program, item for item."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.allocation import frontier_mask
from core.allocation.knapsack import DynamicProgram
from core.allocation.prediction import _values
from core.allocation.sufficiency import sufficient_actions


def assert_one_program(q: Any, U: np.ndarray, admitted: np.ndarray, frontier: np.ndarray, budget: int) -> int:
    """Number of items; both programs must have the same ones."""
    few = sufficient_actions(q, U, admitted, budget)
    assert not (few & ~frontier).any()
    found, whole = (
        DynamicProgram.of(np.where(mask, U, -np.inf), q.slots, q.offsets, budget) for mask in (few, frontier)
    )
    for name in ("item_cost", "item_value", "item_index", "item_offsets", "curve"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), err_msg=name)
    assert few.sum() == (whole.item_index >= 0).sum()
    return int(few.sum())


@pytest.mark.parametrize("steps", [2, 4, 30])
def test_with_many_ties_and_with_few(steps: int) -> None:
    """Coarse coordinates make equal values, equal actions and long chains of dominance; G < 0 and T = 0 make more."""
    rng = np.random.default_rng(steps)
    chosen = 0
    for _ in range(300):
        loops = int(rng.integers(1, 6))
        offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 40, loops))]).astype(np.int64)
        M, loop = int(offsets[-1]), np.repeat(np.arange(loops), np.diff(offsets))
        T_cert = np.where(rng.random(M) < 0.2, np.inf, rng.integers(1, 1 + steps, M) * 0.25)
        q = SimpleNamespace(
            offsets=offsets,
            slots=rng.integers(0, 2 + steps, M),
            D_ul=rng.integers(0, steps, M) * 0.01,
            D_dl=rng.integers(0, steps, M) * 0.01,
            T_cert=T_cert,
            rho_ul=rng.integers(0, steps, M) / steps,
            rho_dl=rng.integers(0, steps, M) / steps,
        )
        G, T = rng.normal(size=loops), np.maximum(rng.normal(size=loops), 0.0)
        U = _values(G, T, 0.37, loop, q.rho_ul, q.rho_dl)
        admitted = rng.random(M) < 0.8
        coords = np.column_stack([q.D_ul, q.D_dl, q.T_cert, q.rho_ul, q.rho_dl, q.slots])
        frontier = frontier_mask(coords, offsets, keep=admitted)
        chosen += assert_one_program(q, U, admitted, frontier, int(rng.integers(0, 3 + steps)))
    assert chosen > 100


@pytest.mark.parametrize("change", [{}, {"allocation.directional_pruning": False}, {"network.snr_offset_db": -4.0}])
def test_in_flight(change: dict[str, object]) -> None:
    from core.instant import Flight
    from core.scenario import Scenario

    small = Scenario().replace(**{"mission.uavs": 14, "network.slots": 70, "mission.duration_s": 8.0})
    flown = Flight.of(small, "SAFE", 11)
    for k in (3, 12, 27):
        here = flown.instant(k)
        found = here.replace(scenario=here.scenario.replace(**change)).allocation
        assert "frontier" not in vars(found)  # nobody has asked for it
        assert assert_one_program(found.candidates, found.U, found.admitted, found.frontier, found.budget)
        np.testing.assert_array_equal(found.curve, found.program(found.budget).curve)


def test_other_formulations_go_by_the_frontier(make_case: Any) -> None:
    """B − Φ is not monotone to the last bit, so P2 there searches what Algorithm 1 says."""
    from core.allocation import allocate

    case = make_case("repaired", uavs=8, slots=50)
    found = allocate(*case.parts)
    assert "frontier" in vars(found)
    again = dataclasses.replace(found)
    np.testing.assert_array_equal(found.frontier, again.frontier)
    np.testing.assert_array_equal(found.verdict, again.verdict)
