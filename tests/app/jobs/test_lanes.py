"""Lanes: light work never waits for heavy work, pages take turns, what nobody wants ends, nothing of it is kept."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable

import pytest

from app.jobs import lanes
from app.jobs.lanes import Job, Lane, Page
from core.wanted import Superseded, check

PATIENCE_S = 120
"""How long a condition may take on a busy machine; nothing is asserted about the time itself."""


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "TURN_S", 0.01)


def eventually(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


class Flight:
    """Stands for work of many steps that goes on where it stopped."""

    def __init__(self, steps: int, log: list[str], name: str) -> None:
        self.steps, self.done, self.log, self.name, self.calls = steps, 0, log, name, 0

    def fly(self) -> None:
        self.calls += 1
        while self.done < self.steps:
            check()
            time.sleep(0.002)
            self.done += 1
            self.log.append(self.name)


def test_pages_take_turns_and_every_flight_goes_on_where_it_stopped() -> None:
    lane, log = Lane("heavy", 1), []
    flights = [Flight(60, log, name) for name in "abc"]
    jobs = [Job(Page(), lambda f=f: f.name, first=f.fly) for f in flights]
    for job in jobs:
        lane.put(job)
    assert [job.answer.result(PATIENCE_S) for job in jobs] == list("abc")
    assert [f.done for f in flights] == [60] * 3
    assert all(f.calls > 1 for f in flights), "one of them never gave way"
    assert log.index("c") < len(log) - 1 - log[::-1].index("a"), (
        "the last page had to wait for the whole flight of the first"
    )


def test_a_page_that_comes_late_is_next_and_one_that_asks_for_much_does_not_starve_the_others() -> None:
    lane, log = Lane("heavy", 1), []
    long, greedy, late = Page(), Page(), Page()
    endless = Flight(10**9, log, "long")
    running = Job(long, lambda: None, first=endless.fly)
    lane.put(running)
    eventually(lambda: endless.done > 20)
    late_job = Job(late, lambda: log.append("late"))
    lane.put(late_job)
    late_job.answer.result(PATIENCE_S)
    for _ in range(30):  # one job after the other, each of a few turns
        job = Job(greedy, lambda: None, first=Flight(20, log, "greedy").fly)
        lane.put(job)
        job.answer.result(PATIENCE_S)
    before = endless.done
    eventually(lambda: endless.done > before)
    running.cancel()
    with pytest.raises(Superseded):
        running.answer.result(PATIENCE_S)


def test_work_that_cannot_be_resumed_is_done_in_one_go() -> None:
    lane, calls = Lane("heavy", 1), []

    def work() -> str:
        calls.append(1)
        for _ in range(20):
            check()
            time.sleep(0.003)
        return "done"

    jobs = [Job(Page(), work) for _ in range(3)]
    for job in jobs:
        lane.put(job)
    assert [job.answer.result(PATIENCE_S) for job in jobs] == ["done"] * 3
    assert len(calls) == 3


def test_of_one_page_the_picture_comes_first() -> None:
    lane, page, log, go = Lane("heavy", 1), Page(), [], threading.Event()
    jobs = [Job(page, lambda: go.wait(PATIENCE_S))]
    jobs += [Job(page, lambda r=rank: log.append(r), rank=rank) for rank in (2, 1, 0)]
    for job in jobs:
        lane.put(job)
    go.set()
    for job in jobs:
        job.answer.result(PATIENCE_S)
    assert log == [0, 1, 2]


def test_what_nobody_wants_ends_and_is_not_begun() -> None:
    lane, begun = Lane("heavy", 1), threading.Event()
    endless = Flight(10**9, [], "long")
    running = Job(Page(), lambda: None, first=endless.fly)
    waiting = Job(Page(), begun.set)
    lane.put(running)
    eventually(lambda: endless.done > 0)
    lane.put(waiting)
    lane.withdraw(waiting)
    lane.withdraw(running)
    with pytest.raises(Superseded):
        running.answer.result(PATIENCE_S)
    eventually(lambda: len(lane) == 0)
    assert not begun.is_set()


def test_an_error_of_the_work_is_its_answer_and_the_lane_goes_on() -> None:
    lane = Lane("light", 1)
    broken, good = Job(Page(), lambda: 1 // 0), Job(Page(), lambda: 7)
    lane.put(broken)
    lane.put(good)
    with pytest.raises(ZeroDivisionError):
        broken.answer.result(PATIENCE_S)
    assert good.answer.result(PATIENCE_S) == 7


def test_light_work_does_not_wait_for_heavy_work() -> None:
    heavy, light = Lane("heavy", 1), Lane("light", 2)
    endless = [Flight(10**9, [], str(i)) for i in range(7)]
    jobs = [Job(Page(), lambda: None, first=f.fly) for f in endless]
    for job in jobs:
        heavy.put(job)
    answer = Job(Page(), lambda: "here")
    light.put(answer)
    assert answer.answer.result(PATIENCE_S) == "here"
    assert not any(job.answer.done() for job in jobs)
    for job in jobs:
        job.cancel()
    for job in jobs:
        with pytest.raises(Superseded):
            job.answer.result(PATIENCE_S)


def test_a_thread_at_rest_keeps_no_page_alive() -> None:
    lane, page = Lane("light", 1), Page()
    job = Job(page, lambda: None)
    lane.put(job)
    job.answer.result(PATIENCE_S)
    eventually(lambda: len(lane) == 0)
    gone = weakref.ref(page)
    del job, page

    def is_gone() -> bool:
        gc.collect()
        return gone() is None

    eventually(is_gone)
