"""Distributions and intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.studies.statistics import bootstrap_interval, ecdf, paired_difference, paired_reduction, t_interval

samples = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=60)


@given(samples, st.floats(-1e3, 1e3))
def test_ecdf_is_the_share_at_or_below(x, at):
    values, share = ecdf(x)
    index = np.searchsorted(values, at, side="right")
    found = share[index - 1] if index else 0.0
    assert found == pytest.approx(np.mean(np.asarray(x) <= at))


def test_thinned_ecdf_keeps_the_ends_and_lies_on_the_full_one():
    x = np.random.default_rng(1).exponential(size=5000)
    values, share = ecdf(x, 100)
    full_values, full_share = ecdf(x)
    assert len(values) <= 100
    assert values[0] == full_values[0]
    assert (values[-1], share[-1]) == (full_values[-1], 1.0)
    assert np.array_equal(np.searchsorted(full_values, values, side="right") / len(x), share)
    assert np.array_equal(full_share[np.searchsorted(full_values, values)], share)


def test_t_interval_matches_scipy():
    x = np.random.default_rng(2).normal(3, 2, 17)
    expected = stats.ttest_1samp(x, 0).confidence_interval(0.95)
    interval = t_interval(x)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert interval.excludes_zero


def test_paired_difference_is_the_paired_t_test():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0, 5, 30), rng.normal(0, 5, 30)
    common = rng.normal(0, 100, 30)  # cancels, as a shared seed does
    interval = paired_difference(a + common, b + common)
    expected = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_single_trial_has_a_point_interval():
    assert t_interval([4.0]).low == t_interval([4.0]).high == 4.0


def test_bootstrap_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(4)
    inside = 0
    for trial in range(200):
        interval = bootstrap_interval(rng.normal(1.0, 1.0, 40), seed=trial, draws=400)
        inside += interval.low <= 1.0 <= interval.high
    assert 0.88 <= inside / 200 <= 0.99


def test_the_bootstrap_is_scipys_bca():
    x = np.random.default_rng(6).lognormal(0.0, 1.0, 30)
    expected = stats.bootstrap((x,), np.mean, method="BCa", n_resamples=9999, rng=np.random.default_rng(0))
    found = bootstrap_interval(x)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval))
    # what BCa is for: with a long tail above, more of the interval lies above
    assert found.high - found.mean > 1.2 * (found.mean - found.low)


def test_seeds_stay_paired_in_the_bootstrap_of_a_reduction():
    rng = np.random.default_rng(7)
    theirs = rng.uniform(1.0, 5.0, 30)
    ours = 0.6 * theirs + rng.normal(0.0, 0.01, 30)
    paired, apart = paired_reduction(ours, theirs), paired_reduction(rng.permutation(ours), theirs)
    assert paired.high - paired.low < 0.1 * (apart.high - apart.low)
    assert paired.low < 0.4 < paired.high


@pytest.mark.parametrize("values", [[4.0], [4.0, 4.0, 4.0]])
def test_what_does_not_vary_has_a_point_interval(values):
    found = bootstrap_interval(values)
    assert found.low == found.mean == found.high == 4.0


def test_a_mean_of_nothing_has_no_interval():
    assert np.isnan(bootstrap_interval([1.0, np.nan]).low)


def test_paired_reduction_is_exact_when_one_is_a_multiple_of_the_other():
    theirs = np.random.default_rng(5).uniform(1, 2, 20)
    interval = paired_reduction(0.6 * theirs, theirs)
    assert (interval.mean, interval.low, interval.high) == pytest.approx((0.4, 0.4, 0.4))
