"""The policies, registered in order: the paper's five (Section V-B), SAFE's two other values, baselines, ablations."""

from core.simulation.policies.ablations import (
    SafeGreedy,
    SafeL1,
    SafeNoAdmission,
    SafeNominal,
    SafeNoPlan,
    SafeNoSync,
    SafeReach,
)
from core.simulation.policies.by_score import ByScore
from core.simulation.policies.calls import Calls
from core.simulation.policies.cert_fixed import CertFixed
from core.simulation.policies.dyn_tx_hlc import DynTxHLC
from core.simulation.policies.fixed_service import FixedService
from core.simulation.policies.nmse_sched import NMSESched
from core.simulation.policies.rollout import Rollout
from core.simulation.policies.safe import Safe, SafePaper, SafeRepaired
from core.simulation.policies.voi_sched import VoISched
from core.simulation.policies.whittle_age import WhittleAge
from core.simulation.policy import register

_PAPER = (FixedService, CertFixed, DynTxHLC, VoISched, Safe)
_VALUES = (SafeRepaired, SafePaper)
_BASELINES = (WhittleAge, Calls, NMSESched, Rollout)
_ABLATIONS = (SafeGreedy, SafeNoAdmission, SafeReach, SafeNoSync, SafeNominal, SafeNoPlan, SafeL1)

for _policy in (*_PAPER, *_VALUES, *_BASELINES, *_ABLATIONS):
    register(_policy)

PAPER_FIVE = ("SAFE", "VoI-Sched", "DynTx-HLC", "Fixed-Service", "Cert-Fixed")
"""The paper's policies, best first as it reports them: what flies wherever nobody chose others."""
RANKED = tuple(policy.name for policy in (*_PAPER, *_BASELINES))
"""Methods that are ranked against each other: the paper's five and the baselines from the literature."""
REPRODUCED = (*RANKED, *(policy.name for policy in (*_VALUES, *_ABLATIONS)))
"""What a reproduction flies unless told otherwise: those, and SAFE with each of its parts exchanged."""

__all__ = [
    "PAPER_FIVE",
    "RANKED",
    "REPRODUCED",
    "ByScore",
    "Calls",
    "CertFixed",
    "DynTxHLC",
    "FixedService",
    "NMSESched",
    "Rollout",
    "Safe",
    "SafeGreedy",
    "SafeL1",
    "SafeNoAdmission",
    "SafeNoPlan",
    "SafeNoSync",
    "SafeNominal",
    "SafePaper",
    "SafeReach",
    "SafeRepaired",
    "VoISched",
    "WhittleAge",
]
