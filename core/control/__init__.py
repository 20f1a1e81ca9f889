"""The control half of the paper: gain, lifted modes, LMI, contraction factors, drift bound, maps (D1–D12)."""

from core.control.domain import AdmissibleDomain
from core.control.drift import (
    DriftTerm,
    DriftTerms,
    augmented_lyapunov,
    covariance_envelope,
    covariance_step,
    drift_bound,
)
from core.control.envelope import expected_envelope, paper_envelope
from core.control.factors import ContractionFactors, contraction_factors
from core.control.hold import hold_factor, hold_map
from core.control.lifted import OUTCOMES, mode_matrix, run_matrix
from core.control.lmi import certificate_matrix, constraint_slack
from core.control.lqr import lqr_gain
from core.control.model import Baseline, ControlModel
from core.control.plan import Plan
from core.control.prediction import Law, Prediction, predict_paths
from core.control.safe_mode import SafeMode, invariant_radius
from core.control.states import LoopStates, count_failures

__all__ = [
    "OUTCOMES",
    "AdmissibleDomain",
    "Baseline",
    "ContractionFactors",
    "ControlModel",
    "DriftTerm",
    "DriftTerms",
    "Law",
    "LoopStates",
    "Plan",
    "Prediction",
    "SafeMode",
    "augmented_lyapunov",
    "certificate_matrix",
    "constraint_slack",
    "contraction_factors",
    "count_failures",
    "covariance_envelope",
    "covariance_step",
    "drift_bound",
    "expected_envelope",
    "hold_factor",
    "hold_map",
    "invariant_radius",
    "lqr_gain",
    "mode_matrix",
    "paper_envelope",
    "predict_paths",
    "run_matrix",
]
