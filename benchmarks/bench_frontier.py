"""Six-dimensional dominance: our kernel against moocore and paretoset, same data, same run.

Besides one large set, the case that matters online is timed: many loops at once, where the peers are called per loop.

Run: python benchmarks/bench_frontier.py
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import moocore
import numpy as np
from numpy.typing import NDArray
from paretoset import paretoset

from core.allocation import frontier_mask, warm_up
from core.allocation.frontier import SIGN

Floats = NDArray[np.float64]
ROUNDS = 7


def cases() -> dict[str, tuple[Floats, NDArray[np.int64]]]:
    """Coordinates to be minimised, and loop offsets, by name."""
    rng = np.random.default_rng(0)
    simplex = rng.random((2000, 6))
    simplex /= simplex.sum(axis=1, keepdims=True)
    one = {
        "random, 500": rng.random((500, 6)),
        "random, 5000": rng.random((5000, 6)),
        "anti-correlated, 2000": simplex,
        "tied levels, 2000": rng.integers(0, 12, (2000, 6)).astype(float),
    }
    found = {name: (x, np.array([0, len(x)])) for name, x in one.items()}
    found["50 loops × 100, tied"] = (rng.integers(0, 12, (5000, 6)).astype(float), np.arange(0, 5001, 100))
    found["1000 loops × 100, tied"] = (rng.integers(0, 12, (100_000, 6)).astype(float), np.arange(0, 100_001, 100))
    return found


def ours(x: Floats, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    return frontier_mask(x * SIGN, offsets)


def by_loop(peer: Callable[[Floats], NDArray[np.bool_]]) -> Callable[[Floats, NDArray[np.int64]], NDArray[np.bool_]]:
    def run(x: Floats, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.concatenate([peer(x[a:b]) for a, b in itertools.pairwise(offsets)])

    return run


def clock() -> tuple[float, float]:
    """Wall and CPU time; the smaller difference counts, so that a busy machine slows nobody down."""
    return time.perf_counter(), time.process_time()


def since(start: tuple[float, float]) -> float:
    return min(time.perf_counter() - start[0], time.process_time() - start[1])


def main() -> None:
    warm_up()
    peers = {
        "ours": ours,
        "moocore": by_loop(moocore.is_nondominated),
        "paretoset": by_loop(lambda x: paretoset(x, distinct=True)),
    }
    print(f"{'data':<24} {'front':>7} {'ours ms':>9} {'moocore ms':>11} {'paretoset ms':>13} {'ours faster by':>22}")
    for name, (x, offsets) in cases().items():
        best = dict.fromkeys(peers, np.inf)
        masks = {}
        for _ in range(ROUNDS if len(x) < 50_000 else 2):
            for peer, run in peers.items():
                start = clock()
                masks[peer] = run(x, offsets)
                best[peer] = min(best[peer], since(start))
        if not all(np.array_equal(masks["ours"], mask) for mask in masks.values()):
            raise RuntimeError(f"Frontiers differ on {name}")
        ratios = f"{best['moocore'] / best['ours']:.1f} × and {best['paretoset'] / best['ours']:.1f} ×"
        columns = " ".join(f"{best[p] * 1e3:>{w}.3f}" for p, w in (("ours", 9), ("moocore", 11), ("paretoset", 13)))
        print(f"{name:<24} {int(masks['ours'].sum()):>7} {columns} {ratios:>22}")


if __name__ == "__main__":
    main()
