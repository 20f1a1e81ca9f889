"""The clock: what sliders ask becomes part of the flight when it is played, marked, and never before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from opened import session

from app.jobs.clock import Clock
from app.session import Session
from app.state import State
from core.instant import Flight
from core.scenario import Scenario


@pytest.fixture
def small() -> Session:
    return session(uavs=8, duration_s=6.0, cycle=5)


def test_playing_an_untouched_flight_changes_nothing_but_the_cycle(small: Session) -> None:
    flight = small.pipeline.picture.flight
    small.clock.play()
    for _ in range(3):
        small.clock.tick()
    assert small.state.cycle == 8
    assert small.pipeline.picture.flight is flight
    assert small.pipeline.picture.instant.cycle == 8
    small.clock.pause()
    small.clock.tick()
    assert small.state.cycle == 8


def test_what_if_becomes_part_of_the_flight_when_played_from_the_cycle_shown(small: Session) -> None:
    before = small.pipeline.picture.flight
    small.state.apply({"slots": 40, "beta": 0.2})
    assert small.state.changes == ()
    assert small.pipeline.picture.flight is before
    small.clock.play()
    assert small.state.changes == ((5, (("network.slots", 40), ("twin.beta", 0.2))),)
    assert small.pipeline.picture.flight is before.changed(5, small.state.scenario)


def test_a_slider_moved_while_playing_steers_from_the_next_cycle_on(small: Session) -> None:
    small.clock.play()
    small.clock.tick()
    small.state.apply({"slots": 40})
    small.clock.tick()
    small.clock.tick()
    small.state.apply({"beta": 0.2})
    small.clock.tick()
    assert small.state.cycle == 9
    assert small.state.changes == ((7, (("network.slots", 40),)), (9, (("twin.beta", 0.2),)))
    assert small.pipeline.picture.flight.scenario_at(8).twin.beta == 0.05


def test_playing_again_from_an_earlier_cycle_drops_what_came_later(small: Session) -> None:
    small.state.fly((), ((7, (("network.slots", 40),)), (9, (("twin.beta", 0.2),))))
    small.state.apply({"cycle": 8})
    assert small.state.slots == 40
    small.state.apply({"eta": 0.3})
    small.clock.play()
    assert small.state.changes == ((7, (("network.slots", 40),)), (8, (("control.eta", 0.3),)))


def test_going_through_a_recorded_change_the_sliders_follow_it(small: Session) -> None:
    small.state.fly((), ((7, (("network.slots", 40),)),))
    small.clock.play()
    small.clock.tick()
    small.clock.tick()
    assert small.state.slots == 40
    assert small.state.changes == ((7, (("network.slots", 40),)),)


def test_a_changed_state_is_never_part_of_a_flight(small: Session) -> None:
    small.state.apply({"v_ratio": 0.6, "c": 4})
    small.clock.play()
    small.clock.tick()
    assert small.state.changes == ()
    assert (small.state.v_ratio, small.state.c) == (0.6, 4)


def test_steps_stay_within_the_mission_and_ask_the_same_what_if(small: Session) -> None:
    small.state.apply({"beta": 0.2})
    small.clock.step(-1)
    assert (small.state.cycle, small.state.changes, small.state.beta) == (4, (), 0.2)
    small.clock.step(-50)
    assert small.state.cycle == 0
    small.clock.step(500)
    assert small.state.cycle == 23


def test_it_stops_at_the_end_and_plays_again_from_the_start(small: Session) -> None:
    small.state.apply({"cycle": 22})
    small.clock.play()
    small.clock.tick()
    assert (small.state.cycle, small.clock.playing) == (23, False)
    small.clock.play()
    assert (small.state.cycle, small.clock.playing) == (0, True)


def test_flying_again_takes_off_with_the_sliders_and_forgets_the_changes(small: Session) -> None:
    small.state.fly((), ((7, (("network.slots", 40),)),))
    small.state.apply({"beta": 0.2, "seed": 3, "focus": 2})
    small.clock.fly_again()
    assert small.state.changes == ()
    assert small.state.takeoff == (("twin.beta", 0.2),)
    wanted = Scenario().replace(**{"mission.uavs": 8, "mission.duration_s": 6.0, "twin.beta": 0.2})
    assert small.pipeline.picture.flight is Flight.of(wanted, seed=3)
    assert small.pipeline.picture.flight.scenario == small.state.scenario
    assert (small.state.cycle, small.state.focus) == (5, 2)


class Page:
    """Stands for a document whose callbacks run on the loop of the test."""

    @staticmethod
    def add_next_tick_callback(callback: Callable[[], object]) -> None:
        asyncio.get_running_loop().call_soon(callback)


async def settled(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.01)


def served() -> Session:
    made = Session()
    made.state.apply({"uavs": 2, "slots": 20, "duration_s": 600.0, "seed": 611, "cycle": 0})
    made.work.doc = Page()
    return made


def test_on_a_server_it_plays_by_itself_each_cycle_after_its_picture() -> None:
    made = served()
    made.clock.speed = 32.0
    drawn: list[int] = []
    made.pipeline.param.watch(lambda e: drawn.append(e.new.instant.cycle), "picture")

    async def visit() -> None:
        made.pipeline.request()
        made.clock.play()
        await settled(lambda: made.state.cycle >= 6)
        made.clock.pause()
        await settled(lambda: bool(drawn) and drawn[-1] == made.state.cycle)

    asyncio.run(visit())
    assert drawn == list(range(made.state.cycle + 1))
    made.close()


def test_flying_again_flies_the_whole_mission_in_the_background_until_the_visitor_leaves() -> None:
    made = served()
    told: list[int] = []
    made.clock.param.watch(lambda e: told.append(e.new), "flying")

    async def visit() -> None:
        made.state.apply({"beta": 0.2})
        made.clock.fly_again()
        await settled(lambda: made.clock.flying > 0)
        made.close()

    asyncio.run(visit())
    flight = Flight.of(made.state.scenario, seed=611)
    assert 0 < flight.flown < flight.cycles - 1


def test_a_flight_that_cannot_be_flown_is_refused_in_words() -> None:
    said: list[str] = []
    state = State()
    made = session(uavs=8, duration_s=6.0)
    clock = Clock(state, made.pipeline, said.append)
    state.apply({"corridor_radius_m": 5.0})
    clock.play()
    assert not clock.playing
    clock.fly_again()
    assert state.takeoff == ()
    assert len(said) == 2
    assert "corridor" in said[0]
