"""The claims audit: it must say "holds" where the mathematics does and "violated" where the counterexamples of the decisions are."""

import dataclasses
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core import Scenario
from core.__main__ import main
from core.control import ControlModel, certificate_matrix, contraction_factors
from core.errors import StudyError
from core.scenario import FORMULATIONS
from core.studies.claims import ClaimVerdict, audit, clopper_pearson, control, doob, load_findings, save_findings, twin
from core.studies.claims.intervals import Mean, mean_over_missions, over_missions, share_interval
from core.studies.claims.jump_system import JumpSystem, joint_law
from core.studies.claims.verdict import bias_verdict, ceiling_verdict, probability_verdict, worst
from core.twin import default_calibration

HOLDS, COMPATIBLE = ClaimVerdict.HOLDS, ClaimVerdict.COMPATIBLE
VIOLATED, VACUOUS = ClaimVerdict.VIOLATED, ClaimVerdict.VACUOUS
SMALL = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0, "network.slots": 60})


def rng():
    return np.random.default_rng(1)


@given(st.integers(1, 200), st.data())
def test_clopper_pearson_is_scipys_exact_interval(trials, data):
    kept = data.draw(st.integers(0, trials))
    expected = stats.binomtest(kept, trials).proportion_ci(0.95, method="exact")
    assert clopper_pearson(kept, trials) == pytest.approx((expected.low, expected.high))


def test_probability_verdicts():
    assert probability_verdict(995, 1000, 0.95) is HOLDS
    assert probability_verdict(95, 100, 0.95) is COMPATIBLE  # the interval reaches from 0.89 to 0.98
    assert probability_verdict(80, 100, 0.95) is VIOLATED
    assert probability_verdict(0, 0, 0.95) is VACUOUS
    assert probability_verdict(3, 4, 0.95) is COMPATIBLE  # four trials refute nothing, and show nothing


@given(st.integers(1, 400), st.floats(0.01, 1.0), st.data())
def test_a_probability_is_compatible_exactly_where_the_interval_contains_it(trials, promised, data):
    kept = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(kept, trials)
    verdict = probability_verdict(kept, trials, promised)
    assert verdict is (VIOLATED if high < promised else HOLDS if low >= promised else COMPATIBLE)


def test_verdicts_on_means():
    above, around, below = Mean(2.0, 1.0, 3.0), Mean(0.1, -1.0, 1.2), Mean(-2.0, -3.0, -1.0)
    assert bias_verdict([around], 1e-9) is COMPATIBLE
    assert bias_verdict([around, below], 1e-9) is VIOLATED
    assert bias_verdict([Mean(1e-12, 0.0, 2e-12)], 1e-9) is HOLDS
    assert ceiling_verdict([below]) is HOLDS
    assert ceiling_verdict([below, around]) is COMPATIBLE
    assert ceiling_verdict([below, above]) is VIOLATED
    assert bias_verdict([], 1e-9) is ceiling_verdict([]) is VACUOUS
    assert worst([HOLDS, COMPATIBLE]) is COMPATIBLE
    assert worst([HOLDS, VIOLATED, COMPATIBLE]) is VIOLATED


def test_a_mean_over_missions_of_equal_length_has_students_interval():
    values = rng().normal(size=(8, 50)) + rng().normal(size=(8, 1))
    found = mean_over_missions(list(values))
    low, high = stats.t.interval(0.95, 7, values.mean(), stats.sem(values.mean(axis=1)))
    assert found == pytest.approx((values.mean(), low, high))
    assert np.isnan(mean_over_missions([values[0], values[1][:0]])[1:]).all()  # one mission says nothing of others


def test_counts_over_missions():
    assert over_missions([], []) == (0, 0, 0.0)
    kept, trials, effective = over_missions([90, 50], [100, 100])
    assert (kept, trials) == (140, 200)
    assert effective < 20


def test_trials_that_hang_together_widen_the_interval():
    assert share_interval(90, 100, 100.0) == pytest.approx(clopper_pearson(90, 100))
    low, high = share_interval(90, 100, 20.0)
    assert (low, high) == pytest.approx(clopper_pearson(18, 20))
    assert probability_verdict(85, 100, 0.95) is VIOLATED
    assert probability_verdict(85, 100, 0.95, effective=5.0) is COMPATIBLE
    assert probability_verdict(85, 100, 0.95, effective=0.0) is VACUOUS  # one mission says nothing of others


