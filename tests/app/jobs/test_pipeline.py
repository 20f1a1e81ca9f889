"""The pipeline on a running event loop: flights in threads, latest wins, what nobody waits for stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from app.jobs import page_work
from app.jobs.pipeline import Pipeline, quiet
from app.state import State
from core.instant import Flight, takeoff
from core.instant.cost import CYCLE_TIMES
from core.simulation import Simulation

LONG = {"uavs": 2, "slots": 20, "duration_s": 600.0, "seed": 4321}


class Page:
    """Stands for a document whose callbacks run on the loop of the test."""

    @staticmethod
    def add_next_tick_callback(callback: Callable[[], Any]) -> None:
        asyncio.get_running_loop().call_soon(callback)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Threads in which cycles were flown."""
    found: list[int] = []
    step = Simulation.step
    monkeypatch.setattr(
        Simulation, "step", lambda self: (found.append(threading.get_ident()), step(self))[1], raising=True
    )
    return found


def served(state: State) -> Pipeline:
    pipeline = Pipeline(state, quiet)
    pipeline.work.doc = Page()
    return pipeline


async def settled(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_newer_request_stops_a_long_flight_and_the_page_s_thread_flies_nothing(steps: list[int]) -> None:
    state = State()
    state.apply({**LONG, "cycle": 2399})
    pipeline = served(state)
    flight = Flight.of(takeoff(state.scenario), seed=state.seed)

    async def visit() -> None:
        pipeline.request()
        await settled(lambda: flight.flown > 5)
        state.apply({"cycle": 3})
        await settled(lambda: pipeline.picture is not None)

    asyncio.run(visit())
    assert pipeline.picture.instant.cycle == 3
    assert pipeline.stale == ""
    assert 5 < flight.flown < 2399
    assert threading.get_ident() not in steps
    pipeline.close()


def test_a_closed_page_stops_its_flight(steps: list[int]) -> None:
    state = State()
    state.apply({**LONG, "cycle": 2399, "seed": 4322})
    pipeline = served(state)
    flight = Flight.of(takeoff(state.scenario), seed=state.seed)

    async def visit() -> None:
        pipeline.request()
        await settled(lambda: flight.flown > 5)
        pipeline.close()

    asyncio.run(visit())
    assert flight.flown < 2399
    assert pipeline.picture is None


def test_a_picture_that_takes_long_waits_for_the_visitor_and_all_else_stays_usable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_work, "ASK_S", 0.5)
    monkeypatch.setattr(CYCLE_TIMES, "_measured", {2: 0.01})
    state, said = State(), []
    state.apply({**LONG, "cycle": 3, "seed": 4323})
    pipeline = Pipeline(state, said.append)
    pipeline.work.doc = Page()
    flight = Flight.of(takeoff(state.scenario), seed=state.seed)

    async def visit() -> None:
        pipeline.request()
        await settled(lambda: pipeline.picture is not None)
        state.apply({"cycle": 1500})
        await settled(lambda: pipeline.stale != "")
        assert pipeline.work.question.startswith("Flying 2 UAVs to cycle 1,500 takes about ")
        assert flight.flown < 1500
        state.apply({"cycle": 2})
        await settled(lambda: pipeline.picture.instant.cycle == 2 and pipeline.stale == "")
        assert pipeline.work.question == ""
        state.apply({"cycle": 600})
        await settled(lambda: pipeline.work.question != "")
        pipeline.work.agree()
        await settled(lambda: pipeline.picture.instant.cycle == 600)

    asyncio.run(visit())
    assert pipeline.stale == pipeline.work.question == ""
    assert said == [], "it is no fault"
    pipeline.close()


def test_what_is_said_along_comes_with_the_answer_and_not_before() -> None:
    state, said = State(), []
    pipeline = served(state)

    def say() -> None:
        said.append(pipeline.picture.inputs.v_ratio)

    async def visit() -> None:
        pipeline.request()
        await settled(lambda: pipeline.picture is not None)
        state.apply({"v_ratio": 0.3})
        pipeline.along(say)
        pipeline.along(say)
        assert said == [], "an answer is under way"
        await settled(lambda: said != [])
        assert said == [0.3], "once, with the new picture"
        await settled(lambda: pipeline._task.done())
        pipeline.along(say)
        assert said == [0.3, 0.3], "at once: nothing is under way"

    asyncio.run(visit())
    pipeline.close()


def test_what_is_said_along_is_said_although_the_picture_stays() -> None:
    state, said = State(), []
    pipeline = served(state)

    async def visit() -> None:
        pipeline.request()
        await settled(lambda: pipeline.picture is not None)
        await settled(lambda: pipeline._task.done())
        pipeline.request()
        pipeline.along(lambda: said.append("address"))
        await settled(lambda: said != [])

    asyncio.run(visit())
    pipeline.close()


def test_what_is_said_along_does_not_wait_for_a_long_flight() -> None:
    state, said = State(), []
    state.apply({**LONG, "cycle": 3, "seed": 4324})
    pipeline = served(state)

    async def visit() -> None:
        pipeline.request()
        await settled(lambda: pipeline.picture is not None)
        state.apply({"cycle": 2399})
        pipeline.along(lambda: said.append(pipeline.picture.instant.cycle))
        await settled(lambda: said != [])

    asyncio.run(visit())
    assert said == [3]
    pipeline.close()
