"""The sidebar: every control once, in the words of its metadata, and hostile values refused."""

from __future__ import annotations

from app.components.controls import ELSEWHERE, FIRST, groups
from app.page import Page
from app.session import Session
from app.state import CONTROLS, metadata_of


def test_controls_refuse_hostile_values_and_show_the_truth_again() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"]})
    page.start()
    for bad in ({"beta": 9.0}, {"beta": "x"}, {"slots": float("nan")}, {"policies": ["evil"]}, {"nobody": 1}):
        page.controls.values = {**page.controls.values, **bad}
        assert page.session.state.beta == 0.05
        values = page.session.state.values()
        assert page.controls.values == {name: values[name] for name in values if name not in ELSEWHERE}
    page.controls.values = {**page.controls.values, "beta": 0.1}
    assert page.session.state.beta == 0.1
    page.session.close()


def test_every_control_has_one_place_in_the_sidebar_the_header_or_the_timeline() -> None:
    places = [item["name"] for group in groups() for item in group["items"]]
    assert sorted([*places, *ELSEWHERE]) == sorted(CONTROLS)
    assert [item["name"] for item in groups()[0]["items"]] == list(FIRST)
    assert len(FIRST) == 8


def test_a_late_echo_of_the_sidebar_moves_nothing_that_the_timeline_moves() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"]})
    page.start()
    page.session.state.apply({"cycle": 30, "focus": 4})
    page.controls.values = {**page.controls.values, "beta": 0.1, "cycle": 2, "focus": 1}
    assert (page.session.state.cycle, page.session.state.focus, page.session.state.beta) == (30, 4, 0.1)
    page.session.close()


def test_sidebar_texts_are_the_metadata() -> None:
    for group in groups():
        for item in group["items"]:
            meta = metadata_of(item["name"])
            assert (item["help"], item["unit"], item["symbol"]) == (meta.doc, meta.unit, meta.symbol)
            assert (item["lo"], item["hi"], item["step"]) == (meta.lo, meta.hi, meta.step)
