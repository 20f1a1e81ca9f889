"""Tab Solve for: curves of the picture's loop, a choice that follows the sliders, clicks that move them, no work twice."""

from __future__ import annotations

import html
import re
import time

import numpy as np
import pytest
from brute_solve import check_curves, check_said, reading
from opened import session, shown
from truth_solve import check_solve

from app.components.controls import ELSEWHERE, FIRST
from app.session import Session
from app.share_links import parse_query, query_of, read_query
from app.state import State, metadata_of
from app.tabs.solve.choice import field_of, names, options
from app.tabs.solve.view import Request, SolveView
from core.instant import varied
from core.wanted import Superseded


@pytest.fixture
def visitor(small: Session) -> Session:
    small.state.tab = SolveView.name_in_link
    return small


def drawn(view: SolveView) -> None:
    """Refresh the view and check everything on it."""
    view.refresh(view.session.pipeline.picture)
    assert view.solution is not None
    assert view.solution.focus is view.session.pipeline.picture.focus
    check_solve(view.figure, view.solution)
    check_said(view.solution)
    assert str(view.solution.said) in html.unescape(view.words.object)
    assert view.busy.object == ""


def said_once(view: SolveView) -> None:
    """The choice names the quantity and says what it is, the line beside it only the rest, the sentence its value now."""
    meta, said = metadata_of(view.pick.value), html.unescape(view.about.object)
    label = next(text for text, name in view.pick.options.items() if name == view.pick.value)
    what = label.partition(": ")[2]
    assert meta.doc.startswith(what)
    assert what not in said
    assert meta.symbol not in re.sub(r"[^\w_/]+", " ", said).split()
    words = re.sub(r"[.,;:()=]", " ", str(view.solution.said)).split()
    assert words.count(meta.symbol) == 1


def test_the_first_visit_solves_for_the_snr(visitor: Session) -> None:
    view = shown(SolveView, visitor)
    drawn(view)
    assert view.solution.variable.name == "network.snr_offset_db"
    check_curves(view.solution, range(0, 81, 10))
    said_once(view)


@pytest.mark.slow
def test_the_slider_moved_last_is_varied_until_another_is_picked(visitor: Session) -> None:
    view = shown(SolveView, visitor)
    visitor.state.apply({"beta": 0.2})
    drawn(view)
    assert view.solution.variable.name == "twin.beta"
    visitor.state.apply({"cycle": 6})  # another instant: no move to remember, the choice stays
    drawn(view)
    assert view.solution.variable.name == "twin.beta"
    view.pick.value = "c"
    drawn(view)
    assert view.solution.variable.name == "c"
    said_once(view)
    assert "solve_for=c" in query_of(visitor.state)
    visitor.state.apply({"delta_T": 0.1})
    drawn(view)
    assert view.solution.variable.name == "c"
    said_once(view)
    assert not visitor.state.follow  # who picks a quantity keeps it
    view.follow.value = True
    visitor.state.apply({"slots": 30})
    drawn(view)
    assert view.pick.value == "slots"
    assert view.solution.variable.name == "network.slots"
    assert "solve_for=slots" in query_of(visitor.state)
    visitor.state.apply({"uavs": 7})  # nothing that can be varied
    drawn(view)
    assert view.solution.variable.name == "network.slots"


def test_a_link_says_what_is_varied(visitor: Session) -> None:
    visitor.state.apply({"solve_for": "slots"})
    other = State()
    assert read_query(other, parse_query(query_of(visitor.state))) == []
    assert other.solve_for == "slots"
    assert read_query(State(), parse_query("?solve_for=uavs")) != []


def test_moving_the_varied_slider_moves_the_mark_along_the_same_curves(visitor: Session) -> None:
    visitor.state.apply({"solve_for": "snr_offset_db"})
    view = shown(SolveView, visitor)
    curves = view.solution.curves
    for value in (-3.0, -12.0, -20.0, 5.0):
        visitor.state.apply({"snr_offset_db": value})
        drawn(view)
        assert view.solution.curves is curves
        assert view.figure.sources["admitted.here"].data["x"][0] == value
        slow = reading(view.solution.focus, "network.snr_offset_db", value)
        assert view.figure.sources["admitted.here"].data["y"][0] == slow["admitted"]
        assert f"Now ΔSNR = {view.solution.variable.text(value)} dB" in view.words.object
    visitor.state.apply({"slots": 30, "follow": False})
    drawn(view)
    assert view.solution.variable.name == "network.snr_offset_db"
    assert view.solution.curves is not curves


def test_a_state_that_goes_back_to_the_flown_one_is_on_the_curves(visitor: Session) -> None:
    visitor.state.apply({"v_ratio": 0.5, "solve_for": "v_ratio"})
    view = shown(SolveView, visitor)
    assert view.solution.variable.here == 0.5
    visitor.state.apply({"v_ratio": None})
    drawn(view)
    assert view.solution.variable.here == pytest.approx(visitor.pipeline.picture.focus.flown["v_ratio"])


