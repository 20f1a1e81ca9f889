"""Warming up compiles exactly what a cycle needs."""

import numpy as np

from core.allocation import (
    VERDICTS,
    allocate,
    frontier,
    knapsack_kernels,
    knapsack_reduction,
    next_slot,
    solve_p1,
    warm_up,
)


def kernels():
    modules = (frontier, knapsack_kernels, knapsack_reduction)
    found = {f"{m.__name__}.{n}": f for m in modules for n, f in vars(m).items() if hasattr(f, "signatures")}
    del found["core.allocation.frontier._evict"]  # only called by another kernel
    assert len(found) >= 9
    return found


def test_no_kernel_is_compiled_during_a_cycle(case):
    warm_up()
    compiled = {name: set(kernel.signatures) for name, kernel in kernels().items()}
    assert all(compiled.values())
    allocation = allocate(*case.parts)
    for verdict in VERDICTS:  # "on the frontier but not chosen" solves P2 again
        for index in np.flatnonzero(allocation.verdict == verdict.code)[-3:]:
            allocation.explain(int(index))
    next_slot(allocation)
    solve_p1(*case.parts)
    assert {name: set(kernel.signatures) for name, kernel in kernels().items()} == compiled
