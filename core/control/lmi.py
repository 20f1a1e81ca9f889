"""The certificate matrix X: one semidefinite program per control setting (eq:lmi-certificate, D3–D5)."""

from __future__ import annotations

import functools
import math
import threading
import warnings
from typing import Any

import numpy as np

from core.control.lifted import FloatArray, check_split, mode_matrix, shift_matrix
from core.errors import InfeasibleError, SafeExplorerError, ScenarioError, SolverError

TOLERANCE = 1e-6
"""Largest violation of a constraint of the LMI, relative to ‖X‖, with which a solution is accepted."""

Split = tuple[float, float, float]

# A cvxpy Problem keeps the values of its parameters and variables, so two threads must never share one.
_LOCK = threading.Lock()


def certificate_matrix(*, H: int, h_max: int, a: float, split: Split, eps: float = 1.0) -> FloatArray:
    r"""Per-axis Lyapunov matrix X_s of least trace that contracts every exchange that works, Eq. (eq:lmi-certificate).

    .. math:: \min \operatorname{tr} X \ \text{s.t.}\ X \succeq \varepsilon I,\
              M_{11}(h^u, h^d)^T X M_{11}(h^u, h^d) - X \preceq -\varepsilon I,\ 0 \le h^u, h^d \le h_{max}

    One X serves the whole library of certificates (D3). X = X_s ⊗ I₃ solves the full problem (D5): it is convex and
    invariant under rotations of the axes. Whatever the solver says, every constraint is verified on the X returned.

    Args:
        H: depth of the delay buffer [cycles].
        h_max: largest delay index of the success family, at most H (`Scenario` asks for less than H, D4) [cycles].
        a: loop gain T_s·k [-].
        split: authority shares (w₀, w_u, w_d), D1 [-].
        eps: margin ε; X is proportional to it [-].

    Returns:
        X_s, shape (H+1, H+1), symmetric positive definite.

    Raises:
        InfeasibleError: no X exists; the message names what to change.
        SolverError: the solver returned something that fails verification.
    """
    shares = check_split(split)
    if not math.isfinite(a):
        raise ScenarioError(f"a = {a} must be a finite number.")
    if not (math.isfinite(eps) and eps > 0):
        raise ScenarioError(f"eps = {eps} must be positive.")
    if H < 1 or not 0 <= h_max <= H:
        raise InfeasibleError(
            f"H = {H}, h_max = {h_max}: the buffer must hold every delay of the success family; "
            "raise H to at least h_max (and 1), or lower h_max."
        )
    with _LOCK:
        found = _solved(int(H), int(h_max), float(a), shares)
    if isinstance(found, np.ndarray):
        return eps * found
    kind, message = found
    raise kind(message)


def constraint_slack(X: FloatArray, *, H: int, h_max: int, a: float, split: Split, eps: float = 1.0) -> float:
    """Smallest eigenvalue over all constraints of Eq. (eq:lmi-certificate); negative means violated.

    Args:
        X: per-axis matrix, shape (H+1, H+1).
        H, h_max, a, split, eps: the setting, as in `certificate_matrix`.
    """
    grid = range(h_max + 1)
    M = np.array([mode_matrix((1, 1), u, d, H=H, a=a, split=split) for u in grid for d in grid])
    eye = eps * np.eye(H + 1)
    decrease = X - M.transpose(0, 2, 1) @ X @ M - eye
    return float(min(np.linalg.eigvalsh(X - eye)[0], np.linalg.eigvalsh(decrease)[:, 0].min()))


@functools.lru_cache(maxsize=512)
def _solved(H: int, h_max: int, a: float, split: Split) -> FloatArray | tuple[type[SafeExplorerError], str]:
    """X at ε = 1, or the error to raise: failures are remembered too, so a slider never solves one point twice."""
    X, status = _attempt(H, h_max, a, split)
    if X is not None:
        return X
    setting = f"a = {a:.4g}, H = {H}, h_max = {h_max}, split = ({', '.join(f'{w:.3g}' for w in split)})"
    if status.startswith("infeasible"):
        return InfeasibleError, f"No certificate matrix exists for {setting}: {_advice(H, h_max, a, split)}"
    return SolverError, (
        f"The LMI solver ended with {status!r} for {setting} and its result fails verification; "
        "this setting is numerically out of reach: lower a, h_max or H."
    )


