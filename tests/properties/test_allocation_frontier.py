"""What must hold for any frontier of certificates and costs."""

import numpy as np
from definitions import frontier_by_definition
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import certified_frontier, dominates, solve_knapsack

rows = st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), max_size=30).map(
    lambda x: np.array(x, dtype=float).reshape(-1, 6)
)


def frontier(coords):
    return certified_frontier(coords[:, :5], coords[:, 5])


@given(rows)
def test_equals_the_definition(coords):
    assert np.array_equal(frontier(coords), frontier_by_definition(coords[:, :5], coords[:, 5]))


@given(rows)
def test_everything_dropped_is_covered_by_something_kept(coords):
    mask = frontier(coords)
    assert mask.any() == (len(coords) > 0)
    kept = coords[mask]
    for row in coords[~mask]:
        assert dominates(kept, row).any()


@given(rows)
def test_nothing_kept_covers_another_kept(coords):
    kept = coords[frontier(coords)]
    for i, row in enumerate(kept):
        covers = dominates(kept, row)
        covers[i] = False
        assert not covers.any()


@given(rows)
def test_the_frontier_of_the_frontier_is_itself(coords):
    assert frontier(coords[frontier(coords)]).all()


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_actions_changes_at_most_which_copy_is_kept(coords, random):
    order = np.array(random.sample(range(len(coords)), len(coords)), dtype=int)
    shuffled = coords[order]
    before = sorted(map(tuple, coords[frontier(coords)]))
    assert sorted(map(tuple, shuffled[frontier(shuffled)])) == before


@given(st.lists(rows, max_size=5), st.integers(0, 20), st.lists(st.integers(1, 5), min_size=6, max_size=6))
def test_any_monotone_value_is_safe_to_prune(swarm, budget, weights):
    """prop:frontier-sufficiency for every value that never falls when a certificate improves."""
    w = np.array(weights, dtype=float)
    worth = [5.0 * w[3:5].sum() + c[:, 3:5] @ w[3:5] - c[:, :3] @ w[:3] for c in swarm]
    slots = [c[:, 5].astype(int) + 1 for c in swarm]
    masks = [frontier(c) for c in swarm]
    whole = solve_knapsack(worth, slots, budget)
    pruned = solve_knapsack(
        [v[m] for v, m in zip(worth, masks, strict=True)], [s[m] for s, m in zip(slots, masks, strict=True)], budget
    )
    assert np.array_equal(pruned.curve, whole.curve)
