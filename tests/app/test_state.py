"""The state: generated from metadata, bounded, and never half-changed."""

import param
import pytest

from app.picture import Inputs
from app.state import CONTROLS, FIELDS, VIEW, State, checked, default_of, metadata_of, sample_of
from core.errors import SafeExplorerError, ScenarioError
from core.scenario import PRESETS, Scenario, field_names, preset


def test_every_scenario_field_is_a_control_and_leaf_names_are_unique() -> None:
    assert list(FIELDS.values()) == list(field_names())
    assert not set(FIELDS) & set(VIEW)


def test_defaults_lie_on_their_step_so_that_links_reproduce_them() -> None:
    for name in CONTROLS:
        assert checked(name, default_of(name)) == default_of(name), name


def test_default_state_is_the_default_scenario() -> None:
    assert State().scenario == Scenario()


@pytest.mark.parametrize(
    "name", [n for n in CONTROLS if isinstance(sample_of(n), (int, float)) and not isinstance(sample_of(n), bool)]
)
def test_bounds_come_from_the_metadata_and_hold(name: str) -> None:
    meta = metadata_of(name)
    assert State.param[name].bounds == (meta.lo, meta.hi)
    for bad in (
        meta.hi + 1,
        meta.lo - 1,
        float("nan"),
        float("inf"),
        "3",
        *([] if default_of(name) is None else [None]),
    ):
        with pytest.raises(ScenarioError):
            State().apply({name: bad})


def test_a_control_of_the_focused_loop_is_as_flown_until_it_is_moved_and_again_when_reset() -> None:
    state = State()
    assert [n for n in VIEW if default_of(n) is None] == ["v_ratio", "sigma_share", "c", "c_fail"]
    state.apply({"v_ratio": 0.4, "c": 2})
    assert state.differences() == {"v_ratio": 0.4, "c": 2}
    assert isinstance(checked("sigma_share", 1), float)
    with pytest.raises(ScenarioError, match="whole number"):
        state.apply({"c": 2.5})
    state.apply({"v_ratio": None, "c": None})
    assert state.differences() == {}


def test_a_refused_change_changes_nothing() -> None:
    state = State()
    with pytest.raises(ScenarioError, match="w_u"):
        state.apply({"beta": 0.2, "w_u": 0.9})
    assert state.scenario == Scenario()


def test_several_changes_are_one_event() -> None:
    state = State()
    seen = []
    state.param.watch(lambda *e: seen.append(e), ["beta", "slots"])
    state.apply({"beta": 0.2, "slots": 120})
    assert len(seen) == 1


@pytest.mark.parametrize("name", PRESETS)
def test_presets_load_unchanged(name: str) -> None:
    state = State()
    state.load(preset(name))
    assert state.scenario == preset(name)


def test_parameters_are_param_parameters_with_docs() -> None:
    for name in CONTROLS:
        assert isinstance(State.param[name], param.Parameter)
        assert State.param[name].doc


class TestMission:
    """UAV and cycle lie within the mission."""

    def test_a_uav_beyond_the_swarm_is_refused_in_words(self) -> None:
        state = State()
        with pytest.raises(ScenarioError, match="no UAV 51: the swarm has 50, choose one from 1 to 50"):
            state.apply({"focus": 51})
        state.apply({"focus": 50})
        state.apply({"uavs": 20})  # it is no more: the page picks another
        assert state.focus == 0
        state.apply({"uavs": 60, "focus": 60})
        assert state.focus == 60

    def test_a_cycle_beyond_the_mission_is_refused_and_a_shorter_mission_shows_its_last(self) -> None:
        state = State()
        with pytest.raises(ScenarioError, match="cycles 0 to 119"):
            state.apply({"cycle": 120})
        state.apply({"cycle": 119})
        state.apply({"duration_s": 3.0})
        assert state.cycle == 11


