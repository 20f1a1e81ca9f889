"""What the first three tabs show: the flight's own states, sliders that act as the model says, verdicts in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opened import session

from app.components.chain import chain_html
from app.picture import Inputs, compute
from app.session import Session
from app.share_links import parse_query, read_query
from app.state import State
from core.control import ControlModel
from core.instant import Flight, takeoff
from core.instant.focus import LoopState
from core.scenario import Scenario
from core.simulation import Simulation


@pytest.mark.parametrize(
    ("change", "key", "sign"),
    [
        ({"snr_offset_db": 2.0}, "rho_ul", 1),
        ({"snr_offset_db": -2.0}, "rho_ul", -1),
        ({"beta": 0.3}, "rho_ul", 1),
        ({"delta_T": 0.5}, "g", -1),
        ({"H_T": 1}, "g", -1),
        ({"sigma_share": 1.0}, "phi", -1),
        ({"v_ratio": 0.8}, "phi", 1),  # its ᾱ is above 1
        ({"c": 6}, "alpha_bar", 1),
        ({"c": 6}, "phi", 1),
    ],
)
def test_each_named_control_moves_the_chain_the_way_the_model_says(
    change: dict[str, object], key: str, sign: int
) -> None:
    # a certificate with a small g: at a larger one c* = max(c, g − 1) has reached the buffer's depth already
    made = session(c=0, **({"delta_T": 0.4, "H_T": 1} if "c" in change else {}))
    before = made.pipeline.picture
    made.state.apply(change)
    after = made.pipeline.picture
    assert after.focus.loop == before.focus.loop
    assert after.focus.held.key == before.focus.held.key
    assert sign * (getattr(after.focus.held, key) - getattr(before.focus.held, key)) > 0


def test_failed_run_matters_through_the_gate_in_the_paper_formulation() -> None:
    made = session(formulation="paper", v_ratio=0.02, sigma_share=1.0, eta=1.0, c_fail=1)
    before = made.pipeline.picture.focus.counts["admitted"]
    made.state.apply({"c_fail": 12})
    assert made.pipeline.picture.focus.counts["admitted"] < before
    assert made.pipeline.picture.focus.verdict == "refused by the gate"


def test_a_promise_beyond_its_horizon_is_called_vacuous() -> None:
    made = session()
    assert "vacuous" not in made.pipeline.picture.focus.sentence
    made.state.apply({"H_T": 1, "delta_T": 0.005})
    picture = made.pipeline.picture
    assert picture.focus.held.g > 1
    assert "exceeds H_T = 1" in picture.focus.sentence
    assert "g &gt; H_T" in chain_html(picture)


def flown_run(state: State) -> Simulation:
    """The run behind the page, flown without any cache to the cycle shown."""
    run = Simulation(takeoff(state.scenario), "SAFE", state.seed)
    while run.k < min(state.cycle, run.trace.cycles - 1):
        run.step()
    return run


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"seed": 4, "cycle": 9, "slots": 25, "beta": 0.2, "snr_offset_db": -3.0},
        {"cycle": 23, "Q": 2.0, "formulation": "paper", "uavs": 5},
        {"Ts": 0.3, "H": 6, "speed_mps": 12.0},
    ],
)
def test_every_loop_stands_where_the_flight_has_it(changes: dict[str, Any]) -> None:
    state = State()
    state.apply({"uavs": 8, "slots": 40, "duration_s": 6.0, **changes})
    picture, run = compute(state), flown_run(state)
    states = run.states()
    for name in ("tr_sigma", "c", "c_fail", "safe", "z", "u"):
        np.testing.assert_array_equal(getattr(picture.instant.states, name), getattr(states, name))
    np.testing.assert_allclose(picture.instant.states.V, ControlModel.of(state.scenario).lyapunov(states.z))
    np.testing.assert_array_equal(picture.instant.plan.references[0], run.trace.positions[run.k])
    assert picture.instant.cycle == run.k


def test_the_default_page_allocates_what_the_policy_did_in_that_cycle() -> None:
    state = State()
    record = flown_run(state).step()
    picture = compute(state)
    np.testing.assert_array_equal(picture.instant.allocation.choice, record.choice)
    np.testing.assert_array_equal(picture.instant.candidates.rho_dl, record.candidates.rho_dl)
    np.testing.assert_array_equal(picture.instant.frame.slot, record.frame.slot)


def test_sliders_of_the_state_act_on_the_focused_loop_and_return_to_the_flight(small: Session) -> None:
    before = small.pipeline.picture
    i, m = before.focus.loop, before.focus.model
    small.state.apply({"v_ratio": 0.6, "sigma_share": 0.9, "c": 5, "c_fail": 2})
    moved = small.pipeline.picture
    assert (moved.focus.loop, moved.focus.flown) == (i, before.focus.flown)
    assert moved.focus.state == LoopState(0.6 * m.V_max, m.sigma_min + 0.9 * (m.sigma_max - m.sigma_min), 5, 2, 5)
    others = np.arange(8) != i
    for name in ("V", "tr_sigma", "c", "c_fail", "z"):
        np.testing.assert_array_equal(
            getattr(moved.instant.states, name)[others], getattr(before.instant.states, name)[others]
        )
    small.state.apply(dict.fromkeys(("v_ratio", "sigma_share", "c", "c_fail")))
    assert small.pipeline.picture.focus.state == before.focus.state


def test_no_slider_but_those_of_the_mission_flies_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state = State()
    state.apply({"uavs": 6, "slots": 30, "duration_s": 6.0, "seed": 77})
    compute(state)
    flown: list[int] = []
    step = Simulation.step
    monkeypatch.setattr(Simulation, "step", lambda self: (flown.append(self.k), step(self))[1])
    sliders = {
        "beta": 0.2,
        "snr_offset_db": 3.0,
        "slots": 44,
        "Q": 2.0,
        "eta": 0.3,
        "corridor_radius_m": 40.0,
        "c": 3,
        "focus": 2,
    }
    for name, value in {**sliders, "formulation": "paper", "carrier_ghz": 5.0, "v_ratio": 0.5, "cycle": 12}.items():
        state.apply({name: value})
        compute(state)
    assert flown == []
    state.apply({"hotspot_cycles": 8})
    compute(state)
    assert flown == list(range(12))


@pytest.mark.parametrize(
    "query", ["?speed_mps=25&corridor_radius_m=60", "?Ts=1&slot_ms=2&corridor_radius_m=100&focus=3"]
)
def test_a_scenario_that_the_defaults_do_not_fit_is_shown(query: str) -> None:
    made = session(uavs=8, duration_s=6.0)
    assert read_query(made.state, parse_query(query)) == []
    assert made.pipeline.stale == ""
    assert made.pipeline.picture.inputs.scenario == made.state.scenario


class TestFlight:
    """The flight behind a picture: take-off, changes, policy."""

    def test_it_takes_off_and_changes_as_the_state_says(self) -> None:
        state = State()
        state.apply({"uavs": 8, "slots": 40, "duration_s": 6.0})
        state.fly(
            (("network.slots", 50), ("twin.beta", 0.2)), ((5, (("network.slots", 30),)), (9, (("twin.beta", 0.1),)))
        )
        flight = Inputs.of(state).flight()
        base = Scenario().replace(
            **{"mission.uavs": 8, "mission.duration_s": 6.0, "network.slots": 50, "twin.beta": 0.2}
        )
        later = base.replace(**{"network.slots": 30})
        assert flight is Flight.of(base).changed(5, later).changed(9, later.replace(**{"twin.beta": 0.1}))
        assert [(s.start, s.scenario.network.slots, s.scenario.twin.beta) for s in flight.segments] == [
            (0, 50, 0.2),
            (5, 30, 0.2),
            (9, 30, 0.1),
        ]
        other = Inputs.of(state).flight("VoI-Sched")
        assert (other.key.policy.name, other.key.changes) == ("VoI-Sched", flight.key.changes)

    def test_a_picture_of_another_policy_is_seen_as_that_policy_sees_it(self) -> None:
        state = State()
        state.apply({"uavs": 8, "slots": 40, "duration_s": 6.0, "policy": "SAFE-paper", "cycle": 9})
        picture = compute(state)
        assert picture.instant.scenario.formulation == "paper"
        assert picture.instant.scenario == picture.flight.seen_at(9).replace(**{"network.slots": 40})
