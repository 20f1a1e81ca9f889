"""The action product and the slot layouts: cost, spans and opportunity spacing must tell one story."""

import itertools

import numpy as np
import pytest
from slot_list import slot_uses

from core.errors import ScenarioError
from core.network import (
    Actions,
    Options,
    Routes,
    Topology,
    combine,
    direction_options,
    find_routes,
    slot_layouts,
)
from core.network import actions as action_module
from core.scenario import SLOT_PATTERNS, Scenario

Candidates = tuple[Actions, Options, Options, Routes, Routes]


def candidates(scenario: Scenario, patterns: tuple[str, ...] = SLOT_PATTERNS, nodes: int = 6) -> Candidates:
    rng = np.random.default_rng(8)
    snr = rng.uniform(-8.0, 16.0, (nodes, nodes))
    np.fill_diagonal(snr, -np.inf)
    rayleigh = rng.random((nodes, nodes)) < 0.3
    ul_routes, dl_routes = find_routes(scenario, Topology(snr, rayleigh, rayleigh, ~rayleigh))
    ul, dl = (direction_options(scenario, r, 3.0) for r in (ul_routes, dl_routes))
    return combine(scenario, ul, dl, patterns), ul, dl, ul_routes, dl_routes


WIDE_OPEN = Scenario().replace(**{"network.slots": 450, "network.deadline_ms": 1000.0})


def test_product_is_complete_and_ordered() -> None:
    actions, ul, dl, *_ = candidates(WIDE_OPEN)
    expected = [
        (i, p, u, d)
        for i in range(len(ul.offsets) - 1)
        for p in range(len(SLOT_PATTERNS))
        for u in range(ul.offsets[i], ul.offsets[i + 1])
        for d in range(dl.offsets[i], dl.offsets[i + 1])
    ]
    got = zip(actions.loop, actions.pattern, actions.ul, actions.dl, strict=True)
    assert [tuple(int(x) for x in row) for row in got] == expected
    np.testing.assert_array_equal(actions.offsets, np.searchsorted(actions.loop, np.arange(len(ul.offsets))))


