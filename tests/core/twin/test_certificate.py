"""Certificates of the whole candidate set against a per-object reading of the paper, and against the full product."""

import dataclasses
import math
import re

import numpy as np
import pytest

from core import Scenario
from core.allocation import certified_frontier
from core.folders import DATA
from core.network import Topology, attempt_failure, combine, prune_options, topology
from core.simulation import snapshot
from core.simulation.channel import Channel
from core.simulation.mission import reference
from core.twin import (
    FIRST_EVALUATION_SEED,
    Calibration,
    Candidates,
    certify,
    default_calibration,
    failure_tolerance,
    link_budget_db,
    predict,
)
from core.twin.certificate import RHO_STEPS, bidirectional_failure, delay_index, rho_steps
from core.twin.persistence import ChainCounts

DECISIONS = DATA.parent / "docs" / "DECISIONS.md"
SMALL = Scenario().replace(**{"mission.uavs": 7})


def view(scenario: Scenario = SMALL, seed: int = 3) -> Topology:
    return snapshot(scenario, seed=seed, cycle=40).topology


def candidates(scenario: Scenario = SMALL, *, full: bool = False, seed: int = 3, failed: bool = False) -> Candidates:
    c_fail = np.full(scenario.mission.uavs, int(failed))
    return certify(scenario, view(scenario, seed), default_calibration(), c_fail, full=full)


def path_failure(
    scenario: Scenario, snr_db: np.ndarray, rayleigh: np.ndarray, hops: int, n: int, n_re: int, bits: int
) -> float:
    """Chance that some hop uses up all its attempts."""
    success = 1.0
    for hop in range(hops):
        success *= 1.0 - float(attempt_failure(scenario, snr_db[hop], rayleigh[hop], n, bits)) ** (1 + n_re)
    return 1.0 - success


