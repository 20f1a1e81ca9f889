"""What a move was and what it changed: from where a drag began, about the action that is held, on whichever tab."""

from __future__ import annotations

import pytest
from opened import session

from app.jobs import pipeline
from app.moves import what_changed
from app.session import Session
from core.instant import changed


def test_the_line_names_the_cause_and_its_effect_on_the_action_held(small: Session) -> None:
    start = small.pipeline.picture
    assert what_changed(start) == ""
    small.state.apply({"snr_offset_db": -6.0})
    now = small.pipeline.picture
    assert now.before is not None
    assert now.before.inputs == start.inputs
    assert now.move == "ΔSNR 0 → −6"
    assert what_changed(now).startswith(f"ΔSNR 0 → −6: {changed(start.focus, now.focus)}")
    assert (
        f"admitted actions {start.focus.counts['admitted']} → {now.focus.counts['admitted']}"
        in what_changed(now).lower()
    )


def test_a_drag_is_one_move_and_another_control_another(small: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for beta in (0.055, 0.06, 0.065):
        small.state.apply({"beta": beta})
    assert small.pipeline.picture.move == "β 0.05 → 0.065"
    small.state.apply({"v_ratio": 0.5})
    flown = small.pipeline.picture.focus.flown["v_ratio"]
    assert small.pipeline.picture.move == f"V/V_max {flown:.3g} (as flown) → 0.5"
    assert small.pipeline.picture.before.before is None  # or every move would keep all those before it
    monkeypatch.setattr(pipeline, "REST_S", -1.0)  # let go and taken up again
    small.state.apply({"v_ratio": 0.6})
    assert small.pipeline.picture.move == "V/V_max 0.5 → 0.6"


def test_a_drag_back_to_where_it_began_is_no_move(small: Session) -> None:
    for beta in (0.055, 0.06, 0.05):
        small.state.apply({"beta": beta})
    assert small.pipeline.picture.before is None
    assert small.pipeline.picture.move == ""


def test_the_picture_before_belongs_to_the_same_instant_and_can_be_dismissed(small: Session) -> None:
    small.state.apply({"beta": 0.1})
    small.pipeline.dismiss()
    assert small.pipeline.picture.before is None
    small.state.apply({"beta": 0.15})
    assert small.pipeline.picture.move == "β 0.1 → 0.15"
    for other in ({"cycle": 5}, {"focus": 3}, {"policy": "VoI-Sched"}, {"seed": 5}, {"uavs": 7}):
        small.state.apply({"beta": 0.02 + small.state.beta})
        assert small.pipeline.picture.before is not None
        small.state.apply(other)
        assert small.pipeline.picture.before is None, other


def test_another_action_picked_after_a_move_is_told_of_too(small: Session) -> None:
    small.state.apply({"beta": 0.3})
    keys = small.pipeline.picture.focus.distinct["key"]
    other = next(key for key in keys if key != small.state.action)
    small.state.action = other
    now = small.pipeline.picture
    assert now.focus.held.key == now.before.focus.held.key == other
    assert now.move == "β 0.05 → 0.3"


class TestHold:
    """The action in focus while sliders move."""

    def test_it_stays_while_a_slider_moves_and_the_allocator_s_choice_is_a_second_sentence(self) -> None:
        made = session()
        start = made.pipeline.picture.focus
        assert made.state.action == ""
        assert start.held.key == start.chosen.key
        made.state.apply({"beta": 0.3})
        now = made.pipeline.picture.focus
        assert now.held.key == start.held.key == made.state.action
        assert now.chosen.key != now.held.key
        assert now.held.rho_ul > start.held.rho_ul  # a smaller margin can only raise what is promised for an action
        assert "The allocator now prefers the" in what_changed(made.pipeline.picture)

    def test_following_shows_what_the_allocator_sends(self) -> None:
        made = session(hold=False)
        made.state.apply({"beta": 0.3})
        now = made.pipeline.picture.focus
        assert (made.state.action, now.held.key) == ("", now.chosen.key)
        made.state.hold = True
        made.state.apply({"beta": 0.05})
        assert made.pipeline.picture.focus.held.key == now.held.key
        made.state.hold = False
        assert made.state.action == ""
        assert made.pipeline.picture.focus.held.key == made.pipeline.picture.focus.chosen.key

    def test_who_picks_an_action_holds_it(self) -> None:
        made = session(hold=False)
        key = made.pipeline.picture.focus.distinct["key"][0]
        made.state.action = key
        assert made.state.hold
        assert made.pipeline.picture.focus.held.key == key

    @pytest.mark.parametrize("other", [{"cycle": 30}, {"focus": 3}, {"policy": "VoI-Sched"}, {"seed": 5}])
    def test_another_instant_releases_it(self, other: dict[str, object]) -> None:
        made = session(beta=0.3)
        made.state.action = next(iter(made.pipeline.picture.focus.distinct["key"]))
        made.state.apply(other)
        focus = made.pipeline.picture.focus
        assert made.state.action == ""
        assert focus.chosen is None or focus.held.key == focus.chosen.key

    def test_who_goes_through_a_flight_keeps_looking_at_the_same_uav(self) -> None:
        made = session()
        uav = made.pipeline.picture.focus.uav
        assert made.state.focus == 0
        for cycle in (30, 31, 90):
            made.state.apply({"cycle": cycle})
            assert made.pipeline.picture.focus.uav == made.state.focus == uav
        made.state.apply({"policy": "VoI-Sched"})
        assert (made.state.cycle, made.state.focus) == (90, uav)
