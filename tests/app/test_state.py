"""The state: generated from metadata, bounded, and never half-changed."""

import param
import pytest

from app.controls import GROUPS, groups
from app.state import CONTROLS, FIELDS, VIEW, State, checked, default_of, metadata_of, sample_of
from core.errors import ScenarioError
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
    assert state.changes() == {"v_ratio": 0.4, "c": 2}
    assert isinstance(checked("sigma_share", 1), float)
    with pytest.raises(ScenarioError, match="whole number"):
        state.apply({"c": 2.5})
    state.apply({"v_ratio": None, "c": None})
    assert state.changes() == {}


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


def test_every_control_has_one_place_in_the_sidebar_or_the_header() -> None:
    places = [item["name"] for group in groups() for item in group["items"]]
    assert sorted([*places, "formulation"]) == sorted(CONTROLS)
    assert GROUPS[0][1] == ("snr_offset_db", "beta", "delta_T", "H_T")


def test_sidebar_texts_are_the_metadata() -> None:
    for group in groups():
        for item in group["items"]:
            meta = metadata_of(item["name"])
            assert (item["help"], item["unit"], item["symbol"]) == (meta.doc, meta.unit, meta.symbol)
            assert (item["lo"], item["hi"], item["step"]) == (meta.lo, meta.hi, meta.step)


def test_parameters_are_param_parameters_with_docs() -> None:
    for name in CONTROLS:
        assert isinstance(State.param[name], param.Parameter)
        assert State.param[name].doc
