"""Split-conformal margin: rank, guarantee by exchangeability, and what happens with too few scores."""

import math

import numpy as np
import pytest

from core.twin import conformal_margin
from core.twin.conformal import conformal_rank


@pytest.mark.parametrize(("n", "beta", "rank"), [(9, 0.1, 9), (9, 0.3, 7), (19, 0.05, 19), (99, 0.29, 71), (4, 0.5, 3)])
def test_rank_is_the_finite_sample_one(n: int, beta: float, rank: int) -> None:
    assert conformal_rank(n, beta) == rank


def test_margin_is_the_order_statistic() -> None:
    scores = np.random.default_rng(0).permutation(np.arange(1.0, 100.0))
    assert conformal_margin(scores, 0.05) == 95.0
    assert conformal_margin(scores, 0.5) == 50.0


def test_too_few_scores_give_no_finite_margin() -> None:
    assert conformal_margin(np.zeros(18), 0.05) == math.inf
    assert conformal_margin(np.zeros(19), 0.05) == 0.0
    assert conformal_margin([], 0.3) == math.inf


def test_guarantee_is_exact_by_exchangeability() -> None:
    """The rank of a fresh score among n + 1 is uniform: coverage is rank/(n + 1), at least 1 − β and not by much more."""
    for n in (10, 37, 200):
        for beta in (0.01, 0.05, 0.1, 0.3):
            covered = sum(
                new <= conformal_margin(np.delete(np.arange(n + 1.0), int(new)), beta) for new in range(n + 1)
            )
            assert 1 - beta <= covered / (n + 1) + 1e-12
            assert covered / (n + 1) <= 1 - beta + 1 / (n + 1) + 1e-12


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.1, math.nan])
def test_beta_must_be_a_probability_inside(beta: float) -> None:
    with pytest.raises(ValueError, match="beta"):
        conformal_margin([1.0], beta)


def test_nan_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="nan"):
        conformal_margin([1.0, math.nan], 0.5)
