"""The twin's filter of measured links against the Gaussian conditional law, and against what policies pick."""

import numpy as np

from core.network.pairs import PairTable, pair_count
from core.twin import LinkEstimate


def test_filter_is_the_conditional_mean_of_all_measurements() -> None:
    """Covariances of (x_0 … x_3 and their noisy measurements) written out; the filter must give E[x_3 | y_0 … y_3]."""
    rng = np.random.default_rng(0)
    r, spread, noise = np.array([0.9, 0.8, 0.95]), np.array([3.0, 2.5, 2.8, 2.2]), 1.0
    y_db = rng.normal(0, 3, 4)
    decay = np.concatenate([[1.0], np.cumprod(r)])
    x_cov = np.minimum.outer(decay, decay) / np.maximum.outer(decay, decay)
    y_cov = x_cov + np.diag((noise / spread) ** 2)
    weights = np.linalg.solve(y_cov, x_cov[:, 3])
    links = LinkEstimate.unknown(2)
    for k in range(4):
        if k:
            links = links.moved(PairTable.constant(2, r[k - 1]))
        links = links.measured(y_db[k : k + 1], PairTable.constant(2, spread[k]), noise)
    assert np.isclose(links.mean[0], weights @ (y_db / spread))
    assert np.isclose(links.variance[0], 1.0 - weights @ x_cov[:, 3])


def test_serving_a_link_when_it_has_just_improved_does_not_bias_the_estimate() -> None:
    """A choice that depends on the past only cannot bias the filter; it does bias the newest measurement alone."""
    rng = np.random.default_rng(1)
    nodes, r, nu = 283, 0.9, 0.6
    shape = pair_count(nodes)
    x, links = rng.normal(size=shape), LinkEstimate.unknown(nodes)
    filtered, newest = np.zeros(shape), np.zeros(shape)
    for _ in range(25):
        x = r * x + np.sqrt(1 - r * r) * rng.normal(size=shape)
        y = x + nu * rng.normal(size=shape)
        links = links.moved(PairTable.constant(nodes, r)).measured(y, PairTable.constant(nodes, 1.0), nu)
        before, filtered, before_newest, newest = filtered, links.mean, newest, y / (1 + nu**2)
    for now, past, biased in ((filtered, before, False), (newest, before_newest, True)):
        error = (now - x)[now > past + 0.5]
        assert (abs(error.mean()) > 5 * error.std() / np.sqrt(error.size)) == biased


def test_without_noise_a_measurement_is_the_truth_and_without_movement_it_lasts() -> None:
    truth = np.random.default_rng(2).normal(size=3)
    links = LinkEstimate.unknown(3).measured(2.5 * truth, PairTable.constant(3, 2.5), 0.0)
    links = links.moved(PairTable.constant(3, 1.0))
    assert np.allclose(links.mean, truth)
    assert np.allclose(links.variance, 0.0)
    assert np.allclose(links.moved(PairTable.constant(3, 0.0)).variance, 1.0)


def test_exact_measurements_leave_nothing_to_learn() -> None:
    """twin.link_noise_db = 0: the estimate is the measurement, a second one of the same instant changes nothing."""
    spread, first = PairTable.constant(3, 4.0), np.full(3, 2.0)
    once = LinkEstimate.unknown(3).measured(first, spread, 0.0)
    assert np.array_equal(once.mean, first / 4.0)
    assert not once.variance.any()
    twice = once.measured(first, spread, 0.0)
    assert np.array_equal(twice.mean, once.mean)
    assert not twice.variance.any()
