"""One loop in focus: all its actions, judged by the one allocation of all loops and by nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from definitions import knapsack_by_recurrence

from core.allocation import VERDICTS, Verdict, allocate, coordinates, dominates
from core.errors import SafeExplorerError
from core.instant import Flight, Instant, takeoff
from core.network import attempt_failure
from core.scenario import FORMULATIONS, Scenario
from core.twin import Candidates, Exchange, certify
from core.twin.exchange import path

SWARM = Scenario().replace(**{"mission.uavs": 10, "network.slots": 60, "mission.duration_s": 8.0})
K = 19
CERTIFICATE = ("slots", "rho_ul", "rho_dl", "g", "T_cert", "D_ul", "D_dl", "mu1", "p11", "h_ul", "h_dl")


def at(change: dict[str, object] | None = None, k: int = K, seed: int = 4) -> Instant:
    here = Flight.of(takeoff(SWARM), seed=seed).instant(k)
    return here.replace(scenario=SWARM.replace(**(change or {})))


VARIANTS: list[dict[str, object]] = [
    {},
    {"formulation": "repaired"},
    {"formulation": "paper"},
    {"allocation.admission": "reach"},
    {"allocation.admission": "none"},
    {"network.snr_offset_db": -5.0, "network.slots": 40},
    {"network.patterns": ("gap", "dl-first"), "network.blocklengths": (1200, 600)},
    {"network.patterns": ("interleaved", "gap")},
    {"allocation.directional_pruning": False},
]


@pytest.mark.parametrize("change", VARIANTS)
def test_what_the_allocator_searches_is_found_again_in_the_whole_set(change: dict[str, object]) -> None:
    here = at(change)
    a, q = here.allocation, here.candidates
    for loop in range(10):
        offer = here.on(loop).offer
        own = slice(int(q.offsets[loop]), int(q.offsets[loop + 1]))
        assert len(np.unique(offer.rows)) == own.stop - own.start
        for name in CERTIFICATE:
            np.testing.assert_array_equal(getattr(offer.whole, name)[offer.rows], getattr(q, name)[own], err_msg=name)
        np.testing.assert_array_equal(offer.searched[offer.rows], np.arange(own.start, own.stop))
        np.testing.assert_array_equal(offer.verdict[offer.rows], a.verdict[own])
        np.testing.assert_array_equal(offer.frontier[offer.rows], a.frontier[own])
        np.testing.assert_array_equal(offer.appraisal.U[offer.rows], a.U[own])
        np.testing.assert_array_equal(offer.appraisal.admitted[offer.rows], a.admitted[own])
        assert offer.frontier.sum() == a.frontier[own].sum()
        for row in offer.rows[:: max(1, len(offer.rows) // 5)].tolist():
            assert Exchange.of(offer.whole, row) == Exchange.of(q, int(offer.searched[row]))


@pytest.mark.parametrize("change", VARIANTS)
def test_every_admitted_action_that_is_not_searched_is_beaten_or_equalled_by_one_on_the_frontier(
    change: dict[str, object],
) -> None:
    """So the allocator misses nothing, and "dominated" is true of all of them."""
    here = at(change)
    seen = 0
    for loop in range(10):
        offer, q = here.on(loop).offer, here.candidates
        own = np.arange(q.offsets[loop], q.offsets[loop + 1])
        front = coordinates(q, own[here.allocation.frontier[own]])
        left_out = np.flatnonzero((offer.searched < 0) & offer.appraisal.admitted)
        for row in left_out[:: max(1, len(left_out) // 40)]:
            assert dominates(front, coordinates(offer.whole)[row]).any()
            assert VERDICTS[offer.verdict[row]] is Verdict.DOMINATED
            seen += 1
    all_searched = not {"ul-first", "dl-first"} & set(here.scenario.network.patterns)
    assert seen > 0 or all_searched or not here.allocation.admitted.any()  # the printed envelope admits next to nothing


def p2_with_the_loop_restricted(here: Instant, loop: int, U: float, slots: int) -> float:
    """P2's value by the printed recurrence when one loop has this action and must take it."""
    a, q = here.allocation, here.candidates
    values, costs = [], []
    for i, (low, high) in enumerate(itertools.pairwise(q.offsets.tolist())):
        rows = np.flatnonzero(a.frontier[low:high]) + low
        values.append(np.array([U]) if i == loop else a.U[rows])
        costs.append(np.array([slots]) if i == loop else q.slots[rows])
    return float(knapsack_by_recurrence(values, costs, a.budget - a.reserve, forced=(loop, 0))[1])


