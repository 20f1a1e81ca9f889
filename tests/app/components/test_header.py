"""The bar at the top follows the state, and the state follows the bar."""

from __future__ import annotations

import pytest

from app.components.header import CUSTOM, Header
from app.session import Session
from core.scenario import PRESETS, preset


@pytest.fixture
def header() -> Header:
    return Header(Session())


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_loaded_and_named(header: Header, name: str) -> None:
    header.preset.value = name
    assert header.session.state.scenario == preset(name)
    assert header.preset.value == name


def test_a_moved_slider_makes_it_custom_and_the_same_preset_can_be_taken_again(header: Header) -> None:
    state = header.session.state
    state.apply({"slots": 123})
    assert header.preset.value == CUSTOM
    header.preset.value = "table-1"
    assert state.slots == preset("table-1").network.slots
    state.apply({"slots": 123})
    state.apply({"slots": preset("table-1").network.slots})
    assert header.preset.value == "table-1"


def test_controls_of_the_view_belong_to_no_preset(header: Header) -> None:
    header.session.state.apply({"v_ratio": 0.7, "seed": 3})
    assert header.preset.value == "table-1"
    header.preset.value = CUSTOM
    assert header.session.state.v_ratio == 0.7


def test_formulation_switch_follows_both_ways(header: Header) -> None:
    header.formulation.value = "paper"
    assert header.session.state.formulation == "paper"
    assert header.preset.value == CUSTOM
    header.preset.value = "table-1"
    assert header.formulation.value == preset("table-1").formulation


def test_a_page_opened_by_a_link_shows_what_it_is() -> None:
    session = Session()
    session.state.load(preset("stressed"))
    assert Header(session).preset.value == "stressed"
