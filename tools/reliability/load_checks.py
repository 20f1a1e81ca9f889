"""A class at the server: sliders, opening, memory, leaks, soak (checks 1 to 5, 17 and class)."""

from __future__ import annotations

import asyncio
import os
import statistics

from client import visiting
from harness import Server
from load.classroom import come_and_go, move_sliders, rush, soak
from load.processes import cpu_s, family
from load.server import settle

from tools.reliability.check import Check, Figure
from tools.reliability.suites import run_tests
from tools.reliability.tree import Tree

SPLITS = ((12, 12), (22, 2))
CLASS, CLASS_HZ = 60, 1.0
P95_MS, CPU_MS, OPEN_S, SESSION_MB, LEFT_KB = 250.0, 20.0, 10.0, 4.0, 50.0
TABS = ("boundary", "frontier", "allocation")
MOVES = 40
SOAK_MINUTES = float(os.environ.get("SOAK_MINUTES", "15"))
FLAT_MB_PER_MINUTE = 1.0
"""What the memory of the whole server may still move per minute after a third of the soak: the allocator's noise."""


def sliders(tree: Tree) -> Figure:
    """24 users at 2 Hz on two processes, split evenly and as unevenly as a kernel may split them."""
    said, good = [], True
    with tree.serving(2) as server:
        rush(server, 4)
        for split in SPLITS:
            settle(server)
            found = move_sliders(server, seconds=20.0, split=split)
            errors = f", {found.errors} errors" if found.errors else ""
            said.append(f"{found.p95_ms:.0f} ms ({' + '.join(map(str, found.split))}{errors})")
            good = good and found.p95_ms <= P95_MS and not found.errors
    return Figure("p95 " + ", ".join(said), good)


def class_of_sixty(tree: Tree) -> Figure:
    """A large class on two processes: all open the page within ten seconds, then each moves a slider once a second."""
    with tree.serving(2) as server:
        rush(server, 4)
        settle(server)
        opened = rush(server, CLASS, within_s=10.0)
        settle(server)
        moved = move_sliders(server, CLASS, CLASS_HZ)
    slowest, errors = max(opened.drawn_s), f", {moved.errors} errors" if moved.errors else ""
    said = f"the slowest page is drawn after {slowest:.1f} s, moves p95 {moved.p95_ms:.0f} ms ({' + '.join(map(str, moved.split))}{errors})"
    return Figure(said, slowest <= OPEN_S and moved.p95_ms <= P95_MS and not moved.errors)


def cpu_per_move(tree: Tree) -> Figure:
    """Processor time of the whole server per move of a slider, one visitor on each of the first tabs."""
    with tree.serving(1) as server:
        found = [asyncio.run(_cpu_ms(server, tab)) for tab in TABS]
    said = " / ".join(f"{ms:.0f}" for ms in found)
    return Figure(f"{said} ms on tabs 1–3", max(found) <= CPU_MS)


async def _cpu_ms(server: Server, tab: str) -> float:
    async with visiting(server, tab=tab) as client:
        await client.read_document()
        await client.say_ready()
        await client.rest(2.0)
        for i in range(5):
            await client.move("v_ratio", round(0.31 + 0.01 * i, 2))
        await client.rest(1.0)
        everybody = family(server.pid)
        before = cpu_s(*everybody)
        for i in range(MOVES):
            await client.move("v_ratio", round(0.41 + 0.01 * i, 2))
        await client.rest(1.0)
        return 1e3 * (cpu_s(*everybody) - before) / MOVES


def leaks(tree: Tree) -> Figure:
    """Memory that 50 sessions leave, from outside; models that they leave and a deliberate leak, by the tests in a process."""
    # Pages made ahead of their visitors would count as left: there may be one more or one less of them. Python's own pools keep what
    # is freed, 20 MB more or less each time; without them it goes back to the system, and what is left is what is held.
    with tree.serving(1, SAFE_EXPLORER_READY_PAGES="0", PYTHONMALLOC="malloc") as server:
        come_and_go(server)  # caches fill once
        before, after = come_and_go(server)
    left = (after - before) / 50 * 1e3
    tests = run_tests(tree, "tests/app/test_session.py", k="leaves_nothing or leak_would_be_seen")
    return Figure(f"{left:.0f} kB per session; models and a deliberate leak: {tests}", left <= LEFT_KB and tests.good)


def memory(tree: Tree) -> Figure:
    """Memory per open session, resident and shared out."""
    # pages made ahead of their visitors would be counted before they are opened
    with tree.serving(1, SAFE_EXPLORER_READY_PAGES="0") as server:
        rush(server, 4)
        found = rush(server, 20)
    return Figure(f"{found.rss_mb:.1f} MB ({found.pss_mb:.1f} MB of its own)", found.rss_mb <= SESSION_MB)


def opens(tree: Tree) -> Figure:
    """Twenty visitors within one second."""
    found = {}
    for procs in (2, 1):
        with tree.serving(procs) as server:
            rush(server, 2)
            found[procs] = statistics.median([_crowd(server) for _ in range(3)])
    return Figure(f"{found[2]:.1f} s on two processes, {found[1]:.1f} s on one", found[2] <= OPEN_S)


def _crowd(server: Server) -> float:
    settle(server)  # pages that it makes ahead are there again
    return rush(server).all_s


def long_run(tree: Tree) -> Figure:
    """Three sessions whose sliders move, memory of the whole server at a third, two thirds and the end."""
    with tree.serving(1) as server:
        samples = soak(server, minutes=SOAK_MINUTES)
    at = [
        min(samples, key=lambda s: abs(s.minute - m)).rss_mb
        for m in (SOAK_MINUTES / 3, 2 * SOAK_MINUTES / 3, SOAK_MINUTES)
    ]
    grown = (at[2] - at[0]) / (2 * SOAK_MINUTES / 3)
    said = " → ".join(f"{mb:.0f}" for mb in at)
    return Figure(
        f"{said} MB at {SOAK_MINUTES / 3:g}, {2 * SOAK_MINUTES / 3:g}, {SOAK_MINUTES:g} min",
        grown <= FLAT_MB_PER_MINUTE,
    )


CHECKS = (
    Check("1", "24 users at 2 Hz on two processes, counted from when each move was due", "p95 ≤ 250 ms however they are split, no error", sliders),
    Check("2", "server CPU per slider move", "≤ 20 ms", cpu_per_move),
    Check("3", "50 sessions opened and closed", "≤ 50 kB and ≤ 3 models left each; a deliberate leak is caught", leaks, "tests/app/test_session.py"),
    Check("4", "memory per session", "≤ 4 MB", memory),
    Check("5", "20 visitors within one second", "all drawn within 10 s", opens),
    Check("class", "a class of sixty on two processes: all open within 10 s, then each moves a slider once a second", "each drawn within 10 s, p95 ≤ 250 ms, no error", class_of_sixty),
    Check("17", f"{SOAK_MINUTES:g}-minute soak, 3 live sessions whose sliders move", "flat after the first third", long_run, beside=True, long=True),
)  # fmt: skip