@pytest.mark.parametrize("control", ["snr_offset_db", "slots", "c", "v_ratio", "H_T"])
@pytest.mark.slow
def test_a_click_moves_the_slider_to_the_nearest_step(visitor: Session, control: str) -> None:
    visitor.state.apply({"solve_for": control})
    view = shown(SolveView, visitor)
    meta = metadata_of(control)
    view._go(meta.lo + 7.3 * meta.step)
    assert getattr(visitor.state, control) == pytest.approx(meta.lo + 7 * meta.step)
    drawn(view)
    view._go(meta.hi + 100.0)
    assert getattr(visitor.state, control) == pytest.approx(float(view.solution.curves.x[-1]))
    view._go(None)
    drawn(view)


def test_a_click_where_the_scenario_refuses_says_so(visitor: Session) -> None:
    said: list[str] = []
    visitor.complain = said.append  # type: ignore[method-assign]
    visitor.state.apply({"solve_for": "w_u"})
    view = shown(SolveView, visitor)
    view._go(0.9)
    assert said
    assert "lower control.w_u" in said[0]
    drawn(view)


def test_an_action_that_is_not_on_offer_at_some_values_leaves_a_gap(visitor: Session) -> None:
    view = shown(SolveView, visitor)
    visitor.state.action = view.solution.focus.held.key
    drawn(view)
    missing = ~view.solution.curves.on_offer
    assert missing.any()
    assert np.isnan(view.figure.sources["curves"].data["phi"][missing]).all()
    visitor.state.apply({"snr_offset_db": float(view.solution.curves.x[missing][0])})
    assert visitor.pipeline.picture.focus.held is None
    drawn(view)
    assert "is on offer" in view.words.object


@pytest.mark.parametrize("values", [
    {"slots": 1}, {"slots": 0}, {"snr_offset_db": -20.0}, {"uavs": 1}, {"admission": "none"}, {"admission": "reach"},
    {"formulation": "paper", "v_ratio": 1.2}, {"formulation": "repaired"}, {"policy": "SAFE-L1"}, {"hold": False},
])  # fmt: skip
@pytest.mark.slow
def test_every_rule_and_every_corner_has_curves(values: dict[str, object]) -> None:
    visitor = session(**({"uavs": 8, "slots": 40, "duration_s": 3.0, "cycle": 6} | values))
    visitor.state.tab = "solve"
    view = shown(SolveView, visitor)
    for control in ("snr_offset_db", "slots", "beta", "v_ratio", "sigma_share", "lookahead_cycles"):
        visitor.state.apply({"solve_for": control})
        drawn(view)
    view.close()
    visitor.close()


def test_what_a_policy_has_its_own_way_is_not_varied() -> None:
    visitor = session(uavs=6, slots=40, duration_s=3.0, policy="SAFE-L1", solve_for="lookahead_cycles")
    visitor.state.tab = "solve"
    view = shown(SolveView, visitor)
    assert view.solution.variable.name == "network.snr_offset_db"
    visitor.close()


def test_an_unseen_tab_computes_nothing(visitor: Session) -> None:
    view = shown(SolveView, visitor)
    before = view.solution
    visitor.state.tab = "claims"
    visitor.state.apply({"solve_for": "beta"})
    assert view.solution is before
    view._asked = Request(visitor.pipeline.picture, "beta", time.perf_counter())
    with pytest.raises(Superseded):
        view._solve(view._asked)
    view._draw(Superseded("nobody looks"))
    visitor.state.tab = "solve"
    drawn(view)
    assert view.solution.variable.name == "twin.beta"


@pytest.mark.slow
def test_what_fails_is_said_and_the_next_move_computes_again(visitor: Session) -> None:
    view = shown(SolveView, visitor)
    view._draw(ValueError("<b>no</b>"))
    assert "could not be computed: &lt;b&gt;no&lt;/b&gt;" in view.busy.object
    visitor.state.apply({"slots": 33})
    drawn(view)


def test_everything_that_core_can_vary_is_on_offer_with_symbol_and_words() -> None:
    assert {field_of(name) for name in names()} == set(varied())
    assert names()[: len(FIRST)] == list(FIRST)
    labels = options()
    assert list(labels.values()) == names()
    for label, name in labels.items():
        assert label.startswith(metadata_of(name).symbol)
        assert len(label) > len(metadata_of(name).symbol) + 5
    assert {"solve_for", "follow"} <= set(ELSEWHERE)


@pytest.mark.slow
def test_what_is_pinned_stays_as_a_faint_curve_with_its_settings_named(visitor: Session) -> None:
    view = shown(SolveView, visitor)
    drawn(view)
    assert len(view.figure.sources["pinned"].data["x"]) == 0
    visitor.pipeline.pin()
    visitor.state.apply({"follow": False, "beta": 0.3})
    drawn(view)
    kept = visitor.pipeline.picture.pinned.focus.solve("network.snr_offset_db")
    data, axis = view.figure.sources["pinned"].data, view.figure.plots["admitted"].y_range
    np.testing.assert_array_equal(data["x"], kept.curves.x)
    np.testing.assert_array_equal(data["admitted"], kept.curves.admitted)
    np.testing.assert_array_equal(data["cheapest"], kept.curves.cheapest)
    assert not np.array_equal(data["U"], view.figure.sources["curves"].data["U"])
    assert axis.end >= np.nanmax(data["admitted"])
    assert "pinned: β 0.05" in html.unescape(view.key.object)
    visitor.pipeline.unpin()
    drawn(view)
    assert len(view.figure.sources["pinned"].data["x"]) == 0
    assert "pinned" not in html.unescape(view.key.object)