class TestCourse:
    """What the flight took off with and what was changed on the way."""

    BETA, SLOTS = ("twin.beta", 0.2), ("network.slots", 120)

    def test_what_is_in_force(self) -> None:
        state = State()
        state.fly((self.BETA,), ((22, (self.SLOTS,)), (40, (("twin.beta", 0.3),))))
        found = [(state.in_force(k).twin.beta, state.in_force(k).network.slots) for k in (0, 21, 22, 39, 40, 119)]
        assert found == [(0.2, 160), (0.2, 160), (0.2, 120), (0.2, 120), (0.3, 120), (0.3, 120)]
        assert state.scenario == Scenario()  # the sliders stay

    @pytest.mark.parametrize(
        ("takeoff", "changes", "words"),
        [
            ((), ((120, (BETA,)),), "cycle 120"),
            ((), ((30, (BETA,)), (30, (SLOTS,))), "cycle 30"),
            ((), ((30, (("mission.uavs", 3),)),), "mission.uavs cannot change"),
            ((("network.slots", 9999),), (), "slots"),
            ((("control.corridor_radius_m", 5.0),), (), "corridor"),
        ],
    )
    def test_what_cannot_be_flown_is_refused_and_nothing_changes(self, takeoff, changes, words: str) -> None:  # type: ignore[no-untyped-def]
        state = State()
        state.fly((self.BETA,), ((22, (self.SLOTS,)),))
        with pytest.raises(SafeExplorerError, match=words):
            state.fly(takeoff, changes)
        assert (state.takeoff, state.changes) == ((self.BETA,), ((22, (self.SLOTS,)),))

    def test_another_mission_begins_unchanged_and_keeps_its_take_off(self) -> None:
        state = State()
        state.fly((self.BETA,), ((22, (self.SLOTS,)),))
        state.apply({"beta": 0.4, "cycle": 30})
        assert state.changes
        state.apply({"uavs": 20})
        assert (state.takeoff, state.changes) == ((self.BETA,), ())
        state.fly((("control.corridor_radius_m", 25.0),))
        state.apply({"corridor_radius_m": 60.0, "speed_mps": 25.0})  # too fast for the corridor it took off with
        assert state.takeoff == ()

    def test_sliders_that_ask_nothing_go_on_showing_what_is_flown(self) -> None:
        state = State()
        state.fly((), ((30, (self.SLOTS,)),))
        state.apply({"cycle": 30})
        assert state.slots == 120
        state.apply({"cycle": 29})
        assert state.slots == 160
        state.apply({"slots": 140})  # what if
        state.apply({"cycle": 50})
        assert state.slots == 140


@pytest.mark.parametrize("name", ["stressed", "teaching-swarm", "table-1"])
def test_a_preset_takes_off_with_all_of_its_settings(name: str) -> None:
    state = State()
    state.apply({"slots": 44})
    state.fly((("network.slots", 50),))
    state.load(preset(name))
    assert Inputs.of(state).flight().scenario == preset(name)
    assert state.changes == ()


def test_a_scenario_that_cannot_be_flown_changes_nothing() -> None:
    state = State()
    narrow = Scenario().replace(**{"control.corridor_radius_m": 5.0})
    with pytest.raises(SafeExplorerError):
        state.load(narrow)
    assert (state.scenario, state.takeoff) == (Scenario(), ())


def test_a_flight_of_its_own_stays_when_a_default_does_not_fit_the_new_mission() -> None:
    """At 25 m/s the default corridor is too narrow; that of the sliders is not, and the flight goes on having its β."""
    state = State()
    state.load(Scenario().replace(**{"twin.beta": 0.2}))
    state.apply({"corridor_radius_m": 60.0})
    state.apply({"speed_mps": 25.0})
    assert state.takeoff == (("twin.beta", 0.2),)
    start = Inputs.of(state).takeoff
    assert start is not None
    assert (start.twin.beta, start.control.corridor_radius_m, start.mission.speed_mps) == (0.2, 60.0, 25.0)


def test_a_file_keeps_its_digits_and_a_move_goes_to_a_step() -> None:
    state = State()
    exact = Scenario().replace(**{"control.Ts": 0.274, "network.slots": 450, "network.slot_ms": 0.55})
    state.load(exact)
    assert state.scenario == exact
    state.move({"Ts": 0.2812})
    assert (state.Ts, state.slot_ms) == (0.3, 0.55)
    with pytest.raises(ScenarioError, match="lies outside"):
        state.move({"Ts": 7.0})