def test_mode_order_holds_at_the_defaults_and_fails_at_the_counterexample_of_d6():
    assert control.mode_order(Scenario()).verdict is HOLDS
    setting = {"H": 2, "h_max": 2, "a": 0.2, "split": (0.0, 0.5, 0.5)}
    factors = contraction_factors(certificate_matrix(**setting), **setting)
    finding = control.order_of({(2, 2): factors})
    assert finding.verdict is VIOLATED
    assert "α₁₁ = 0.9150" in finding.measured
    assert "α₁₀ = 0.9066" in finding.measured


def test_the_envelope_may_fall_below_one():
    """D7, with H = 2 and all authority on the two directions."""
    short = {"control.H": 2, "control.w_u": 0.5, "control.w_d": 0.5}
    assert control.envelope_at_least_one(Scenario()).verdict is HOLDS
    finding = control.envelope_at_least_one(Scenario().replace(**short))
    assert finding.verdict is VIOLATED
    assert "0.886" in finding.measured


def test_drift_bound_holds_repaired_and_fails_as_printed():
    assert control.expected_drift(Scenario(), "repaired", rng()).verdict is HOLDS
    printed = control.expected_drift(Scenario(), "paper", rng())
    assert printed.verdict is VIOLATED
    assert "D9" in printed.note


def test_the_predicted_formulation_needs_no_drift_rows_of_its_own():
    predicted, repaired = (ControlModel.of(Scenario().replace(formulation=f)) for f in ("predicted", "repaired"))
    state = np.array([0.1, 0.5]) * repaired.V_max, np.array([1.0, 2.0]), np.array([0, 2])
    phi = [m.drift(*state, 0.9, 0.95, 3).phi for m in (predicted, repaired)]
    assert (phi[0] == phi[1]).all()
    assert set(FORMULATIONS) - set(control.DRIFT_FORMULATIONS) == {"predicted"}


def test_expected_change_is_the_mean_of_simulated_steps():
    system = JumpSystem.of(Scenario())
    z = np.repeat(system.random_states(1, rng()), 40_000, axis=0)
    n = len(z)
    tr_sigma, c = np.full(n, system.model.sigma_max), np.full(n, 1)
    law = joint_law(np.full(n, 0.8), np.full(n, 0.7), np.full(n, 0.3))
    after, sigma, counted = system.step(z, tr_sigma, c, law, rng())
    change = system.model.W(system.model.lyapunov(after), sigma) - system.model.W(system.model.lyapunov(z), tr_sigma)
    expected = system.expected_change(z[:1], tr_sigma[:1], c[:1], law[:1])[0]
    assert change.mean() == pytest.approx(expected, abs=5 * change.std() / np.sqrt(n))
    assert np.mean(counted == 0) == pytest.approx(law[0, 0], abs=0.02)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_joint_law_has_the_given_marginals(ul, dl, mix):
    law = joint_law(np.array([ul]), np.array([dl]), np.array([mix]))[0]
    assert law.sum() == pytest.approx(1)
    assert (law >= 0).all()
    assert law[0] + law[1] == pytest.approx(ul)
    assert law[0] + law[2] == pytest.approx(dl)


@pytest.mark.parametrize("formulation", ["repaired", "paper"])
def test_doob_and_monotonicity(formulation):
    assert doob.doob_bound(Scenario(), formulation, rng()).verdict is HOLDS
    assert control.drift_monotone(Scenario(), formulation, rng()).verdict is HOLDS


def test_doob_is_vacuous_when_nothing_is_ever_safe():
    hopeless = Scenario().replace(**{"control.eta": 0.0, "formulation": "paper"})
    assert doob.doob_bound(hopeless, "paper", rng()).verdict is VACUOUS


