"""Links: exact round trip, good values survive bad neighbours, nothing hostile gets through."""

import random
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.picture import compute
from app.session import harmless
from app.share_links import parse_query, plain, python_of, query_of, read_query, scenario_from_upload
from app.state import CONTROLS, State, checked, metadata_of, sample_of
from core.errors import ScenarioError
from core.scenario import Scenario

NUMBERS = [n for n in CONTROLS if isinstance(sample_of(n), (int, float)) and not isinstance(sample_of(n), bool)]


def test_default_state_has_an_empty_link() -> None:
    assert query_of(State()) == ""


@given(st.data())
def test_round_trip_of_any_state(data: st.DataObject) -> None:
    state = State()
    for name in data.draw(st.lists(st.sampled_from(NUMBERS), max_size=6, unique=True)):
        meta = metadata_of(name)
        value = data.draw(st.floats(meta.lo, meta.hi, allow_nan=False))
        try:
            state.apply({name: round(value) if isinstance(sample_of(name), int) else value})
        except ScenarioError:
            continue
    state.tab, state.action = 2, "1.600.0-0.900.2-3"
    other = State()
    assert read_query(other, parse_query(query_of(state))) == []
    assert other.values() == state.values()
    assert (other.tab, other.action) == (state.tab, state.action)


def test_only_changed_controls_are_in_the_link_rounded_to_the_step() -> None:
    state = State()
    state.apply({"beta": 0.1234, "policies": ("SAFE", "VoI-Sched"), "feed_forward": True, "formulation": "paper"})
    assert query_of(state) == "?feed_forward=true&beta=0.125&formulation=paper&policies=SAFE,VoI-Sched"


def test_values_that_only_fit_together_are_taken_together() -> None:
    state = State()
    assert read_query(state, {"slots": [b"300"], "slot_ms": [b"0.2"]}) == []
    assert state.slots == 300


def test_good_values_survive_bad_neighbours() -> None:
    state = State()
    complaints = read_query(state, parse_query("?snr_offset_db=true&beta=0.2&w_u=0.9&H_T=7?&foo=1&delta_T=nan&c=3&c=4"))
    assert state.changes() == {"beta": 0.2, "c": 3}
    assert len(complaints) == 6


HOSTILE_VALUES = [
    "",
    " ",
    "true",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "0x10",
    "1_000",
    "１２",
    "--1",
    "1;2",
    "null",
    "None",
    "[]",
    "{}",
    "__import__('os')",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "%00",
    "\x00",
    "../../etc/passwd",
    "' OR 1=1 --",
    "1" * 5000,
    "é" * 300,
    "\u202e1",
    "1,2,3",
    ",",
    "SAFE",
    "paper<",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "0.1?beta=0.2",
    "1e-400",
    "9" * 400,
    "true?",
]


@pytest.mark.parametrize("value", HOSTILE_VALUES)
def test_hostile_values_leave_every_control_within_bounds(value: str) -> None:
    for name in CONTROLS:
        state = State()
        complaints = read_query(
            state,
            {name: [value.encode("utf-8", "surrogatepass")], "beta": [b"0.2"]}
            if name != "beta"
            else {name: [value.encode()]},
        )
        assert checked(name, getattr(state, name)) == getattr(state, name)
        assert name == "beta" or state.beta == 0.2
        assert state.changes().get(name) is None or not complaints
        assert not any(c in harmless(text) for text in complaints for c in "<>\x00")
        assert not any(mark in text for text in complaints for mark in ("<script", "onerror=", "onload="))


def test_hundreds_of_random_query_strings_never_raise_and_keep_the_good_value() -> None:
    rng = random.Random(7)
    alphabet = string.printable + "αΦ∞\x00\u2028"
    for _ in range(400):
        noise = "".join(rng.choice(alphabet) for _ in range(rng.randrange(60))).replace("&", "").replace("#", "")
        name = rng.choice([*CONTROLS, "tab", "action", "zzz"])
        state = State()
        complaints = read_query(state, parse_query(f"?eta=0.2&{name}={noise}"))
        assert name == "eta" or state.eta == 0.2
        assert Scenario() != state.scenario or name == "eta"
        assert not any("<" in harmless(c) for c in complaints)


def test_a_flood_of_arguments_is_cut_off_with_a_word() -> None:
    state = State()
    complaints = read_query(state, {f"x{i}": [b"1"] for i in range(5000)})
    assert len(complaints) <= 201
    assert "first 200" in complaints[-1]


def test_outside_text_cannot_become_markup() -> None:
    assert "<" not in plain("<script>")
    assert ">" not in harmless("<b>x</b>")
    assert len(plain("x" * 1000)) <= 41


def test_python_reproduces_scenario_and_view() -> None:
    state = State()
    state.apply({"slots": 120, "c": 4, "policies": ("VoI-Sched",)})
    space: dict[str, object] = {}
    exec(python_of(state).split("picture = ")[0], space)
    again = space["state"]
    assert isinstance(again, State)
    assert again.values() == state.values()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"focus": 3, "v_ratio": 0.55, "sigma_share": 0.7, "c": 4, "c_fail": 1, "cycle": 7},
        {"focus": 900, "c": 2, "seed": 5, "cycle": 2400, "speed_mps": 25.0, "corridor_radius_m": 60.0},
    ],
)
def test_copied_python_computes_what_the_page_shows(changes: dict[str, object]) -> None:
    state = State()
    state.apply({"uavs": 7, "slots": 30, "duration_s": 3.0, **changes})
    picture = compute(state)
    space: dict[str, Any] = {}
    exec(python_of(state), space)
    assert space["focus"] == picture.focus
    for name in ("V", "tr_sigma", "c", "c_fail", "z"):
        np.testing.assert_array_equal(getattr(space["instant"].states, name), getattr(picture.states, name))
    np.testing.assert_array_equal(space["instant"].allocation.choice, picture.allocation.choice)
    assert space["picture"].chain == picture.chain
    assert space["run"].seed == state.seed


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x" * 100_000, "bytes"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"network: {slots: 99999}", "slots"),
        (b"a: &x 1\nb: *x", "lias"),
        (b"network: {slotz: 3}", "slots"),
        (b"- 1\n- 2", "mapping"),
        (b"network: {slots: [", "YAML"),
        (b"!!python/object/apply:os.system ['true']", "YAML"),
    ],
)
def test_bad_uploads_are_refused_in_words(data: bytes, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario_from_upload(data)


def test_upload_round_trip() -> None:
    scenario = Scenario().replace(**{"network.slots": 120})
    assert scenario_from_upload(scenario.to_yaml().encode()) == scenario
