"""The scene's arrays are the flight; its frame lights up in the order in which it was sent."""

from __future__ import annotations

import numpy as np

from app.tabs.flight.canvas import Scene
from app.tabs.flight.scene import ATTEMPTS, ahead, moving, still
from core.figures.arrays.flight import over
from core.instant import Flight
from core.network import building_box
from core.simulation import Fate


def test_what_moves_is_the_start_of_the_cycle_and_its_frame(flights: dict[str, Flight]) -> None:
    flight = flights["SAFE"]
    for k in (0, 7, flight.cycles - 1):
        found = moving(flight, k)
        positions, estimates, references = np.split(found["swarm"], 3, axis=1)
        np.testing.assert_array_equal(positions, flight.positions(k))
        np.testing.assert_allclose(estimates, flight.estimates(k), rtol=1e-6)
        np.testing.assert_allclose(references, flight.trace.positions[k], rtol=1e-6)
        np.testing.assert_array_equal(found["modes"], flight.history().mode[k])
        frame = flight.frame(k)
        for column, name in enumerate(ATTEMPTS):
            np.testing.assert_array_equal(found["attempts"][:, column], getattr(frame, name))
        assert (found["cycle"], found["slots"]) == (k, frame.slots)


def test_what_stands_still_is_the_building_the_station_and_the_room_of_the_references(
    flights: dict[str, Flight],
) -> None:
    flight = flights["SAFE"]
    found = still(flight)
    np.testing.assert_array_equal(found["buildings"], [np.concatenate(building_box(flight.scenario))])
    assert found["gcs"] == list(flight.scenario.network.gcs)
    assert (flight.trace.positions >= found["low"]).all()
    assert (flight.trace.positions <= found["high"]).all()
    flat = Flight.of(flight.scenario.replace(**{"mission.building_height_m": 0.0}))
    assert still(flat)["buildings"] == []
    own = Flight.of(flight.scenario.replace(**{"mission.buildings": "-30 -30 30 30 90; 60 -20 90 20 40"}))
    assert still(own)["buildings"] == [[-30, -30, 0, 30, 30, 90], [60, -20, 0, 90, 20, 40]]


def test_nothing_is_flown_to_be_drawn(flights: dict[str, Flight]) -> None:
    fresh = Flight(flights["SAFE"].key)
    fresh.reach(4)
    assert [over(fresh, k) for k in (3, 4)] == [True, False]
    moving(fresh, 3)
    still(fresh)
    assert fresh.ended == 4
    assert over(flights["SAFE"], 10_000), "after the end the last cycle is shown"


def test_the_prediction_is_that_of_the_focus(flights: dict[str, Flight]) -> None:
    focus = flights["SAFE"].instant(9).on(3)
    found = ahead(focus)
    assert (found["uav"], found["cycle"], found["cycles"]) == (4, 9, focus.paths.cycles)
    for name, way in (("references", "references"), ("without", "without"), ("served", "at_end")):
        np.testing.assert_allclose(found[name], getattr(focus.paths, way), rtol=1e-6)
    for off, way in zip(found["off"], (focus.paths.without, focus.paths.at_end), strict=True):
        assert off == np.linalg.norm(way[-1] - focus.paths.references[-1])


def test_the_columns_hold_all_that_a_replay_needs(flights: dict[str, Flight]) -> None:
    """What frame.js does with them, done here: lit while on the air, in the order of the slots, silent ones never."""
    flight, lost = flights["SAFE"], 0
    for k in range(flight.cycles):
        frame, rows = flight.frame(k), moving(flight, k)["attempts"].astype(int)
        slot, length, fate = (rows[:, ATTEMPTS.index(n)] for n in ("slot", "length", "fate"))
        sent = (fate == Fate.ARRIVED) | (fate == Fate.LOST)
        for s in range(frame.slots):
            np.testing.assert_array_equal((slot <= s) & (s < slot + length) & sent, frame.during(s))
            np.testing.assert_array_equal(slot + length <= s, frame.before(s))
        assert (np.diff(slot) >= 0).all()
        lost += int((fate == Fate.LOST).sum())
    assert lost > 0


def test_a_click_is_a_number_and_nothing_else_counts() -> None:
    picked: list[int] = []
    scene = Scene(picked.append)
    for message in ({"picked": 3}, {"picked": "4"}, {"picked": -1}, {"other": 5}, "6", {"picked": None}):
        scene._handle_msg(message)
    assert picked == [3]
