"""Lesson 02 teaches the certificates that the allocator uses: one hop agrees with `core.twin.certify`."""

import numpy as np
import pytest

from app.teaching.link import certificate_at, explore_link, hop_certificate, link_snr_db
from core.scenario import Scenario, preset
from core.simulation import snapshot
from core.twin import calibration_for, certify, failure_marginals, predict, sound_onset, union_bound_holds

SWARM = preset("teaching-swarm")
SCENARIOS = {
    "teaching-swarm": SWARM,
    "another confidence": SWARM.replace(**{"twin.chain_confidence": 0.8, "twin.min_failures": 200}),
    "another budget": SWARM.replace(**{"network.snr_offset_db": 6.0, "twin.beta": 0.2, "twin.delta_T": 0.01}),
    "unequal payloads": SWARM.replace(**{"network.bits_dl": 800}),
}


def direct(scenario: Scenario, measured: bool) -> list[tuple[dict[str, object], float, float, tuple[float, ...]]]:
    """Every real candidate over the direct link with the same coding both ways: coding, distance and SNR, certificate."""
    swarm = snapshot(scenario)
    topology = swarm.topology if measured else predict(scenario, swarm.positions, swarm.los)
    c_fail = np.zeros(len(swarm.positions), dtype=np.int64)
    q = certify(scenario, topology, calibration_for(scenario), c_fail, full=True)
    up, down, found = q.ul_options, q.dl_options, []
    for m, (u, d) in enumerate(zip(q.actions.ul, q.actions.dl, strict=True)):
        node = q.loop[m] + 1
        same = (up.hops[u], up.n[u], up.n_re[u]) == (1, down.n[d], down.n_re[d]) and down.hops[d] == 1
        if not same or (topology.blocked[0, node] and not measured):
            continue
        at = swarm.positions[node - 1]
        coding = {"los": not topology.rayleigh[0, node], "n": int(up.n[u]), "n_re": int(up.n_re[u])}
        distance = float(np.linalg.norm(at - scenario.network.gcs))
        values = (q.rho_ul[m], q.rho_dl[m], q.mu1[m], q.p11[m], float(q.g[m]))
        found.append(({**coding, "height_m": float(at[2])}, distance, float(topology.snr_db[0, node]), values))
    return found


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("measured", [False, True])
def test_one_hop_agrees_with_certify(name: str, measured: bool) -> None:
    scenario = SCENARIOS[name]
    candidates = direct(scenario, measured)
    assert len(candidates) > 20
    assert len({values[-1] for *_, values in candidates}) > 2, "several tolerances are compared"
    for coding, distance, snr, expected in candidates:
        height = coding.pop("height_m")
        if measured:
            found = certificate_at(scenario, snr, **coding)
        else:
            found = hop_certificate(scenario, distance, height_m=height, **coding)
            assert found.snr_db == pytest.approx(snr, abs=1e-9)
        given = (found.rho_ul, found.rho_dl, found.mu1, found.p11, float(found.g or 0))
        assert given == pytest.approx(expected, nan_ok=True)


def test_a_link_that_is_not_offered_has_no_certificate() -> None:
    far = hop_certificate(SWARM, 800, los=False)
    assert far.snr_db < SWARM.network.min_link_snr_db
    assert far.g is None


@pytest.mark.parametrize("mu1", [0.0, 0.02, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("p11", [0.0, 0.4, 0.95, 1.0])
def test_the_sound_chain_keeps_the_first_failure_probability(mu1: float, p11: float) -> None:
    onset = sound_onset(mu1, p11)
    assert union_bound_holds(mu1, onset, p11, 20)
    if mu1 * (1 - p11) <= 1 - mu1 and mu1 < 1.0:
        assert failure_marginals(mu1, onset, p11, 20) == pytest.approx(np.full(20, mu1))


def test_the_naive_chain_is_not_sound() -> None:
    assert not union_bound_holds(0.02, 0.02, 0.4, 20), "p₀₁ = μ₁ makes later failures likelier than μ₁"


def test_the_exact_law_stays_below_the_union_bound_wherever_the_sliders_go() -> None:
    explorer = explore_link(SWARM)
    ((_, tail),) = explorer.charts
    for distance in (60, 330, 500, 700, 800):
        for los in (True, False):
            explorer.controls["los"].value, explorer.controls["distance_m"].value = los, distance
            bound, exact = (np.array(tail.sources[label].data["y"]) for label in ("union bound", "exact law"))
            assert np.all(exact <= bound + 1e-12)


def test_a_tolerance_beyond_the_horizon_is_called_empty() -> None:
    explorer = explore_link(SWARM)
    explorer.controls["distance_m"].value = 780
    assert hop_certificate(SWARM, 780).g > SWARM.twin.H_T
    assert "promises nothing (D19)" in explorer.says.html
    explorer.controls["distance_m"].value = 330
    assert "D19" not in explorer.says.html


def test_the_budget_is_the_printed_sum() -> None:
    near, far = link_snr_db(SWARM, 200.0), link_snr_db(SWARM, 400.0)
    assert near - far == pytest.approx(22.0 * np.log10(2.0))
