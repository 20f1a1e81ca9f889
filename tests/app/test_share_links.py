"""Links: exact round trip, good values survive bad neighbours, nothing hostile gets through."""

import contextlib
import io
import random
import string
from pathlib import Path

import pytest
from hostile_values import MISPLACED, NONSENSE
from hypothesis import given
from hypothesis import strategies as st

from app.as_python import python_of
from app.link_values import plain
from app.panel_fixes.notification_text import harmless
from app.picture import compute
from app.share_links import parse_query, query_of, read_query, scenario_from_upload
from app.state import CONTROLS, FIELDS, State, checked, metadata_of, sample_of
from core.errors import ScenarioError
from core.scenario import Scenario

NUMBERS = [n for n in CONTROLS if isinstance(sample_of(n), (int, float)) and not isinstance(sample_of(n), bool)]


def test_default_state_has_an_empty_link() -> None:
    assert query_of(State()) == ""


@given(st.data())
@pytest.mark.slow
def test_round_trip_of_any_state(data: st.DataObject) -> None:
    state = State()
    for name in data.draw(st.lists(st.sampled_from(NUMBERS), max_size=6, unique=True)):
        meta = metadata_of(name)
        value = data.draw(st.floats(meta.lo, meta.hi, allow_nan=False))
        try:
            state.apply({name: round(value) if isinstance(sample_of(name), int) else value})
        except ScenarioError:
            continue
    state.tab, state.action = "allocation", "17-3-0.900.1_0-17.600.0_ul-first"
    other = State()
    assert read_query(other, parse_query(query_of(state))) == []
    assert other.values() == state.values()
    assert (other.tab, other.action) == (state.tab, state.action)


def test_only_changed_controls_are_in_the_link_with_all_their_digits() -> None:
    state = State()
    state.apply({"beta": 0.1234, "policies": ("SAFE", "VoI-Sched"), "feed_forward": True, "formulation": "paper"})
    assert query_of(state) == "?feed_forward=true&beta=0.1234&formulation=paper&policies=SAFE,VoI-Sched"


def test_values_that_only_fit_together_are_taken_together() -> None:
    state = State()
    assert read_query(state, {"slots": [b"300"], "slot_ms": [b"0.2"]}) == []
    assert state.slots == 300


def test_good_values_survive_bad_neighbours() -> None:
    state = State()
    complaints = read_query(state, parse_query("?snr_offset_db=true&beta=0.2&w_u=0.9&H_T=7?&foo=1&delta_T=nan&c=3&c=4"))
    assert state.differences() == {"beta": 0.2, "c": 3}
    assert len(complaints) == 6


@pytest.mark.parametrize("value", [*NONSENSE, *MISPLACED])
@pytest.mark.slow
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
        assert value not in NONSENSE or any(text.startswith(f"{name} = ") for text in complaints)
        assert state.differences().get(name) is None or not complaints
        assert not any(c in harmless(text) for text in complaints for c in "<>\x00")
        assert not any(mark in text for text in complaints for mark in ("<script", "onerror=", "onload="))


def test_hundreds_of_random_query_strings_never_raise_and_keep_the_good_value() -> None:
    rng = random.Random(7)
    alphabet = string.printable + "αΦ∞\x00\u2028"
    for _ in range(400):
        noise = "".join(rng.choice(alphabet) for _ in range(rng.randrange(60))).replace("&", "").replace("#", "")
        name = rng.choice([*CONTROLS, "tab", "action", "flown", "changed", "pin", "zzz"])
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


COURSE = "?uavs=7&slots=30&duration_s=6&flown=beta:0.2,blocklengths:300/600&changed=4~slots:25;9~snr_offset_db:-3,formulation:paper"


def test_the_course_of_a_flight_makes_a_round_trip() -> None:
    state = State()
    assert read_query(state, parse_query(COURSE)) == []
    assert state.takeoff == (("network.blocklengths", (300, 600)), ("twin.beta", 0.2))
    assert state.changes[1] == (9, (("network.snr_offset_db", -3.0), ("formulation", "paper")))
    other = State()
    assert read_query(other, parse_query(query_of(state))) == []
    assert (other.takeoff, other.changes, query_of(other)) == (state.takeoff, state.changes, query_of(state))
    assert compute(other).flight is compute(state).flight


