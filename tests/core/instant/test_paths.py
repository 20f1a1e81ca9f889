"""Where a loop is headed, against the plant written out cycle by cycle."""

from __future__ import annotations

import numpy as np
import pytest

from core.instant import Flight, Instant, takeoff
from core.scenario import FORMULATIONS, Scenario

SWARM = Scenario().replace(**{"mission.uavs": 10, "network.slots": 60, "mission.duration_s": 8.0})


def at(change: dict[str, object], k: int = 19) -> Instant:
    return Flight.of(takeoff(SWARM), seed=4).instant(k).replace(scenario=SWARM.replace(**change))


def flown_ahead(here: Instant, loop: int, arrival_s: float | None, local: bool) -> tuple[np.ndarray, list[float]]:
    """Positions and energies at the ends of the next cycles: velocities integrated, nothing else."""
    s, m, L = here.scenario, here.model, here.scenario.allocation.lookahead_cycles
    Ts, ff = s.control.Ts, s.control.feed_forward
    r = here.flight.trace.positions[here.cycle : here.cycle + L + 1, loop]
    errors = [e.copy() for e in here.states.z[loop]]  # newest first
    p = r[0] + errors[0]
    command = -m.k * errors[0] + (r[1] - r[0]) / Ts * ff
    u, places, energies = here.states.u[loop], [p], []
    arrived = False
    for j in range(L):
        onboard = -s.control.kappa * m.k * (p - r[j]) + (r[j + 1] - r[j]) / Ts * ff
        before = command if arrived else (onboard if local else u)
        if arrival_s is not None and j == 0:
            p = p + arrival_s * before + (Ts - arrival_s) * command
            arrived = True
        else:
            p = p + Ts * before
        places.append(p)
        errors = [p - r[j + 1], *errors[:-1]]
        z = np.array(errors)
        energies.append(float(np.einsum("ij,ik,jk->", m.X, z, z)))
    return np.array(places), energies


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "change",
    [{}, {"allocation.lookahead_cycles": 6}, {"control.feed_forward": True}, {"control.corridor_radius_m": 24.0}],
)
def test_paths_are_the_plant_flown_ahead(formulation: str, change: dict[str, object]) -> None:
    here = at({**change, "formulation": formulation})
    here = here.replace(focus=2, V=0.9 * here.model.V_max)  # too far out to hold: the onboard law has it
    frame_s = here.scenario.network.frame_s
    onboard = 0
    for loop in range(10):
        paths = here.on(loop).paths
        L = here.scenario.allocation.lookahead_cycles
        assert paths.cycles == L
        may_hold = bool(here.model.hold_admissible(here.states)[loop])
        until = not may_hold or bool(here.states.safe[loop])
        without, V0 = flown_ahead(here, loop, None, not may_hold)
        at_once, Va = flown_ahead(here, loop, 0.0, until)
        at_end, Vb = flown_ahead(here, loop, frame_s, until)
        np.testing.assert_allclose(paths.without, without, atol=1e-9)
        np.testing.assert_allclose(paths.at_once, at_once, atol=1e-9)
        np.testing.assert_allclose(paths.at_end, at_end, atol=1e-9)
        np.testing.assert_allclose(paths.references, here.flight.trace.positions[here.cycle :][: L + 1, loop])
        if loop != 2:  # which is moved from where it was flown
            np.testing.assert_allclose(paths.without[0], here.estimates[loop])
        np.testing.assert_allclose(paths.V_without, [here.states.V[loop], *V0])
        np.testing.assert_allclose(paths.V_served, [here.states.V[loop], *np.maximum(Va, Vb)])
        assert pytest.approx(np.mean(V0) - np.mean(np.maximum(Va, Vb))) == paths.G
        m = here.model
        assert pytest.approx(max(0.0, here.states.tr_sigma[loop] + m.tr_proc - m.tr_meas - m.tr_proc)) == paths.T
        assert paths.telemetry == pytest.approx(m.lam * paths.T)
        assert paths.onboard == (not may_hold)
        assert paths.counts == (formulation == "predicted")
        assert paths.off(paths.without)[0] == pytest.approx(np.linalg.norm(here.states.z[loop, 0]))
        onboard += until
    assert 0 < onboard < 10


def test_a_replaced_state_moves_its_own_path() -> None:
    here = at({})
    moved = here.replace(focus=2, V=0.5 * here.model.V_max)
    assert not np.allclose(here.paths(2).without, moved.paths(2).without)
    np.testing.assert_array_equal(here.paths(3).without, moved.paths(3).without)
    assert moved.paths(2).V_without[0] == pytest.approx(0.5 * here.model.V_max)
