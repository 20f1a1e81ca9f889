"""The tab follows the state: cycle, focus, policy, settings that changed; it is never empty and flies only what it shows."""

from __future__ import annotations

import numpy as np
import pytest
from opened import shown

from app.picture import Inputs
from app.session import Session
from app.tabs.flight.view import FlightView


@pytest.fixture
def view(small: Session) -> FlightView:
    small.state.apply({"cycle": 5, "policies": ("SAFE", "VoI-Sched")})
    small.state.tab = FlightView.name_in_link
    found = shown(FlightView, small)
    small.pipeline.param.watch(  # as the page does
        lambda *_: found.refresh(small.pipeline.picture) if small.state.tab == "flight" else None, "picture"
    )
    yield found
    found.close()
    small.close()


def test_a_first_visit_shows_the_flight_at_the_cycle_shown(view: FlightView) -> None:
    flight = Inputs.of(view.session.state).flight()
    assert view.scene.moving["cycle"] == 5
    np.testing.assert_array_equal(view.scene.moving["swarm"][:, :3], flight.positions(5))
    assert view.scene.busy == ""
    assert set(view.drawn.curves.numbers) == {"SAFE", "VoI-Sched"}
    assert view.scene.focus == view.session.pipeline.picture.focus.uav == view.scene.ahead["uav"]
    assert view.scene.ahead["cycle"] == 5
    assert "SAFE" in view.numbers.object
    assert view.figure.cursors[0].location == 5


def test_a_step_moves_everything_and_flies_no_further_than_shown(view: FlightView) -> None:
    view.session.state.apply({"seed": 417})  # flights are shared within a process: one that nobody else looks at
    view.session.clock.step()
    assert (view.scene.moving["cycle"], view.scene.ahead["cycle"], view.figure.cursors[0].location) == (6, 6, 6)
    assert view.drawn.flights["VoI-Sched"].ended == 7


def test_a_click_in_the_scene_focuses(view: FlightView) -> None:
    uav = 3 if view.scene.focus != 3 else 4
    view.scene._handle_msg({"picked": uav})
    assert view.session.state.focus == view.scene.focus == view.scene.ahead["uav"] == uav
    found = view.drawn.flights["SAFE"].history().v_normalised[:, uav - 1]
    np.testing.assert_allclose(view.figure.sources["focus"].data["SAFE"][: len(found)], found)


def test_a_click_on_the_series_goes_to_the_nearest_cycle_of_the_mission(view: FlightView) -> None:
    last = view.session.state.scenario.cycles - 1
    for x, wanted in ((2.4, 2), (-3.0, 0), (1e6, last)):
        view._go(x)
        assert view.session.state.cycle == view.scene.moving["cycle"] == wanted


def test_another_policy_is_inspected_at_the_same_cycle_and_uav(view: FlightView) -> None:
    view.session.state.apply({"focus": 2})
    view.session.state.apply({"policy": "Fixed-Service"})
    assert list(view.drawn.flights) == ["Fixed-Service", "SAFE", "VoI-Sched"]
    assert (view.scene.moving["cycle"], view.scene.focus) == (5, 2)
    assert view.scene.moving["flight"].startswith("Fixed-Service")


def test_a_slider_that_asks_what_if_leaves_the_flight_alone_and_play_makes_it_part_of_it(view: FlightView) -> None:
    before = view.scene.moving
    view.session.state.apply({"beta": 0.2})
    assert view.scene.moving is before
    view.session.clock.play()
    view.session.clock.tick()
    assert view.scene.playing
    assert view.drawn.curves.changes == (5,)
    assert view.drawn.curves.start == 5
    assert view.drawn.flights["VoI-Sched"].scenario_at(5).twin.beta == 0.2
    assert "since the last change" in view.chips.object
    view.session.clock.pause()
    assert not view.scene.playing


def test_another_tab_stops_the_flying_and_the_way_back_draws_again(view: FlightView) -> None:
    state = view.session.state
    state.tab = "claims"
    state.apply({"cycle": 9})
    assert view.scene.moving["cycle"] == 5
    assert not view.flyer.busy
    state.tab = "flight"
    view.refresh(view.session.pipeline.picture)
    assert view.scene.moving["cycle"] == 9


def test_what_cannot_be_flown_is_said_in_words(view: FlightView) -> None:
    view._draw(ValueError("no such flight"))
    assert view.scene.busy == "no such flight"
    view.session.state.apply({"cycle": 4})
    assert view.scene.busy == ""


def test_pinned_flights_stay_as_faint_lines_with_their_settings(view: FlightView) -> None:
    made, sources = view.session, view.figure.sources
    made.pipeline.pin()
    assert "the same flights and cycles" in view.chips.object
    assert len(sources["pinned_series"].data["xs"]) == 0
    made.state.apply({"cycle": 7})
    assert "the same flights; cycles 0 to 5" in view.chips.object
    kept = Inputs.of(made.state).flight()
    rmse = dict(zip(sources["pinned_rmse"].data["policy"], sources["pinned_rmse"].data["xs"], strict=True))
    np.testing.assert_allclose(np.sort(kept.history().rmse[:6]), rmse["SAFE, pinned"])
    made.state.apply({"seed": 4})
    assert "pinned: seed 0, UAV" in view.chips.object
    assert sources["pinned_series"].data["policy"] == ["SAFE, pinned", "VoI-Sched, pinned"]
    np.testing.assert_allclose(sources["pinned_series"].data["ys"][0][:6], kept.history().rmse[:6])
    uav = made.pipeline.picture.pinned.focus.loop
    np.testing.assert_allclose(sources["pinned_focus"].data["ys"][0][:6], kept.history().v_normalised[:6, uav])
    mean = kept.summary(["mean_rmse_m"], 0, 6)["mean_rmse_m"]
    assert f"SAFE, pinned</td><td>{mean:.2f}</td>" in view.numbers.object
    ends = view.figure.plots["series"].y_range
    assert ends.start <= kept.history().rmse[:6].min() <= kept.history().rmse[:6].max() <= ends.end
    made.pipeline.unpin()
    assert all(len(sources[f"pinned_{n}"].data["xs"]) == 0 for n in ("series", "focus", "rmse", "v", "delay"))
    assert "pinned" not in view.chips.object + view.numbers.object
