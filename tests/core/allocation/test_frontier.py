"""The frontier kernel against the definition, on smooth, tied, infinite and nearly equal coordinates."""

import itertools

import moocore
import numpy as np
import pytest
from definitions import frontier_by_definition

from core.allocation import certified_frontier, dominates, frontier, frontier_mask
from core.allocation.frontier import SIGN, _undominated
from core.errors import SafeExplorerError


def test_hand_example():
    #            D_ul  D_dl  T     rho_ul rho_dl
    q = np.array(
        [
            [1.0, 1.0, 0.25, 0.90, 0.90],
            [1.0, 1.0, 0.25, 0.95, 0.90],  # beats the first at the same cost
            [2.0, 2.0, 0.50, 0.80, 0.80],  # worst certificate but cheapest
            [1.0, 1.0, 0.25, 0.95, 0.90],  # equal to the second: kept once
            [1.0, 1.0, 0.25, 0.99, 0.99],
        ]
    )  # best certificate, dearest
    slots = np.array([8, 8, 4, 8, 16])
    assert certified_frontier(q, slots).tolist() == [False, True, True, False, True]


def test_delivery_counts_upwards_and_the_rest_downwards():
    better_rho = np.array([[1, 1, 1, 0.5, 0.5], [1, 1, 1, 0.5, 0.6]], float)
    assert certified_frontier(better_rho, [4, 4]).tolist() == [False, True]
    better_delay = np.array([[1, 1, 1, 0.5, 0.5], [1, 0.9, 1, 0.5, 0.5]], float)
    assert certified_frontier(better_delay, [4, 4]).tolist() == [False, True]
    assert certified_frontier(better_delay * 0 + 1, [5, 4]).tolist() == [False, True]


def test_empty_and_single():
    assert certified_frontier(np.empty((0, 5)), []).tolist() == certified_frontier([], []).tolist() == []
    assert certified_frontier(np.ones((1, 5)), [3]).tolist() == [True]


@pytest.mark.parametrize("levels", [1, 2, 3, 6, 1000])
def test_equals_the_definition(levels):
    rng = np.random.default_rng(levels)
    for _ in range(30):
        size = int(rng.integers(0, 45))
        q = rng.integers(0, levels, (size, 5)) / levels
        slots = rng.integers(1, levels + 2, size)
        assert np.array_equal(certified_frontier(q, slots), frontier_by_definition(q, slots))


@pytest.mark.parametrize("levels", [1, 2, 3, 6, 1000])
def test_by_bits_equals_the_definition_too(levels):
    rng = np.random.default_rng(levels)
    for size in [0, 1, 2, 63, 64, 65, *rng.integers(0, 45, 10)]:
        x = rng.integers(0, levels, (size, 6)) / levels
        x[rng.random(x.shape) < 0.02] = np.inf
        columns = np.ascontiguousarray((x * SIGN).T)
        found = _undominated(columns, np.argsort(columns, axis=1))
        assert np.array_equal(found, frontier_by_definition(x[:, :5], x[:, 5]))


@pytest.mark.parametrize("digits", [16, 2])
def test_a_crowded_frontier_is_compared_by_bits_and_stays_the_same(digits, monkeypatch):
    """Almost everything is on the frontier of the middle loop; copies and beaten ones are among them."""
    rng = np.random.default_rng(digits)
    x = rng.random((230, 6))
    x = np.round(x / x.sum(axis=1, keepdims=True), digits)
    x = np.vstack([rng.random((20, 6)), x, x[::40], x[::50] + 0.01, rng.random((30, 6))]) * SIGN
    offsets = np.array([0, 20, len(x) - 30, len(x)])
    by_bits = []
    monkeypatch.setattr(frontier, "_undominated", lambda *given: by_bits.append(given) or _undominated(*given))
    mask = frontier_mask(x, offsets)
    assert len(by_bits) == 1
    for a, b in itertools.pairwise(offsets):
        assert np.array_equal(mask[a:b], frontier_by_definition(x[a:b, :5], x[a:b, 5]))


def test_coordinates_one_rounding_apart():
    """Keys that round to the same number may put a dominator after what it dominates; the result must not change."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        q = 1.0 + rng.integers(0, 3, (25, 5)) * 2.0**-52
        q[:2] = [1e3, 1e3, 1e3, -1e3, -1e3]  # widens the scale, so that one rounding is lost in the key
        slots = np.full(25, 500)
        slots[:2] = 1000, 1
        assert np.array_equal(certified_frontier(q, slots), frontier_by_definition(q, slots))


def test_infinite_interaction_bound_is_an_ordinary_worst_value():
    q = np.array([[1, 1, np.inf, 0.9, 0.9], [1, 1, 0.5, 0.9, 0.9], [1, 1, np.inf, 0.99, 0.9]])
    assert certified_frontier(q, [4, 4, 4]).tolist() == [False, True, True]


def test_agrees_with_moocore_at_scale():
    rng = np.random.default_rng(2)
    simplex = rng.random((800, 6))
    simplex /= simplex.sum(axis=1, keepdims=True)  # anti-correlated: every row is on the front
    for x in (rng.random((3000, 6)), simplex, rng.integers(0, 9, (1500, 6)).astype(float)):
        mask = frontier_mask(x * SIGN, np.array([0, len(x)]))
        assert np.array_equal(mask, moocore.is_nondominated(x))  # moocore too keeps the first of equal rows


def test_loops_do_not_see_each_other():
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 30, 25)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    coords = rng.integers(0, 5, (offsets[-1], 6)).astype(float)
    mask = frontier_mask(coords, offsets)
    for a, b in itertools.pairwise(offsets):
        assert np.array_equal(mask[a:b], frontier_by_definition(coords[a:b, :5], coords[a:b, 5]))


def test_candidates_left_out_neither_stay_nor_dominate():
    rng = np.random.default_rng(4)
    coords = rng.integers(0, 4, (60, 6)).astype(float)
    coords[7] = np.nan  # a candidate without a certificate
    keep = rng.random(60) < 0.6
    keep[7] = False
    offsets = np.array([0, 25, 25, 60])
    mask = frontier_mask(coords, offsets, keep)
    assert not mask[~keep].any()
    for a, b in itertools.pairwise(offsets):
        rows = np.arange(a, b)[keep[a:b]]
        assert np.array_equal(mask[rows], frontier_by_definition(coords[rows, :5], coords[rows, 5]))


def test_nan_is_refused():
    with pytest.raises(SafeExplorerError, match="NaN"):
        certified_frontier([[1, 1, np.nan, 0.5, 0.5]], [1])


@pytest.mark.parametrize(
    ("certificates", "slots"),
    [
        ((5, 10), (10,)),  # transposed
        ((10, 5), (9,)),
        ((10, 5), (10, 1)),
        ((10, 6), (10,)),
        ((50,), (10,)),
        ((0, 5), (3,)),
        ((3, 5), (0,)),
    ],
)
def test_other_shapes_are_refused(certificates, slots):
    with pytest.raises(SafeExplorerError) as refused:
        certified_frontier(np.ones(certificates), np.ones(slots))
    assert f"certificates of shape {certificates} with slots of shape {slots}" in str(refused.value)


def test_dominates_counts_equality():
    a = np.array([1.0, 1.0, 1.0, 0.9, 0.9, 4.0])
    assert dominates(a, a)
    assert dominates(a, a + np.array([0, 0, 0, -0.1, 0, 1]))
    assert not dominates(a, a + np.array([0, 0, 0, 0.05, 0, 1]))
