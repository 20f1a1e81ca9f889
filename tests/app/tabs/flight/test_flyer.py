"""Flying beside the page: the inspected flight first, newest wish counts, ended with the session."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from app.jobs import page_work
from app.jobs.page_work import PageWork
from app.tabs.flight.flyer import Flyer
from core.instant import Flight
from core.simulation import simulate

PATIENCE_S = 120
"""How long a condition may take on a busy machine; nothing is asserted about the time itself."""


async def settled(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.fixture
def fresh(flights: dict[str, Flight]) -> list[Flight]:
    return [Flight(flight.key) for flight in flights.values()]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[PageWork]:
    monkeypatch.setattr(page_work, "ASK_S", 1e9)
    made = PageWork()
    yield made
    made.close()


def test_all_are_flown_to_the_end_of_the_cycle_and_no_further(fresh: list[Flight], page: PageWork) -> None:
    flyer = Flyer(page, lambda: None)

    async def visit() -> None:
        flyer.fly(fresh, 7)
        await settled(lambda: not flyer.busy)
        assert [f.ended for f in fresh] == [8, 8]
        flyer.fly(fresh, 10_000)
        await settled(lambda: not flyer.busy)

    asyncio.run(visit())
    run = simulate(fresh[1].scenario, fresh[1].key.policy, 2)
    np.testing.assert_array_equal(fresh[1].history().rmse, run.rmse)


def test_the_inspected_flight_comes_first_and_then_whoever_is_behind(fresh: list[Flight], page: PageWork) -> None:
    first, second = fresh
    third = Flight(second.key)
    third.reach(3)
    flyer = Flyer(page, lambda: None)
    flyer._wish = ((first, third, second), 5)
    order = []
    while (flight := flyer._next()) is not None:
        order.append(flight)
        flight.reach(flight.ended + 1)
    assert order == [first] * 6 + [second] * 3 + [third, second] * 3
    flyer.close()


def test_a_new_wish_takes_the_place_of_the_old_one(fresh: list[Flight], page: PageWork) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        inside.set()
        assert go_on.wait(PATIENCE_S)

    flyer = Flyer(page, slow)

    async def visit() -> None:
        flyer.fly(fresh[:1], 0)
        await settled(inside.is_set)  # the first cycle is flown and the thread waits here
        flyer.fly(fresh[:1], 12)
        flyer.fly(fresh[1:], 2)
        go_on.set()
        await settled(lambda: not flyer.busy)
        assert [f.ended for f in fresh] == [1, 3]
        flyer.fly((), 0)
        assert not flyer.busy

    asyncio.run(visit())


def test_a_flight_that_breaks_does_not_stop_the_others(
    fresh: list[Flight], page: PageWork, caplog: pytest.LogCaptureFixture
) -> None:
    broken, good = fresh
    broken._simulation = Broken()
    flyer = Flyer(page, lambda: None)

    async def visit() -> None:
        flyer.fly(fresh, 3)
        await settled(lambda: not flyer.busy)
        assert (broken.ended, good.ended) == (0, 4)
        assert caplog.text.count("a flight ended early") == 1
        assert flyer.failed == {broken: "SAFE could not fly on: the server's log has the details."}
        flyer.fly(fresh, 4)
        await settled(lambda: not flyer.busy)

    asyncio.run(visit())
    assert (broken.ended, good.ended) == (0, 5)
    assert caplog.text.count("a flight ended early") == 1, "it was tried again"


class Broken:
    """What a policy of a user's own might leave behind."""

    k = 0


def test_a_long_race_is_asked_about_and_ends_with_the_page(
    fresh: list[Flight], page: PageWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_work, "ASK_S", 0.0)
    monkeypatch.setattr("app.jobs.price.LIGHT_S", 0.0)
    flyer = Flyer(page, lambda: None)

    async def visit() -> None:
        flyer.fly(fresh, 10_000)
        await settled(lambda: page.question != "")
        assert "under each of 2 policies" in page.question
        assert [f.ended for f in fresh] == [0, 0]
        page.agree()
        await settled(lambda: fresh[0].ended > 0)
        page.close()
        await settled(lambda: flyer._task is not None and flyer._task.done())

    asyncio.run(visit())
