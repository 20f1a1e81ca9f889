"""The claims audit: it must say "holds" where the mathematics does and "violated" where DESIGN's counterexamples are."""

import dataclasses
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core import Scenario
from core.__main__ import main
from core.control import certificate_matrix, contraction_factors
from core.errors import StudyError
from core.studies.claims import (
    ClaimVerdict,
    allocation,
    audit,
    clopper_pearson,
    control,
    load_findings,
    save_findings,
    twin,
)
from core.studies.claims.finding import probability_verdict
from core.studies.claims.jump_system import JumpSystem, joint_law
from core.twin import default_calibration

HOLDS, VIOLATED, VACUOUS = ClaimVerdict.HOLDS, ClaimVerdict.VIOLATED, ClaimVerdict.VACUOUS
SMALL = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0, "network.slots": 60})


def rng():
    return np.random.default_rng(1)


@given(st.integers(1, 200), st.data())
def test_clopper_pearson_is_scipys_exact_interval(trials, data):
    kept = data.draw(st.integers(0, trials))
    expected = stats.binomtest(kept, trials).proportion_ci(0.95, method="exact")
    assert clopper_pearson(kept, trials) == pytest.approx((expected.low, expected.high))


def test_probability_verdicts():
    assert probability_verdict(95, 100, 0.95) is HOLDS
    assert probability_verdict(80, 100, 0.95) is VIOLATED
    assert probability_verdict(0, 0, 0.95) is VACUOUS
    assert probability_verdict(3, 4, 0.95) is HOLDS  # four trials refute nothing


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
    assert control.doob_bound(Scenario(), formulation, rng()).verdict is HOLDS
    assert control.drift_monotone(Scenario(), formulation, rng()).verdict is HOLDS


def test_doob_is_vacuous_when_nothing_is_ever_safe():
    hopeless = Scenario().replace(**{"control.eta": 0.0, "formulation": "paper"})
    assert control.doob_bound(hopeless, "paper", rng()).verdict is VACUOUS


def test_the_printed_gate_is_anti_monotone():
    assert control.gate_monotone(Scenario(), "repaired", rng()).verdict is HOLDS
    assert control.gate_monotone(Scenario(), "paper", rng()).verdict is VIOLATED


def test_allocation_claims_hold_and_can_fail():
    pairs = allocation.instances(SMALL, default_calibration(), 5000, rng())
    assert allocation.frontier_preserves(pairs).verdict is HOLDS
    assert allocation.online_set_suffices(pairs).verdict is HOLDS
    assert allocation.program_is_exact(pairs).verdict is HOLDS
    full, online = pairs[0]
    object.__setattr__(full, "curve", full.curve * 0.99)
    object.__setattr__(online, "curve", online.curve * 0.99)
    assert allocation.frontier_preserves(pairs).verdict is VIOLATED
    assert allocation.program_is_exact(pairs).verdict is VIOLATED


def test_nothing_admitted_is_vacuous():
    pairs = allocation.instances(SMALL.replace(**{"network.slots": 0}), default_calibration(), 5000, rng())
    assert allocation.online_set_suffices(pairs).verdict is VACUOUS


def test_coverage_counts_independent_trials_and_sees_a_broken_promise():
    calibration, event, shares = default_calibration(), threading.Event(), []
    fair = twin.coverage(SMALL, calibration, event, shares.append)
    assert fair.trials == twin.COVERAGE_TRIALS
    assert shares[-1] == 1.0
    assert fair.verdict is HOLDS
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


def test_first_opportunity_is_unsound_and_the_union_bound_is_not():
    sound, tight = twin.interaction_laws(Scenario().replace(**{"twin.H_T": 8}), default_calibration(), 5000)
    assert sound.verdict is HOLDS
    assert tight.verdict is VIOLATED
    # D18: P(no run) ≈ 0.35 at μ₁ = .01, p₁₁ = .6, p₀₁ = .3, H_T = 8, δ = .05
    assert "D18" in tight.note


def test_whole_audit_with_progress_and_cancel():
    shares = []
    findings = list(audit(SMALL, on_progress=lambda share, _: shares.append(share)))
    assert len({f.key for f in findings}) == len(findings) == 17
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    by_key = {f.key: f.verdict for f in findings}
    assert by_key["drift-repaired"] is HOLDS
    assert by_key["first-opportunity"] is VIOLATED

    cancel = threading.Event()
    seen = []
    for finding in audit(SMALL, cancel=cancel):
        seen.append(finding)
        cancel.set()
    assert len(seen) == 1


def test_command(tmp_path, capsys):
    scenario = tmp_path / "small.yaml"
    SMALL.to_yaml(scenario)
    assert main(["claims", "--scenario", str(scenario), "--out", str(tmp_path / "claims.csv")]) == 0
    out = capsys.readouterr().out
    assert "VIOLATED" in out
    assert "lem:mode-order" in out
    assert len((tmp_path / "claims.csv").read_text().splitlines()) == 18


def test_the_shipped_audit_is_that_of_the_default_scenario():
    shipped, fresh = load_findings(), list(audit(Scenario()))
    assert [(f.key, f.verdict, f.trials) for f in shipped] == [(f.key, f.verdict, f.trials) for f in fresh]
    for old, new in zip(shipped, fresh, strict=True):
        assert old.kept == pytest.approx(new.kept, rel=0.02)


def test_findings_survive_a_round_trip_and_other_files_are_refused(tmp_path):
    save_findings(load_findings(), tmp_path / "again.csv")
    assert load_findings(tmp_path / "again.csv") == load_findings()
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(StudyError, match="python -m core claims --out"):
        load_findings(tmp_path / "other.csv")
