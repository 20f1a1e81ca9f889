"""What may never happen to a certificate: weaker with more SNR, with a larger β, or with a larger budget."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Scenario
from core.simulation import snapshot
from core.twin import (
    Candidates,
    certify,
    conformal_margin,
    default_calibration,
    failure_tolerance,
    run_violation_probability,
    union_bound,
    union_bound_holds,
)

BASE = Scenario().replace(**{"mission.uavs": 5})
probability = st.floats(0.0, 1.0)
budget = st.floats(1e-3, 0.5)


@functools.lru_cache(maxsize=256)
def certified(offset: float, beta: float, delta_T: float, H_T: int, failed: bool) -> Candidates:
    s = BASE.replace(**{"network.snr_offset_db": offset, "twin.beta": beta, "twin.delta_T": delta_T, "twin.H_T": H_T})
    return certify(s, snapshot(s, seed=2, cycle=31).topology, default_calibration(), np.full(5, int(failed)), full=True)


def reliability(c: Candidates, direction: str) -> dict[tuple[int, ...], float]:
    """ρ^χ of each (route, n, n_re), whatever row it is in."""
    up = direction == "ul"
    routes, options = (c.ul_routes, c.ul_options) if up else (c.dl_routes, c.dl_options)
    used, row = np.unique(c.actions.ul if up else c.actions.dl, return_index=True)
    rho = (c.rho_ul if up else c.rho_dl)[row]
    keys = np.column_stack([routes.nodes[options.route[used]], options.n[used], options.n_re[used]])
    return {tuple(key): value for key, value in zip(keys.tolist(), rho.tolist(), strict=True)}


def tolerance(c: Candidates) -> np.ndarray:
    """g with "none" as infinity."""
    return np.where(c.certified, c.g, np.inf)


@given(st.floats(-15.0, 15.0), st.floats(0.0, 10.0), st.booleans())
def test_reliability_never_falls_when_the_snr_rises(offset: float, rise: float, failed: bool) -> None:
    low, high = (certified(round(x, 1), 0.05, 0.05, 20, failed) for x in (offset, min(offset + rise, 20.0)))
    for direction in ("ul", "dl"):
        before, after = reliability(low, direction), reliability(high, direction)
        assert before.keys() & after.keys()
        assert all(after[key] >= before[key] for key in before.keys() & after.keys())


def promises(c: Candidates) -> dict[tuple[int, ...], float]:
    """g, "none" as infinity, of each (uplink route and option, downlink route and option, pattern)."""
    ul, dl = c.actions.ul, c.actions.dl
    keys = np.column_stack(
        [
            c.ul_routes.nodes[c.ul_options.route[ul]],
            c.ul_options.n[ul],
            c.ul_options.n_re[ul],
            c.dl_routes.nodes[c.dl_options.route[dl]],
            c.dl_options.n[dl],
            c.dl_options.n_re[dl],
            c.actions.pattern,
        ]
    )
    return dict(zip(map(tuple, keys.tolist()), tolerance(c).tolist(), strict=True))


@given(st.floats(-15.0, 15.0), st.floats(0.0, 10.0), st.booleans())
@settings(max_examples=20)
@pytest.mark.slow
def test_tolerance_never_rises_when_the_snr_rises(offset: float, rise: float, failed: bool) -> None:
    """ρ grows, the bin of predicted failure gets no worse, and p₁₁ of a bin never grows with the link budget."""
    low, high = (certified(round(x, 1), 0.05, 0.05, 20, failed) for x in (offset, min(offset + rise, 20.0)))
    before, after = promises(low), promises(high)
    assert all(after[key] <= before[key] for key in before.keys() & after.keys())


@given(st.floats(70.0, 130.0), st.floats(0.0, 40.0), st.sampled_from([0.9, 0.95, 0.99]))
def test_persistence_never_rises_with_the_link_budget(at_db: float, rise: float, confidence: float) -> None:
    low, high = (default_calibration().persistence(confidence, budget_db=b) for b in (at_db, at_db + rise))
    assert np.all((high <= low) | np.isnan(low))
    assert not np.any(np.isnan(high) & ~np.isnan(low))


@given(st.floats(0.005, 0.5), st.floats(0.005, 0.5), st.sampled_from([-8.0, 0.0]), st.booleans())
def test_a_larger_beta_never_gives_a_weaker_certificate(a: float, b: float, offset: float, failed: bool) -> None:
    strict, loose = (certified(offset, round(x, 3), 0.05, 20, failed) for x in sorted((a, b)))
    assert np.array_equal(strict.slots, loose.slots)
    assert np.all(loose.rho_ul >= strict.rho_ul)
    assert np.all(loose.rho_dl >= strict.rho_dl)
    assert np.all(tolerance(loose) <= tolerance(strict))


@given(budget, budget, st.integers(1, 60))
def test_tolerance_never_rises_with_the_violation_budget(a: float, b: float, H_T: int) -> None:
    strict, loose = (certified(-4.0, 0.05, round(x, 3), H_T, False) for x in sorted((a, b)))
    assert np.all(tolerance(loose) <= tolerance(strict))


@given(probability, probability, probability, st.integers(1, 100), budget)
def test_tolerance_never_rises_with_reliability(mu_a: float, mu_b: float, p11: float, H_T: int, delta_T: float) -> None:
    good, bad = (failure_tolerance(mu, p11, H_T, delta_T) for mu in sorted((mu_a, mu_b)))
    assert bad is None or (good is not None and good <= bad)


@given(probability, probability, probability, st.integers(1, 100), budget)
def test_tolerance_never_falls_with_persistence_and_is_minimal(
    mu1: float, p_a: float, p_b: float, H_T: int, delta_T: float
) -> None:
    low, high = sorted((p_a, p_b))
    g, worse = failure_tolerance(mu1, low, H_T, delta_T), failure_tolerance(mu1, high, H_T, delta_T)
    assert worse is None or (g is not None and g <= worse)
    if g is not None:
        assert H_T * mu1 * low ** (g - 1) <= delta_T
        assert g == 1 or H_T * mu1 * low ** (g - 2) > delta_T


@given(probability, probability, probability, st.integers(1, 12), st.integers(1, 25))
def test_the_exact_law_is_a_probability_below_a_sound_union_bound(
    mu1: float, p01: float, p11: float, g: int, H_T: int
) -> None:
    exact = run_violation_probability(mu1, p01, p11, g, H_T)
    assert 0.0 <= exact <= 1.0
    assert run_violation_probability(mu1, p01, p11, g + 1, H_T) <= exact + 1e-12
    assert run_violation_probability(mu1, p01, p11, g, H_T + 1) >= exact - 1e-12
    if union_bound_holds(mu1, p01, p11, H_T):
        assert exact <= union_bound(mu1, p11, g, H_T) + 1e-9


@given(st.lists(st.floats(-60.0, 60.0), max_size=60), st.floats(0.005, 0.995), st.floats(0.005, 0.995))
def test_margins_never_grow_with_beta(scores: list[float], a: float, b: float) -> None:
    strict, loose = sorted((a, b))
    assert conformal_margin(scores, loose) <= conformal_margin(scores, strict)


@given(
    st.lists(st.floats(1e-9, 1.0), min_size=2, max_size=20),
    st.floats(0.5, 0.999),
    st.integers(1, 200),
    st.floats(86.1, 130.0),
)
def test_persistence_never_falls_with_predicted_failure(
    f: list[float], confidence: float, least: int, at_db: float
) -> None:
    p11 = default_calibration().p11(np.sort(f), round(confidence, 3), least, round(at_db, 1))
    known = ~np.isnan(p11)
    assert np.all(np.diff(p11[known]) >= 0.0)
    assert not np.any(known[1:] & ~known[:-1])
