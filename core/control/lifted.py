"""Lifted matrices of one axis: what one cycle does to z = (e_k, …, e_{k−H}) (Appendix A)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.errors import ScenarioError

FloatArray = NDArray[np.float64]
Outcome = tuple[int, int]
"""(uplink delivered, downlink delivered), each 0 or 1: the ξ of the paper."""

OUTCOMES: tuple[Outcome, ...] = ((1, 1), (1, 0), (0, 1), (0, 0))


def shift_matrix(H: int) -> FloatArray:
    """Ones on the subdiagonal and e_{k+1} = e_k on top: the lifted plant without feedback, (H+1, H+1)."""
    M = np.eye(H + 1, k=-1)
    M[0, 0] = 1.0
    return M


def mode_matrix(
    outcome: Outcome, h_ul: int, h_dl: int, *, H: int, a: float, split: tuple[float, float, float]
) -> FloatArray:
    r"""Lifted matrix M_ξ of one exchange, per axis, Eq. (eq:alpha-raw) with the authority split of D1.

    .. math:: e_{k+1} = e_k - a\,(w_0\,e_{k-c_0} + w_u\,e_{k-c_u} + w_d\,e_{k-c_d})

    A delivered direction acts at its delay (c_u = h_ul, c_d = h_dl) and a lost one at the stalest column H;
    w₀ acts at column 0 unless both are lost, when everything acts at H.

    Args:
        outcome: (ul, dl), 1 = delivered.
        h_ul, h_dl: one-way delay indices, 0…H [cycles].
        H: depth of the delay buffer [cycles].
        a: loop gain T_s·k [-].
        split: authority shares (w₀, w_u, w_d), nonnegative, summing to 1 [-].

    Returns:
        M_ξ, shape (H+1, H+1).
    """
    w0, w_u, w_d = check_split(split)
    check_delays(h_ul, h_dl, H)
    ul, dl = outcome
    M = shift_matrix(H)
    M[0, 0 if ul or dl else H] -= a * w0
    M[0, h_ul if ul else H] -= a * w_u
    M[0, h_dl if dl else H] -= a * w_d
    return M


def run_matrix(j: int, h_ul: int, h_dl: int, *, H: int, a: float) -> FloatArray:
    r"""Lifted matrix M₀₀^(j) of the j-th failure in a row, per axis, Eq. (eq:failure-run-delay-envelope), D2.

    .. math:: e_{k+1} = e_k - a\,e_{k-\min(\max(h^{ul}, h^{dl}) + j,\, H)}

    Args:
        j: length of the failure run, at least 1; it saturates at H (eq:failure-run-saturation) [cycles].
        h_ul, h_dl: delay indices of the last exchange that worked, 0…H [cycles].
        H: depth of the delay buffer [cycles].
        a: loop gain T_s·k [-].

    Returns:
        M₀₀^(j), shape (H+1, H+1).
    """
    check_delays(h_ul, h_dl, H)
    if j < 1:
        raise ScenarioError(f"A failure run has length 1 or more, not {j}.")
    M = shift_matrix(H)
    M[0, min(max(h_ul, h_dl) + j, H)] -= a
    return M


def check_split(split: tuple[float, float, float]) -> tuple[float, float, float]:
    """The split (w₀, w_u, w_d) as floats, or ScenarioError unless it shares out exactly the whole authority (D1)."""
    shares = tuple(float(w) for w in split)
    if len(shares) != 3 or not all(math.isfinite(w) and w >= -1e-9 for w in shares) or abs(sum(shares) - 1) > 1e-9:
        raise ScenarioError(f"split = {shares} must be three shares (w0, w_u, w_d), none negative, that sum to 1.")
    return shares[0], shares[1], shares[2]


def check_delays(h_ul: int, h_dl: int, H: int) -> None:
    """ScenarioError unless both delay indices fit in the buffer of depth H."""
    if not (0 <= h_ul <= H and 0 <= h_dl <= H and H >= 1):
        raise ScenarioError(
            f"Delay indices h_ul = {h_ul}, h_dl = {h_dl} must lie between 0 and H = {H} with H at least 1; raise H."
        )
