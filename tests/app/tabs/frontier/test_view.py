"""Tab 2: what is drawn is the picture's, a click explains, rules are named, an empty frontier keeps its axes."""

from __future__ import annotations

import html

import pytest
from opened import shown
from truth_tabs import check_frontier, check_prediction

from app.session import Session
from app.tabs.allocation.view import AllocationView
from app.tabs.boundary.view import BoundaryView
from app.tabs.frontier.view import FrontierView
from core.allocation import RULE_WORDS
from core.figures.arrays.prediction import prediction_words


@pytest.mark.parametrize(("rule", "words"), RULE_WORDS.items())
@pytest.mark.slow
def test_every_rule_of_admission_is_named_for_what_it_does(small: Session, rule: str, words: str) -> None:
    small.state.apply({"admission": rule, "v_ratio": 0.9})
    focus = small.pipeline.picture.focus
    frontier, boundary = shown(FrontierView, small), shown(BoundaryView, small)
    assert f"{focus.counts['admitted']} {words}" in frontier.figure.plot.title.text
    assert (r"\Phi\le 0" in frontier.equation.object) == (rule == "drift")
    assert ("Admission is" in boundary.legend.object) == (rule != "drift")
    shown(AllocationView, small)


def test_the_view_draws_and_says_its_picture(small: Session) -> None:
    small.state.apply({"beta": 0.2})
    view, picture = shown(FrontierView, small), small.pipeline.picture
    check_frontier(view.figure, picture.focus, picture.before.focus)
    check_prediction(view.prediction, picture.focus)
    said = html.unescape(view.explanation.object)
    assert str(picture.focus.why) in said
    assert str(prediction_words(picture.focus)) in html.unescape(view.ahead.object)
    assert picture.move in html.unescape(view.ghost.object)


def test_a_click_explains_an_action_and_shows_its_rivals(small: Session) -> None:
    view = shown(FrontierView, small)
    d = small.pipeline.picture.focus.distinct
    at = int((d["admitted"] & ~d["frontier"]).argmax())
    view.figure.sources["actions"].selected.indices = [at]
    assert small.state.action == d["key"][at]
    view.refresh(small.pipeline.picture)
    focus = small.pipeline.picture.focus
    assert focus.held.key == d["key"][at]
    check_frontier(view.figure, focus, None)
    assert focus.rivals
    assert (
        len(view.figure.sources["rivals"].data["x"]) + (focus.chosen is not None and focus.chosen.key in focus.rivals)
        == 1
    )
    assert str(focus.why) in html.unescape(view.explanation.object)
    assert focus.held.exchange.route in html.unescape(view.explanation.object)


@pytest.mark.slow
def test_axes_hold_everything_and_only_grow_during_a_drag(small: Session) -> None:
    view = shown(FrontierView, small)
    ends = [view.figure.plot.y_range.end]
    for v in (1.1, 0.1, 0.9):
        small.state.apply({"v_ratio": v, "formulation": "repaired"})
        view.refresh(small.pipeline.picture)
        check_frontier(view.figure, small.pipeline.picture.focus, small.pipeline.picture.before.focus)
        ends.append(view.figure.plot.y_range.end)
    assert ends == sorted(ends)


def test_a_zoom_survives_a_move_and_its_reset_leads_to_everything(small: Session) -> None:
    view = shown(FrontierView, small)
    view.figure.plot.y_range.update(start=0.01, end=0.02)
    small.state.apply({"v_ratio": 1.1, "formulation": "repaired"})
    view.refresh(small.pipeline.picture)
    y = view.figure.plot.y_range
    assert (y.start, y.end) == (0.01, 0.02)
    y.update(start=y.reset_start, end=y.reset_end)
    check_frontier(view.figure, small.pipeline.picture.focus, small.pipeline.picture.before.focus)


def test_an_empty_frontier_keeps_its_axes(small: Session) -> None:
    small.state.apply({"slots": 1})
    view = shown(FrontierView, small)
    assert small.pipeline.picture.focus.counts["candidates"] == 0
    check_frontier(view.figure, small.pipeline.picture.focus, small.pipeline.picture.before.focus)
    assert "cannot be served" in view.explanation.object