def test_cost_spans_and_spacing_follow_from_the_layout() -> None:
    actions, ul, dl, ul_routes, dl_routes = candidates(WIDE_OPEN)
    gap = WIDE_OPEN.network.processing_gap_slots
    rng = np.random.default_rng(0)
    for index in rng.choice(len(actions.loop), 400, replace=False):
        layout = slot_uses(WIDE_OPEN, actions, ul, dl, ul_routes, dl_routes, int(index))
        occupied = [s for use in layout for s in range(use.slot, use.slot + use.length)]
        assert len(set(occupied)) == len(occupied)
        idle = gap if SLOT_PATTERNS[actions.pattern[index]] == "gap" else 0
        assert len(occupied) + idle == actions.slots[index]
        assert min(occupied) == 0
        assert max(occupied) + 1 == actions.slots[index]
        assert actions.tau_opp_s[index] == pytest.approx((max(occupied) + 1) * WIDE_OPEN.network.tau_slot_s)
        for direction, span, option, options, routes in (
            ("ul", actions.span_ul, actions.ul, ul, ul_routes),
            ("dl", actions.span_dl, actions.dl, dl, dl_routes),
        ):
            mine = [use for use in layout if use.direction == direction]
            m = option[index]
            assert span[index] == mine[-1].slot + mine[-1].length - mine[0].slot
            # Every hop and reserved attempt, in order, over the route's links.
            path = routes.nodes[options.route[m]]
            assert [(u.hop, u.attempt) for u in mine] == list(
                itertools.product(range(options.hops[m]), range(1 + options.n_re[m]))
            )
            assert all((u.tx, u.rx) == (path[u.hop], path[u.hop + 1]) for u in mine)
            assert all(u.length == -(-options.n[m] // WIDE_OPEN.network.symbols_per_slot) for u in mine)
            assert [u.slot for u in mine] == sorted(u.slot for u in mine)


@pytest.mark.parametrize(
    ("pattern", "order"),
    [
        ("ul-first", ["ul0", "ul1", "ul2", "dl0", "dl1"]),
        ("dl-first", ["dl0", "dl1", "ul0", "ul1", "ul2"]),
        ("interleaved", ["ul0", "dl0", "ul1", "dl1", "ul2"]),
        ("gap", ["ul0", "ul1", "ul2", "dl0", "dl1"]),
    ],
)
def test_order_of_hops(pattern: str, order: list[str]) -> None:
    actions, ul, dl, ul_routes, dl_routes = candidates(WIDE_OPEN, (pattern,))
    long_ul_short_dl = np.flatnonzero(
        (ul.hops[actions.ul] == 3)
        & (dl.hops[actions.dl] == 2)
        & (ul.n_re[actions.ul] == 0)
        & (dl.n_re[actions.dl] == 0)
    )
    layout = slot_uses(WIDE_OPEN, actions, ul, dl, ul_routes, dl_routes, int(long_ul_short_dl[0]))
    assert [f"{u.direction}{u.hop}" for u in layout] == order


def test_interleaving_never_shortens_a_span() -> None:
    actions, ul, dl, *_ = candidates(WIDE_OPEN, ("interleaved",))
    assert np.all(actions.span_ul >= ul.slots[actions.ul])
    assert np.all(actions.span_dl >= dl.slots[actions.dl])
    several = (ul.hops[actions.ul] > 1) & (dl.hops[actions.dl] > 1)
    assert np.all(actions.span_dl[several] > dl.slots[actions.dl][several])
    assert np.all(actions.span_ul <= actions.slots)


def test_frame_and_deadline_bound_the_product() -> None:
    everything, *_ = candidates(WIDE_OPEN)
    tight = WIDE_OPEN.replace(**{"network.slots": 40})
    fits, *_ = candidates(tight)
    assert len(fits.loop) == np.count_nonzero(everything.slots <= 40)
    assert fits.slots.max() <= 40
    # 22 ms are 40 slots of 0.55 ms: an interleaved span may break a deadline that its options meet.
    late, ul, dl, *_ = candidates(WIDE_OPEN.replace(**{"network.deadline_ms": 22.0}), ("interleaved",))
    assert max(late.span_ul.max(), late.span_dl.max()) <= 40
    assert len(late.loop) < sum(int(a) * int(b) for a, b in zip(np.diff(ul.offsets), np.diff(dl.offsets), strict=True))


def test_layouts_of_many_equal_layouts_of_one() -> None:
    actions, ul, dl, ul_routes, dl_routes = candidates(WIDE_OPEN)
    indices = np.array([5, 0, len(actions.loop) - 1, 77])
    many = slot_layouts(WIDE_OPEN, actions, ul, dl, ul_routes, dl_routes, indices)
    for q, index in enumerate(indices):
        rows = slice(many.offsets[q], many.offsets[q + 1])
        one = slot_uses(WIDE_OPEN, actions, ul, dl, ul_routes, dl_routes, int(index))
        np.testing.assert_array_equal(many.slot[rows], [u.slot for u in one])
        np.testing.assert_array_equal(many.rx[rows], [u.rx for u in one])
        np.testing.assert_array_equal(many.direction[rows], [u.direction == "dl" for u in one])
    none = slot_layouts(WIDE_OPEN, actions, ul, dl, ul_routes, dl_routes, np.zeros(0, dtype=np.int64))
    assert len(none.slot) == 0


@pytest.mark.parametrize("slots", [0, 7, 160])
def test_loops_without_routes_have_no_actions(slots: int) -> None:
    scenario = Scenario().replace(**{"network.slots": slots, "network.min_link_snr_db": 6.0})
    actions, ul, *_ = candidates(scenario)
    counts = np.diff(actions.offsets)
    assert len(counts) == 5
    unreachable = np.diff(ul.offsets) == 0
    assert unreachable.tolist() == [True, False, False, True, False]
    assert np.all(counts[unreachable] == 0)
    assert (counts.sum() > 0) == (slots == 160)


@pytest.mark.parametrize("at_once", [1, 400_000])
def test_more_actions_than_can_be_looked_at_are_refused_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    whole = candidates(WIDE_OPEN)[0]
    monkeypatch.setattr(action_module, "_AT_ONCE", at_once)  # pieces of one loop each, or of all
    monkeypatch.setattr(action_module, "MOST_ACTIONS", len(whole.loop))
    again = candidates(WIDE_OPEN)[0]
    for name, column in vars(whole).items():
        np.testing.assert_array_equal(getattr(again, name), column)
    monkeypatch.setattr(action_module, "MOST_ACTIONS", len(whole.loop) // 2)
    with pytest.raises(ScenarioError, match=r"fewer of the 3 network\.blocklengths"):
        candidates(WIDE_OPEN)
    with pytest.raises(ScenarioError, match="leave formulation 'paper'"):
        candidates(WIDE_OPEN.replace(formulation="paper"))
