"""Curves over one quantity are those of a brute-force sweep, and their thresholds those of a dense one."""

from __future__ import annotations

import numpy as np
import pytest
from brute_solve import check_curves, check_said, ranges, reading
from hypothesis import given, settings
from hypothesis import strategies as st
from random_states import case

from core.allocation import Mode
from core.errors import ScenarioError
from core.instant import Flight, Focus, Instant, Spans, Variable, varied
from core.instant import instant as instants
from core.scenario import Affects, Scenario, fields_affecting, quantity_of
from core.wanted import Superseded, while_wanted

SCENARIO = Scenario().replace(**{"mission.uavs": 12, "network.slots": 60, "mission.duration_s": 8.0})


@pytest.fixture(scope="module")
def here() -> Instant:
    return Flight.of(SCENARIO, "SAFE", 4).instant(14)


@pytest.fixture(scope="module")
def focus(here: Instant) -> Focus:
    return here.on(3)


def test_everything_that_can_be_varied_is_what_no_flight_and_no_calibration_depends_on() -> None:
    assert {"network.snr_offset_db", "twin.beta", "twin.delta_T", "twin.H_T", "network.slots"} <= set(varied())
    assert {"v_ratio", "sigma_share", "c", "c_fail"} <= set(varied())
    fixed = {*fields_affecting(Affects.FLIGHT), *fields_affecting(Affects.CALIBRATION)}
    assert not fixed & set(varied())
    assert all(quantity_of(name).step for name in varied() if "." in name)


@pytest.mark.parametrize("name", varied())
@pytest.mark.slow
def test_curves_are_those_of_a_brute_force_sweep(focus: Focus, name: str) -> None:
    found = focus.solve(name, most=31)
    check_curves(found, range(0, len(found.curves.x), 1 if len(found.curves.x) < 40 else 2))
    check_said(found)
    assert found.variable.here in found.curves.x


def test_curves_of_the_sliders_in_view_hold_every_step(focus: Focus) -> None:
    for name in ("network.snr_offset_db", "twin.beta", "twin.H_T", "network.slots", "v_ratio", "sigma_share", "c"):
        found = focus.solve(name)
        meta = found.variable.meta
        steps = np.arange(round((meta.hi - meta.lo) / meta.step) + 1)
        expected = np.round(meta.lo + steps * meta.step, meta.digits)
        assert set(expected) <= set(found.curves.x)
        assert found.spacing <= meta.step * (1 + 1e-9)
        assert found.tolerance == meta.step


def test_frames_that_do_not_fit_into_a_control_period_are_not_looked_at() -> None:
    now = Flight.of(SCENARIO, "SAFE", 4).instant(5)
    found = now.replace(scenario=now.scenario.replace(**{"network.slot_ms": 1.0})).on(3).solve("network.slots")
    assert found.curves.x[-1] == int(0.25 / 1.05e-3)
    assert found.reason == ""


def test_one_line_says_from_which_snr_a_loop_is_certifiable(here: Instant) -> None:
    spans = here.on(3).solve("network.snr_offset_db").certifiable
    dense = [x for x in np.arange(-20.0, 20.01, 0.5) if reading(here.on(3), "network.snr_offset_db", x)["certifiable"]]
    assert spans.start == dense[0]
    assert dense[-1] == 20.0
    assert str(spans) == f"from −{abs(dense[0]):.1f} dB"
    assert dense[0] in spans
    assert dense[0] - 0.5 not in spans


@pytest.mark.parametrize(
    ("name", "tolerance"), [("network.snr_offset_db", 0.02), ("twin.beta", 0.0005), ("v_ratio", 0.001)]
)
def test_thresholds_are_within_their_tolerance_of_a_dense_sweep(name: str, tolerance: float) -> None:
    now = Flight.of(SCENARIO, "SAFE", 4).instant(14)
    focus = now.replace(scenario=now.scenario.replace(**{"network.snr_offset_db": -6.0})).on(4)
    found = focus.solve(name, tolerance=tolerance)
    for state, spans in found.spans.items():
        for change in spans.changes:
            around = [change - tolerance * (1 + 1e-9), change + tolerance * (1 + 1e-9)]
            beside = [reading(focus, name, x) for x in around if found.variable.meta.lo <= x <= found.variable.meta.hi]
            assert holds(state, reading(focus, name, change))
            assert not all(holds(state, r) for r in beside), (state, change)
            assert spans.tolerance <= tolerance * (1 + 1e-9)
    assert any(spans.changes for spans in found.spans.values())


