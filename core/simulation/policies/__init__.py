"""The policies of Section V-B, one file each, registered in the paper's order."""

from core.simulation.policies.cert_fixed import CertFixed
from core.simulation.policies.dyn_tx_hlc import DynTxHLC
from core.simulation.policies.fixed_service import FixedService
from core.simulation.policies.safe import Safe, SafePaper, SafeRepaired
from core.simulation.policies.voi_sched import VoISched
from core.simulation.policy import register

for _policy in (FixedService, CertFixed, DynTxHLC, VoISched, Safe, SafeRepaired, SafePaper):
    register(_policy)

__all__ = ["CertFixed", "DynTxHLC", "FixedService", "Safe", "SafePaper", "SafeRepaired", "VoISched"]
