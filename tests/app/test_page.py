"""The page: a tab is built on its first visit only, and notes say what is shown."""

from __future__ import annotations

import pytest

from app.page import INDEX, TABS, Page
from app.session import Session
from app.share_links import NUMBERED_TABS
from app.state import State


def test_page_builds_every_tab_on_its_first_visit_only() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"], "tab": [b"2"]})
    page.start()
    assert page._drawn == {2}
    page.session.state.tab = "frontier"
    assert page._drawn == {1, 2}
    assert page.session.history.entry["query"] == "?slots=40&uavs=8&tab=frontier"
    assert len(page.views) == len(TABS)
    page.session.close()


@pytest.mark.parametrize("tab", ["boundary", "flight"])
def test_a_tab_without_a_picture_says_so_in_place_of_empty_plots(tab: str) -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"], "tab": [tab.encode()]})
    index, compute = INDEX[tab], page.session.pipeline.request
    page.session.pipeline.request = lambda: setattr(page.session.pipeline, "stale", "It is not flown yet.")
    page.start()
    content = page.views[index].content
    assert (content in page._places[index].objects) == TABS[index].draws_on_the_way
    assert len(page._places[index].objects) == 1
    compute()
    assert page._places[index].objects == [content]
    page.session.close()


def test_the_page_says_what_is_as_flown() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"], "duration_s": [b"3"], "cycle": [b"9"], "c": [b"4"]})
    page.start()
    picture = page.session.pipeline.picture
    assert [n for n, text in page.controls.notes.items() if text == "as flown"] == ["v_ratio", "sigma_share", "c_fail"]
    assert page.controls.flown == picture.focus.flown
    assert page.controls.values["v_ratio"] is None
    page.controls.values = {**page.controls.values, "v_ratio": 0.5}
    assert page.session.pipeline.picture.focus.state.V / picture.focus.model.V_max == pytest.approx(0.5)
    page.controls.values = {**page.controls.values, "v_ratio": None}
    assert page.session.state.v_ratio is None
    page.session.close()


@pytest.mark.slow
def test_the_timeline_is_there_on_the_tabs_that_look_at_a_flight() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"]})
    page.start()
    shown = {}
    for view in TABS:
        page.session.state.tab = view.name_in_link
        shown[view.title] = page.timeline.visible
    assert [title for title, with_timeline in shown.items() if not with_timeline] == [
        "Claims",
        "What-if",
        "Reproduction",
    ]
    page.session.close()


def test_links_name_tabs_and_a_number_means_what_it_always_meant() -> None:
    assert list(INDEX) == [view.name_in_link for view in TABS]
    assert State().tab == TABS[0].name_in_link
    assert NUMBERED_TABS == ("boundary", "frontier", "allocation", "flight", "claims", "whatif", "reproduction")
    for number, name in enumerate(NUMBERED_TABS):
        for text in (str(number), name):
            page = Page(Session(), {"tab": [text.encode()]})
            assert page.session.state.tab == name
            assert page.tabs.active == INDEX[name]
            assert page._complaints == []
            page.session.close()


def test_a_link_to_a_tab_that_is_not_there_says_which_there_are() -> None:
    page = Page(Session(), {"tab": [b"swarm"]})
    assert page.tabs.active == 0
    assert page._complaints == ["There is no tab “swarm”; the tabs are " + ", ".join(INDEX) + "."]
    page.session.state.tab = "claims"
    page.session.state.tab = "nowhere"  # as a link that is read later may say
    assert page.session.state.tab == "claims"
    page.session.close()
    for bad in (b"99", b"-1", b"<b>", b""):
        page = Page(Session(), {"tab": [bad]})
        assert page.session.state.tab == TABS[0].name_in_link
        assert len(page._complaints) == 1
        page.session.close()


def test_a_link_is_read_whole_before_anything_is_computed() -> None:
    page = Page(Session(), {"uavs": [b"8"], "changed": [b"5~slots:50"], "cycle": [b"7"]})
    page.start()
    assert page.session.history.entry["query"] == "?uavs=8&cycle=7&changed=5~slots:50"  # the page still picks the UAV
    page.session.close()
