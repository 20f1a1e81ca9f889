"""Failure tolerance and the exact law of failure runs (D18, D19)."""

import itertools

import numpy as np
import pytest

from core.twin import failure_tolerance, run_violation_probability
from core.twin.failure_chain import (
    NO_TOLERANCE,
    failure_marginals,
    failure_tolerances,
    tolerance,
    union_bound,
    union_bound_holds,
)


def scan(mu1: float, p11: float, H_T: int, delta_T: float, longest: int = 100_000) -> int | None:
    """Eq. (eq:markov-failure-tolerance) read literally."""
    return next((L for L in range(1, longest) if H_T * mu1 * p11 ** (L - 1) <= delta_T), None)


@pytest.mark.parametrize(
    ("args", "g"),
    [
        ((0.1, 0.3, 20, 0.05), 5),
        ((0.02, 0.1, 20, 0.05), 2),
        ((0.001, 0.5, 20, 0.05), 1),
        ((0.4, 0.6, 20, 0.01), 15),
        ((0.5, 1.0, 20, 0.05), None),
        ((0.001, 1.0, 20, 0.05), 1),
        ((0.0, 1.0, 20, 0.05), 1),
        ((0.5, 0.0, 20, 0.05), 2),
        ((0.0025, 0.9, 20, 0.05), 1),
    ],
)
def test_check_values(args: tuple[float, float, int, float], g: int | None) -> None:
    assert failure_tolerance(*args) == g


def test_equals_a_literal_scan_also_on_the_boundary() -> None:
    rng = np.random.default_rng(1)
    cases = [
        (m, p, int(h), d) for m, p, h, d in zip(*rng.random((3, 300)) ** [[3], [1], [1]], rng.random(300), strict=True)
    ]
    cases = [(m, p * 0.99, 1 + int(h * 30), 0.001 + 0.4 * d) for m, p, h, d in cases]
    cases += [(0.5, 0.5, 16, 0.5**k) for k in range(1, 12)]  # exact powers: equality decides
    for case in cases:
        assert failure_tolerance(*case) == scan(*case)


def test_many_at_once_equals_one_by_one_and_nan_has_no_certificate() -> None:
    rng = np.random.default_rng(2)
    mu1, p11 = rng.random(200) ** 4, rng.random(200)
    p11[:3], p11[3] = 1.0, np.nan
    mu1[3] = 0.0
    g = failure_tolerances(mu1, p11, 20, 0.05)
    assert g[3] == tolerance(0.0, np.nan, 20, 0.05) == NO_TOLERANCE
    for m, p, got in zip(np.delete(mu1, 3), np.delete(p11, 3), np.delete(g, 3), strict=True):
        assert (failure_tolerance(m, p, 20, 0.05) or 0) == got


@pytest.mark.parametrize(
    "bad",
    [(-0.1, 0.5, 20, 0.05), (0.1, 1.5, 20, 0.05), (0.1, np.nan, 20, 0.05), (0.1, 0.5, 0, 0.05), (0.1, 0.5, 20, 0.0)],
)
def test_nonsense_is_refused(bad: tuple[float, float, int, float]) -> None:
    with pytest.raises(ValueError, match=r"mu1|p11|H_T|delta_T"):
        failure_tolerance(*bad)


def enumerated(mu1: float, p01: float, p11: float, g: int, H_T: int) -> float:
    """P(run ≥ g) by adding up all 2^H_T outcome sequences."""
    total = 0.0
    for y in itertools.product((0, 1), repeat=H_T):
        p = mu1 if y[0] else 1 - mu1
        for a, b in itertools.pairwise(y):
            stay = p11 if a else p01
            p *= stay if b else 1 - stay
        longest = max((len(list(run)) for value, run in itertools.groupby(y) if value), default=0)
        total += p * (longest >= g)
    return total


def test_exact_law_equals_enumeration() -> None:
    rng = np.random.default_rng(3)
    for H_T in (1, 2, 5, 9):
        for g in range(1, H_T + 2):
            mu1, p01, p11 = rng.random(3)
            assert run_violation_probability(mu1, p01, p11, g, H_T) == pytest.approx(
                enumerated(mu1, p01, p11, g, H_T), abs=1e-12
            )


def test_exact_law_equals_monte_carlo() -> None:
    mu1, p01, p11, g, H_T, runs = 0.2, 0.15, 0.6, 4, 20, 40_000
    rng = np.random.default_rng(4)
    failed, run, violated = rng.random(runs) < mu1, np.zeros(runs, int), np.zeros(runs, bool)
    for _ in range(H_T):
        run = np.where(failed, run + 1, 0)
        violated |= run >= g
        failed = rng.random(runs) < np.where(failed, p11, p01)
    exact = run_violation_probability(mu1, p01, p11, g, H_T)
    assert abs(violated.mean() - exact) < 5 * np.sqrt(exact * (1 - exact) / runs)


def test_a_tightened_first_opportunity_is_unsound() -> None:
    """D18: with μ₁ = .01 the union bound gives g = 2, yet a run of two failures is more likely than not."""
    mu1, p11, p01, H_T, delta = 0.01, 0.6, 0.3, 8, 0.05
    g = failure_tolerance(mu1, p11, H_T, delta)
    assert g == 2
    assert union_bound(mu1, p11, g, H_T) <= delta
    assert 1 - run_violation_probability(mu1, p01, p11, g, H_T) == pytest.approx(0.3475, abs=5e-5)
    assert not union_bound_holds(mu1, p01, p11, H_T)


def test_the_union_bound_is_sound_when_every_start_is_bounded() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        p01, p11 = rng.random(2)
        mu1 = p01 / max(p01 + 1 - p11, 1e-12)  # stationary: the marginal is mu1 at every opportunity
        mu1 = min(1.0, mu1)
        assert np.allclose(failure_marginals(mu1, p01, p11, 12), mu1)
        assert union_bound_holds(mu1, p01, p11, 12)
        for g in (1, 2, 5):
            assert run_violation_probability(mu1, p01, p11, g, 12) <= union_bound(mu1, p11, g, 12) + 1e-12


def test_no_run_longer_than_the_horizon() -> None:
    assert run_violation_probability(1.0, 1.0, 1.0, 6, 5) == 0.0
    assert run_violation_probability(1.0, 1.0, 1.0, 5, 5) == 1.0
