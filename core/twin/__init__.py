"""The digital twin: conformal confidence set, calibrated failure chain, and the certificate of every action."""

from core.network import link_budget_db
from core.twin.calibration import FIRST_EVALUATION_SEED, Calibration, calibration_key
from core.twin.calibration_file import check_target, load_calibration, save_calibration
from core.twin.calibration_library import calibration_for, default_calibration, own_path
from core.twin.certificate import Candidates, certify, route_margins
from core.twin.conformal import conformal_margin
from core.twin.exchange import Exchange
from core.twin.failure_chain import (
    exact_tolerances,
    failure_marginals,
    failure_tolerance,
    failure_tolerances,
    run_violation_probability,
    sound_onset,
    union_bound,
    union_bound_holds,
)
from core.twin.link_quality import LinkEstimate
from core.twin.online import OnlineBeta
from core.twin.persistence import ChainCounts, clopper_pearson_upper
from core.twin.prediction import predict, predicted_links
from core.twin.scores import ROUTE_CLASSES, ScoreQuantiles, route_class, route_scores

__all__ = [
    "FIRST_EVALUATION_SEED",
    "ROUTE_CLASSES",
    "Calibration",
    "Candidates",
    "ChainCounts",
    "Exchange",
    "LinkEstimate",
    "OnlineBeta",
    "ScoreQuantiles",
    "calibration_for",
    "calibration_key",
    "certify",
    "check_target",
    "clopper_pearson_upper",
    "conformal_margin",
    "default_calibration",
    "exact_tolerances",
    "failure_marginals",
    "failure_tolerance",
    "failure_tolerances",
    "link_budget_db",
    "load_calibration",
    "own_path",
    "predict",
    "predicted_links",
    "route_class",
    "route_margins",
    "route_scores",
    "run_violation_probability",
    "save_calibration",
    "sound_onset",
    "union_bound",
    "union_bound_holds",
]