@pytest.mark.parametrize("change", [*VARIANTS[:6], {"allocation.sync_exchanges": 3, "network.snr_offset_db": -6.0}])
def test_what_forcing_an_action_costs_is_what_p2_loses_with_it_imposed(change: dict[str, object]) -> None:
    here = at(change)
    rng = np.random.default_rng(7)
    losses = []
    for loop in (0, 4, 9):
        offer = here.on(loop).offer
        if len(offer.whole.slots) == 0:
            continue
        for row in rng.choice(len(offer.whole.slots), 6, replace=False).tolist():
            action = offer.action(row)
            total = p2_with_the_loop_restricted(here, loop, action.U, action.slots)
            expected = here.allocation.value - total
            assert action.loss == pytest.approx(expected, rel=1e-9, abs=1e-6)
            assert offer.loss[row] == action.loss
            losses.append(action.loss)
    assert len(set(losses)) > 5


def test_a_reserve_was_among_what_was_tried() -> None:
    assert at({"allocation.sync_exchanges": 3, "network.snr_offset_db": -6.0}).allocation.reserve > 0


def with_longer_actions(here: Instant, frame: int) -> Candidates:
    return certify(here.scenario, here.topology, here.calibration, here.states.c_fail, frame=frame)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("slots", [1, 3, 8, 9, 15, 31, 60, 140])
def test_the_next_useful_frame_is_the_first_that_is_worth_more_when_solved_again(formulation: str, slots: int) -> None:
    """Also when the actions that would gain do not fit into today's frame."""
    here = at({"network.slots": slots, "formulation": formulation, "allocation.sync_exchanges": 0})
    offer = with_longer_actions(here, here.longest)
    rest = (here.scenario, here.model, offer, here.states)
    now = allocate(*rest, plan=here.plan, budget=slots)
    assert now.value == pytest.approx(here.allocation.value)
    more = here.next_useful
    for longer in range(slots + 1, here.longest + 1):
        then = allocate(*rest, plan=here.plan, budget=longer)
        if then.value > now.value + now.rounding:
            assert more is not None
            assert (more.slots, more.gain) == (longer, pytest.approx(then.value - now.value))
            break
    else:
        assert more is None
    curve = here.curve
    assert len(curve) == min(slots + 60, here.longest) + 1
    for b in range(0, len(curve), 7):
        assert curve[b] == pytest.approx(allocate(*rest, plan=here.plan, budget=b).value)


def test_ten_slots_help_where_eight_hold_nothing() -> None:
    here = Flight.of(takeoff(Scenario())).instant(60)
    here = here.replace(scenario=here.scenario.replace(**{"network.slots": 8}))
    assert here.next_useful is not None
    longer = here.replace(scenario=here.scenario.replace(**{"network.slots": here.next_useful.slots}))
    assert here.next_useful.slots == 10
    assert longer.allocation.value > here.allocation.value


def test_the_value_is_the_curve_at_what_the_reserve_leaves() -> None:
    here = at({"allocation.sync_exchanges": 3, "network.snr_offset_db": -6.0})
    a = here.allocation
    assert a.reserve > 0
    np.testing.assert_array_equal(here.curve[: a.budget + 1], a.curve)
    assert here.curve[a.budget - a.reserve] == a.value < here.curve[a.budget]
    assert a.price_of_reserve == here.curve[a.budget] - a.value


def test_the_longest_frame_fits_into_a_period_and_may_be_asked_for() -> None:
    for change in ({}, {"network.slot_ms": 1.0}, {"control.Ts": 0.1, "network.slots": 100}):
        s = SWARM.replace(**change)
        here = Flight.of(takeoff(s)).instant(0).replace(scenario=s)
        s.replace(**{"network.slots": here.longest})
        with pytest.raises(SafeExplorerError):
            s.replace(**{"network.slots": here.longest + 1})


@pytest.mark.parametrize("change", VARIANTS)
def test_the_allocators_choice_is_the_one_in_the_frame(change: dict[str, object]) -> None:
    here = at(change)
    for loop in range(10):
        focus, row = here.on(loop), int(here.allocation.choice[loop])
        assert focus.served == (row >= 0)
        if row < 0:
            assert focus.chosen is None
            assert "Chosen" not in focus.sentence
            continue
        assert focus.chosen is not None
        assert focus.chosen.exchange == Exchange.of(here.candidates, row)
        assert focus.held == focus.chosen
        assert focus.chosen.verdict in (Verdict.CHOSEN, Verdict.SYNCHRONISATION)
        assert int((here.frame.loop == loop).sum()) > 0


def test_an_action_is_held_whatever_the_allocator_prefers() -> None:
    here = at()
    loop = int(np.flatnonzero(here.allocation.choice >= 0)[0])
    key = here.on(loop).chosen.key
    moved = 0
    for beta in (0.005, 0.05, 0.2, 0.45):
        focus = here.replace(scenario=here.scenario.replace(**{"twin.beta": beta})).on(loop, key)
        assert focus.held is not None
        assert focus.held.key == key
        assert focus.action(key) == focus.held
        moved += focus.chosen is None or focus.chosen.key != key
    assert moved > 0
    rhos = [
        here.replace(scenario=here.scenario.replace(**{"twin.beta": b})).on(loop, key).held.rho_ul
        for b in (0.3, 0.1, 0.02, 0.005)
    ]
    assert rhos == sorted(rhos, reverse=True)  # a surer twin promises less of the same action


