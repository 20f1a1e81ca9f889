"""How the benchmarks time a call."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds of one call and what came of it: the smaller of wall and processor time, so that a busy machine slows nobody down."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = run()
    return min(time.perf_counter() - wall, time.process_time() - cpu) * 1e3, found


def interleaved_ms(runs: Mapping[str, Callable[[], Any]], rounds: int | Mapping[str, int] = 7) -> dict[str, float]:
    """Fewest milliseconds of each call in some rounds, taking turns: a busy machine only ever adds."""
    wanted = {name: rounds if isinstance(rounds, int) else rounds[name] for name in runs}
    best = dict.fromkeys(runs, float("inf"))
    for i in range(max(wanted.values())):
        for name, run in runs.items():
            if i < wanted[name]:
                best[name] = min(best[name], timed(run)[0])
    return best


def best_ms(run: Callable[[], object], rounds: int = 7) -> float:
    """Fewest milliseconds of one call in some rounds."""
    return interleaved_ms({"": run}, rounds)[""]
