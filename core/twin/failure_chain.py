"""The two-state failure chain: tolerance by the union bound, and the exact law of failure runs beside it (D18)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from core.network.arrays import flattened

NO_TOLERANCE = 0
"""Value of g where no finite run length meets the budget."""


@njit(cache=True, nogil=True)
def tolerance(mu1: float, p11: float, H_T: int, delta_T: float) -> int:
    """`failure_tolerance` in compiled loops, Eq. (eq:markov-failure-tolerance): 0 when there is none.

    A p₁₁ of nan is no calibrated bound: the action is excluded even when its first opportunity alone meets the budget.
    """
    if math.isnan(p11):
        return NO_TOLERANCE
    first = H_T * mu1
    if first <= delta_T:
        return 1
    if p11 >= 1.0:
        return NO_TOLERANCE
    if p11 <= 0.0:
        return 2
    L = max(2, 1 + math.ceil(math.log(delta_T / first) / math.log(p11)))
    # The logarithm may be off by one at a boundary: the printed inequality decides.
    while first * p11 ** (L - 1) > delta_T:
        L += 1
    while first * p11 ** (L - 2) <= delta_T:
        L -= 1
    return L


@njit(cache=True, nogil=True)
def _tolerances(
    mu1: npt.NDArray[np.float64], p11: npt.NDArray[np.float64], H_T: int, delta_T: float
) -> npt.NDArray[np.int64]:
    g = np.empty(mu1.size, dtype=np.int64)
    for m in range(mu1.size):
        g[m] = tolerance(mu1[m], p11[m], H_T, delta_T)
    return g


def failure_tolerance(mu1: float, p11: float, H_T: int, delta_T: float) -> int | None:
    r"""Smallest run length whose union bound meets the budget, Eq. (eq:markov-failure-tolerance).

    .. math:: L^F = \min\{L \ge 1 : H_T\,\mu_1\,p_{11}^{L-1} \le \delta_T\}

    Args:
        mu1: upper bound on the failure probability of any opportunity [-].
        p11: upper bound on failure persistence [-].
        H_T: horizon [opportunities].
        delta_T: violation budget, in (0, 1) [-].

    Returns:
        The tolerance g, or None when no finite run meets the budget (p11 = 1).
    """
    _check_chain(mu1=mu1, p11=p11)
    _check_horizon(H_T)
    if not 0.0 < delta_T < 1.0:
        raise ValueError(f"delta_T = {delta_T} must lie strictly between 0 and 1.")
    g = int(tolerance(float(mu1), float(p11), int(H_T), float(delta_T)))
    return None if g == NO_TOLERANCE else g


def failure_tolerances(
    mu1: npt.NDArray[np.float64], p11: npt.NDArray[np.float64], H_T: int, delta_T: float
) -> npt.NDArray[np.int64]:
    """`tolerance` of many actions at once.

    Args:
        mu1: upper bounds on the failure probability of any opportunity, broadcast [-].
        p11: upper bounds on failure persistence, broadcast, nan where the calibration has none [-].
        H_T: horizon [opportunities].
        delta_T: violation budget, in (0, 1) [-].

    Returns:
        g, broadcast shape; 0 where no finite run meets the budget or no bound exists.
    """
    (m, p), shape = flattened(np.asarray(mu1, dtype=float), np.asarray(p11, dtype=float))
    g: npt.NDArray[np.int64] = _tolerances(m, p, int(H_T), float(delta_T)).reshape(shape)[()]
    return g


def union_bound(mu1: float, p11: float, g: int, H_T: int) -> float:
    """The bound behind `failure_tolerance`: min(1, H_T μ₁ p₁₁^(g−1)), from Eq. (eq:markov-failure-tail)."""
    return min(1.0, H_T * mu1 * p11 ** (g - 1))


@njit(cache=True, nogil=True)
def run_law(mu1: float, p01: float, p11: float, g: int, H_T: int) -> float:
    """`run_violation_probability` in compiled loops, Eq. (eq:failure-transition): exact P(run of g failures within H_T), D18."""
    if g > H_T:
        return 0.0
    run = np.zeros(g)  # run[j]: P(current run has length j, no violation so far)
    run[0], violated = 1.0 - mu1, 0.0
    if g > 1:
        run[1] = mu1
    else:
        violated = mu1
    for _ in range(H_T - 1):
        failing = 0.0
        for j in range(1, g):
            failing += run[j]
        violated += run[g - 1] * (p11 if g > 1 else p01)
        success = run[0] * (1.0 - p01) + failing * (1.0 - p11)
        for j in range(g - 1, 1, -1):
            run[j] = run[j - 1] * p11
        if g > 1:
            run[1] = run[0] * p01
        run[0] = success
    total: float = min(1.0, violated)
    return total


@njit(cache=True, nogil=True)
def sound_onset(mu1: float, p11: float) -> float:
    """The p₀₁ with which failures are as likely at every exchange as at the first, μ₁ (D18) [-].

    The union bound needs P(failure) ≤ μ₁ at every exchange, and this is the chain that meets it with equality.
    """
    onset: float = 1.0 if mu1 >= 1.0 else min(1.0, mu1 * (1.0 - p11) / (1.0 - mu1))
    return onset


@njit(cache=True, nogil=True)
def exact_tolerance(mu1: float, p11: float, H_T: int, delta_T: float) -> int:
    """`tolerance` by the exact law of the chain instead of the union bound (D18); arguments as there."""
    g: int = tolerance(mu1, p11, H_T, delta_T)
    if g == NO_TOLERANCE and (math.isnan(p11) or mu1 >= 1.0):
        return g
    onset = sound_onset(mu1, p11)
    # The law falls with the run length; lengths beyond the horizon promise nothing (D19) and stay with the union bound.
    for L in range(1, H_T + 1 if g == NO_TOLERANCE else min(g, H_T + 1)):
        if run_law(mu1, onset, p11, L, H_T) <= delta_T:
            return L
    return g


@njit(cache=True, nogil=True)
def _exact_tolerances(
    mu1: npt.NDArray[np.float64], p11: npt.NDArray[np.float64], H_T: int, delta_T: float
) -> npt.NDArray[np.int64]:
    g = np.empty(mu1.size, dtype=np.int64)
    for m in range(mu1.size):
        g[m] = exact_tolerance(mu1[m], p11[m], H_T, delta_T)
    return g


def exact_tolerances(
    mu1: npt.NDArray[np.float64], p11: npt.NDArray[np.float64], H_T: int, delta_T: float
) -> npt.NDArray[np.int64]:
    """`failure_tolerances` by the exact law of the chain that fails with probability μ₁ at every opportunity (D18).

    The smallest L ≤ H_T with P(run of L failures within H_T) ≤ δ_T; the union bound's g where no such L is smaller.

    Args:
        mu1, p11, H_T, delta_T: as for `failure_tolerances`.
    """
    (m, p), shape = flattened(np.asarray(mu1, dtype=float), np.asarray(p11, dtype=float))
    g: npt.NDArray[np.int64] = _exact_tolerances(m, p, int(H_T), float(delta_T)).reshape(shape)[()]
    return g


def run_violation_probability(mu1: float, p01: float, p11: float, g: int, H_T: int) -> float:
    r"""Exact probability of a run of at least g failures within H_T opportunities, D18.

    The chain of Eq. (eq:failure-transition) starts with Y_1 = 1 with probability μ₁; the run length is carried as a
    state 0…g−1 with g absorbing.

    Args:
        mu1: failure probability of the first opportunity [-].
        p01: probability that a success is followed by a failure [-].
        p11: probability that a failure is followed by a failure [-].
        g: run length that counts as a violation [opportunities].
        H_T: horizon [opportunities].
    """
    _check_chain(mu1=mu1, p01=p01, p11=p11)
    _check_horizon(H_T)
    if g < 1 or g != int(g):
        raise ValueError(f"g = {g} must be a whole number of at least 1.")
    return float(run_law(mu1, p01, p11, int(g), int(H_T)))


def failure_marginals(mu1: float, p01: float, p11: float, H_T: int) -> npt.NDArray[np.float64]:
    """P(Y_m = 1) for m = 1…H_T of the chain of Eq. (eq:failure-transition), (H_T,) [-]."""
    _check_chain(mu1=mu1, p01=p01, p11=p11)
    _check_horizon(H_T)
    x = np.empty(int(H_T))
    x[0] = mu1
    for m in range(1, int(H_T)):
        x[m] = (1.0 - x[m - 1]) * p01 + x[m - 1] * p11
    return x


def union_bound_holds(mu1: float, p01: float, p11: float, H_T: int) -> bool:
    """Whether μ₁ bounds P(Y_m = 1) at *every* start m, which the union bound needs (D18)."""
    return bool(np.all(failure_marginals(mu1, p01, p11, H_T) <= mu1 + 1e-12))


def _check_chain(**probabilities: float) -> None:
    for name, value in probabilities.items():
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"{name} = {value} must be a probability between 0 and 1.")


def _check_horizon(H_T: int) -> None:
    if H_T < 1 or int(H_T) != H_T:
        raise ValueError(f"H_T = {H_T} must be a whole number of at least 1 opportunity.")