def test_doob_is_also_tested_over_many_certified_cycles():
    finding = doob.doob_bound_for_long(Scenario(), "repaired", rng())
    assert finding.verdict is HOLDS
    cycles = float(re.search(r"([\d.]+) certified cycles per path", finding.note)[1])
    assert cycles > 0.9 * doob.MANY_CYCLES  # the scouts found at least that many
    weak = doob.doob_bound(Scenario(), "repaired", rng())
    assert float(re.search(r"([\d.]+) certified cycles per path", weak.note)[1]) < 2.0
    # as printed, ᾱ ≥ 1: nothing stays safe once telemetry has used Σ up (D8)
    printed = doob.doob_bound_for_long(Scenario(), "paper", rng())
    assert (printed.verdict, printed.trials) == (VACUOUS, 0)


def test_doob_can_be_violated():
    """Paths whose exchanges fail more often than the certificate says."""
    system = JumpSystem.of(Scenario())
    liar = dataclasses.replace(system, modes=system.modes * 1.5)
    highest, cycles = doob.climb(liar, 0.5, 0.95, 2000, rng())
    assert cycles > 1.0
    assert doob._finding("doob", "", (0.5, 0.95), highest, cycles).verdict is VIOLATED


def test_the_printed_gate_is_anti_monotone():
    assert control.gate_monotone(Scenario(), "repaired", rng()).verdict is HOLDS
    assert control.gate_monotone(Scenario(), "paper", rng()).verdict is VIOLATED


def test_a_coverage_trial_shares_no_random_numbers_with_its_channel(monkeypatch):
    """Cycle, loop, route and estimate of a trial must not follow from the draws that made its channel."""
    keys, made = [], np.random.default_rng

    def noted(key):
        keys.append(tuple(np.trim_zeros(np.array(key), "b")))  # numpy pads keys with zeros
        return made(key)

    monkeypatch.setattr(np.random, "default_rng", noted)
    twin._coverage_trial(SMALL, default_calibration(), twin.AUDIT_SEED)
    assert len(keys) > 3
    assert len(set(keys)) == len(keys)


def test_coverage_counts_independent_trials_and_sees_a_broken_promise():
    calibration, event, shares = default_calibration(), threading.Event(), []
    fair = twin.coverage(SMALL, calibration, event, shares.append)
    assert fair.trials == twin.COVERAGE_TRIALS
    assert shares[-1] == 1.0
    assert fair.verdict in (HOLDS, COMPATIBLE)
    assert fair.note == ""
    # a twin that was calibrated on a kinder channel: every score 20 dB too small
    too_sure = dataclasses.replace(calibration, scores=_lowered(calibration.scores, 20.0))
    other = SMALL.replace(**{"network.shadow_corr_los_m": 50.0})
    broken = twin.coverage(other, too_sure, event, shares.append)
    assert broken.verdict is VIOLATED
    assert "network.shadow_corr_los_m = 37.0 (now 50.0)" in broken.note


def _lowered(scores, by_db):
    if isinstance(scores, tuple):
        return tuple(_lowered(s, by_db) for s in scores)
    return dataclasses.replace(scores, values=scores.values - by_db)


EIGHT = Scenario().replace(**{"twin.H_T": 8, "twin.delta_T": 0.05})


def test_the_union_bound_is_safe_and_the_check_can_fail():
    sound, _ = twin.interaction_laws(EIGHT, default_calibration(), 5000)
    assert sound.verdict is HOLDS
    # a g that the bound does not give: 8·0.1·0.5 > 0.05 already at g = 2
    assert twin.union_bound_is_safe(EIGHT, np.array([[0.1, 0.1, 0.5, 2.0]])).verdict is VIOLATED
    assert twin.union_bound_is_safe(EIGHT, np.array([[0.1, 0.1, 0.5, 9.0]])).verdict is VACUOUS  # g > H_T
    assert twin.union_bound_is_safe(EIGHT, np.empty((0, 4))).verdict is VACUOUS


