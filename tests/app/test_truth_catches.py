"""The truth test fails for the faults that the page once had: each is put back here, and the checker must notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_states import case
from truth import check
from truth_maps import check_boundary
from truth_moves import check_changed, check_compared
from truth_tabs import check_allocation, check_frontier, check_served, check_words

import app.tabs.allocation.figure as allocation
import app.tabs.boundary.figure as boundary
import app.tabs.frontier.figure as frontier
import core.figures.arrays.boundary as boundary_arrays
import core.figures.arrays.fields as fields
import core.figures.arrays.frontier as frontier_data
import core.figures.arrays.marks as marks
from app.figures.key import key_html
from app.tabs.allocation.view import table_rows
from app.tabs.allocation.words import allocation_words
from app.tabs.boundary.view import KEY
from core.allocation import Appraisal, Others, Sentence
from core.instant import Flight, Focus, Instant, changed, compared, comparison, takeoff
from core.scenario import Scenario
from core.style import ACCENT, FOCUS, INK, MODE_COLOUR, mid_tones

SWARM = Scenario().replace(**{"mission.uavs": 10, "network.slots": 60, "mission.duration_s": 8.0})


def at(k: int = 8, **changes: object) -> Instant:
    return Flight.of(takeoff(SWARM), seed=4).instant(k).replace(scenario=SWARM.replace(**changes))


def found(pick: Callable[[Focus], bool]) -> Focus:
    """The first random state of a kind."""
    return next(focus for seed in range(200) if pick(focus := case(seed).focus))


def draw(focus: Focus) -> boundary.BoundaryFigure:
    fig = boundary.boundary_figure()
    boundary.update_boundary(fig, focus)
    return fig


def frame_of(focus: Focus) -> tuple[allocation.AllocationFigure, list[list[Any]]]:
    fig = allocation.allocation_figure()
    data = allocation.update_allocation(fig, focus)
    return fig, table_rows(data["table"])


def unchosen() -> Focus:
    """A frontier action that the allocator does not send, in a frame that others share."""
    here = at()
    for loop in range(10):
        focus = here.on(loop)
        d = focus.distinct
        for key in d["key"][d["frontier"]]:
            held = focus.hold(key)
            if not held.held.chosen and np.isfinite(held.held.loss) and held.held.loss > 1.0:
                return held
    raise AssertionError("there is one")


def test_an_explanation_from_an_allocation_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    focus = unchosen()
    check(focus, focus.said)
    best = float(focus.offer.appraisal.U[focus.offer.frontier].max())
    monkeypatch.setattr(Others, "loss", lambda _self, U, slots: best - np.asarray(U))  # the loop owns the whole frame
    again = focus.instant.replace().on(focus.loop, focus.wanted)
    with pytest.raises(AssertionError):
        check(again, again.said)


def test_another_action_than_the_one_held() -> None:
    focus = unchosen()
    check_boundary(draw(focus), focus)
    with pytest.raises(AssertionError):
        check_boundary(draw(focus.hold("")), focus)


def test_a_change_told_about_another_action() -> None:
    pairs = (case(seed) for seed in range(200))
    now = next(p for p in pairs if p.before.held and p.focus.chosen and p.focus.chosen.rho_ul != p.before.held.rho_ul)
    check_changed(now.before, now.focus, changed(now.before, now.focus))
    with pytest.raises(AssertionError):  # the page silently went over to what the allocator prefers
        check_changed(now.before, now.focus, comparison._effects(now.before, now.before.held, now.focus.hold("")))


@pytest.mark.parametrize("same_loop", [True, False])
def test_a_comparison_with_the_pin_told_the_wrong_way_round(same_loop: bool) -> None:
    pairs = (case(seed) for seed in range(200))
    now = next(
        p
        for p in pairs
        if (p.pinned.loop == p.focus.loop) == same_loop
        and (
            not same_loop or all(a.held and b.action(a.held.key) for a, b in ((p.pinned, p.focus), (p.focus, p.pinned)))
        )
        and abs(p.pinned.state.V / p.pinned.model.V_max - p.focus.state.V / p.focus.model.V_max) > 0.02
    )
    check_compared(now.pinned, now.focus, compared(now.pinned, now.focus))
    with pytest.raises(AssertionError):
        check_compared(now.pinned, now.focus, compared(now.focus, now.pinned))
    with pytest.raises(AssertionError):  # nothing said of the states
        check_compared(now.pinned, now.focus, changed(now.pinned, now.focus))


def test_a_map_with_equal_reliabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    focus = found(
        lambda f: (
            f.held is not None
            and f.model.formulation != "paper"
            and 0.1 * f.model.V_max < f.state.V
            and abs(f.held.rho_ul - f.held.rho_dl) > 0.05
        )
    )

    def equal(focus: Focus, certificate: fields.Certificate, g: Any, rho_ul: Any) -> Any:
        s, c = focus.state, certificate
        terms = focus.model.drift(s.V, s.tr_sigma, s.c_for_drift, rho_ul, rho_ul, g, c.h_ul, c.h_dl)
        return terms.phi / focus.model.V_max

    check_boundary(draw(focus), focus)
    monkeypatch.setattr(boundary_arrays, "over_g", equal)
    with pytest.raises(AssertionError):
        check_boundary(draw(focus), focus)


def test_a_chosen_action_in_the_unsafe_colour_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_the_colour(d: dict[str, Any], under: Any) -> tuple[Any, Any]:
        kind = np.where(under <= 0.0, 0, 1).astype(np.uint8)
        return kind, np.zeros_like(kind)

    focus = found(lambda f: bool((draw(f).sources["candidates"].data["reason"] == 1).any()))
    monkeypatch.setattr(marks, "kinds", only_the_colour)
    with pytest.raises(AssertionError):
        check_boundary(draw(focus), focus)


@pytest.mark.parametrize("slots", [1, 240])
def test_a_frame_drawn_to_a_length_that_it_does_not_have(monkeypatch: pytest.MonkeyPatch, slots: int) -> None:
    focus = at(**{"network.slots": slots}).on(0)
    check_allocation(*frame_of(focus), focus)
    monkeypatch.setattr(allocation, "fit", lambda axis, low, high: axis.update(start=low, end=min(max(high, 2), 160)))
    with pytest.raises(AssertionError):
        check_allocation(*frame_of(focus), focus)


def test_expensive_actions_dropped_before_the_next_frame_is_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    here = next(now for slots in range(1, 30) if (now := at(**{"network.slots": slots})).next_useful != _own_only(now))
    focus = here.on(0)
    check_words(focus, allocation_words(focus))
    monkeypatch.setattr(Instant, "beyond", property(lambda self: Appraisal.own(self.allocation)))
    again = here.replace().on(0)
    with pytest.raises((AssertionError, KeyError)):
        check_words(again, allocation_words(again))


def _own_only(here: Instant) -> Any:
    from core.allocation import next_slot

    return next_slot(here.allocation, Appraisal.own(here.allocation), here.longest)


def test_a_sentence_that_serves_a_loop_without_slots() -> None:
    focus = at(**{"network.slots": 1}).on(3)
    check_served(focus, str(focus.why))
    with pytest.raises(AssertionError):
        check_served(focus, str(Sentence.of("UAV {uav} is served by the 14-slot exchange.", {"uav": 4})))


def test_a_value_of_the_whole_frame_where_a_reserve_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    focus = found(lambda f: f.allocation.reserve > 0 and f.allocation.price_of_reserve > 1.0)
    check_allocation(*frame_of(focus), focus)
    plain = allocation.allocation_data

    def at_the_end(focus: Focus, before: Focus | None = None) -> dict[str, Any]:
        data = plain(focus, before)
        S = focus.allocation.budget
        data["sources"]["spent"] = {"b": [S], "F": [float(focus.instant.curve[S] / focus.model.V_max)]}
        return data

    monkeypatch.setattr(allocation, "allocation_data", at_the_end)
    with pytest.raises(AssertionError):
        check_allocation(*frame_of(focus), focus)


def test_a_reserve_that_nothing_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    focus = found(lambda f: f.allocation.reserve > 0)
    whole = {"left": [0], "right": [focus.allocation.budget], "bottom": [0], "top": [1]}
    monkeypatch.setattr(allocation, "_lanes", lambda _focus: {**whole, "colour": [INK], "what": [""], "slots": [0]})
    with pytest.raises(AssertionError):
        check_allocation(*frame_of(focus), focus)


def test_an_empty_frontier_without_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    focus = found(lambda f: f.counts["candidates"] == 0)

    def plot() -> frontier.FrontierFigure:
        fig = frontier.frontier_figure()
        frontier.update_frontier(fig, focus)
        return fig

    check_frontier(plot(), focus)
    monkeypatch.setattr(frontier_data, "extent", lambda _focus: (float("nan"), (float("nan"), float("nan"))))
    with pytest.raises((AssertionError, ValueError)):
        check_frontier(plot(), focus)


def test_marks_that_vanish_in_one_of_the_themes() -> None:
    """Colours beside a map are read on white and on the dark page; marks on a map and in its legend never follow the theme."""
    for colour in (ACCENT, INK, *mid_tones(9), *MODE_COLOUR.values()):
        assert min(_contrast(colour, "#ffffff"), _contrast(colour, "#121212")) >= 2.3, colour
    assert min(_contrast(FOCUS, "#ffffff"), _contrast(FOCUS, "#121212")) >= 2.0
    assert _contrast("#00224d", "#121212") < 2.3  # the end of the frontier's scale as it once was
    drawn = key_html(KEY)
    assert "currentColor" not in drawn
    assert drawn.count("background:") == len(KEY)


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))
