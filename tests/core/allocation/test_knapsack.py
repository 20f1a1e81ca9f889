"""The knapsack kernels against the printed recurrence and against HiGHS."""

import numpy as np
import pytest
from definitions import knapsack_by_recurrence
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from core.allocation import DynamicProgram, solve_knapsack, solve_knapsack_csr
from core.errors import SafeExplorerError

TOLERANCE = 1e-9


def highs(values, slots, budget):
    """P2 as a 0-1 programme solved by HiGHS with no gap allowed."""
    v = np.concatenate([np.asarray(x, float) for x in values]) if values else np.empty(0)
    if not v.size:
        return 0.0
    s = np.concatenate([np.asarray(x, float) for x in slots])
    loop = np.repeat(np.arange(len(values)), [len(x) for x in values])
    rows = csr_matrix((np.ones(v.size), (loop, np.arange(v.size))), shape=(len(values), v.size))
    constraints = [LinearConstraint(rows, ub=1), LinearConstraint(s[None, :], ub=budget)]
    result = milp(
        -v, integrality=np.ones(v.size), bounds=Bounds(0, 1), constraints=constraints, options={"mip_rel_gap": 0.0}
    )
    assert result.status == 0
    return -result.fun


def flatten(values, slots):
    offsets = np.concatenate([[0], np.cumsum([len(x) for x in values])]).astype(np.int64)
    v = np.concatenate([np.asarray(x, float) for x in values]) if values else np.empty(0)
    s = np.concatenate([np.asarray(x, np.int64) for x in slots]) if slots else np.empty(0, np.int64)
    return v, s, offsets


def random_instance(rng, kind):
    loops = int(rng.integers(1, 9))
    sizes = rng.integers(0, 9, loops)
    budget = int(rng.integers(0, 50))
    if kind == "real":
        values = [rng.normal(1.0, 2.0, k) for k in sizes]
    elif kind == "ties":
        values = [rng.integers(-2, 4, k).astype(float) for k in sizes]
    elif kind == "equal":
        values = [np.full(k, 1.5) for k in sizes]
    elif kind == "saturating":
        values = [5 * rng.random() * (1 - 0.7 ** np.arange(1, k + 1)) for k in sizes]
    else:
        values = [rng.random(k) for k in sizes]
    slots = [rng.integers(1, 14, k) for k in sizes]
    if kind == "huge" and sizes[0]:
        values[0][0], slots[0][0] = 1000.0, budget
    if kind == "free" and sizes[0]:
        slots[0][0] = 0
    return values, slots, budget


KINDS = ["real", "ties", "equal", "saturating", "huge", "free"]


