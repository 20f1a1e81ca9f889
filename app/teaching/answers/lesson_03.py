"""Lesson 03: the LMI and the contraction factors."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.teaching.coding import function
from app.teaching.contraction import Setting, largest_feasible_gain
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, set_of
from core.control.factors import growth_factor

THIRDS = (1 / 3, 1 / 3, 1 / 3)
EXAMPLE = Setting(H=3, h_max=1, a=0.35, split=THIRDS)
SUSPECTS = (
    Setting(4, 1, 0.47, (0.2, 0.2, 0.6)),
    Setting(2, 2, 0.1, (0.0, 0.5, 0.5)),
    Setting(2, 2, 0.3, (0.0, 0.5, 0.5)),
    Setting(3, 1, 0.35, THIRDS),
    Setting(2, 2, 0.4, (0.2, 0.2, 0.6)),
)
"""Settings of exercise 03.2, in the order of the notebook."""


@functools.cache
def _pairs() -> Sequence[tuple[Any, ...]]:
    draw, cases = np.random.default_rng(303), []
    for n in (2, 3, 5) * 6:
        B = draw.normal(size=(n, n))
        cases.append((B @ B.T + 0.3 * np.eye(n), draw.normal(size=(n, n))))
    return cases


def growth(X: Any, M: Any) -> float:
    """What exercise 03.3 asks for."""
    return float(growth_factor(X, M))


def _spectral_radius(X: Any, M: Any) -> float:
    return float(np.abs(np.linalg.eigvals(M)).max() ** 2)


def _unweighted(X: Any, M: Any) -> float:
    return float(np.linalg.norm(M, 2) ** 2)


def _not_normalised(X: Any, M: Any) -> float:
    return float(np.linalg.eigvalsh(M.T @ X @ M).max())


def _root(X: Any, M: Any) -> float:
    return float(np.sqrt(growth_factor(X, M)))


add(
    Exercise(
        "03.1",
        number(rel=2e-3),
        lambda: EXAMPLE.factors.raw[1, 1],
        hints=(
            "First the X of this setting, then its factors.",
            "certificate_matrix(H=3, h_max=1, a=0.35, split=…), then contraction_factors(X, …) with the same four arguments.",
            "contraction_factors(X, H=3, h_max=1, a=0.35, split=(1/3, 1/3, 1/3)).raw[1, 1].",
        ),
        praise="A complete exchange leaves at most this share of the energy, whatever the delays up to h_max.",
        traps=(
            Trap(lambda: EXAMPLE.factors.raw[1, 0], "That is α₁₀, the uplink alone."),
            Trap(lambda: EXAMPLE.factors.raw[0, 0], "That is α₀₀, nothing delivered."),
        ),
        trains="solving an LMI and reading its factors",
    ),
    Exercise(
        "03.2",
        set_of("row numbers"),
        lambda: [i for i, s in enumerate(SUSPECTS) if s.factors.closure_changed],
        hints=(
            "The lemma holds where no factor had to be raised.",
            "contraction_factors(X, …).closure_changed is True where D6 raised a factor; ask for each row.",
            "[i for i, (H, h, a, w) in enumerate(rows) if contraction_factors(certificate_matrix(H=H, h_max=h, a=a, split=w), H=H, h_max=h, a=a, split=w).closure_changed].",
        ),
        praise="All of them have h_max = H: the case that decision D4 keeps out of the allocator.",
        traps=(
            Trap(
                lambda: [i for i, s in enumerate(SUSPECTS) if not s.factors.closure_changed],
                "These are the rows where it holds.",
            ),
        ),
        trains="testing a lemma instead of believing it",
    ),
    Exercise(
        "03.3",
        function(
            "growth(X, M)",
            "the largest factor by which V = zᵀXz can grow when z becomes M z",
            _pairs,
            shipped=("growth_factor",),
        ),
        lambda: growth,
        hints=(
            "V before is zᵀXz, V after is zᵀ(MᵀXM)z: how large can the second be when the first is 1?",
            "The largest eigenvalue of X^(−1/2) Mᵀ X M X^(−1/2), or the same as a generalized eigenvalue of the pair (MᵀXM, X).",
            "scipy.linalg.eigh(M.T @ X @ M, X, eigvals_only=True)[-1].",
        ),
        praise="One generalized eigenvalue per outcome: that is all that Φ will know of the loop.",
        traps=(
            Trap(
                lambda: _spectral_radius,
                "That is the spectral radius of M, squared: what happens in the long run, not in one cycle.",
            ),
            Trap(lambda: _unweighted, "That is the growth of |z|², not of V: weigh with X."),
            Trap(lambda: _not_normalised, "You compare with |z|² = 1; compare with zᵀXz = 1."),
            Trap(lambda: _root, "That is the growth of √V."),
        ),
        trains="writing a contraction factor",
    ),
    Exercise(
        "03.4",
        number(rel=0.0, absolute=0.0051),
        lambda: largest_feasible_gain(3, 2, (0.0, 0.5, 0.5)),
        hints=(
            "Make the loop faster until there is no X any more.",
            "certificate_matrix(H=3, h_max=2, a=a, split=(0.0, 0.5, 0.5)) raises InfeasibleError when there is none; raise a by 0.01.",
            "for n in range(1, 200): try certificate_matrix(H=3, h_max=2, a=n / 100, split=(0, 0.5, 0.5)), stop at the first InfeasibleError (core.errors) and take the a before it.",
        ),
        praise="More delay, less gain: the price of late feedback is written in the LMI.",
        traps=(
            Trap(
                lambda: largest_feasible_gain(3, 1, (0.0, 0.5, 0.5)),
                "That is the limit for h_max = 1; here delays reach 2 cycles.",
            ),
        ),
        trains="delay limits gain",
    ),
)
