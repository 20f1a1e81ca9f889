"""Contraction factors: how much V can grow in one cycle, by outcome and by length of the failure run (Appendix A)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.control.lifted import OUTCOMES, FloatArray, Outcome, check_delays, mode_matrix, run_matrix

CHANGE = 1e-9
"""Relative rise below which the closure of D6 counts as rounding, not as a change."""


@dataclass(frozen=True, eq=False)
class ContractionFactors:
    """Factors of one certificate (h_ul, h_dl), as printed and closed under the mode order.

    Args:
        raw: α_ξ by outcome, Eq. (eq:delay-supremum-envelope) [-].
        closed: α̂_ξ by outcome, D6 [-].
        run_raw: α_(1), …, α_(H) as printed, Eq. (eq:failure-run-delay-envelope), shape (H,) [-].
        run: their running maximum over the run length, D6, shape (H,) [-].
        closure_changed: whether any factor rose by closing, i.e. whether lem:mode-order fails here.
    """

    raw: dict[Outcome, float]
    closed: dict[Outcome, float]
    run_raw: FloatArray
    run: FloatArray
    closure_changed: bool


def contraction_factors(
    X: FloatArray,
    *,
    H: int,
    h_max: int,
    a: float,
    split: tuple[float, float, float],
    h_ul: int | None = None,
    h_dl: int | None = None,
) -> ContractionFactors:
    r"""Largest one-cycle growth of V = zᵀXz by outcome and run length, Eqs. (eq:alpha-raw, eq:delay-supremum-envelope).

    .. math:: \alpha_\xi = \max_{h^u \le h^{ul},\, h^d \le h^{dl}}
              \lambda_{\max}\bigl(X^{-1/2} M_\xi^T X M_\xi X^{-1/2}\bigr)

    Args:
        X: certificate matrix of one axis, shape (H+1, H+1).
        H, h_max, a, split: the control setting, as in `certificate_matrix`.
        h_ul, h_dl: delay indices of the certificate; h_max when not given [cycles].
    """
    h_ul = h_max if h_ul is None else h_ul
    h_dl = h_max if h_dl is None else h_dl
    check_delays(h_ul, h_dl, H)
    modes, runs = _growth_grid(X, H=H, a=a, split=split, h_ul=h_ul, h_dl=h_dl)
    return close_order(modes.max(axis=(1, 2)), runs.max(axis=(1, 2)))


def factor_library(
    X: FloatArray, *, H: int, h_max: int, a: float, split: tuple[float, float, float]
) -> dict[tuple[int, int], ContractionFactors]:
    """`contraction_factors` of every certificate (h_ul, h_dl) up to h_max, from one pass over the grid."""
    modes, runs = _growth_grid(X, H=H, a=a, split=split, h_ul=h_max, h_dl=h_max)
    modes, runs = (np.maximum.accumulate(np.maximum.accumulate(g, axis=1), axis=2) for g in (modes, runs))
    grid = range(h_max + 1)
    return {(u, d): close_order(modes[:, u, d], runs[:, u, d]) for u in grid for d in grid}


def close_order(modes: FloatArray, runs: FloatArray) -> ContractionFactors:
    r"""Raise factors until the order that lem:mode-order claims is true (D6); conservative for every X.

    .. math:: \hat\alpha_{10} = \max(\alpha_{10}, \alpha_{11}),\ \hat\alpha_{01} = \max(\alpha_{01}, \alpha_{11}),\
              \hat\alpha_{00} = \max(\alpha_{00}, \hat\alpha_{10}, \hat\alpha_{01}, \alpha_{(1)}, \dots, \alpha_{(H)})

    Args:
        modes: raw factors in the order of `OUTCOMES`, shape (4,) [-].
        runs: raw run-length factors α_(1)…α_(H), shape (H,) [-].
    """
    raw = dict(zip(OUTCOMES, modes.tolist(), strict=True))
    closed = {(1, 1): raw[1, 1], (1, 0): max(raw[1, 0], raw[1, 1]), (0, 1): max(raw[0, 1], raw[1, 1])}
    closed[0, 0] = max(raw[0, 0], closed[1, 0], closed[0, 1], float(runs.max()))
    run = np.maximum.accumulate(runs)
    rises = [closed[outcome] / raw[outcome] for outcome in OUTCOMES] + (run / runs).tolist()
    return ContractionFactors(raw, closed, runs.copy(), run, max(rises) > 1.0 + CHANGE)


def _growth_grid(
    X: FloatArray, *, H: int, a: float, split: tuple[float, float, float], h_ul: int, h_dl: int
) -> tuple[FloatArray, FloatArray]:
    """Exact-delay factors of the four outcomes and of the H run lengths, shapes (4, h_ul+1, h_dl+1) and (H, …)."""
    grid = [(u, d) for u in range(h_ul + 1) for d in range(h_dl + 1)]
    M = [mode_matrix(outcome, u, d, H=H, a=a, split=split) for outcome in OUTCOMES for u, d in grid]
    M += [run_matrix(j, u, d, H=H, a=a) for j in range(1, H + 1) for u, d in grid]
    growth = growth_factor(X, np.array(M)).reshape(4 + H, h_ul + 1, h_dl + 1)
    return growth[:4], growth[4:]


def growth_factor(X: FloatArray, M: FloatArray) -> FloatArray:
    """λ_max(X^{-1/2} Mᵀ X M X^{-1/2}) of each matrix, Eq. (eq:alpha-raw).

    Args:
        X: positive definite, shape (n, n).
        M: one or many matrices, shape (..., n, n).
    """
    root = np.linalg.cholesky(X).T  # X = rootᵀ·root, and λ_max is the squared norm of root·M·root⁻¹
    similar: FloatArray = root @ M @ np.linalg.inv(root)
    norm: FloatArray = np.linalg.norm(similar, ord=2, axis=(-2, -1))
    return norm * norm