def test_first_opportunity_is_judged_by_the_chains_alone():
    """D18: P(no run) ≈ 0.35 at μ₁ = .01, p₀₁ = .3, p₁₁ = .6, H_T = 8, δ = .05; with μ₁ = p₀₁ nothing can break."""
    breaks = twin.first_opportunity_suffices(EIGHT, np.array([[0.01, 0.3, 0.6], [0.05, 0.05, 0.3]]))
    assert breaks.verdict is VIOLATED
    assert "largest 0.65" in breaks.measured
    assert "1 of 2 chains break it" in breaks.measured
    keeps = twin.first_opportunity_suffices(EIGHT, np.array([[0.05, 0.05, 0.3], [0.02, 0.01, 0.1]]))
    assert keeps.verdict is HOLDS
    assert "0 of 2 chains break it" in keeps.measured
    assert "D18's example" in keeps.note  # an illustration; it decides nothing
    nothing = twin.first_opportunity_suffices(EIGHT, np.empty((0, 3)))
    assert nothing.verdict is VACUOUS
    assert "No candidate has a certificate" in nothing.note
    silent = twin.first_opportunity_suffices(
        EIGHT, np.array([[0.9, 0.9, 0.99], [0.5, 0.5, 1.0]])
    )  # g > H_T; no g at all
    assert silent.verdict is VACUOUS


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 30), st.floats(0.001, 0.5))
def test_the_probability_after_a_success_is_safe_for_the_first_opportunity(p01, p11, H_T, delta):
    """Why the check takes the predicted failure: a run begins at the first opportunity or after a success."""
    exact = twin._exact_law(p01, p01, p11, H_T, delta)
    assert exact is None or exact <= delta * (1 + 1e-9)


@pytest.mark.slow
def test_whole_audit_with_progress_and_cancel():
    shares = []
    findings = list(audit(SMALL, on_progress=lambda share, _: shares.append(share)))
    assert [f.key for f in findings] == [f.key for f in load_findings()]
    assert len({f.key for f in findings}) == len(findings)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    by_key = {f.key: f.verdict for f in findings}
    assert by_key["drift-repaired"] is HOLDS
    assert by_key["drift-paper"] is VIOLATED

    cancel = threading.Event()
    seen = []
    for finding in audit(SMALL, cancel=cancel):
        seen.append(finding)
        cancel.set()
    assert len(seen) == 1


@pytest.mark.slow
def test_command(tmp_path, capsys):
    scenario = tmp_path / "small.yaml"
    SMALL.to_yaml(scenario)
    assert main(["claims", "--scenario", str(scenario), "--out", str(tmp_path / "claims.csv")]) == 0
    out = capsys.readouterr().out
    assert "VIOLATED" in out
    assert "lem:mode-order" in out
    assert len(load_findings(tmp_path / "claims.csv")) == len(load_findings())


@pytest.mark.slow
def test_the_shipped_audit_is_that_of_the_default_scenario():
    shipped, fresh = load_findings(), list(audit(Scenario()))
    assert [(f.key, f.verdict, f.trials) for f in shipped] == [(f.key, f.verdict, f.trials) for f in fresh]
    for old, new in zip(shipped, fresh, strict=True):
        assert old.kept == pytest.approx(new.kept, rel=0.02)
        assert old.interval == pytest.approx(new.interval, abs=0.01, nan_ok=True)


def test_the_page_about_studies_says_what_the_shipped_audit_found():
    text = (Path(__file__).parents[3] / "docs" / "STUDIES.md").read_text(encoding="utf-8")
    said = text[text.index("## What it finds at the default settings") :]
    found = {f.key: f for f in load_findings()}
    counts = ", ".join(f"{sum(f.verdict is v for f in found.values())} {v.value}" for v in ClaimVerdict)
    assert counts in said
    rows = re.findall(r"^\| `([a-z-]+)` \| ([a-z ]+) \| (.*) \|$", said, re.MULTILINE)
    assert len(rows) >= 10
    for key, verdict, measured in rows:
        finding = found[key]
        assert verdict == finding.verdict.value
        for number in re.findall(r"[-+]?\d[\d.]*%?", measured):
            assert number in f"{finding.measured} {finding.note}", f"{key}: {number}"


def test_findings_survive_a_round_trip_and_other_files_are_refused(tmp_path):
    save_findings(load_findings(), tmp_path / "again.csv")
    assert load_findings(tmp_path / "again.csv") == load_findings()
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(StudyError, match="python -m core claims --out"):
        load_findings(tmp_path / "other.csv")
