"""Work that nobody waits for stops, soon, and leaves nothing half done."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from core.errors import SafeExplorerError
from core.instant import Flight, flight, instant, rivals, scene, takeoff
from core.instant.interest import _interesting
from core.scenario import Scenario
from core.simulation import Simulation, mission
from core.simulation.link_history import HISTORIES
from core.wanted import Superseded, check, holding, pieces, uninterrupted, while_wanted

SMALL = Scenario().replace(**{"mission.uavs": 9, "network.slots": 50, "mission.duration_s": 6.0})


def forget() -> None:
    """As if nothing had been computed in this process."""
    flight._flights = flight._Flights()
    HISTORIES.clear()
    for cached in (scene._walk, rivals._watch, _interesting):
        cached.cache_clear()
    for remembered in (scene._links, instant._certified, mission._reference):
        remembered.kept.clear()


@pytest.fixture(autouse=True)
def own_caches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(flight, "_flights", flight._Flights())
    forget()
    yield
    forget()


def times(count: int) -> Callable[[], bool]:
    """A question that is answered with yes so many times."""
    left = iter(range(count))
    return lambda: next(left, None) is not None


def test_without_a_question_everything_is_wanted() -> None:
    check()
    with while_wanted(lambda: True):
        check()


def test_an_inner_question_adds_to_the_outer_one_and_ends_with_its_block() -> None:
    with while_wanted(lambda: False), pytest.raises(Superseded), while_wanted(lambda: True):
        check()
    with while_wanted(lambda: True):
        with pytest.raises(Superseded), while_wanted(lambda: False):
            check()
        check()


def test_no_handler_of_errors_takes_it_for_one() -> None:
    assert not issubclass(Superseded, Exception | SafeExplorerError)


def test_a_step_that_must_not_be_cut_goes_on() -> None:
    with while_wanted(lambda: False):
        with uninterrupted():
            check()
        with pytest.raises(Superseded):
            check()


def test_what_a_thread_schedules_elsewhere_is_not_stopped_with_it() -> None:
    async def listen() -> None:
        loop, heard = asyncio.get_running_loop(), asyncio.Event()

        def hear() -> None:
            check()
            heard.set()

        def work() -> None:
            with while_wanted(lambda: False):
                loop.call_soon_threadsafe(hear)

        await asyncio.to_thread(work)
        async with asyncio.timeout(60):
            await heard.wait()

    asyncio.run(listen())


def test_pieces_are_all_rows_once() -> None:
    rows = np.arange(23)
    assert np.concatenate([rows[part] for part in pieces(23, 5)]).tolist() == rows.tolist()
    assert list(pieces(0, 5)) == []
    with pytest.raises(Superseded), while_wanted(times(3)):
        for _ in pieces(23, 5):
            pass


def test_who_waits_for_a_lock_need_not_wait_for_its_holder() -> None:
    lock, given_up = threading.Lock(), threading.Event()
    wanted = [True]

    def wait() -> None:
        try:
            with while_wanted(lambda: wanted[0]), holding(lock):
                pytest.fail("it was held all the time")
        except Superseded:
            given_up.set()

    with lock:
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.02)
        wanted[0] = False
        assert given_up.wait(timeout=10)
        waiting.join()
    with holding(lock):
        assert lock.locked()
    assert not lock.locked()


def everything(scenario: Scenario, policy: str) -> dict[str, Any]:
    """Numbers from every stage that a page may stop: flight, links, candidates, allocation, what if, rivals, curves, P1."""
    found = Flight.of(takeoff(scenario), policy, 3)
    here = found.instant(8)
    other = here.replace(scenario=here.scenario.replace(**{"network.shadow_scale": 1.4}))
    steered = found.changed(4, scenario.replace(**{"network.shadow_corr_los_m": 60.0}))
    focus = here.on(2)
    solved = focus.solve("twin.beta", most=4)
    return {
        "V": found.states(9).V,
        "links": here.topology.snr_db,
        "what if": other.topology.snr_db,
        "steered": steered.instant(9).topology.snr_db,
        "steered V": steered.states(11).V,
        "choice": here.allocation.choice,
        "curve": here.curve,
        "rivals": np.concatenate([f.choice for f in here.other_policies(["Fixed-Service", "CALLS", "SAFE-paper"])]),
        "solved": solved.curves.U,
        "regret": here.benchmark().value,
    }


@pytest.mark.parametrize("policy", ["SAFE", "CALLS", "SAFE-paper"])
def test_what_was_stopped_anywhere_ends_as_if_it_never_had_been(policy: str) -> None:
    """A hundred stops at random points of all stages, and the caches they leave give the same bits as empty ones."""
    expected = everything(SMALL, policy)
    forget()
    rng, stops = np.random.default_rng(7), 0
    for patience in rng.integers(0, 60, 100):
        try:
            with while_wanted(times(int(patience))):
                everything(SMALL, policy)
        except Superseded:
            stops += 1
    assert stops > 60
    found = everything(SMALL, policy)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_a_run_that_is_stopped_within_a_cycle_flies_it_whole_later() -> None:
    expected = [r.positions for r in Simulation(SMALL, "SAFE", 5)]
    stopped = Simulation(SMALL, "SAFE", 5)
    flown = []
    for patience in range(10_000):
        try:
            with while_wanted(times(patience % 40)):
                flown.append(stopped.step().positions)
        except Superseded:
            continue
        if stopped.done:
            break
    np.testing.assert_array_equal(np.array(flown), np.array(expected))


def test_a_flight_in_the_making_keeps_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, begun, go = SMALL.replace(**{"mission.uavs": 8}), threading.Event(), threading.Event()
    made = flight.reference

    def late(scenario: Scenario, seed: int) -> Any:
        if scenario == slow:
            begun.set()
            assert go.wait(timeout=30)
        return made(scenario, seed)

    monkeypatch.setattr(flight, "reference", late)
    first: list[Flight] = []
    threads = [threading.Thread(target=lambda: first.append(Flight.of(slow))) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert begun.wait(timeout=30)
    assert Flight.of(SMALL).scenario == SMALL  # while the other one is not there yet
    go.set()
    for thread in threads:
        thread.join()
    assert first[0] is first[1] is Flight.of(slow)
