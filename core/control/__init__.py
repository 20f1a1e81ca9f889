"""The control half of the paper: gain, lifted modes, LMI, contraction factors, drift bound, maps (D1–D12)."""

from core.control.covariance import covariance_step
from core.control.domain import AdmissibleDomain
from core.control.envelope import expected_envelope, paper_envelope
from core.control.factors import ContractionFactors, contraction_factors
from core.control.lifted import OUTCOMES, mode_matrix, run_matrix
from core.control.lmi import certificate_matrix, constraint_slack
from core.control.lqr import lqr_gain
from core.control.model import Baseline, ControlModel
from core.control.plan import Plan
from core.control.prediction import Law, Prediction, predict_paths, predict_service
from core.control.safe_mode import SafeMode, invariant_radius
from core.control.states import LoopStates, count_failures
from core.control.terms import DriftTerm, DriftTerms

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
    "certificate_matrix",
    "constraint_slack",
    "contraction_factors",
    "count_failures",
    "covariance_step",
    "expected_envelope",
    "invariant_radius",
    "lqr_gain",
    "mode_matrix",
    "paper_envelope",
    "predict_paths",
    "predict_service",
    "run_matrix",
]
