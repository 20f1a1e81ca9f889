"""One page's work: much is asked about first, what is long says how far it is and can be stopped, and all of it ends with the page."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from app.jobs import page_work
from app.jobs.background import Background
from app.jobs.debounced import Debounced
from app.jobs.newest import Newest
from app.jobs.page_work import PageWork
from app.jobs.price import Price, TooMuch, about
from core.errors import SafeExplorerError
from core.wanted import Superseded, check

HEAVY, MUCH = Price(1.0, "Flying", "heavy", lambda: "cycle 3 of 9"), Price(100.0, "Flying far", "much")


class Doc:
    """Stands for a document whose callbacks run on the loop of the test."""

    @staticmethod
    def add_next_tick_callback(callback: Callable[[], object]) -> None:
        asyncio.get_running_loop().call_soon(callback)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> PageWork:
    monkeypatch.setattr(page_work, "ASK_S", 10.0)
    made = PageWork()
    made.doc = Doc()
    return made


async def settled(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.005)


def endless() -> None:
    while True:
        check()
        time.sleep(0.002)


def test_light_and_heavy_work_are_done_in_threads(page: PageWork) -> None:
    async def visit() -> list[int]:
        return [await page.do(threading.get_ident, price=lambda p=p: p) for p in (Price(0.0), HEAVY)]

    light, heavy = asyncio.run(visit())
    assert len({light, heavy, threading.get_ident()}) == 3


def test_much_is_not_begun_before_the_visitor_agrees_and_not_asked_again_after(page: PageWork) -> None:
    begun = []

    async def visit() -> None:
        for _ in range(2):
            with pytest.raises(TooMuch, match="Flying far takes about 2 min on this server") as refused:
                await page.do(lambda: begun.append(1), price=lambda: MUCH)
        again = asyncio.Event()
        page.ask("flight", refused.value.price, again.set)
        assert page.question == "Flying far takes about 2 min on this server."
        assert not begun
        page.agree()
        assert page.question == ""
        assert again.is_set()
        await page.do(lambda: begun.append(2), price=lambda: MUCH)
        with pytest.raises(TooMuch):  # another one, and much more of the same
            await page.do(lambda: begun.append(3), price=lambda: Price(100.0, "Other", "other"))
        with pytest.raises(TooMuch):
            await page.do(lambda: begun.append(4), price=lambda: Price(1000.0, "Flying far", "much"))

    asyncio.run(visit())
    assert begun == [2]


def test_questions_are_put_one_after_the_other_and_go_when_they_are_out_of_date(page: PageWork) -> None:
    page.ask("a", MUCH, lambda: None)
    page.ask("b", Price(50.0, "Asking", "b"), lambda: None)
    page.ask_no_more("a")
    assert page.question.startswith("Asking")
    page.ask_no_more("a")
    page.ask_no_more("b")
    assert page.question == ""
    page.agree()  # a click that comes too late


def test_heavy_work_says_how_far_it_is_and_can_be_stopped_and_started_again(page: PageWork) -> None:
    heard: list[str] = []
    page.param.watch(lambda e: heard.append(e.new), "doing")

    async def visit() -> None:
        task = asyncio.create_task(page.do(endless, price=lambda: HEAVY))
        await settled(lambda: page.doing != "")
        page.stop()
        with pytest.raises(TooMuch) as refused:
            await task
        await settled(lambda: page.doing == "")
        with pytest.raises(TooMuch):  # until the visitor wants it again, however little it is
            await page.do(lambda: 1, price=lambda: HEAVY)
        page.ask("flight", refused.value.price, lambda: None)
        page.agree()
        assert await page.do(lambda: 1, price=lambda: HEAVY) == 1

    asyncio.run(visit())
    assert heard[0].startswith("Flying: cycle 3 of 9")


def test_what_is_superseded_or_closed_ends(page: PageWork) -> None:
    wanted = [True]
    ended: list[str] = []

    def work(name: str) -> None:
        try:
            endless()
        finally:
            ended.append(name)

    async def visit() -> None:
        first = asyncio.create_task(page.do(lambda: work("first"), wanted=lambda: wanted[0], price=lambda: HEAVY))
        await settled(lambda: page.doing != "")
        wanted[0] = False
        with pytest.raises(Superseded):
            await first
        tasks = [asyncio.create_task(page.do(lambda: work("second"), price=lambda p=p: p)) for p in (HEAVY, Price(0.0))]
        await settled(lambda: page.doing != "")
        page.close()
        for task in tasks:
            with pytest.raises(Superseded):
                await task
        with pytest.raises(Superseded):
            await page.do(lambda: ended.append("never"))
        await settled(lambda: len(ended) == 3)

    asyncio.run(visit())
    assert ended == ["first", "second", "second"]


@pytest.mark.parametrize("make", [Debounced, Newest])
def test_background_work_shows_results_and_errors_and_asks_when_it_is_much(
    page: PageWork, make: type[Background], caplog: pytest.LogCaptureFixture
) -> None:
    shown: list[object] = []

    def work(value: int) -> int:
        if value == 0:
            raise SafeExplorerError("not this one")
        return 10 // (value - 1)

    background = make(page, work, shown.append, price=lambda value: MUCH if value == 6 else Price(0.0))

    async def visit() -> None:
        for count, value in enumerate((2, 0, 1, 6), 1):
            background.request(value)
            await settled(lambda c=count: len(shown) == c)
        await settled(lambda: page.question != "")
        page.agree()
        await settled(lambda: len(shown) == 5)

    asyncio.run(visit())
    assert shown[0] == 10
    assert str(shown[1]) == "not this one"
    assert isinstance(shown[2], ZeroDivisionError)
    assert isinstance(shown[3], TooMuch)
    assert shown[4] == 2
    assert caplog.text.count("background work failed") == 1
    background.close()


def test_times_are_said_as_people_say_them() -> None:
    assert [about(t) for t in (0.2, 42.4, 200.0, 9000.0)] == ["about 1 s", "about 42 s", "about 3 min", "about 2.5 h"]
