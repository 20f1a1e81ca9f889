"""The LMI in its reduced per-axis form against the full 3(H+1) problem (D5): solver time and end to end.

Solver time is what CLARABEL reports; end to end includes building and compiling the cvxpy problem. "Another gain"
is what a slider over the gain costs: the compiled reduced problem solved again with another a, and verified.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import cvxpy as cp
import numpy as np
from results import Figure, publish

from core.control import certificate_matrix, mode_matrix

A, H_MAX, SPLIT = 0.47, 1, (0.2, 0.2, 0.6)


def solve(H: int, axes: int) -> tuple[float, float, float]:
    """Solver seconds, end-to-end seconds and trace per axis of Eq. (eq:lmi-certificate) in axes·(H+1) dimensions."""
    start = time.perf_counter()
    n = axes * (H + 1)
    X = cp.Variable((n, n), symmetric=True)
    grid = [(u, d) for u in range(H_MAX + 1) for d in range(H_MAX + 1)]
    modes = [np.kron(mode_matrix((1, 1), u, d, H=H, a=A, split=SPLIT), np.eye(axes)) for u, d in grid]
    constraints = [X >> np.eye(n)] + [X - M.T @ X @ M >> np.eye(n) for M in modes]
    problem = cp.Problem(cp.Minimize(cp.trace(X)), constraints)
    problem.solve(solver=cp.CLARABEL)
    return problem.solver_stats.solve_time, time.perf_counter() - start, problem.value / axes


def best(H: int, axes: int, rounds: int) -> tuple[float, float, float]:
    """Least solver time and least end-to-end time over a few rounds."""
    runs = [solve(H, axes) for _ in range(rounds)]
    return min(r[0] for r in runs), min(r[1] for r in runs), runs[0][2]


def resolve(H: int, rounds: int) -> float:
    """Least seconds of `certificate_matrix` for a gain it has not seen, once the problem is compiled."""
    certificate_matrix(H=H, h_max=H_MAX, a=A, split=SPLIT)
    seconds = []
    for i in range(rounds):
        start = time.perf_counter()
        certificate_matrix(H=H, h_max=H_MAX, a=A - 0.01 * (i + 1), split=SPLIT)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def figures() -> Iterator[Figure]:
    warnings.filterwarnings("ignore", message="Solution may be inaccurate")
    solve(2, 1)  # first use of cvxpy
    for H, rounds in ((2, 5), (4, 5)):
        full, reduced = best(H, 3, rounds), best(H, 1, 5)
        if abs(full[2] / reduced[2] - 1) > 1e-5:
            raise RuntimeError(f"H = {H}: tr X per axis is {full[2]} in full and {reduced[2]} reduced")
        peer = "full 3(H+1) problem"
        yield Figure("LMI, solver alone", f"H = {H}", reduced[0] * 1e3, "ms", peer, full[0] * 1e3)
        yield Figure("LMI, end to end", f"H = {H}", reduced[1] * 1e3, "ms", peer, full[1] * 1e3)
        yield Figure("LMI, another gain", f"H = {H}", resolve(H, 5) * 1e3, "ms", peer, full[1] * 1e3)


if __name__ == "__main__":
    publish(figures())
