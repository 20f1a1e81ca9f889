"""The pipeline on a running event loop: flights in threads, latest wins, what nobody waits for stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from app.pipeline import Pipeline, quiet
from app.state import State
from core.instant import Flight, takeoff
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
    pipeline._doc = Page()
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

    asyncio.run(visit())  # waits for its threads
    assert flight.flown < 2399
    assert pipeline.picture is None
