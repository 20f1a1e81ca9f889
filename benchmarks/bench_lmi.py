"""The LMI in its reduced per-axis form against the full 3(H+1) problem (D5): solver time and end to end.

Solver time is what CLARABEL reports; end to end includes building and compiling the cvxpy problem. The last row of each
table is what a slider over the gain costs: the compiled reduced problem solved again with another a, and verified.
"""

from __future__ import annotations

import time
import warnings

import cvxpy as cp
import numpy as np

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


def main() -> None:
    warnings.filterwarnings("ignore", message="Solution may be inaccurate")
    solve(2, 1)  # first use of cvxpy
    print(f"{'H':>2} {'form':<20} {'solver ms':>10} {'end to end ms':>14} {'tr X per axis':>14}")
    for H, rounds in ((2, 5), (4, 5)):
        full, reduced = best(H, 3, rounds), best(H, 1, 5)
        again = resolve(H, 5)
        for name, (solver, total, trace) in (("full 3(H+1)", full), ("reduced H+1", reduced)):
            print(f"{H:>2} {name:<20} {solver * 1e3:>10.2f} {total * 1e3:>14.1f} {trace:>14.6f}")
        print(f"{H:>2} {'reduced, another a':<20} {'':>10} {again * 1e3:>14.1f}")
        print(
            f"   reduced is {full[0] / reduced[0]:.0f}× faster in the solver, {full[1] / reduced[1]:.1f}× end to end, "
            f"{full[1] / again:.0f}× for another gain; traces agree to {abs(full[2] / reduced[2] - 1):.0e}"
        )


if __name__ == "__main__":
    main()