def _attempt(H: int, h_max: int, a: float, split: Split) -> tuple[FloatArray | None, str]:
    """A verified X at ε = 1 and the solver's status; None when there is none."""
    if _spectral_radius(H, h_max, a, split) >= 1.0:
        return None, "infeasible"  # a single mode of the family diverges: no X can contract it
    X, status = _problem(H, h_max, split).solve(a)
    if X is None:
        return None, status
    verified = constraint_slack(X, H=H, h_max=h_max, a=a, split=split) >= -TOLERANCE * np.linalg.norm(X, 2)
    return (X, status) if verified else (None, f"{status}, unverified")


def _spectral_radius(H: int, h_max: int, a: float, split: Split) -> float:
    grid = range(h_max + 1)
    M = np.array([mode_matrix((1, 1), u, d, H=H, a=a, split=split) for u in grid for d in grid])
    return float(np.abs(np.linalg.eigvals(M)).max())


def _advice(H: int, h_max: int, a: float, split: Split) -> str:
    """Which of a, h_max, split to change; H is never to blame, as the success family ends at column h_max."""
    if a <= 0:
        return "the loop gain a gives no feedback; raise a above 0 (lower control.R or raise control.Q)."
    if a >= 2:
        return "the loop overshoots even without delay; lower a below 2 (no h_max, split or H can help)."
    return (
        f"feedback this strong and this late overshoots; lower a to {largest_gain(H, h_max, a, split):.3g} or less, "
        "lower h_max, or move authority from w_u and w_d to w0 in split. H does not matter here."
    )


@functools.lru_cache(maxsize=512)
def largest_gain(H: int, h_max: int, a: float, split: Split) -> float:
    """A gain below a that has a certificate matrix, within a sixtieth of a of the largest one, in hundredths [-]."""
    low, high = 0.0, a
    for _ in range(6):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _attempt(H, h_max, middle, split)[0] is not None else (low, middle)
    return math.floor(low * 100) / 100 or low


class _CertificateProblem:
    """The LMI with the gain as a parameter, so that another a re-solves without being compiled again."""

    def __init__(self, H: int, h_max: int, split: Split) -> None:
        import cvxpy as cp  # here because it takes over a second to import and only a first solve needs it

        self._X = cp.Variable((H + 1, H + 1), symmetric=True)
        self._a, self._a2 = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)
        X, M0, eye = self._X, shift_matrix(H), np.eye(H + 1)
        family = {}
        for u in range(h_max + 1):
            for d in range(h_max + 1):
                N = M0 - mode_matrix((1, 1), u, d, H=H, a=1.0, split=split)
                family[N.tobytes()] = N  # delays that no authority rides on give the same matrix again
        # M = M₀ − a·N: the product MᵀXM is affine in the parameters a and a², as cvxpy's re-solve asks.
        constraints = [X >> eye] + [
            X - (M0.T @ X @ M0 - self._a * (M0.T @ X @ N + N.T @ X @ M0) + self._a2 * (N.T @ X @ N)) >> eye
            for N in family.values()
        ]
        self._problem = cp.Problem(cp.Minimize(cp.trace(X)), constraints)

    def solve(self, a: float) -> tuple[FloatArray | None, str]:
        """Symmetrised X of the solver (None without one) and its status, not yet verified."""
        import cvxpy as cp

        self._a.value, self._a2.value = a, a * a
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": verification decides, not the status
            try:
                # no warm start: the same setting must give the same bits whatever was solved before it
                self._problem.solve(solver=cp.CLARABEL, warm_start=False)
            except cp.SolverError:
                return None, "solver error"
        value: Any = self._X.value
        if value is None or not np.all(np.isfinite(value)):
            return None, str(self._problem.status)
        return 0.5 * (value + value.T), str(self._problem.status)


@functools.lru_cache(maxsize=32)
def _problem(H: int, h_max: int, split: Split) -> _CertificateProblem:
    """The problem of this structure, compiled once; call with the lock held."""
    return _CertificateProblem(H, h_max, split)
