"""Measure a check on one tree or on two, one after the other or side by side."""

from __future__ import annotations

import datetime
import os
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from tools.reliability.check import Check, Figure, not_comparable
from tools.reliability.lacking import from_page
from tools.reliability.machine import this_machine
from tools.reliability.measurement import Measurement, Side
from tools.reliability.tree import Tree


def now() -> datetime.datetime:
    """The time (UTC)."""
    return datetime.datetime.now(datetime.UTC)


AT_ONCE = 2
"""Checks that do not depend on the load and are measured at the same time."""


def all_figures(checks: Sequence[Check], trees: Mapping[Side, Tree], run: str) -> Iterator[Measurement]:
    """Every figure, as soon as it is there: one check at a time while figures depend on the load, then some at once."""
    for check in checks:
        if not check.beside:
            yield from figures(check, trees, run)
    # the longest first: the others are measured while it goes on
    rest = sorted((check for check in checks if check.beside), key=lambda check: not check.long)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(lambda check: list(figures(check, trees, run)), check) for check in rest]
        for job in as_completed(jobs):
            yield from job.result()


def figures(check: Check, trees: Mapping[Side, Tree], run: str) -> Iterator[Measurement]:
    """The figure of each tree, as soon as it is there; both trees at once where the check allows it."""
    if not check.beside:
        yield from (measured(check, tree, side, run) for side, tree in trees.items())
        return
    with ThreadPoolExecutor(len(trees)) as pool:
        jobs = [pool.submit(measured, check, tree, side, run) for side, tree in trees.items()]
        for job in as_completed(jobs):
            yield job.result()


def measured(check: Check, tree: Tree, side: Side, run: str) -> Measurement:
    """One figure; a check that breaks says so and has failed."""
    commit, load, day, start = tree.commit, os.getloadavg(), now().date().isoformat(), time.monotonic()
    try:
        found = check.measure(tree)
    except Exception as error:
        traceback.print_exc()
        found = broken(error, tree)
    return Measurement(
        run,
        check.name,
        side,
        commit,
        " ".join(found.said.split()),
        found.passed,
        round(time.monotonic() - start, 1),
        tuple(round(x, 2) for x in load),
        this_machine(tree.python),
        day,
    )


def broken(error: Exception, tree: Tree) -> Figure:
    """What to say when a check ends with an error: another tree's page may not have what the check uses."""
    if tree.other and (why := from_page(str(error))):
        return not_comparable(why)
    return Figure(f"could not be measured: {type(error).__name__}: {error!s:.120}".rstrip(": "), False)
