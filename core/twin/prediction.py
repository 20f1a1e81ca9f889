"""What the twin expects of every link, before any margin."""

from __future__ import annotations

from core.network import Links, Shadowing, Topology, links_at
from core.network.arrays import Bools, Floats
from core.scenario import Scenario


def predict(scenario: Scenario, estimates: Floats, los: Bools, shadowing: Shadowing | None = None) -> Topology:
    """Predicted topology (eq:dt-state-map) from controller-side positions and measured link qualities.

    A link that passes the building closer than `twin.clearance_m` is predicted blocked: estimates are off by about a
    metre, and an unforeseen blockage costs more than any margin can cover (docs/CALIBRATION.md).

    Args:
        scenario: radio, building, clearance.
        estimates: UAV positions as the controller knows them, (N, 3) [m].
        los: line-of-sight class of every link, known to the twin, (N+1, N+1).
        shadowing: what recent measurements tell of the shadowing (D21); None = nothing.
    """
    return predicted_links(scenario, estimates, los, shadowing).all()


def predicted_links(scenario: Scenario, estimates: Floats, los: Bools, shadowing: Shadowing | None = None) -> Links:
    """The links of `predict`, none worked out yet."""
    return links_at(scenario, estimates, los, shadowing, clearance_m=scenario.twin.clearance_m)
