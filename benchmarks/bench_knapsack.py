"""P2 by our dynamic program against HiGHS, OR-Tools CP-SAT, and the plain recurrence in C and in Python: same instances, same run.

Values saturate with the slots spent, as drift reductions do, plus noise. "whole curve" returns F_N(b) for every b; "optimum only"
first drops what cannot be in an optimum. All must agree. No registry has a compiled solver of the multi-choice knapsack (mknapsack,
knapsack_python and OR-Tools' own solve other kinds), so the compiled peer is the textbook recurrence, built here by `cc -O3`.

Run: PYTHONPATH=tests/support python benchmarks/bench_knapsack.py [N,K,S ...]      (default 50,40,160 200,40,640 1000,40,2000)
"""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from definitions import knapsack_by_recurrence
from numpy.typing import NDArray
from ortools.sat.python import cp_model
from results import Figure, publish
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix
from timing import interleaved_ms

from core.allocation import solve_knapsack_csr, warm_up

SCALE = 10**6
"""CP-SAT takes whole numbers: values are rounded to millionths."""
RECURRENCE = r"""
#include <stdlib.h>
#include <string.h>
/* F_n(b) = max(F_{n-1}(b), max_k v_nk + F_{n-1}(b - s_nk)), whole rows, with the choices kept */
double knapsack(const double *v, const long *s, long N, long K, long S, short *choice) {
    double *before = calloc(S + 1, sizeof(double)), *now = malloc((S + 1) * sizeof(double));
    for (long n = 0; n < N; n++) {
        memcpy(now, before, (S + 1) * sizeof(double));
        short *row = choice + n * (S + 1);
        for (long b = 0; b <= S; b++) row[b] = -1;
        for (long k = 0; k < K; k++) {
            const double value = v[n * K + k];
            const long slots = s[n * K + k];
            for (long b = slots; b <= S; b++) {
                const double reached = value + before[b - slots];
                if (reached > now[b]) { now[b] = reached; row[b] = (short)k; }
            }
        }
        double *swap = before; before = now; now = swap;
    }
    const double best = before[S];
    free(before); free(now);
    return best;
}
"""


class Instance:
    """N loops with K actions each and S slots."""

    def __init__(self, N: int, K: int, S: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.N, self.K, self.S = N, K, S
        self.slots = rng.integers(2, 33, (N, K))
        top, reach = rng.gamma(2.0, 1.0, (N, 1)), rng.uniform(3.0, 12.0, (N, 1))
        self.values = np.round(top * (1 - np.exp(-self.slots / reach)) + rng.normal(0, 0.05, (N, K)), 6)
        self.offsets = np.arange(0, N * K + 1, K)


def whole_curve(x: Instance) -> float:
    return solve_knapsack_csr(x.values.ravel(), x.slots.ravel(), x.offsets, x.S).value


def optimum_only(x: Instance) -> float:
    return solve_knapsack_csr(x.values.ravel(), x.slots.ravel(), x.offsets, x.S, curve=False).value


def plain_python(x: Instance) -> float:
    return knapsack_by_recurrence(list(x.values), list(x.slots), x.S)[1]


@functools.cache
def compiled() -> Callable[..., float]:
    """The recurrence in C, built in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "knapsack.c", Path(folder) / "knapsack.so"
        source.write_text(RECURRENCE)
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        found = ctypes.CDLL(str(library)).knapsack
    found.restype = ctypes.c_double
    return found


def plain_c(x: Instance) -> float:
    values, slots = np.ascontiguousarray(x.values), np.ascontiguousarray(x.slots, dtype=np.int64)
    choice = np.empty((x.N, x.S + 1), dtype=np.int16)
    sizes = (ctypes.c_long(n) for n in (x.N, x.K, x.S))
    return compiled()(
        ctypes.c_void_p(values.ctypes.data),
        ctypes.c_void_p(slots.ctypes.data),
        *sizes,
        ctypes.c_void_p(choice.ctypes.data),
    )


def highs(x: Instance) -> float:
    v = x.values.ravel()
    rows = csr_matrix((np.ones(v.size), (np.repeat(np.arange(x.N), x.K), np.arange(v.size))), shape=(x.N, v.size))
    budget = LinearConstraint(x.slots.ravel()[None, :].astype(float), ub=x.S)
    result = milp(
        -v,
        integrality=np.ones(v.size),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(rows, ub=1), budget],
        options={"mip_rel_gap": 0.0},
    )
    return float(-result.fun)


def cp_sat(x: Instance) -> float:
    model = cp_model.CpModel()
    whole: NDArray[np.int64] = np.rint(x.values * SCALE).astype(np.int64)
    take = [[model.new_bool_var("") for _ in range(x.K)] for _ in range(x.N)]
    for row in take:
        model.add_at_most_one(row)
    flat = [b for row in take for b in row]
    model.add(cp_model.LinearExpr.weighted_sum(flat, x.slots.ravel().tolist()) <= x.S)
    model.maximize(cp_model.LinearExpr.weighted_sum(flat, whole.ravel().tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 2
    if solver.solve(model) != cp_model.OPTIMAL:
        raise RuntimeError("CP-SAT did not prove optimality")
    return solver.objective_value / SCALE


def best(N: int, K: int, S: int) -> dict[str, float]:
    """Fewest milliseconds of every solver over some instances, on which all must agree."""
    solvers: dict[str, Callable[[Instance], float]] = {
        "optimum only": optimum_only,
        "whole curve": whole_curve,
        "HiGHS (scipy.optimize.milp)": highs,
        "OR-Tools CP-SAT, 2 workers": cp_sat,
    }
    if shutil.which("cc"):
        solvers["plain recurrence, C -O3"] = plain_c
    if N * K * S < 10**7:
        solvers["plain recurrence, Python"] = plain_python
    quick = {"optimum only", "whole curve", "plain recurrence, C -O3"}
    rounds = {name: 5 if name in quick else 1 for name in solvers}
    found: list[dict[str, float]] = []
    for seed in range(max(1, min(5, 20_000 // (N * K // 2)))):
        x = Instance(N, K, S, seed)
        values = {name: solve(x) for name, solve in solvers.items() if name in quick}  # builds and compiles
        runs = {
            name: functools.partial(
                lambda solve, name, x, values: values.__setitem__(name, solve(x)), solve, name, x, values
            )
            for name, solve in solvers.items()
        }
        found.append(interleaved_ms(runs, rounds))
        spread = max(values.values()) - min(values.values())
        if spread > 1e-6 * max(values.values()):
            raise RuntimeError(f"Solvers disagree on (N, K, S) = {(N, K, S)}, seed {seed}: {values}")
    return {name: min(each[name] for each in found) for name in solvers}


def figures(sizes: list[tuple[int, int, int]]) -> Iterator[Figure]:
    warm_up()
    for size in sizes:
        ms = best(*size)
        for ours in ("whole curve", "optimum only"):
            for peer in list(ms)[2:]:
                yield Figure(f"knapsack, {ours}", f"(N, K, S) = {size}", ms[ours], "ms", peer, ms[peer])


if __name__ == "__main__":
    given = [tuple(int(n) for n in size.split(",")) for size in sys.argv[1:]]
    publish(figures([(a, b, c) for a, b, c in given] or [(50, 40, 160), (200, 40, 640), (1000, 40, 2000)]))
