"""Presenter mode without a server: steps are links, the control answers, leaving keeps the state."""

from __future__ import annotations

from collections.abc import Iterator

import panel as pn
import pytest

from app.page import SCENERY, Page
from app.session import Session
from app.share_links import parse_query, query_of
from app.stage import state_of
from app.touring.catalogue import tour

PAPER = {"tour": [b"paper"], "step": [b"2"]}


def opened(arguments: dict[str, list[bytes]] | None = None) -> Page:
    page = Page(Session(), arguments)
    page.start()
    return page


@pytest.fixture
def page() -> Iterator[Page]:
    found = opened(PAPER)
    yield found
    found.session.close()


def seen(pane) -> bool:
    """Whether a pane, or of a plot the plot itself, is shown."""
    return pane.object.visible if isinstance(pane, pn.pane.Bokeh) else pane.visible


def visible(view) -> set[str]:
    """Names of a tab's parts that can be seen."""
    return {name for name in view.parts if seen(view.part(name)[0])}


def test_a_link_opens_the_step_with_its_state_and_shows_only_its_part(page: Page) -> None:
    stage, step = page.stage, page.stage.step
    assert stage.index == 1
    assert query_of(page.session.state) == query_of(state_of(step))
    assert page.session.history.entry["query"] == "?tour=paper&step=2"
    view = page.views[0]
    assert visible(view) == {"ways"}
    assert not view.legend.visible
    assert "refused" in stage._bar.view["say"]


def test_going_on_changes_tab_and_picture_and_leaving_gives_the_page_back(page: Page) -> None:
    stage = page.stage
    boundary, frontier = page.views[:2]
    size = boundary.figure.ways.title.text_font_size
    stage._asked("go", 3)
    assert page.session.state.tab == "frontier"
    assert visible(boundary) == {"certificate", "ways", "plane"}
    assert boundary.figure.ways.title.text_font_size != size  # back to what it is on the page
    assert visible(frontier) == {"actions"}
    stage._asked("go", 99)
    assert stage.index == 3
    page.session.state.apply({"v_ratio": 0.5})
    before = query_of(page.session.state)
    stage._asked("leave", 0)
    assert query_of(page.session.state) == before
    assert page.session.history.entry["query"] == before
    assert stage._bar.view == {}
    assert visible(frontier) == {"actions", "prediction"}
    assert len(stage.place) == 1


def test_the_control_answers_and_reset_goes_back(page: Page) -> None:
    stage, state = page.stage, page.session.state
    stage.go(2)
    before = stage._bar.view["say"]
    control = stage.place[1]
    assert set(control.values) == {"beta"}
    control.values = {"beta": 0.2}
    assert state.beta == 0.2
    assert "β = 0.2" in stage._bar.view["say"]
    assert stage._bar.view["say"] != before
    assert parse_query(page.session.history.entry["query"]) == {"tour": ["paper"], "step": ["3"], "beta": ["0.2"]}
    stage.reset()
    assert stage._bar.view["say"] == before
    assert page.session.pipeline.picture.before is None  # going to a step is no move


def test_what_was_moved_in_a_step_is_part_of_its_link() -> None:
    page = opened({"tour": [b"paper"], "step": [b"3"], "beta": [b"0.2"]})
    assert page.session.state.beta == 0.2
    assert page.session.state.action == state_of(page.stage.step).action
    page.session.close()


def test_a_step_forgets_what_was_set_before_it(page: Page) -> None:
    page.stage.leave()
    page.session.state.apply({"slots": 90, "focus": 3, "policy": "CALLS", "c": 5})
    page.stage.start(tour("paper", SCENERY), 4)
    assert query_of(page.session.state) == query_of(state_of(page.stage.step))


@pytest.mark.parametrize("arguments", [{"tour": [b"nothing"]}, {"tour": [b"<script>"]}])
def test_an_unknown_tour_is_said_and_the_page_opens(arguments: dict[str, list[bytes]]) -> None:
    page = Page(Session(), arguments)
    assert any("no such tour" in text for text in page._complaints)
    assert page.stage.step is None
    page.session.close()


@pytest.mark.parametrize(("step", "index"), [(b"99", 7), (b"x", 0), (b"-1", 0), (b"", 0), (b"0", 0), (b"9999999", 0)])
def test_a_step_that_is_none_is_the_nearest(step: bytes, index: int) -> None:
    page = Page(Session(), {"tour": [b"paper"], "step": [step]})
    assert page.stage.index == index
    page.session.close()


def test_the_flight_step_names_who_leads_once_it_is_flown_and_the_claims_step_counts() -> None:
    page = opened({"tour": [b"paper"], "step": [b"7"]})
    view = page.stage.views["flight"]
    numbers = view.drawn.curves.numbers
    errors = {policy: row["mean_rmse_m"] for policy, row in numbers.items()}
    best = min(errors, key=errors.get)
    said = page.stage._bar.view["say"]
    assert f"{best} has a mean error of {errors[best]:.1f} m" in said
    assert f"after {view.drawn.curves.cycle + 1} cycles" in said
    page.stage.go(7)
    claims = page.stage.views["claims"]
    said = page.stage._bar.view["say"]
    assert f"Of {len(claims.findings)} promises" in said
    assert claims.glance.visible
    assert not claims.table.visible
    for verdict in ("holds", "violated", "compatible", "vacuous"):
        marks = claims.glance.object.count(f"data-verdict='{verdict}'")
        assert str(marks) == claims.tell()[verdict]
    page.stage.leave()
    assert not claims.glance.visible
    assert claims.table.visible
    page.session.close()


def test_every_part_of_every_tab_can_be_shown() -> None:
    page = opened()
    for view in page.views:
        if not view.parts:
            continue
        page.session.state.tab = view.name_in_link
        for part in view.parts:
            view.present(part)
            assert seen(view.part(part)[0])
        view.unpresent()
        assert set(view.tell()) == set(view.told)
    page.session.close()


def test_back_leads_through_the_steps_and_out_of_the_tour(page: Page) -> None:
    history, stage = page.session.history, page.stage
    steps = history.entry["step"]
    stage.go(2)
    assert history.entry["step"] == steps + 1
    page.session.state.apply({"beta": 0.2})
    moved = history.entry["query"]
    stage.go(4)
    history.go(moved)
    assert (stage.index, page.session.state.beta, page.session.state.tab) == (2, 0.2, "boundary")
    assert history.entry["query"] == moved
    history.go("?slots=90")
    assert stage.step is None
    assert page.session.state.slots == 90
    assert history.entry["query"] == "?slots=90"


def test_numbers_of_the_picture_before_are_not_said_of_a_step(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    pipeline, stage = page.session.pipeline, page.stage
    monkeypatch.setattr(
        pipeline, "request", lambda *_: said.append(stage._bar.view["say"])
    )  # a server that takes its time
    stage.go(2)
    assert "…" in stage._bar.view["say"]
    monkeypatch.undo()
    pipeline.request()
    assert "…" not in stage._bar.view["say"]
    stage.go(2)  # the picture is there already
    assert "…" not in stage._bar.view["say"]
