"""The timeline: what it shows is so, and what it is asked for is done or refused in words."""

from __future__ import annotations

import pytest
from opened import session

from app.components.timeline import Timeline
from app.session import Session


@pytest.fixture
def timeline() -> Timeline:
    return Timeline(session(uavs=8, duration_s=6.0, cycle=5))


def state_of(timeline: Timeline) -> Session:
    return timeline._session


def test_it_shows_the_mission_and_who_is_looked_at(timeline: Timeline) -> None:
    view, picture = timeline.view, state_of(timeline).pipeline.picture
    assert (view["cycle"], view["last"], view["uavs"], view["policy"], view["seed"]) == (5, 23, 8, "SAFE", 0)
    assert view["flown"] >= 5
    assert (view["uav"], view["ours"]) == (picture.focus.uav, True)
    assert (view["status"], view["again"], view["marks"]) == ("as flown", "", [])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"focus": 200}, "There is no UAV 200: the swarm has 8, choose one from 1 to 8"),
        ({"focus": -1}, "focus"),
        ({"cycle": 24}, "There is no cycle 24: the mission has the cycles 0 to 23."),
        ({"seed": 10_000}, "between 0 and 9999"),
        ({"policy": "nobody"}, "nobody"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_nothing_moves(
    timeline: Timeline, asked: dict[str, object], words: str
) -> None:
    before = timeline.view
    timeline._handle_msg(asked)
    assert words in timeline.view["refused"]
    assert {**timeline.view, "refused": "", "status": "as flown"} == before
    timeline._handle_msg({"cycle": 6})
    assert timeline.view["refused"] == ""


@pytest.mark.parametrize("noise", [None, 3, "x", [], {}, {"beta": 0.2}, {"step": "x"}, {"speed": 1e9}, {"cycle": None}])
def test_noise_from_outside_does_nothing(timeline: Timeline, noise: object) -> None:
    state = state_of(timeline).state
    before = state.values()
    timeline._handle_msg(noise)
    assert state.values() == before
    assert state_of(timeline).clock.speed == 4.0


def test_an_answer_says_which_move_it_answers(timeline: Timeline) -> None:
    """The browser keeps its range where the visitor put it until its own last move is answered, refused moves included."""
    assert timeline.view["move"] == 0
    timeline._handle_msg({"cycle": 4, "move": 1})
    assert (timeline.view["cycle"], timeline.view["move"]) == (4, 1)
    timeline._handle_msg({"cycle": 99, "move": 2})
    assert (timeline.view["cycle"], timeline.view["move"]) == (4, 2)
    for noise in (1, "x", None, True, 2.5):
        timeline._handle_msg({"move": noise})
        assert timeline.view["move"] == 2


def test_play_step_speed_focus_policy_hold(timeline: Timeline) -> None:
    made = state_of(timeline)
    timeline._handle_msg({"play": True})
    assert timeline.view["playing"]
    timeline._handle_msg({"play": False})
    timeline._handle_msg({"step": 1})
    timeline._handle_msg({"speed": 16})
    timeline._handle_msg({"focus": 3})
    timeline._handle_msg({"hold": False})
    timeline._handle_msg({"policy": "VoI-Sched"})
    view = timeline.view
    assert (view["playing"], view["cycle"], view["speed"], view["uav"], view["hold"]) == (False, 6, 16, 3, False)
    assert made.pipeline.picture.flight.key.policy.name == view["policy"] == "VoI-Sched"
    timeline._handle_msg({"focus": 0})
    assert timeline.view["ours"]


def test_it_says_what_is_asked_and_what_is_overridden(timeline: Timeline) -> None:
    state = state_of(timeline).state
    state.apply({"beta": 0.2, "c": 4})
    assert timeline.view["status"] == "what if: β 0.2 at this cycle only; state overridden: c 4"
    assert "β 0.2" in timeline.view["again"]
    timeline._handle_msg({"play": True})
    assert timeline.view["status"] == "state overridden: c 4"
    assert timeline.view["marks"] == [[5, "from cycle 5 on: β 0.2"]]
    timeline._handle_msg({"again": True})
    assert timeline.view["marks"] == []
    assert timeline.view["again"] == ""
    assert state.takeoff == (("twin.beta", 0.2),)


def test_a_flight_with_changes_can_be_flown_without_them(timeline: Timeline) -> None:
    state = state_of(timeline).state
    state.fly((), ((7, (("network.slots", 40),)),))
    assert "without the changes" in timeline.view["again"]


def test_it_says_how_far_the_flight_has_been_flown(timeline: Timeline) -> None:
    made = state_of(timeline)
    made.state.apply({"seed": 515})
    assert timeline.view["flown"] == 5
    made.clock.flying = 9
    assert timeline.view["status"] == "flying the mission: cycle 9 of 23"