def holds(state: str, at: dict[str, float]) -> bool:
    """Whether a reading of the slow way is in a state."""
    if state == "uncertified":
        return bool(at["served"] and at["mode"] == Mode.SYNCHRONISATION)
    return bool(at["passes" if state == "admitted" else state])


def test_a_thinned_curve_is_bisected_to_the_step_and_says_that_it_was_thinned(focus: Focus) -> None:
    dense, thin = focus.solve("network.slots"), focus.solve("network.slots", most=12)
    assert thin.certifiable.ranges == dense.certifiable.ranges
    assert thin.on_offer.ranges == dense.on_offer.ranges
    assert "may be missed" in str(thin.said)
    assert "may be missed" not in str(dense.said)
    check_said(thin)


def test_a_gap_is_never_called_from(focus: Focus) -> None:
    x, asked = np.arange(6.0), np.ones(6, dtype=bool)
    variable = Variable("network.slots", focus.instant, focus.loop)

    def spans(*holds: int, refused: tuple[int, ...] = ()) -> Spans:
        could = asked.copy()
        could[list(refused)] = False
        return Spans.of("served", variable, x, np.array(holds, dtype=bool), could)

    assert str(spans(0, 0, 1, 1, 1, 1)) == "from 2 slots"
    assert str(spans(1, 1, 0, 0, 0, 0)) == "up to 1 slots"
    assert str(spans(0, 1, 1, 0, 1, 1)) == "from 1 to 2 and from 4 slots"
    assert spans(0, 1, 1, 0, 1, 1).start is None
    assert spans(1, 0, 0, 0, 0, 1).end is None
    assert str(spans(0, 1, 0, 0, 1, 1, refused=(2,))) == "at 1 and from 4 slots"
    assert str(spans(1, 1, 1, 1, 1, 1, refused=(3,))) == "up to 2 and from 4 slots"
    assert str(spans(1, 1, 1, 1, 1, 1, refused=(0, 5))) == "at every value that is not refused"
    assert str(spans(1, 1, 1, 1, 1, 1)) == "at every value"
    assert str(spans(0, 0, 0, 0, 0, 0)) == "at no value"
    assert spans(1, 0, 1, 0, 1, 0).changes == (0.0, 2.0, 2.0, 4.0, 4.0)


def test_more_ranges_than_can_be_read_are_counted(focus: Focus) -> None:
    x = np.arange(9.0)
    spans = Spans.of("served", Variable("twin.H_T", focus.instant, 3), x, x % 2 == 0, np.ones(9, dtype=bool))
    assert str(spans) == "in 5 separate ranges between 0 and 8 opportunities"


def test_what_cannot_be_asked_is_refused_in_words(focus: Focus) -> None:
    with pytest.raises(ScenarioError, match="another flight or calibration"):
        focus.solve("mission.uavs")
    with pytest.raises(ScenarioError, match=r"Did you mean 'network\.snr_offset_db'"):
        focus.solve("network.snr_ofset_db")
    with pytest.raises(ScenarioError, match="positive"):
        focus.solve("c", tolerance=0.0)
    with pytest.raises(ScenarioError, match="at least 2"):
        focus.solve("c", most=1)
    narrow = focus.solve("control.corridor_radius_m")
    assert narrow.refused.end is not None
    assert "too narrow" in narrow.reason
    assert narrow.reason in str(narrow.said)


def test_a_curve_that_nobody_waits_for_stops(focus: Focus) -> None:
    asked: list[int] = []

    def wanted() -> bool:
        asked.append(1)
        return len(asked) < 5

    with pytest.raises(Superseded), while_wanted(wanted):
        focus.solve("twin.beta")
    assert len(asked) == 5


