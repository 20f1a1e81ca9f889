"""D17: pruned options equal brute force, and the product keeps its frontier."""

import numpy as np

from core.network import Options, combine, prune_options
from core.scenario import Scenario


def random_options(seed: int, loops: int = 12, levels: int = 4) -> Options:
    """Few levels per coordinate, so that ties and equal options occur; some loops are empty."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 30, loops)
    m = counts.sum()
    hops = rng.integers(1, 4, m)
    return Options(
        loop=np.repeat(np.arange(loops), counts),
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        route=np.arange(m),
        hops=hops,
        n=np.full(m, 600),
        n_re=rng.integers(0, 3, m),
        slots=4 * hops * rng.integers(1, levels, m),
        failure_nominal=rng.integers(1, levels, m) / 10,
        failure_worst=rng.integers(1, levels, m) / 5,
    )


def brute_force(options: Options) -> list[int]:
    coordinates = list(zip(options.slots, options.failure_worst, options.failure_nominal, strict=True))
    kept = []
    for a, mine in enumerate(coordinates):
        beaten = False
        for b, other in enumerate(coordinates):
            if options.loop[b] != options.loop[a] or a == b:
                continue
            if all(x <= y for x, y in zip(other, mine, strict=True)) and (other != mine or b < a):
                beaten = True
        if not beaten:
            kept.append(a)
    return kept


def test_equals_brute_force() -> None:
    for seed in range(8):
        options = random_options(seed, levels=4 + 10 * (seed % 2))
        pruned = prune_options(options)
        np.testing.assert_array_equal(pruned.route, brute_force(options))
        assert 0 < len(pruned.loop) < len(options.loop)
        for i in range(len(options.offsets) - 1):
            assert np.all(pruned.loop[pruned.offsets[i] : pruned.offsets[i + 1]] == i)
            assert (pruned.offsets[i + 1] > pruned.offsets[i]) == (options.offsets[i + 1] > options.offsets[i])


def test_every_action_of_the_full_product_is_dominated_by_one_of_the_pruned_product() -> None:
    scenario = Scenario()
    ul, dl = random_options(1), random_options(2)
    pruned_ul, pruned_dl = prune_options(ul), prune_options(dl)
    for pattern in ("ul-first", "dl-first"):
        full, small = combine(scenario, ul, dl, [pattern]), combine(scenario, pruned_ul, pruned_dl, [pattern])

        def coordinates(actions, up, down):
            return np.column_stack(
                [
                    actions.slots,
                    actions.span_ul,
                    actions.span_dl,
                    up.failure_worst[actions.ul],
                    up.failure_nominal[actions.ul],
                    down.failure_worst[actions.dl],
                    down.failure_nominal[actions.dl],
                ]
            )

        everything, kept = coordinates(full, ul, dl), coordinates(small, pruned_ul, pruned_dl)
        for i in range(len(ul.offsets) - 1):
            best = kept[small.offsets[i] : small.offsets[i + 1]]
            for row in everything[full.offsets[i] : full.offsets[i + 1]]:
                assert np.any(np.all(best <= row, axis=1))


def test_pruning_twice_changes_nothing() -> None:
    once = prune_options(random_options(3))
    np.testing.assert_array_equal(prune_options(once).route, once.route)


def test_nothing_to_prune() -> None:
    empty = random_options(0).take(np.zeros(0, dtype=np.int64))
    pruned = prune_options(empty)
    assert len(pruned.loop) == 0
    assert len(pruned.offsets) == 13


def test_take_keeps_empty_loops_aligned() -> None:
    options = random_options(4)
    taken = options.take(options.loop != 5)
    assert np.diff(taken.offsets)[5] == 0
    assert taken.offsets[-1] == len(taken.loop)


def test_an_option_without_a_margin_never_beats_one_that_has_it() -> None:
    """However few slots it takes: it cannot be certified, so the other may be on the frontier."""
    options = random_options(3)
    bounded = np.random.default_rng(4).random(options.slots.size) < 0.5
    kept = prune_options(options, bounded).route
    alone = prune_options(options.take(bounded)).route
    assert np.array_equal(kept[bounded[kept]], alone)
    assert np.array_equal(prune_options(options, np.ones(bounded.size, bool)).route, prune_options(options).route)
