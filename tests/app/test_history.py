"""Undo and redo: which moves make a step, and that going back gives exactly what was shown."""

from __future__ import annotations

import pytest
from opened import session

from app import history
from app.history import said
from app.session import Session
from app.share_links import query_of
from core.scenario import preset


def shown(made: Session) -> tuple[str, str]:
    """What the page says, and where."""
    picture = made.pipeline.picture
    return query_of(made.state), picture.focus.sentence


def test_a_drag_is_one_step_and_another_control_another(small: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = small.history.entry["step"]
    for beta in (0.055, 0.06, 0.065):
        small.state.apply({"beta": beta})
    assert small.history.entry["step"] == steps + 1
    assert small.history.entry["says"] == "β"
    assert small.history.entry["query"] == query_of(small.state)
    assert "action=" in small.history.entry["query"]  # that the action is held is no step of its own
    small.state.apply({"delta_T": 0.1})
    small.state.apply({"beta": 0.07})
    assert small.history.entry["step"] == steps + 3
    monkeypatch.setattr(history, "REST_S", -1.0)  # let go and taken up again
    small.state.apply({"beta": 0.075})
    assert small.history.entry["step"] == steps + 4


@pytest.mark.parametrize(
    "move",
    [
        {"focus": 3},
        {"seed": 5},
        {"policy": "Cert-Fixed"},
        {"formulation": "paper"},
        {"hold": False},
        {"cycle": 5},
        {"policies": ("SAFE",)},
    ],
)
def test_every_control_makes_a_step(small: Session, move: dict[str, object]) -> None:
    step = small.history.entry["step"]
    small.state.apply(move)
    assert small.history.entry["step"] == step + 1


def test_a_click_after_a_click_is_a_step_of_its_own(small: Session) -> None:
    step = small.history.entry["step"]
    for uav in (3, 4, 5):
        small.state.apply({"focus": uav})
    assert small.history.entry["step"] == step + 3
    small.state.action = small.pipeline.picture.focus.distinct["key"][0]
    assert small.history.entry["says"] == "action in focus"
    small.state.tab = "allocation"
    small.state.load(preset("teaching-swarm"))
    assert small.history.entry["step"] == step + 6


def test_playing_does_not_fill_the_history(small: Session) -> None:
    small.state.apply({"cycle": 2})
    step = small.history.entry["step"]
    small.clock.play()
    for _ in range(4):
        small.clock.tick()
    assert small.history.entry["step"] == step + 1
    assert "cycle=6" in small.history.entry["query"]
    small.state.apply({"slots": 30})  # a move that steers the flight is one, what plays after it is not
    for _ in range(2):
        small.clock.tick()
    assert small.history.entry["step"] == step + 2
    assert "cycle=8" in small.history.entry["query"]


def test_five_moves_and_five_times_back_give_the_first_picture_and_forward_the_last() -> None:
    made = session(uavs=8, slots=40, duration_s=3.0)
    made.history.begin()
    first, kept = made.history.entry["step"], [shown(made)]
    uav = made.pipeline.picture.focus.uav
    for move in ({"beta": 0.1}, {"cycle": 5}, {"focus": 1 + uav % 8}, {"snr_offset_db": -3.0}):
        made.state.apply(move)
        kept.append(shown(made))
    made.pipeline.pin()
    kept.append(shown(made))
    made.state.load(preset("teaching-swarm"))
    kept.append(shown(made))
    step = made.history.entry["step"]
    assert step == first + 6
    for query, sentence in (*kept[-2::-1], *kept[1:]):
        made.history.go(query)
        assert shown(made) == (query, sentence)
        assert made.history.entry["step"] == step  # or going back would make steps without end
    made.history.go(kept[0][0])
    made.state.apply({"beta": 0.2})
    assert made.history.entry["step"] == step + 1


def test_going_back_returns_a_flight_that_was_changed_on_the_way(small: Session) -> None:
    small.state.apply({"cycle": 4})
    small.state.fly((), ((3, (("network.slots", 30),)),))
    before = shown(small)
    small.state.apply({"uavs": 6})
    assert small.state.changes == ()
    small.history.go(before[0])
    assert shown(small) == before


def test_a_hostile_step_changes_nothing_but_what_is_good_in_it(small: Session) -> None:
    said: list[str] = []
    small.history._complain = said.append
    small.history.go("?uavs=8&slots=40&duration_s=3&beta=<script>&nonsense=1&pin=pin%3Dx")
    assert small.state.differences() == {"uavs": 8, "slots": 40, "duration_s": 3.0, "cycle": 11}
    assert len(said) == 3
    assert not any("<" in text for text in said)
    now = query_of(small.state)
    small.history.go("?" + "&".join(f"a{i}=1" for i in range(5000)))
    assert query_of(small.state) == now
    assert "too many" in said[-1]


def test_a_step_is_named_by_what_moved() -> None:
    assert said({"beta"}) == "β"
    assert said({"cycle", "focus"}) == "cycle, UAV"
    assert said({"beta", "slots", "uavs", "tab"}).endswith("and 2 more")