def test_a_curve_takes_no_place_in_the_cache_of_what_visitors_look_at(focus: Focus) -> None:
    _ = focus.instant.candidates, focus.instant.whole_set(focus.loop)
    before = len(instants._certified.kept)
    focus.solve("twin.beta")
    assert len(instants._certified.kept) == before


def test_the_held_action_is_the_one_in_focus_now_along_the_whole_curve(here: Instant) -> None:
    loop = int(np.flatnonzero(here.allocation.choice >= 0)[0])
    focus = here.on(loop)
    found = focus.solve("network.snr_offset_db")
    row = found.at(found.variable.here)
    assert found.curves.chosen[row]
    assert found.curves.phi[row] == focus.chosen.phi
    assert found.curves.chosen.sum() < found.curves.served.sum()  # the allocator prefers others elsewhere
    assert found.curves.on_offer.sum() >= found.curves.passes.sum()


def test_an_action_that_is_not_on_offer_here_is_held_where_it_is(here: Instant) -> None:
    held = here.on(3).held.key
    weak = here.replace(scenario=here.scenario.replace(**{"network.snr_offset_db": -20.0})).on(3, held)
    assert weak.held is None
    found = weak.solve("network.snr_offset_db")
    same = here.on(3, held).solve("network.snr_offset_db")
    np.testing.assert_array_equal(found.curves.phi, same.curves.phi)
    assert found.on_offer.ranges == same.on_offer.ranges
    assert 0.0 in found.on_offer
    assert -20.0 not in found.on_offer
    check_curves(found, range(0, 81, 8))
    check_said(found)


@pytest.mark.parametrize("change", [{"network.slots": 1}, {"network.snr_offset_db": -20.0}, {"mission.uavs": 1}])
def test_nothing_to_hold_and_a_single_loop_have_curves_too(change: dict[str, float]) -> None:
    scenario = SCENARIO.replace(**{k: v for k, v in change.items() if k.startswith("mission.")})
    now = Flight.of(scenario, "SAFE", 4).instant(5)
    focus = now.replace(scenario=now.scenario.replace(**change)).on(0)
    for name in ("network.snr_offset_db", "network.slots", "v_ratio", "twin.beta"):
        found = focus.solve(name, most=21)
        check_curves(found, range(0, len(found.curves.x), 5))
        check_said(found)


def test_what_the_twin_has_learnt_in_flight_counts() -> None:
    scenario = SCENARIO.replace(**{"twin.online_beta": True, "twin.online_gamma": 0.5})
    flight = Flight.of(scenario, "SAFE", 4)
    focus = flight.instant(14).on(4)
    assert np.abs(flight.online(14).shift).max() > 0.01
    for name in ("twin.beta", "network.snr_offset_db", "network.slots"):
        found = focus.solve(name, most=15)
        check_curves(found, range(0, len(found.curves.x), 3))


MONOTONE = {"twin.beta": 1, "twin.delta_T": 1, "twin.H_T": -1}


@settings(max_examples=12)
@given(seed=st.integers(0, 500), name=st.sampled_from(sorted(MONOTONE)))
def test_admission_is_monotone_in_what_the_twin_promises(seed: int, name: str) -> None:
    """More β or δ_T or a shorter horizon only admits more, except under the printed gate."""
    focus = case(seed).focus
    found = focus.solve(name, most=15)
    if focus.instant.scenario.formulation == "paper":
        return
    counts = found.curves.certifiable[found.curves.asked] * MONOTONE[name]
    assert (np.diff(counts) >= 0).all()
    assert len(found.certifiable.ranges) <= 1


@settings(max_examples=25)
@given(seed=st.integers(0, 600), name=st.sampled_from(varied()))
@pytest.mark.slow
def test_random_states_give_the_curves_of_the_slow_way(seed: int, name: str) -> None:
    focus = case(seed).focus
    found = focus.solve(name, most=9)
    check_curves(found, range(len(found.curves.x)))
    check_said(found)
    for state, spans in found.spans.items():
        holds = found.curves.states[state] & found.curves.asked
        assert spans.ranges == ranges(found.curves.x, holds)
