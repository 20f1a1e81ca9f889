"""Clopper–Pearson persistence by bin: exact tails, inheritance, monotone, exclusion."""

import numpy as np
import pytest
from scipy.stats import binom

from core.twin.persistence import BIN_EDGES, ChainCounts, clopper_pearson_upper, effective_trials, failure_bin

BINS = BIN_EDGES.size + 1


SEEDS = 20


def shared(total: np.ndarray) -> np.ndarray:
    """Counts by seed, shared out as evenly as whole numbers allow, (SEEDS, BINS)."""
    share, rest = np.divmod(total, SEEDS)
    return share + (np.arange(SEEDS)[:, None] < rest)


def counts(failures: dict[int, tuple[int, int]]) -> ChainCounts:
    f, r = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
    for b, (n, x) in failures.items():
        f[b], r[b] = n, x
    return ChainCounts(shared(f), shared(r), shared(np.full(BINS, 100)), shared(np.arange(BINS)))


def test_bound_is_the_exact_binomial_tail() -> None:
    """At the bound p the probability of seeing at most x successes is exactly 1 − confidence."""
    for x, n in [(0, 5), (3, 10), (40, 60), (199, 200)]:
        p = float(clopper_pearson_upper(x, n, 0.95))
        assert binom.cdf(x, n, p) == pytest.approx(0.05, rel=1e-9)
    assert clopper_pearson_upper(7, 7, 0.95) == 1.0
    assert clopper_pearson_upper(0, 0, 0.95) == 1.0


def test_bins_split_unit_interval() -> None:
    b = failure_bin([0.0, 1e-9, 1e-4, 2e-4, 0.1, 0.15, 0.95, 1.0])
    assert list(b[:4]) == [0, 0, 0, 1]
    assert list(b[-2:]) == [BINS - 1, BINS - 1]
    some = np.concatenate([BIN_EDGES, np.random.default_rng(0).random(200) ** 4, [np.nan]])
    np.testing.assert_array_equal(failure_bin(some), np.searchsorted(BIN_EDGES, some))
    assert np.ndim(failure_bin(0.2)) == 0
    assert np.all(np.diff(b) >= 0)


def test_thin_bins_inherit_the_next_worse_and_bins_beyond_have_none() -> None:
    p = counts({5: (1000, 300), 9: (1000, 500), 7: (10, 0)}).persistence(0.95, 30)
    assert p[0] == p[5] == pytest.approx(0.3, abs=0.03)
    assert p[6] == p[7] == p[9] == pytest.approx(0.5, abs=0.03)
    assert np.isnan(p[10:]).all()


def test_bound_never_falls_with_predicted_failure() -> None:
    p = counts({5: (1000, 700), 9: (1000, 200)}).persistence(0.95, 30)
    assert p[9] == p[5]


def test_nothing_populated_means_no_bound_at_all() -> None:
    assert np.isnan(counts({3: (29, 5)}).persistence(0.95, 30)).all()


def test_pairs_are_counted_by_the_first_cycle() -> None:
    c = ChainCounts.of_pairs([0.05, 0.05, 0.05, 0.5], [True, True, False, False], [True, False, True, False])
    low, high = failure_bin([0.05, 0.5])
    assert (c.failures[0, low], c.repeats[0, low], c.successes[0, low], c.breaks[0, low]) == (2, 1, 1, 1)
    assert (c.failures[0, high], c.successes[0, high], c.breaks[0, high]) == (0, 1, 0)
    assert (c + c).failures[0, low] == 4
    assert ChainCounts.of_seeds([c, c]).failures[:, low].tolist() == [2, 2]


def test_more_confidence_and_less_data_mean_a_larger_bound() -> None:
    a = counts({5: (1000, 300)})
    assert a.persistence(0.99, 30)[5] > a.persistence(0.9, 30)[5]
    assert counts({5: (100, 30)}).persistence(0.95, 30)[5] > a.persistence(0.95, 30)[5]


def test_onset_counts_failures_after_successes() -> None:
    p01 = counts({}).onset(0.95, 30)
    assert np.all(np.diff(p01) >= 0)
    n = float(effective_trials(shared(np.array([3])), shared(np.array([100])), 0.95)[0])
    assert p01[3] == pytest.approx(float(clopper_pearson_upper(0.03 * n, n, 0.95)))


def test_a_bin_that_one_seed_alone_filled_has_no_bound() -> None:
    alone = np.zeros((SEEDS, BINS), np.int64)
    alone[3] = 500
    assert np.isnan(ChainCounts(alone, alone // 2, alone, alone // 2).persistence(0.95, 30)).all()


def test_seeds_that_differ_as_coins_do_keep_nearly_all_their_trials() -> None:
    """And seeds that always or never fail count once each, whatever their number of pairs."""
    rng = np.random.default_rng(0)
    n = np.full((400, 1), 50)
    x = rng.binomial(n, 0.3)
    assert 0.8 * n.sum() < effective_trials(x, n, 0.95)[0] <= n.sum()
    all_or_nothing = 50 * (np.arange(400)[:, None] < 120)
    assert effective_trials(all_or_nothing, n, 0.95)[0] == pytest.approx(400, rel=0.02)


def test_the_bound_holds_over_seeds_where_pairs_alone_would_claim_too_much() -> None:
    """Twenty missions with a failure rate of their own each: at 95 % confidence the bound must fail at most one time in 20."""
    rng = np.random.default_rng(1)
    repeats, n = 2000, np.full((SEEDS, 1), 200)
    over_seeds = over_pairs = 0
    for _ in range(repeats):
        x = rng.binomial(n, rng.beta(3.0, 7.0, size=(SEEDS, 1)))  # mean 0.3
        effective = effective_trials(x, n, 0.95)
        over_seeds += float(clopper_pearson_upper(x.sum() / n.sum() * effective, effective, 0.95)[0]) >= 0.3
        over_pairs += float(clopper_pearson_upper(x.sum(), n.sum(), 0.95)) >= 0.3
    assert over_seeds / repeats > 0.94
    assert over_pairs / repeats < 0.75