def test_every_key_names_its_own_action_and_no_other() -> None:
    here = at()
    offer = here.on(3).offer
    keys = {Exchange.of(offer.whole, row).key for row in range(len(offer.whole.slots))}
    assert len(keys) == len(offer.whole.slots)
    for row in range(0, len(offer.whole.slots), 97):
        assert offer.row_of(Exchange.parse(Exchange.of(offer.whole, row).key)) == row
    assert set(offer.distinct["key"]) <= keys
    for n, key in enumerate(offer.distinct["key"][::50]):
        action = here.on(3).action(key)
        assert (action.slots, action.rho_ul) == (offer.distinct["slots"][50 * n], offer.distinct["rho_ul"][50 * n])
        assert (action.exchange.route, action.exchange.coding) == (
            offer.spelled["route"][50 * n],
            offer.spelled["coding"][50 * n],
        )
    assert offer.distinct["many"].sum() == len(offer.whole.slots)


def test_the_weakest_hop_is_the_one_whose_attempts_fail_most() -> None:
    here = at()
    for loop in range(10):
        focus = here.on(loop)
        action = focus.held
        s = here.scenario
        for way, nodes, n, bits, margins, routes in (
            (0, action.exchange.ul, action.exchange.n[0], s.network.bits_ul, "margin_ul_db", "ul_routes"),
            (1, action.exchange.dl, action.exchange.n[1], s.network.bits_dl, "margin_dl_db", "dl_routes"),
        ):
            found = focus.ways[way]
            links = list(itertools.pairwise(nodes))
            snr = [here.topology.snr_db[tx, rx] for tx, rx in links]
            rayleigh = [here.topology.rayleigh[tx, rx] for tx, rx in links]
            eps = [
                float(attempt_failure(s, x - found.margin_db, r, n, bits)) for x, r in zip(snr, rayleigh, strict=True)
            ]
            assert found.eps == max(eps)
            assert found.snr_db == pytest.approx(snr[found.hop])
            kept = getattr(focus.offer.whole, routes)
            row = next(r for r in range(len(kept.loop)) if path(kept.nodes[r]) == nodes)
            assert found.margin_db == getattr(focus.offer.whole, margins)[row]


@pytest.mark.parametrize("change", [{"network.slots": 1}, {"network.snr_offset_db": -20.0}, {"network.slots": 0}, {}])
def test_axes_are_finite_and_wide_even_where_there_is_nothing(change: dict[str, object]) -> None:
    here = at(change)
    for loop in range(10):
        focus = here.on(loop)
        for name, (low, high) in focus.extent.items():
            assert np.isfinite([low, high]).all(), name
            assert low < high, name
        assert all(count >= 0 for count in focus.counts.values())
        v, sigma = focus.hold_corner
        assert 0.0 <= v <= 1.2
        assert here.model.sigma_min <= sigma <= here.model.sigma_max
    assert here.on(0).distinct["slots"].dtype == np.int64


def test_a_uav_beyond_the_swarm_is_refused_in_words() -> None:
    with pytest.raises(SafeExplorerError, match="There is no UAV 200: the swarm has 10, choose one from 1 to 10"):
        at().on(199)
    with pytest.raises(SafeExplorerError, match="from 1 to 10"):
        at().on(-1)


def test_the_corner_of_holding_is_where_holding_stops() -> None:
    here = at()
    focus = here.on(2)
    v, sigma = focus.hold_corner
    m = here.model
    state = focus.state

    def may_hold(V: float, tr_sigma: float) -> bool:
        after_V, after_sigma = m.hold_map(V, tr_sigma, state.c)
        return bool(after_V <= m.V_max) and bool(after_sigma <= m.sigma_max)

    assert may_hold(v * m.V_max, m.sigma_min)
    assert not may_hold((v + 0.002) * m.V_max, m.sigma_min)
    assert may_hold(0.0, sigma)


def test_state_and_flown_state_of_the_loop() -> None:
    here = at().replace(focus=3, V=5.0, c=7)
    focus = here.on(3)
    assert (focus.state.V, focus.state.c) == (5.0, 7)
    assert focus.flown["v_ratio"] == pytest.approx(at().states.V[3] / here.model.V_max)
    assert focus.flown["c"] == at().states.c[3]
    paper = at({"formulation": "paper"}).replace(focus=3, c=7, c_fail=2)
    assert (paper.on(3).state.c_for_drift, focus.state.c_for_drift) == (2, 7)
