"""Tab 1: what is drawn is the picture's, a tap moves the state, a click takes an action, colours stay during a drag."""

from __future__ import annotations

import gc
import html
from unittest.mock import Mock

import numpy as np
import pytest
from opened import session, shown
from truth_maps import check_boundary

import app.tabs.boundary.figure as boundary
from app.picture import Inputs, compute
from app.session import Session
from app.tabs.boundary.view import BoundaryView, boundary_words


def test_the_view_draws_its_picture_and_the_one_before(small: Session) -> None:
    small.state.apply({"v_ratio": 0.35})
    small.state.apply({"beta": 0.2})
    view, picture = shown(BoundaryView, small), small.pipeline.picture
    assert picture.before is not None
    check_boundary(view.figure, picture.focus, picture.before.focus)
    assert boundary_words(picture.focus) in view.legend.object
    assert f"Φ = 0 before {html.escape(picture.move)}" in view.key.object
    small.pipeline.dismiss()
    view.refresh(small.pipeline.picture)
    check_boundary(view.figure, picture.focus, None)
    assert "before" not in view.key.object


def test_a_ghost_is_worked_out_once_however_many_visitors_move_and_goes_with_its_picture(
    small: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [compute(Inputs(small.state.scenario, cycle=cycle)).focus for cycle in range(12)]
    monkeypatch.setattr(boundary, "maps", counted := Mock(side_effect=boundary.maps))
    for before in (*others, *others):
        boundary.boundary_data(others[0], before)
    assert counted.call_count == 24 + len(others)
    kept = len(boundary._GHOSTS)
    del others, before
    counted.reset_mock()
    gc.collect()
    assert len(boundary._GHOSTS) <= kept - 12


def test_a_tap_in_the_plane_sets_the_state(small: Session) -> None:
    view = shown(BoundaryView, small)
    model = small.pipeline.picture.focus.model
    view._set_state(type("Tap", (), {"x": 0.2, "y": model.sigma_max}))
    assert small.state.v_ratio == pytest.approx(0.2)
    assert small.state.sigma_share == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["candidates", "pairs"])
def test_a_click_on_a_mark_puts_its_action_in_focus(small: Session, name: str) -> None:
    small.state.hold = False
    view = shown(BoundaryView, small)
    key = view.figure.keys[name][-1]
    view.figure.sources[name].selected.indices = [len(view.figure.keys[name]) - 1]
    assert (small.state.action, small.state.hold) == (key, True)
    assert small.pipeline.picture.focus.held.key == key
    view.refresh(small.pipeline.picture)
    check_boundary(view.figure, small.pipeline.picture.focus, None)


def test_colours_keep_their_scale_during_a_drag_and_fit_another_instant(small: Session) -> None:
    view = shown(BoundaryView, small)
    span, fitted = view.figure.scale.high, []
    for v in (0.2, 0.6, 1.1):
        small.state.apply({"v_ratio": v})
        view.refresh(small.pipeline.picture)
        assert view.figure.scale.high == span
        fitted.append(shown(BoundaryView, small).figure.scale.high)
    assert span not in fitted  # a fresh figure fits what it shows
    small.state.apply({"cycle": 3, "v_ratio": 0.6})
    view.refresh(small.pipeline.picture)
    assert view.figure.scale.high != span


def test_what_is_written_under_the_map_is_what_is_computed() -> None:
    made = session(c_fail=2)
    view = shown(BoundaryView, made)
    assert "X_{00}" in view.equation.object
    none = len(view.figure.sources["map"].data["image"][0][0])
    assert view.figure.sources["gate"].data["right"].tolist() == [none + 0.5]  # only what has no certificate
    made.state.apply({"formulation": "paper"})
    view.refresh(made.pipeline.picture)
    assert "X_{00}" not in view.equation.object
    assert "c<g" in view.equation.object
    # the gate refuses g = 1 and g = 2 after two failures
    assert view.figure.sources["gate"].data["right"].tolist() == [1.5, 2.5, none + 0.5]
    dots = view.figure.sources["candidates"].data
    assert np.all(np.isin(dots["kind"][dots["g"] <= 2], [1, 3]))
