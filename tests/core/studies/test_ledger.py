"""The ledger: every replaced bound is its definition, a bound made loose is seen, and the shipped tables follow from the code."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.__main__ import main
from core.allocation import admit, predicted_value
from core.control import ControlModel, Plan, mode_matrix, run_matrix
from core.errors import StudyError
from core.network import Topology
from core.scenario import SCENES, preset
from core.simulation import POLICIES, Simulation, simulate
from core.studies.claims import conservatism, ledger_markdown, ledger_path, load_ledger, save_ledger
from core.studies.claims.ledger import ENTRIES, LEDGER_SEEDS, certificates_along, delivery_over
from core.studies.claims.ledger_file import NUMBERS
from core.studies.claims.loosening import (
    Bound,
    LoosenedSafe,
    counted_persistence,
    energies_at,
    expected_energy,
    loosened_candidates,
    loosened_drift,
)
from core.twin import (
    calibration_for,
    default_calibration,
    exact_tolerances,
    link_budget_db,
    run_violation_probability,
    sound_onset,
)
from core.twin import failure_tolerance as union_tolerance
from core.twin.persistence import failure_bin

SMALL = Scenario().replace(**{"mission.uavs": 8, "mission.duration_s": 6.0, "network.slots": 40})
CAL = default_calibration()
NOTHING = frozenset()


@pytest.fixture(scope="module")
def moment():
    """A cycle in the middle of a small mission, with its plan."""
    simulation = Simulation(SMALL, "SAFE", 300, CAL)
    record = [simulation.step() for _ in range(15)][-1]
    return record, Plan.ahead(simulation.trace.positions, record.k, SMALL.allocation.lookahead_cycles)


def terms_of(moment, *replaced, scenario=SMALL):
    record, plan = moment
    model = ControlModel.of(scenario)
    c = loosened_candidates(scenario, CAL, record.candidates, frozenset(replaced))
    return c, loosened_drift(scenario, model, c, record.states, plan, frozenset(replaced)), model


def some_rows(candidates, n=60):
    rng = np.random.default_rng(0)
    certified = np.flatnonzero(candidates.certified)
    return rng.choice(certified, size=min(n, certified.size), replace=False)


def test_with_every_bound_in_place_it_is_the_certificate_that_flies(moment):
    record, plan = moment
    c, terms, model = terms_of(moment)
    for name in ("rho_ul", "rho_dl", "mu1", "p11", "g", "T_cert", "beyond_horizon"):
        np.testing.assert_array_equal(getattr(c, name), getattr(record.candidates, name), err_msg=name)
    np.testing.assert_array_equal(terms.phi, admit(SMALL, model, record.candidates, record.states, plan).terms.phi)


def test_the_general_sum_over_outcomes_is_the_compiled_envelope(moment):
    record, _ = moment
    c, terms, model = terms_of(moment)
    after = expected_energy(SMALL, model, c, record.states, terms.c_star, NOTHING)
    np.testing.assert_allclose(after, terms.alpha_bar * record.states.V[c.loop], rtol=1e-12)


def test_beta_is_the_failure_at_the_predicted_snr(moment):
    record, _ = moment
    c, _, _ = terms_of(moment, Bound.BETA)
    q = record.candidates
    for row in some_rows(q):
        up = 1.0 - q.ul_options.failure_nominal[q.actions.ul[row]]
        down = 1.0 - q.dl_options.failure_nominal[q.actions.dl[row]]
        assert c.rho_ul[row] == math.floor(up * 1e6) / 1e6
        assert c.mu1[row] == pytest.approx(
            1.0 - max(0.0, math.floor(up * 1e6) / 1e6 + math.floor(down * 1e6) / 1e6 - 1.0)
        )
        assert c.g[row] == union_tolerance(c.mu1[row], q.p11[row], SMALL.twin.H_T, SMALL.twin.delta_T)
    assert (c.rho_ul >= q.rho_ul).all()
    assert (c.rho_ul > q.rho_ul).any()


def test_independence_is_the_product_in_mu1_and_in_the_envelope(moment):
    record, _ = moment
    c, terms, model = terms_of(moment, Bound.FRECHET)
    q, V = record.candidates, record.states.V
    np.testing.assert_allclose(1.0 - c.mu1, q.rho_ul * q.rho_dl, atol=1e-15)
    full = model.factors[model.h_max, model.h_max]
    for row in some_rows(c):
        i, u, d = c.loop[row], c.rho_ul[row], c.rho_dl[row]
        f = model.factors[c.h_ul[row], c.h_dl[row]].closed
        j = min(max(record.states.c[i], c.g[row] - 1), model.H - 1)
        lost = max(full.run[j], full.closed[1, 0], full.closed[0, 1])
        mean = u * d * f[1, 1] + u * (1 - d) * f[1, 0] + (1 - u) * d * f[0, 1] + (1 - u) * (1 - d) * lost
        assert terms.v_term[row] == pytest.approx((mean - 1.0) * V[i], rel=1e-9, abs=1e-9)


def test_the_exact_tolerance_is_the_smallest_run_that_the_exact_law_allows(moment):
    c, _, _ = terms_of(moment, Bound.UNION)
    H_T, delta = SMALL.twin.H_T, SMALL.twin.delta_T
    for row in some_rows(c):
        mu1, p11 = float(c.mu1[row]), float(c.p11[row])
        onset = sound_onset(mu1, p11)
        lengths = [L for L in range(1, H_T + 1) if run_violation_probability(mu1, onset, p11, L, H_T) <= delta]
        union = union_tolerance(mu1, p11, H_T, delta)
        assert c.g[row] == (lengths[0] if lengths else union)
        assert c.g[row] <= union


def test_the_exact_tolerance_at_the_edges():
    mu1, p11 = np.array([0.9, 0.9, 1e-4, 0.3]), np.array([np.nan, 1.0, 0.5, 0.0])
    # no bound; no finite run; the first opportunity alone; no second failure ever
    np.testing.assert_array_equal(exact_tolerances(mu1, p11, 20, 0.05), [0, 0, 1, 2])
    rng = np.random.default_rng(1)
    mu1, p11 = rng.uniform(0, 1, 300), rng.uniform(0, 0.99, 300)
    exact = exact_tolerances(mu1, p11, 20, 0.05)
    union = np.array([union_tolerance(m, p, 20, 0.05) for m, p in zip(mu1, p11, strict=True)])
    assert (exact <= union).all()
    assert (exact < union).any()


def test_persistence_is_the_share_counted_at_the_nearest_budget(moment):
    record, _ = moment
    found = counted_persistence(SMALL, CAL)
    at = int(np.argmin([abs(b - link_budget_db(SMALL)) for b in CAL.budgets_db]))
    bound = CAL.persistence(SMALL.twin.chain_confidence, SMALL.twin.min_failures, link_budget_db(SMALL))
    for b in range(found.size):
        failures, repeats = (int(getattr(CAL.counts[at], name)[:, b].sum()) for name in ("failures", "repeats"))
        if math.isnan(bound[b]):
            assert math.isnan(found[b])
        else:
            assert found[b] == (repeats / failures if failures else bound[b])
    c, _, _ = terms_of(moment, Bound.PERSISTENCE)
    q = record.candidates
    nominal = 1.0 - (1.0 - q.ul_options.failure_nominal[q.actions.ul]) * (
        1.0 - q.dl_options.failure_nominal[q.actions.dl]
    )
    clear = np.abs(nominal[:, None] - [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1]).min(axis=1) > 1e-9
    np.testing.assert_array_equal(c.p11[clear], found[failure_bin(nominal[clear])])


def test_staleness_is_phi_at_the_loops_own_c(moment):
    record, _ = moment
    c, terms, model = terms_of(moment, Bound.STALENESS)
    at_c = model.drift(
        record.states.V[c.loop],
        record.states.tr_sigma[c.loop],
        record.states.c[c.loop],
        c.rho_ul,
        c.rho_dl,
        1,
        c.h_ul,
        c.h_dl,
    )
    np.testing.assert_array_equal(terms.phi[c.certified], at_c.phi[c.certified])
    np.testing.assert_array_equal(terms.c_star[c.certified], record.states.c[c.loop][c.certified])
    np.testing.assert_array_equal(c.g, record.candidates.g)


def test_directions_is_the_growth_of_the_flown_lifted_state(moment):
    record, _ = moment
    c, terms, model = terms_of(moment, Bound.DIRECTIONS)
    z, split, a, H = record.states.z, SMALL.control.split, model.a, model.H

    def energy(M, i):
        return sum(float(x @ M.T @ model.X @ M @ x) for x in z[i].T)

    for row in some_rows(c, 25):
        i, hu, hd = c.loop[row], c.h_ul[row], c.h_dl[row]
        shorter = [(u, d) for u in range(hu + 1) for d in range(hd + 1)]
        every = [(u, d) for u in range(model.h_max + 1) for d in range(model.h_max + 1)]
        E = {
            o: max(energy(mode_matrix(o, u, d, H=H, a=a, split=split), i) for u, d in shorter)
            for o in ((1, 1), (1, 0), (0, 1))
        }
        run = min(max(record.states.c[i], c.g[row] - 1) + 1, H)
        lost = max(energy(run_matrix(run, u, d, H=H, a=a), i) for u, d in every)
        ru, rd = c.rho_ul[row], c.rho_dl[row]
        ends = [
            b * E[1, 1] + (ru - b) * E[1, 0] + (rd - b) * E[0, 1] + (1 - ru - rd + b) * lost
            for b in (max(0.0, ru + rd - 1.0), min(ru, rd))
        ]
        assert terms.v_term[row] == pytest.approx(max(ends) - record.states.V[i], rel=1e-9, abs=1e-9)


def test_no_direction_grows_more_than_the_worst(moment):
    record, _ = moment
    model = ControlModel.of(SMALL)
    success, lost = energies_at(SMALL, model, record.states)
    V = record.states.V
    for (u, d), f in model.factors.items():
        for n, outcome in enumerate(((1, 1), (1, 0), (0, 1))):
            assert (success[n, u, d] <= f.raw[outcome] * V * (1 + 1e-9)).all()
    full = model.factors[model.h_max, model.h_max]
    assert (lost <= full.run_raw[:, None] * V * (1 + 1e-9)).all()
    with pytest.raises(StudyError, match="direction"):
        energies_at(SMALL, model, dataclasses.replace(record.states, z=None))


def test_prediction_is_the_predicted_energy_one_cycle_ahead(moment):
    record, plan = moment
    c, terms, model = terms_of(moment, Bound.PREDICTION)
    value = predicted_value(model, record.states, plan, 1, frame_s=SMALL.network.slots * SMALL.network.tau_slot_s)
    for row in some_rows(c):
        i, rho = c.loop[row], c.rho_dl[row]
        V0, V1 = value.V0[i, 0], value.V1[i, 0]
        after = rho * V1 + (1 - rho) * V0 if V1 <= V0 else V1
        assert terms.v_term[row] == pytest.approx(after - record.states.V[i], rel=1e-9, abs=1e-9)


def test_what_is_not_calibrated_stays_without_a_certificate(moment):
    record, _ = moment
    q = dataclasses.replace(record.candidates, margin_ul_db=np.full_like(record.candidates.margin_ul_db, np.inf))
    for entry in ENTRIES:
        assert not loosened_candidates(SMALL, CAL, q, entry.replaced).certified.any()


def test_the_printed_certificate_is_refused(moment):
    printed = SMALL.replace(formulation="paper")
    with pytest.raises(StudyError, match="repaired certificate"):
        terms_of(moment, scenario=printed)
    with pytest.raises(StudyError, match="repaired certificate"):
        conservatism(printed, seeds=(300,))
    with pytest.raises(StudyError, match="calibration seeds"):
        conservatism(SMALL, seeds=(12000,))


def test_loosened_safe_with_nothing_replaced_flies_safe_bit_for_bit():
    ours, theirs = (simulate(SMALL, p, 301, CAL) for p in (LoosenedSafe(NOTHING, CAL), "SAFE"))
    np.testing.assert_array_equal(ours.rmse, theirs.rmse)
    np.testing.assert_array_equal(ours.v_normalised, theirs.v_normalised)
    assert not any(policy is LoosenedSafe for policy in POLICIES.values())


@pytest.fixture(scope="module")
def small_ledger():
    return conservatism(SMALL, seeds=(300, 301), calibration=CAL).set_index("key")


def test_the_ledger_sees_which_number_each_bound_acts_on(small_ledger):
    full = small_ledger.loc["full"]
    assert small_ledger.loc["beta", "rho_median"] > full["rho_median"]
    assert small_ledger.loc["directions", "phi_mean"] < full["phi_mean"]
    assert small_ledger.loc["frechet", "phi_mean"] < full["phi_mean"]
    for key in ("union", "persistence", "staleness", "directions", "prediction"):
        assert small_ledger.loc[key, "rho_median"] == full["rho_median"]
    for key in ("staleness", "directions", "prediction"):
        assert small_ledger.loc[key, "g_p95"] == full["g_p95"]
    assert small_ledger.loc["none", "admitted"] == 1.0
    assert (small_ledger["admitted"].dropna() <= 1.0).all()
    assert (small_ledger["loops"].dropna() >= small_ledger["loops"].min()).all()


def test_the_ledger_sees_a_wider_margin(small_ledger):
    """A smaller β is a wider margin: what the row β closes grows, in ρ and in admitted actions."""
    wide = conservatism(SMALL.replace(**{"twin.beta": 0.005}), seeds=(300, 301), calibration=CAL).set_index("key")

    def gap(found, column):
        return found.loc["beta", column] - found.loc["full", column]

    for column in ("rho_median", "admitted"):
        assert gap(wide, column) > gap(small_ledger, column) > 0.0


def test_the_ledger_sees_a_looser_bound_on_p11():
    """More confidence in p₁₁ moves g as certified and leaves the row that counts."""
    timid, bold = (
        conservatism(SMALL.replace(**{"twin.chain_confidence": level}), seeds=(300,), calibration=CAL).set_index("key")
        for level in (0.999, 0.5)
    )
    assert timid.loc["full", "phi_mean"] > bold.loc["full", "phi_mean"]
    assert timid.loc["full", "admitted"] < bold.loc["full", "admitted"]
    assert timid.loc["persistence", "admitted"] == pytest.approx(bold.loc["persistence", "admitted"], abs=1e-4)


def test_the_metres_are_paired_missions(small_ledger):
    flown = {
        key: np.array([simulate(SMALL, policy, seed, CAL).summary()["mean_rmse_m"] for seed in (300, 301)])
        for key, policy in (("full", "SAFE"), ("beta", LoosenedSafe(frozenset({Bound.BETA}), CAL)))
    }
    none = SMALL.replace(**{"allocation.admission": "none"})
    flown["none"] = np.array([simulate(none, "SAFE", seed, CAL).summary()["mean_rmse_m"] for seed in (300, 301)])
    for key, values in flown.items():
        assert small_ledger.loc[key, "rmse_m"] == pytest.approx(values.mean())
    for key in ("beta", "none"):
        difference = flown[key] - flown["full"]
        assert small_ledger.loc[key, "difference_m"] == pytest.approx(difference.mean())
        half = 12.706 * difference.std(ddof=1) / math.sqrt(2)  # Student, one degree of freedom
        assert small_ledger.loc[key, "high_m"] - difference.mean() == pytest.approx(half, rel=1e-3, abs=1e-9)
    assert math.isnan(small_ledger.loc["full", "difference_m"])


def test_delivery_over_a_predicted_channel_is_the_nominal_one(moment):
    """If the channel were as predicted, the realised delivery would be that of the row without β."""
    record, _ = moment
    q = record.candidates
    size = SMALL.mission.uavs + 1
    snr, rayleigh = np.full((size, size), np.nan), np.zeros((size, size), dtype=bool)
    for routes in (q.ul_routes, q.dl_routes):
        for nodes, snrs, fading in zip(routes.nodes, routes.snr_db, routes.rayleigh, strict=True):
            for x in range(len(nodes) - 1):
                if nodes[x + 1] >= 0:
                    snr[nodes[x], nodes[x + 1]], rayleigh[nodes[x], nodes[x + 1]] = snrs[x], fading[x]

    met, rows = Topology(snr, rayleigh, blocked=rayleigh, los=~rayleigh), some_rows(q)
    np.testing.assert_allclose(delivery_over(SMALL, q, rows, met), q.delivery(rows), atol=1e-9)


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.slow
def test_a_shipped_ledger_has_every_row_and_flies_again(scene):
    shipped = load_ledger(ledger_path(scene)).set_index("key")
    assert list(shipped.index) == [*(e.key for e in ENTRIES), "none", "realised"]
    for entry in ENTRIES:
        assert shipped.loc[entry.key, "what"] == entry.what
        assert shipped.loc[entry.key, "title"] == entry.title
    rates = shipped[["admitted", "loops", "rho_median", "rho_p5"]].to_numpy()
    assert ((rates >= 0) & (rates <= 1) | np.isnan(rates)).all()
    scenario = preset(scene)
    flown = [simulate(scenario, "SAFE", seed).summary()["mean_rmse_m"] for seed in LEDGER_SEEDS]
    assert shipped.loc["full", "rmse_m"] == pytest.approx(np.mean(flown), rel=2e-5)


@pytest.mark.slow
def test_a_loosened_row_of_a_shipped_ledger_flies_again():
    scenario, shipped = preset("wide-hall"), load_ledger(ledger_path("wide-hall")).set_index("key")
    facts = calibration_for(scenario)
    policy = LoosenedSafe(frozenset({Bound.DIRECTIONS}), facts)
    flown = [simulate(scenario, policy, seed, facts).summary()["mean_rmse_m"] for seed in LEDGER_SEEDS]
    assert shipped.loc["directions", "rmse_m"] == pytest.approx(np.mean(flown), rel=2e-5)


@pytest.mark.slow
def test_the_certificate_columns_of_a_shipped_ledger_follow_from_the_code():
    scenario, shipped = preset("wide-hall"), load_ledger(ledger_path("wide-hall")).set_index("key")
    for key, numbers in certificates_along(scenario, calibration_for(scenario), LEDGER_SEEDS).items():
        for name, value in numbers.items():
            assert shipped.loc[key, name] == pytest.approx(value, rel=2e-5, nan_ok=True), (key, name)


def test_the_docs_show_the_shipped_ledgers():
    text = (ledger_path("table-1").parents[2] / "docs" / "STUDIES.md").read_text(encoding="utf-8")
    for scene in SCENES:
        assert ledger_markdown(load_ledger(ledger_path(scene))) in text, scene


def test_a_ledger_can_be_written_and_read(tmp_path, small_ledger):
    path = tmp_path / "deep" / "ledger.csv"
    save_ledger(small_ledger.reset_index(), path)
    back = load_ledger(path)
    pd.testing.assert_frame_equal(
        back, small_ledger.reset_index()[["key", "title", *NUMBERS, "what"]], rtol=1e-5, check_dtype=False
    )
    path.write_text("nothing,of,the,kind\n1,2,3,4\n")
    with pytest.raises(StudyError, match="--ledger"):
        load_ledger(path)


@pytest.mark.slow
def test_the_command_prints_a_sentence_per_row(tmp_path, capsys):
    scenario = tmp_path / "small.yaml"
    SMALL.to_yaml(scenario, only_changes=True)
    out = tmp_path / "ledger.csv"
    assert main(["claims", "--ledger", "--scenario", str(scenario), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    for entry in ENTRIES:
        assert entry.what in said
    assert len(load_ledger(out)) == len(ENTRIES) + 2


def test_the_scenes_calibrations_fit():
    for scene in SCENES:
        assert calibration_for(preset(scene)).notice(preset(scene)) == ""