@pytest.mark.parametrize(
    "query",
    [
        "?uavs=7&slots=30&speed_mps=25&corridor_radius_m=60",
        "?uavs=7&slots=30&speed_mps=25&corridor_radius_m=60&flown=beta:0.2",
        "?uavs=7&slots=30&Ts=1&slot_ms=2&corridor_radius_m=100&focus=3",
        "?uavs=7&slots=30&Ts=1&slot_ms=2&corridor_radius_m=100&flown=beta:0.2&changed=4~slots:25;9~corridor_radius_m:90",
        "?uavs=7&Ts=0.274&slots=450&slot_ms=0.55&flown=slots:450,slot_ms:0.55",
        "?uavs=7&Ts=0.1&slots=30&slot_ms=3&flown=slot_ms:2.5",
    ],
)
def test_what_fits_together_opens_although_a_default_does_not_fit_it(query: str) -> None:
    state = State()
    assert read_query(state, parse_query(query)) == []
    assert compute(state).focus.sentence
    other = State()
    assert read_query(other, parse_query(query_of(state))) == []
    assert compute(other).flight is compute(state).flight


@pytest.mark.parametrize(
    ("query", "words", "takeoff", "changes"),
    [
        ("flown=slots:99999,beta:0.2", "slots", (("twin.beta", 0.2),), ()),
        ("flown=uavs:3,beta:0.2", "belongs to the mission", (("twin.beta", 0.2),), ()),
        ("flown=corridor_radius_m:5", "does not fit the mission", (), ()),
        ("changed=22~slots:120;20~beta:0.3", "change at cycle 20 was ignored", (), ((22, (("network.slots", 120),)),)),
        ("changed=x~slots:120;7~beta:0.3", "does not name a cycle", (), ((7, (("twin.beta", 0.3),)),)),
        ("changed=500~slots:120", "change at cycle 500 was ignored", (), ()),
        ("changed=<script>", "does not name a cycle", (), ()),
        ("flown=" + "x" * 9000, "longer than", (), ()),
    ],
)
def test_of_a_course_the_good_is_kept_and_the_bad_told(
    query: str, words: str, takeoff: object, changes: object
) -> None:
    state = State()
    complaints = read_query(state, parse_query(f"?{query}&eta=0.2"))
    assert any(words in text for text in complaints)
    assert not any("<" in text for text in complaints)
    assert (state.takeoff, state.changes, state.eta) == (takeoff, changes, 0.2)


@pytest.mark.parametrize(
    "query",
    [
        "?uavs=7&slots=30&duration_s=3&cycle=5",
        "?uavs=7&slots=30&duration_s=3&focus=3&v_ratio=0.55&sigma_share=0.7&c=4&c_fail=1&cycle=7",
        "?uavs=7&slots=30&duration_s=3&c=2&seed=5&cycle=11&speed_mps=25&corridor_radius_m=60",
        COURSE + "&cycle=12&beta=0.3&policy=SAFE-paper",
        COURSE + "&cycle=12&policy=VoI-Sched&action=3-0.900.0_0-3.1200.0_ul-first&focus=3",
        "?Ts=1&slot_ms=2&corridor_radius_m=100&focus=3&uavs=7&cycle=4",
        "?uavs=7&slots=30&duration_s=3&cycle=5&tab=solve",
        "?uavs=7&slots=30&duration_s=3&cycle=7&v_ratio=0.5&focus=2&tab=solve&solve_for=v_ratio",
        "?uavs=7&slots=30&duration_s=3&cycle=5&tab=solve&policy=SAFE-L1&solve_for=lookahead_cycles",
    ],
)
@pytest.mark.slow
def test_copied_python_prints_what_the_page_says(query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    state = State()
    assert read_query(state, parse_query(query)) == []
    code = python_of(state)
    assert "app" not in code
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})
    focus = compute(state).focus
    expected = focus.sentence + "\n"
    if state.tab == "solve":
        expected += str(focus.solve(FIELDS.get(state.varied, state.varied)).said) + "\n"
    assert said.getvalue() == expected
    assert (tmp_path / "frontier.pdf").read_bytes().startswith(b"%PDF")


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
