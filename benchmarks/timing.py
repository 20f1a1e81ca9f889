"""How the benchmarks time a call."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_ms(run: Callable[[], object], rounds: int = 7) -> float:
    """Fewest milliseconds of processor time in some rounds: a busy machine only ever adds."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds) * 1e3
