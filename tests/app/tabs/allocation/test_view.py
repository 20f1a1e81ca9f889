"""Tab 3: what is drawn is the picture's, the frame has its real length, other policies follow the latest picture."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from opened import session, shown
from truth_tabs import check_allocation, check_policies, check_words

from app.session import Session
from app.tabs.allocation.view import AllocationView
from app.tabs.allocation.words import allocation_words, regret_words
from core.wanted import Superseded


def test_the_view_draws_and_says_its_picture(small: Session) -> None:
    small.state.apply({"beta": 0.2})
    view, picture = shown(AllocationView, small), small.pipeline.picture
    check_allocation(view.figure, view.table.rows, picture.focus, picture.before.focus)
    said = html.unescape(view.next.object)
    assert str(allocation_words(picture.focus)) in said
    assert f"before {picture.move}" in said
    assert len(view.figure.sources["before"].data["uav"]) == int((picture.before.focus.allocation.choice >= 0).sum())
    assert view.table.marked == picture.focus.loop


@pytest.mark.parametrize("slots", [1, 8, 240])
def test_the_frame_is_drawn_to_its_length_from_the_first_visit_on(slots: int) -> None:
    made = session(uavs=8, duration_s=3.0, slots=slots)
    view = shown(AllocationView, made)
    focus = made.pipeline.picture.focus
    check_allocation(view.figure, view.table.rows, focus)
    check_words(focus, allocation_words(focus))
    assert view.policies.plot.x_range.end == slots
    made.state.apply({"slots": 100})
    view.refresh(made.pipeline.picture)
    assert (view.figure.frame.x_range.end, view.policies.plot.x_range.end) == (100, 100)


def test_other_policies_are_asked_for_the_picture_and_for_the_chosen_ones(small: Session) -> None:
    view = shown(AllocationView, small)
    focus = small.pipeline.picture.focus
    check_policies(view.policies, focus, focus.instant.other_policies(small.state.policies))
    small.state.apply({"policies": ("SAFE", "Whittle-Age")})
    check_policies(view.policies, focus, focus.instant.other_policies(("SAFE", "Whittle-Age")))
    small.state.apply({"snr_offset_db": -6.0})
    view.refresh(small.pipeline.picture)
    focus = small.pipeline.picture.focus
    check_policies(view.policies, focus, focus.instant.other_policies(("SAFE", "Whittle-Age")))


def test_what_belongs_to_an_earlier_picture_is_paled_until_the_policies_have_answered(small: Session) -> None:
    view = shown(AllocationView, small)
    answer, view.rivals.request = view.rivals.request, lambda asked: asked_for.append(asked)
    asked_for: list[object] = []
    small.state.apply({"snr_offset_db": -6.0})
    view.refresh(small.pipeline.picture)
    assert "being asked" in view.policies.plot.title.text
    assert view.policies.blocks.glyph.fill_alpha < 0.5
    answer(asked_for[-1])
    assert "being asked" not in view.policies.plot.title.text
    assert view.policies.blocks.glyph.fill_alpha == 1.0


def test_a_superseded_question_to_the_policies_is_dropped(small: Session) -> None:
    view = shown(AllocationView, small)
    old = small.pipeline.picture
    small.state.apply({"cycle": 4})
    view.refresh(small.pipeline.picture)
    before = view.policies.plot.title.text
    with pytest.raises(Superseded):
        view._ask_policies((old, ("SAFE", "Fixed-Service")))
    assert view.policies.plot.title.text == before
    assert not view.trouble.visible


@pytest.mark.parametrize("where", ["frame", "blocks"])
def test_a_click_on_a_block_puts_its_uav_in_focus(small: Session, where: str) -> None:
    view = shown(AllocationView, small)
    source = {**view.figure.sources, **view.policies.sources}[where]
    focused = small.pipeline.picture.focus.uav
    uav = next(u for u in np.asarray(source.data["uav"]).tolist() if u != focused)
    source.selected.indices = [np.asarray(source.data["uav"]).tolist().index(uav)]
    assert small.state.focus == uav
    assert small.pipeline.picture.focus.uav == uav


def test_a_click_on_a_row_puts_its_uav_in_focus(small: Session) -> None:
    view = shown(AllocationView, small)
    view.table.picked = 5
    assert small.state.focus == 6


def test_the_regret_is_against_p1(small: Session) -> None:
    view, focus = shown(AllocationView, small), small.pipeline.picture.focus
    found = focus.instant.benchmark()
    assert found.value >= focus.allocation.value - 1e-9
    assert str(regret_words(focus, found)) in html.unescape(view.regret.object)
    numbers = [float(x) for x in re.findall(r"-?\d+\.\d{4}", view.regret.object)]
    unit = focus.model.V_max
    wanted = [found.value / unit, focus.allocation.value / unit, (found.value - focus.allocation.value) / unit]
    assert numbers[:3] == pytest.approx(wanted, abs=6e-5)