def test_rounding_only_weakens_a_certificate() -> None:
    """ρ is rounded down, so μ₁ can only be too large; whole delays stay what they are."""
    rng = np.random.default_rng(8)
    for worst_ul, worst_dl in rng.random((200, 2)) ** 6:
        ul, dl = rho_steps(worst_ul), rho_steps(worst_dl)
        assert 0.0 <= 1.0 - worst_ul - ul / RHO_STEPS < 1.001 / RHO_STEPS
        assert bidirectional_failure(ul, dl) >= min(1.0, worst_ul + worst_dl) - 1e-15
    assert rho_steps(0.0) == RHO_STEPS
    assert bidirectional_failure(RHO_STEPS // 2, RHO_STEPS // 3) == 1.0
    assert [delay_index(x * 0.25, 0.25) for x in (0.1, 1.0, 3.0, 3.001)] == [1, 1, 3, 4]


@pytest.mark.parametrize("offset", [-10.0, 0.0])
def test_every_coordinate_equals_the_per_object_reading(offset: float) -> None:
    s = SMALL.replace(**{"network.snr_offset_db": offset})
    c, calibration, net = candidates(s, full=True, failed=True), default_calibration(), s.network
    rows = np.random.default_rng(0).choice(c.g.size, 300, replace=False)
    for m in rows:
        rho, nominal, span = [], [], []
        for routes, options, option, bits in (
            (c.ul_routes, c.ul_options, c.actions.ul[m], net.bits_ul),
            (c.dl_routes, c.dl_options, c.actions.dl[m], net.bits_dl),
        ):
            r, n, n_re = options.route[option], options.n[option], options.n_re[option]
            hops = routes.hops[r]
            cls = 2 * (hops - 1) + routes.rayleigh[r, :hops].any()
            margin = calibration.margins(s.twin.beta)[cls, 1]
            worst = path_failure(s, routes.snr_db[r] - margin, routes.rayleigh[r], hops, n, n_re, bits)
            nominal.append(path_failure(s, routes.snr_db[r], routes.rayleigh[r], hops, n, n_re, bits))
            rho.append(1.0 - worst)
            span.append(hops * (1 + n_re) * math.ceil(n / net.symbols_per_slot))
        assert 0.0 <= rho[0] - c.rho_ul[m] + 1e-9 < 1.001 / RHO_STEPS
        assert 0.0 <= rho[1] - c.rho_dl[m] + 1e-9 < 1.001 / RHO_STEPS
        assert c.mu1[m] == pytest.approx(1.0 - max(0.0, c.rho_ul[m] + c.rho_dl[m] - 1.0), abs=1e-12)
        failure = 1.0 - (1.0 - nominal[0]) * (1.0 - nominal[1])
        assert c.p11[m] == pytest.approx(float(calibration.p11(failure, budget_db=link_budget_db(s))))
        assert c.g[m] == (failure_tolerance(c.mu1[m], c.p11[m], s.twin.H_T, s.twin.delta_T) or 0)
        assert c.T_cert[m] == pytest.approx(c.g[m] * s.control.Ts)
        if c.actions.pattern[m] != net.patterns.index("interleaved"):
            assert c.D_ul[m] == pytest.approx(span[0] * net.tau_slot_s)
            assert c.D_dl[m] == pytest.approx(span[1] * net.tau_slot_s)
        assert (c.h_ul[m], c.h_dl[m]) == (math.ceil(c.D_ul[m] / s.control.Ts), math.ceil(c.D_dl[m] / s.control.Ts))


def frontier_points(c: Candidates, loop: int) -> set[tuple[float, ...]]:
    rows = slice(c.offsets[loop], c.offsets[loop + 1])
    q, slots = c.certificates()[rows], c.slots[rows]
    keep = certified_frontier(q, slots) & (c.g[rows] > 0)
    return {(*point, float(s)) for point, s in zip(q[keep].round(9), slots[keep], strict=True)}


@pytest.mark.parametrize(
    "change", [{}, {"network.snr_offset_db": -10.0}, {"twin.beta": 0.3}, {"network.patterns": ("gap", "dl-first")}]
)
def test_the_online_set_has_the_same_frontier_as_the_full_product(change: dict[str, object]) -> None:
    s = SMALL.replace(**change)
    online, full = candidates(s), candidates(s, full=True)
    assert online.g.size < full.g.size / 10
    for loop in range(s.mission.uavs):
        assert frontier_points(online, loop) == frontier_points(full, loop)


def test_the_counts_of_d17() -> None:
    """The numbers in docs/DECISIONS.md: default scenario, seed 0, cycle 40."""
    s, (text,) = Scenario(), re.findall(r"^## D17 .*?(?=^## )", DECISIONS.read_text(encoding="utf-8"), re.M | re.S)
    topology, calm = snapshot(s, seed=0, cycle=40).topology, np.zeros(s.mission.uavs, np.int64)
    full, online = (certify(s, topology, default_calibration(), calm, full=f) for f in (True, False))
    ul, dl = prune_options(full.ul_options), prune_options(full.dl_options)
    compact = ("ul-first", "dl-first")
    product, pruned = (combine(s, u, d, compact).loop.size for u, d in ((full.ul_options, full.dl_options), (ul, dl)))
    assert f"{full.ul_options.n.size:,} → {ul.n.size:,} uplink options, {product:,} → {pruned:,} actions" in text
    assert f"({full.g.size:,} actions with all four patterns" in text
    assert f"{online.g.size:,} candidates online" in text


def test_the_printed_formulation_and_the_switch_keep_every_option() -> None:
    """The printed gate c < g is not monotone in g, so a dominated action may be the only one it admits (D17)."""
    pruned = candidates()
    for change in ({"formulation": "paper"}, {"allocation.directional_pruning": False}):
        whole = candidates(SMALL.replace(**change))
        assert whole.ul_options.n.size > pruned.ul_options.n.size
        assert set(whole.actions.pattern) == {0}


def test_without_a_compact_pattern_all_patterns_stay() -> None:
    s = SMALL.replace(**{"network.patterns": ("interleaved", "gap")})
    online, full = candidates(s), candidates(s, full=True)
    assert np.array_equal(online.certificates(), full.certificates())


def test_bounds_round_against_the_certificate() -> None:
    c = candidates(full=True)
    exact = 1.0 - c.ul_options.failure_worst[c.actions.ul]
    assert np.all(c.rho_ul <= exact)
    assert np.all(exact - c.rho_ul < 1.0 / RHO_STEPS)
    assert np.allclose(np.round(c.rho_ul * RHO_STEPS), c.rho_ul * RHO_STEPS, atol=1e-6)
    assert np.allclose(np.round(c.D_ul / SMALL.network.tau_slot_s), c.D_ul / SMALL.network.tau_slot_s)


def test_a_recent_failure_never_strengthens_a_certificate() -> None:
    calm, failed = candidates(full=True), candidates(full=True, failed=True)
    assert np.all(failed.margin_ul_db >= calm.margin_ul_db)
    assert np.all(failed.rho_ul <= calm.rho_ul)
    assert np.all(failed.T_cert >= calm.T_cert)


def test_no_calibrated_bound_means_no_certificate() -> None:
    default = default_calibration()
    none = tuple(ChainCounts(*(np.zeros_like(c.failures) for _ in range(4))) for c in default.counts)
    empty = dataclasses.replace(default, counts=none)
    c = certify(SMALL, view(), empty, np.zeros(7, np.int64))
    assert np.isnan(c.p11).all()
    assert not c.certified.any()
    assert np.isinf(c.T_cert).all()


@pytest.mark.parametrize("full", [False, True])
def test_a_class_without_scores_has_no_certificate(full: bool) -> None:
    """Not even the finite g that a p₁₁ below 1 gives to μ₁ = 1: without a margin there is no confidence set."""
    default = default_calibration()
    few = tuple(
        tuple((type(a)(3, a.values[:3]), type(b)(0, b.values[:0])) for a, b in stratum) for stratum in default.scores
    )
    c = certify(SMALL, view(), dataclasses.replace(default, scores=few), np.zeros(7, np.int64), full=full)
    assert c.g.size
    assert np.isinf(c.margin_ul_db).all()
    assert not c.rho_ul.any()
    assert not c.certified.any()
    assert np.isinf(c.T_cert).all()


def test_one_route_without_a_margin_takes_the_certificate_of_the_pair() -> None:
    """Two-hop routes lose their scores: exactly the actions that use one in either direction are excluded."""
    default = default_calibration()
    none = (type(default.scores[0][0][0])(0, np.empty(0)),) * 2
    gone = tuple((*stratum[:2], none, none, *stratum[4:]) for stratum in default.scores)
    before = candidates(full=True)
    after = certify(SMALL, view(), dataclasses.replace(default, scores=gone), np.zeros(7, np.int64), full=True)
    two = (after.ul_options.hops[after.actions.ul] == 2) | (after.dl_options.hops[after.actions.dl] == 2)
    assert two.any()
    assert np.array_equal(after.g, np.where(two, 0, before.g))


def test_tolerances_beyond_the_horizon_are_flagged() -> None:
    """D19: with H_T = 1 only g = 1 says anything about the horizon; the others stay certificates of the chain."""
    c = candidates(SMALL.replace(**{"twin.H_T": 1}), full=True)
    assert np.array_equal(c.beyond_horizon, c.g > 1)
    assert c.beyond_horizon.any()
    assert not candidates().beyond_horizon.all()


def test_certificates_do_not_depend_on_the_evaluation_seed() -> None:
    """Two evaluation runs on the same mission with the same link classes differ in shadowing, not in certificates.

    Measurements of the run itself (D21) are off: with them the prediction, and only the prediction, knows the past.
    """
    blind = SMALL.replace(**{"twin.link_quality": False})
    trace = reference(blind, 10_000)
    found = []
    for seed in (10_000, 10_001):
        channel = Channel(blind, trace, seed)
        channel.los = np.ones_like(channel.los)
        predicted, real = channel.predicted(blind, trace.positions[0]), channel.realised(blind, trace.positions[0])
        found.append((certify(blind, predicted, default_calibration(), np.zeros(7, np.int64)), real))
    (a, real_a), (b, real_b) = found
    assert np.array_equal(a.certificates(), b.certificates())
    assert not np.array_equal(real_a.snr_db, real_b.snr_db)
    assert max(default_calibration().seeds) < FIRST_EVALUATION_SEED


def test_prediction_keeps_its_clearance() -> None:
    """A link that passes the roof edge by less than the clearance is predicted blocked, and only predicted so."""
    s, los = SMALL.replace(**{"twin.clearance_m": 3.0}), np.ones((3, 3), bool)
    for gap, predicted in ((2.0, True), (4.0, False)):
        z = s.mission.building_height_m + gap
        positions = np.array([[-60.0, 0.0, z], [60.0, 0.0, z]])
        assert predict(s, positions, los).blocked[1, 2] == predicted
        assert not topology(s, positions, los).blocked[1, 2]


def test_a_swarm_without_any_route_has_no_candidates() -> None:
    s = SMALL.replace(**{"network.snr_offset_db": -20.0, "network.tx_power_dbm": -10.0})
    c = candidates(s)
    assert c.g.size == 0
    assert c.offsets.shape == (8,)
    assert c.certificates().shape == (0, 5)


def test_calibration_is_only_read() -> None:
    calibration: Calibration = default_calibration()
    with pytest.raises(ValueError, match="read-only"):
        calibration.margins(0.05)[0, 0] = 0.0
