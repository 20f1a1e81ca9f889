"""Six-dimensional dominance: our kernel against moocore and paretoset, same data, same run.

Besides one large set, the case that matters online is timed: many loops at once, where the peers are called per loop.

Run: python benchmarks/bench_frontier.py
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator

import moocore
import numpy as np
from numpy.typing import NDArray
from paretoset import paretoset
from results import Figure, publish
from timing import interleaved_ms

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


def figures() -> Iterator[Figure]:
    warm_up()
    peers = {
        "ours": ours,
        "moocore": by_loop(moocore.is_nondominated),
        "paretoset": by_loop(lambda x: paretoset(x, distinct=True)),
    }
    for name, (x, offsets) in cases().items():
        masks = {peer: run(x, offsets) for peer, run in peers.items()}
        if not all(np.array_equal(masks["ours"], mask) for mask in masks.values()):
            raise RuntimeError(f"Frontiers differ on {name}")
        runs = {peer: functools.partial(run, x, offsets) for peer, run in peers.items()}
        ms = interleaved_ms(runs, ROUNDS if len(x) < 50_000 else 2)
        for peer in ("moocore", "paretoset"):
            size = f"{name} (front {int(masks['ours'].sum())})"
            yield Figure("dominance in six dimensions", size, ms["ours"], "ms", peer, ms[peer])


if __name__ == "__main__":
    publish(figures())
