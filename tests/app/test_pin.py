"""A pinned picture: it stays, is named, is compared with honestly, and travels in the link."""

from __future__ import annotations

import pytest
from opened import shown
from truth_maps import check_boundary
from truth_tabs import check_allocation, check_frontier

from app.moves import ghost_name, what_changed
from app.picture import Picture
from app.session import Session
from app.share_links import MAX_PIN, parse_query, pin_of, pinned_state, query_of, read_query
from app.state import State
from app.tabs.allocation.view import AllocationView
from app.tabs.boundary.view import BoundaryView
from app.tabs.frontier.view import FrontierView
from core.instant import compared


def now(made: Session) -> Picture:
    return made.pipeline.picture


def test_it_stays_while_anything_moves_and_is_named(small: Session) -> None:
    kept = now(small)
    small.pipeline.pin()
    assert now(small).pinned.inputs == kept.inputs
    assert "this is the pinned picture" in what_changed(now(small))
    uav, cycle = kept.focus.uav, kept.instant.cycle
    for move in ({"beta": 0.1}, {"beta": 0.2}, {"snr_offset_db": -4.0}, {"cycle": 5}, {"focus": 1 + uav % 8}):
        small.state.apply(move)
        assert now(small).ghost is now(small).pinned
        assert now(small).pinned.focus.sentence == kept.focus.sentence
    assert ghost_name(now(small)) == f"pinned: ΔSNR 0 dB, β 0.05, UAV {uav}, cycle {cycle}"
    assert what_changed(now(small)).startswith("Since the pin (ΔSNR 0 → −4, β 0.05 → 0.2, cycle ")
    small.pipeline.unpin()
    assert now(small).ghost is now(small).before
    assert "pin" not in query_of(small.state)


def test_the_line_compares_with_the_pin(small: Session) -> None:
    small.pipeline.pin()
    kept = now(small)
    small.state.apply({"snr_offset_db": -6.0})
    small.state.apply({"beta": 0.1})
    said = what_changed(now(small))
    assert said.startswith("Since the pin (ΔSNR 0 → −6, β 0.05 → 0.1): ")
    assert str(compared(kept.focus, now(small).focus)) in said
    other = 1 + kept.focus.uav % 8
    small.state.apply({"focus": other})
    said = what_changed(now(small))
    assert f"UAV {kept.focus.uav} was pinned, this is UAV {other}" in said
    small.state.apply({"seed": 3})
    assert "seed 0 → 3" in what_changed(now(small))


def test_another_action_in_focus_is_said(small: Session) -> None:
    small.pipeline.pin()
    held = now(small).focus.held
    small.state.action = next(key for key in now(small).focus.distinct["key"] if key != held.key)
    said = what_changed(now(small))
    assert said.startswith("Since the pin (another action in focus): ")
    assert "In focus now is another action, the " in said


@pytest.mark.slow
def test_every_tab_draws_it(small: Session) -> None:
    small.state.apply({"slots": 60})
    small.pipeline.pin()
    small.state.apply({"slots": 40, "beta": 0.2})
    small.state.apply({"cycle": 7, "focus": 2})
    picture = now(small)
    kept = picture.pinned.focus
    boundary, frontier, allocation = (shown(view, small) for view in (BoundaryView, FrontierView, AllocationView))
    check_boundary(boundary.figure, picture.focus, kept)
    check_frontier(frontier.figure, picture.focus, kept)
    check_allocation(allocation.figure, allocation.table.rows, picture.focus, kept)
    assert allocation.figure.frame.x_range.end == 60  # the pinned frame is not cut off
    name = f"pinned: S 60 slots, β 0.05, UAV {kept.uav}, cycle {kept.instant.cycle}"
    for text in (boundary.key.object, frontier.ghost.object, allocation.next.object):
        assert name in text


@pytest.mark.parametrize("hold", [True, False])
def test_swap_goes_there_and_back(small: Session, hold: bool) -> None:
    small.state.apply({"hold": hold})
    first = now(small)
    small.pipeline.pin()
    small.state.apply({"beta": 0.2})
    small.state.apply({"cycle": 5})
    second = now(small)
    small.pipeline.swap()
    assert (now(small).instant.cycle, small.state.beta) == (first.instant.cycle, 0.05)
    assert now(small).focus.uav == first.focus.uav
    assert now(small).pinned.focus.sentence == second.focus.sentence
    assert small.state.hold is hold
    small.pipeline.swap()
    assert now(small).instant.cycle == 5
    assert now(small).pinned.focus.sentence == first.focus.sentence


def test_it_travels_in_the_link(small: Session) -> None:
    small.state.apply({"snr_offset_db": -3.0})
    small.pipeline.pin()
    small.state.apply({"cycle": 5})
    link = query_of(small.state)
    other = Session()
    assert read_query(other.state, parse_query(link)) == []
    assert query_of(other.state) == link
    other.pipeline.request()
    assert now(other).pinned.focus.sentence == now(small).pinned.focus.sentence
    assert what_changed(now(other)) == what_changed(now(small))


def test_a_pin_names_its_cycle_and_is_the_same_read_again() -> None:
    state = State()
    assert pin_of(state) == "cycle=22"
    state.apply({"beta": 0.1, "policies": ("SAFE",), "hold": False, "focus": 3})
    assert pin_of(pinned_state(pin_of(state))) == pin_of(state) == "beta=0.1&focus=3&cycle=22"


@pytest.mark.parametrize(
    ("text", "kept", "complaints"),
    [
        ("<script>", "", 1),
        ("beta%3D0.1%26slots%3Dmany", "beta=0.1&cycle=22", 1),
        ("beta%3D9", "cycle=22", 1),
        ("pin%3Dbeta%253D0.1%26beta%3D0.1", "beta=0.1&cycle=22", 1),
        ("tab%3D3", "", 1),
        ("beta%3D0.1%26tab%3D3", "beta=0.1&cycle=22", 1),
        ("action%3Dx%26beta%3D0.1", "beta=0.1&cycle=22", 1),
        ("x" * (MAX_PIN + 1), "", 1),
        ("%26" * 5000, "", 1),
        ("a%3D1%26" * 700, "", 1),
        ("", "", 0),
    ],
)
def test_hostile_pins_are_refused_in_words(text: str, kept: str, complaints: int) -> None:
    state = State()
    said = read_query(state, parse_query(f"?pin={text}"))
    assert state.pin == kept
    assert len(said) == complaints
    assert not any("<" in words for words in said)


def test_a_pin_that_cannot_be_computed_is_said_and_the_page_goes_on(
    small: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.jobs import pipeline
    from core.errors import ScenarioError

    told: list[str] = []
    monkeypatch.setattr(small.pipeline, "_complain", told.append)

    def broken(pin: str) -> State:
        raise ScenarioError(f"{pin} does not fit.")

    monkeypatch.setattr(pipeline, "pinned_state", broken)
    small.state.pin = "beta=0.1&cycle=22"
    assert now(small).pinned is None
    assert small.pipeline.stale == ""
    assert told == ["What is pinned cannot be shown. beta=0.1&cycle=22 does not fit."]