@pytest.mark.parametrize("kind", KINDS)
def test_value_equals_highs(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(60):
        values, slots, budget = random_instance(rng, kind)
        assert solve_knapsack(values, slots, budget).value == pytest.approx(
            highs(values, slots, budget), abs=1e-7, rel=1e-9
        )


@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_printed_recurrence(kind):
    rng = np.random.default_rng(100 + KINDS.index(kind))
    for _ in range(40):
        values, slots, budget = random_instance(rng, kind)
        _, value, curve = knapsack_by_recurrence(values, slots, budget)
        found = solve_knapsack(values, slots, budget)
        assert found.value == pytest.approx(value, abs=TOLERANCE)
        assert found.curve == pytest.approx(curve, abs=TOLERANCE)
        assert found.curve[-1] == found.value
        assert np.all(np.diff(found.curve) >= 0)
        chosen = [(v[j], s[j]) for v, s, j in zip(values, slots, found.choice, strict=True) if j >= 0]
        assert sum(v for v, _ in chosen) == pytest.approx(value, abs=TOLERANCE)
        assert sum(s for _, s in chosen) == found.slots_used <= budget


@pytest.mark.parametrize("kind", KINDS)
def test_reduction_keeps_the_optimum(kind):
    rng = np.random.default_rng(200 + KINDS.index(kind))
    for _ in range(40):
        values, slots, budget = random_instance(rng, kind)
        v, s, offsets = flatten(values, slots)
        whole = solve_knapsack_csr(v, s, offsets, budget)
        quick = solve_knapsack_csr(v, s, offsets, budget, curve=False)
        assert quick.value == pytest.approx(whole.value, abs=TOLERANCE)
        assert v[quick.choice[quick.choice >= 0]].sum() == pytest.approx(whole.value, abs=TOLERANCE)
        assert quick.slots_used <= budget
        assert quick.curve.size == 0


def test_reduction_at_scale_drops_most_items_and_no_value():
    rng = np.random.default_rng(9)
    loops, items, budget = 300, 30, 900
    slots = np.tile(np.arange(1, items + 1), (loops, 1))
    values = 10 * rng.random((loops, 1)) * (1 - np.exp(-slots / (4 + 8 * rng.random((loops, 1)))))
    offsets = np.arange(0, loops * items + 1, items)
    whole = DynamicProgram.of(values.ravel(), slots.ravel(), offsets, budget)
    quick = DynamicProgram.reduced(values.ravel(), slots.ravel(), offsets, budget)
    assert quick.item_cost.size < 0.2 * whole.item_cost.size
    assert quick.rows[-1] == pytest.approx(whole.rows[-1], rel=1e-12)


@pytest.mark.parametrize(
    ("values", "slots", "budget", "choice", "value"),
    [
        ([], [], 10, [], 0.0),
        ([[], []], [[], []], 10, [-1, -1], 0.0),
        ([[3.0], [4.0]], [[2], [2]], 0, [-1, -1], 0.0),
        ([[3.0], [4.0]], [[2], [2]], 2, [-1, 0], 4.0),
        ([[3.0], [4.0]], [[2], [2]], 4, [0, 0], 7.0),
        ([[-1.0, 0.0]], [[1, 1]], 5, [-1], 0.0),  # not worth sending
        ([[9.0], [1.0, 1.0]], [[100], [1, 1]], 99, [-1, 0], 1.0),  # one item larger than the frame
        ([[2.0], [3.0]], [[0], [4]], 3, [0, -1], 2.0),  # an item that costs nothing
        ([[-np.inf, 1.0]], [[1, 1]], 1, [1], 1.0),  # an action that is not available
    ],
)
def test_degenerate(values, slots, budget, choice, value):
    found = solve_knapsack(values, slots, budget)
    assert found.choice.tolist() == choice
    assert found.value == value
    assert found.curve.shape == (budget + 1,)


def test_ties_fewest_slots_then_earlier_loop_then_earlier_item():
    # Same value with 2 or 3 slots: the two-slot item, and of two equal ones the first.
    assert solve_knapsack([[5.0, 5.0, 5.0]], [[3, 2, 2]], 9).choice.tolist() == [1]
    # Two equal loops, room for one: the earlier is served.
    assert solve_knapsack([[5.0], [5.0]], [[2], [2]], 3).choice.tolist() == [0, -1]
    # One dear item or two cheap ones of the same total: the cheaper total wins.
    found = solve_knapsack([[4.0], [2.0], [2.0]], [[5], [2], [2]], 5)
    assert (found.choice.tolist(), found.slots_used) == ([-1, 0, 0], 4)


def test_one_table_answers_every_smaller_budget():
    rng = np.random.default_rng(12)
    values, slots, _ = random_instance(rng, "real")
    v, s, offsets = flatten(values, slots)
    table = DynamicProgram.of(v, s, offsets, 40)
    for b in range(41):
        alone = solve_knapsack_csr(v, s, offsets, b)
        assert table.choice(b).tolist() == alone.choice.tolist()
        assert table.curve[b] == alone.value
    assert solve_knapsack_csr(v, s, offsets, 40).marginal == pytest.approx(np.diff(table.curve))


@pytest.mark.parametrize(
    ("values", "slots", "budget", "says"),
    [
        ([[5.0]], [[1.9]], 1, "Item 0 of loop 0 costs 1.9 slots; give a whole number, 0 or more."),
        ([[1.0], [2.0, 3.0]], [[1], [1, -2]], 3, "Item 1 of loop 1 costs -2 slots"),
        ([[1.0]], [[np.nan]], 3, "Item 0 of loop 0 costs nan slots"),
        ([[1.0]], [[np.inf]], 3, "Item 0 of loop 0 costs inf slots"),
        ([[1.0]], [[1e300]], 3, "Item 0 of loop 0 costs 1e+300 slots"),
        ([[1.0]], [np.array([2**63], np.uint64)], 3, "Item 0 of loop 0 costs 9223372036854775808 slots"),
        ([[], [1.0, np.inf]], [[], [1, 1]], 3, "Item 1 of loop 1 has the value inf; give a finite number, or -inf"),
        ([[np.nan, 1.0]], [[1, 1]], 3, "Item 0 of loop 0 has the value nan"),
        ([[1.0]], [[1]], 2.9, "budget = 2.9 must be a whole number of slots, 0 or more."),
        ([[1.0]], [[1]], -1, "budget = -1 must be"),
        ([[1.0]], [[1]], np.nan, "budget = nan must be"),
        ([[1.0]], [[1]], None, "budget = None must be"),
        ([[1.0]], [], 3, "values has 1 loops but slots has 0"),
        ([[1.0], [1.0]], [[1], [1, 2]], 3, "Loop 1 has 1 values but 2 slot costs; give one cost per value."),
        ([[[1.0, 2.0]]], [[1, 2]], 3, "values of loop 0 must be one row of numbers, not an array of shape (1, 2)"),
        ([[1.0]], [3], 3, "slots of loop 0 must be one row of numbers, not an array of shape ()"),
        ([[[1.0], [1.0, 2.0]]], [[1, 2]], 3, "values of loop 0 must be one row of numbers"),
        ([["a"]], [[1]], 3, "values of loop 0 must hold numbers"),
    ],
)
def test_silent_nonsense_is_refused_with_advice(values, slots, budget, says):
    with pytest.raises(SafeExplorerError) as refused:
        solve_knapsack(values, slots, budget)
    assert says in str(refused.value)


@pytest.mark.parametrize("curve", [True, False])
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"values": [1.0, np.inf, 2.0]}, "Item 0 of loop 1 has the value inf"),
        ({"slots": [1, 2, 2.5]}, "Item 1 of loop 1 costs 2.5 slots"),
        ({"slots": [1, 2]}, "There are 3 values but 2 slot costs"),
        ({"offsets": [0, 1, 4]}, "begin with 0 and end with 3"),
        ({"offsets": [1, 2, 3]}, "begin with 0 and end with 3"),
        ({"offsets": []}, "begin with 0 and end with 3"),
        ({"offsets": [0.0, 1.5, 3.0]}, "offsets must be whole numbers"),
        ({"offsets": [0, 2, 1, 3]}, "offsets must not fall"),
        ({"budget": 2.9}, "budget = 2.9 must be"),
    ],
)
def test_flat_arrays_pass_the_same_door(changes, says, curve):
    good = {"values": [1.0, 2.0, 3.0], "slots": [1, 2, 2], "offsets": [0, 1, 3], "budget": 4}
    with pytest.raises(SafeExplorerError) as refused:
        solve_knapsack_csr(**{**good, **changes}, curve=curve)
    assert says in str(refused.value)
    assert solve_knapsack_csr(**good, curve=curve).value == 4.0


def test_whole_numbers_may_be_written_as_floats_and_arrays():
    plain = solve_knapsack([[3.0], [4.0]], [[2], [2]], 2)
    for values, slots, budget in (
        ([[3], [4]], [[2.0], [2.0]], 2.0),
        (np.array([[3.0], [4.0]]), np.array([[2], [2]], np.uint8), np.int64(2)),
        (((3.0, -np.inf), (4.0,)), ((2, 0), (2,)), np.float64(2)),
    ):
        found = solve_knapsack(values, slots, budget)
        assert (found.choice.tolist(), found.curve.tolist()) == (plain.choice.tolist(), plain.curve.tolist())
