"""What the twin expects of every link, before any margin."""

from __future__ import annotations

from core.network import Topology, topology
from core.network.arrays import Bools, Floats
from core.scenario import Scenario


def predict(scenario: Scenario, estimates: Floats, los: Bools, shadowing_db: Floats | None = None) -> Topology:
    """Predicted topology (eq:dt-state-map) from controller-side positions and measured link qualities.

    A link that passes the building closer than `twin.clearance_m` is predicted blocked: estimates are off by about a
    metre, and an unforeseen blockage costs more than any margin can cover (docs/CALIBRATION.md).

    Args:
        scenario: radio, building, clearance.
        estimates: UAV positions as the controller knows them, (N, 3) [m].
        los: line-of-sight class of every link, known to the twin, (N+1, N+1).
        shadowing_db: what recent measurements tell of the shadowing (D21), (N+1, N+1) [dB]; None = nothing.
    """
    return topology(scenario, estimates, los, shadowing_db, clearance_m=scenario.twin.clearance_m)
