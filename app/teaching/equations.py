"""Numbers of the paper's equations by label, as its compiled text prints them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.errors import SafeExplorerError

_IN_ORDER = (
    "eq:plant-dynamics", "eq:lqr-law", "eq:safe-certification-domain", "eq:rmse", "eq:dt-state-map",
    "eq:dt-confidence-set", "eq:feasible-action-set", "eq:hold-v", "eq:hold-sigma", "eq:local-safe-invariance",
    "eq:local-safe-drift", "", "eq:dt-certificate-map", "eq:dt-service-failure", "eq:directional-delivery",
    "eq:directional-delay", "eq:opportunity-spacing", "eq:interaction-interval", "eq:dt-bidirectional-service-success",
    "eq:failure-transition", "eq:markov-failure-tail", "eq:markov-failure-tolerance", "eq:tuple-interaction-cert", "",
    "eq:augmented-lyapunov", "eq:robust-alpha", "eq:covariance-endpoint-envelope", "eq:drift-bound",
    "eq:safe-certificate-region", "", "eq:rolling-certificate-budget", "", "eq:p1-benchmark", "eq:allocation-baseline", "",
    "eq:p2-reduced", "eq:p2-dp-recurrence", "eq:lmi-certificate", "eq:alpha-raw", "eq:delay-supremum-envelope", "",
    "eq:failure-run-delay-envelope", "eq:failure-run-saturation", "eq:failure-family-contraction", "eq:per-opp-envelope",
    "eq:cycle-envelope-r1", "eq:drift-decomposition", "eq:v-step-contraction", "eq:drift-v-bound", "eq:covariance-success",
    "eq:covariance-failure-run", "eq:covariance-failure-bound", "eq:covariance-drift-final",
)  # fmt: skip
"""Every numbered equation of the paper in its order; "" = one that has a number and no label."""

NUMBERS: Mapping[str, int] = MappingProxyType({label: i for i, label in enumerate(_IN_ORDER, start=1) if label})
"""Label → number."""


def equation_number(label: str) -> int:
    """The number of an equation of the paper.

    Args:
        label: such as "eq:drift-bound".
    """
    if label not in NUMBERS:
        raise SafeExplorerError(
            f"The paper has no equation {label!r}; app.teaching.equations.NUMBERS lists its labels."
        )
    return NUMBERS[label]
