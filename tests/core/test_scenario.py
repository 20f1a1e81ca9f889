"""Scenario: validation, replacement, hashing, presets."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Scenario
from core.control import ControlModel
from core.errors import SafeExplorerError, ScenarioError
from core.scenario import PRESETS, NetworkFields, field_names, preset, quantity_of


def refusal(**changes):
    with pytest.raises(ScenarioError) as caught:
        Scenario().replace(**changes)
    return str(caught.value)


def test_defaults_are_table_one():
    s = Scenario()
    assert (s.mission.uavs, s.mission.speed_mps, s.mission.duration_s) == (50, 15.0, 30.0)
    assert (s.control.Ts, s.network.slots, s.network.slot_ms, s.network.carrier_ghz) == (0.25, 160, 0.5, 2.4)
    assert (s.network.deadline_ms, s.mission.building_side_m, s.mission.facade_offset_m) == (125.0, 60.0, 20.0)
    assert (s.mission.altitude_min_m, s.mission.altitude_max_m) == (70.0, 100.0)
    assert s.formulation == "predicted"
    assert s.cycles == 120


def test_derived_values():
    s = Scenario()
    assert s.control.split == pytest.approx((0.2, 0.2, 0.6))
    assert s.network.tau_slot_s == pytest.approx(0.55e-3)
    assert s.network.gcs == (-330.0, 0.0, 25.0)
    assert s.replace(**{"mission.duration_s": 1.0, "control.Ts": 1.0}).cycles == 1


def test_replace_changes_only_what_is_named():
    s = Scenario()
    t = s.replace(**{"network.slots": 120, "control.R": 0.2, "formulation": "paper"})
    assert t.differences(s) == {"network.slots": 120, "control.R": 0.2, "formulation": "paper"}
    assert s == Scenario()
    assert t.replace(**{"network.slots": 160, "control.R": 0.15, "formulation": "predicted"}) == s


def test_scenarios_are_frozen_hashable_and_comparable():
    s, t = Scenario(), Scenario().replace(**{"network.slots": 120})
    assert hash(s) == hash(Scenario())
    assert len({s, t, Scenario(), t.replace(**{"network.slots": 160})}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.formulation = "paper"
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.network.slots = 1
    assert pickle.loads(pickle.dumps(t)) == t


def test_digest_tells_scenarios_apart():
    s = Scenario()
    assert s.digest() == Scenario().digest()
    assert len({s.digest(), s.replace(formulation="paper").digest(), s.replace(**{"twin.beta": 0.1}).digest()}) == 3


def test_values_by_name():
    s = Scenario()
    for name in field_names():
        value = s.value(name)
        assert s.replace(**{name: value}) == s


@pytest.mark.parametrize("name", [n for n in field_names() if quantity_of(n).lo is not None])
def test_every_bound_is_enforced_with_field_value_and_bounds_in_the_message(name):
    q, default = quantity_of(name), Scenario().value(name)
    for beyond in (q.lo - 1, q.hi + 1):
        message = refusal(**{name: [beyond] if isinstance(default, tuple) else beyond})
        for part in (name, f"{beyond:g}", f"{q.lo:g}", f"{q.hi:g}", "between"):
            assert part in message


@pytest.mark.parametrize(
    "value", ["120", None, True, [1], {"a": 1}, object(), np.array([1, 2]), np.nan, np.inf, -np.inf, 10**400, b"1"]
)
@pytest.mark.parametrize("name", ["network.slots", "control.R"])
def test_what_is_not_a_finite_number_is_refused(name, value):
    message = refusal(**{name: value})
    assert name in message
    assert "number" in message or "finite" in message


def test_whole_numbers():
    assert Scenario().replace(**{"network.slots": 120.0}).network.slots == 120
    assert isinstance(Scenario().replace(**{"network.slots": 120.0}).network.slots, int)
    assert isinstance(Scenario().replace(**{"mission.speed_mps": 14}).mission.speed_mps, float)
    message = refusal(**{"network.slots": 120.5})
    for part in ("network.slots = 120.5", "whole number", "between 0 and 450 slots"):
        assert part in message


@pytest.mark.parametrize("value", [np.int64(120), np.float64(120.0), np.array(120)])
def test_numpy_scalars_become_plain_numbers(value):
    slots = Scenario().replace(**{"network.slots": value}).network.slots
    assert type(slots) is int
    assert slots == 120


def test_switches_take_only_booleans():
    assert Scenario().replace(**{"control.feed_forward": True}).control.feed_forward is True
    for value in (1, "true", None):
        assert "true or false" in refusal(**{"control.feed_forward": value})


def test_lists():
    s = Scenario().replace(**{"network.blocklengths": [600, 750.0], "network.patterns": ["gap"]})
    assert s.network.blocklengths == (600, 750)
    assert s.network.patterns == ("gap",)
    hash(s)
    assert "empty" in refusal(**{"network.blocklengths": []})
    assert "list" in refusal(**{"network.blocklengths": 600})
    assert "list" in refusal(**{"network.patterns": "gap"})
    assert "gab" in refusal(**{"network.patterns": ["gab"]})
    assert "whole number" in refusal(**{"network.retransmissions": [0.5]})


@pytest.mark.parametrize("value", [{600: 1}, {600, 900}, iter([600]), np.array([600, 900]), range(600, 603), "600"])
def test_list_fields_take_only_lists(value):
    message = refusal(**{"network.blocklengths": value})
    assert "network.blocklengths" in message
    assert "must be a list of values, such as [600, 900, 1200]" in message


@pytest.mark.parametrize("name", [n for n in field_names() if isinstance(Scenario().value(n), tuple)])
def test_lists_are_short_and_repeat_nothing(name):
    q, default = quantity_of(name), Scenario().value(name)
    assert q.most == 8
    for wrong in ([default[0]] * 2000, [default[0]] * 9):
        message = refusal(**{name: wrong})
        for part in (name, f"{len(wrong)} entries", f"at most {q.most}"):
            assert part in message
    message = refusal(**{name: [*default, default[0]]})
    for part in (name, repr(default[0]), "more than once", "at most 8"):
        assert part in message


def test_as_many_entries_as_the_limit_allows():
    lengths = list(range(600, 1000, 50))
    assert Scenario().replace(**{"network.blocklengths": lengths}).network.blocklengths == tuple(lengths)
    assert "more than once" in refusal(**{"network.blocklengths": [600, 600.0]})


def test_formulation_is_one_of_three():
    for value in ("printed", np.array(["paper", "repaired"]), ["paper"], None, 3):
        message = refusal(formulation=value)
        for part in ("formulation = ", "predicted", "repaired", "paper"):
            assert part in message
    assert type(Scenario().replace(formulation=np.str_("paper")).formulation) is str


@pytest.mark.parametrize(
    "name", ["network.slots", "control.feed_forward", "formulation", "network.patterns", "network.blocklengths", "x"]
)
def test_long_values_and_names_are_not_echoed_whole(name):
    name, value = ("x" * 3000, 1) if name == "x" else (name, "y" * 3000)
    message = refusal(**{name: value})
    assert len(message) < 250
    assert "…" in message


def test_zero_has_one_sign():
    s, t = (Scenario().replace(**{"network.snr_offset_db": zero, "network.gcs_y_m": zero}) for zero in (0.0, -0.0))
    assert s == t
    assert s.digest() == t.digest()
    assert s.to_yaml() == t.to_yaml()


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("network.slot", "network.slots"),
        ("netwrok.slots", "network.slots"),
        ("slots", "network.slots"),
        ("control.kapa", "control.kappa"),
        ("control.h_mx", "control.h_max"),
        ("formulatoin", "formulation"),
    ],
)
def test_unknown_names_suggest_the_nearest(wrong, right):
    assert f"Did you mean {right!r}?" in refusal(**{wrong: 1})


def test_names_like_nothing_get_the_list_of_groups():
    assert "Groups are: control, network" in refusal(zzzzzz=1)


def test_a_group_is_not_a_field():
    assert "'network.slots'" in refusal(network=NetworkFields())
    with pytest.raises(ScenarioError, match="NetworkFields"):
        Scenario(network=3)


def test_unknown_names_are_refused_everywhere():
    for ask in (Scenario().value, quantity_of):
        with pytest.raises(ScenarioError, match="Did you mean"):
            ask("network.slot")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"control.H": 2, "control.h_max": 2}, ["control.h_max = 2", "control.H = 2", "raise control.H", "D4"]),
        ({"control.w_u": 0.7}, ["control.w_u = 0.7", "control.w_d = 0.6", "≤ 1", "1.3", "lower control.w_u"]),
        ({"network.slots": 450, "control.Ts": 0.2}, ["450", "0.55 ms", "at most 363 slots"]),
        (
            {"mission.altitude_min_m": 120.0},
            [
                "mission.altitude_max_m = 100 must be ≥ mission.altitude_min_m = 120;",
                "raise mission.altitude_max_m or lower mission.altitude_min_m",
            ],
        ),
        (
            {"mission.gust_cycles_max": 1},
            [
                "mission.gust_cycles_max = 1 must be ≥ mission.gust_cycles_min = 2;",
                "raise mission.gust_cycles_max or lower mission.gust_cycles_min",
            ],
        ),
        (
            {"mission.gust_max_mps2": 1.0},
            [
                "mission.gust_max_mps2 = 1 must be ≥ mission.gust_min_mps2 = 2;",
                "raise mission.gust_max_mps2 or lower mission.gust_min_mps2",
            ],
        ),
        (
            {"network.gcs_x_m": 40.0},
            ["network.gcs_x_m = 40", "network.gcs_y_m = 0", "±50 m", "outside the flight area", "move network.gcs_x_m"],
        ),
    ],
)
def test_conditions_between_fields(changes, parts):
    message = refusal(**changes)
    for part in parts:
        assert part in message


def test_as_many_slots_as_the_message_allows():
    Scenario().replace(**{"network.slots": 363, "control.Ts": 0.2})
    refusal(**{"network.slots": 364, "control.Ts": 0.2})


def test_errors_share_one_root_and_are_value_errors():
    assert issubclass(ScenarioError, SafeExplorerError)
    assert issubclass(ScenarioError, ValueError)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_load_and_pass_every_check_of_the_control_core(name):
    assert ControlModel.of(preset(name)).V_eq < ControlModel.of(preset(name)).V_max


def test_presets_are_what_their_names_say():
    assert {"table-1", "teaching-swarm", "stressed", "clear-sky"} <= set(PRESETS)
    assert preset("table-1") == Scenario()
    assert preset("teaching-swarm").mission.uavs == 8
    assert preset("stressed").network.slots < Scenario().network.slots
    assert preset("clear-sky").mission.building_height_m == 0.0


def test_unknown_preset_suggests_the_nearest():
    with pytest.raises(ScenarioError, match="Did you mean 'stressed'"):
        preset("stresed")


@given(st.data())
def test_any_value_within_bounds_is_accepted_or_refused_with_advice(data):
    """A random field at a random slider position: a scenario, or a message that names a field."""
    name = data.draw(st.sampled_from([n for n in field_names() if quantity_of(n).step is not None]))
    q = quantity_of(name)
    steps = data.draw(st.integers(0, round((q.hi - q.lo) / q.step)))
    try:
        s = Scenario().replace(**{name: q.lo + steps * q.step})
    except ScenarioError as error:
        assert any(n in str(error) for n in field_names())  # noqa: PT017
    else:
        assert s.value(name) == pytest.approx(q.lo + steps * q.step)
