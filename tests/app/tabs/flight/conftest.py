"""One lossy flight of a small swarm under two policies, and the same with other settings from cycle 6 on."""

import pytest

from core.instant import Flight
from core.scenario import Scenario

SCENARIO = Scenario().replace(
    **{"mission.uavs": 9, "network.slots": 60, "mission.duration_s": 5.0, "network.snr_offset_db": -4.0}
)
CHANGE = 6


@pytest.fixture(scope="session")
def flights() -> dict[str, Flight]:
    found = {policy: Flight.of(SCENARIO, policy, 2) for policy in ("SAFE", "VoI-Sched")}
    for flight in found.values():
        flight.reach(flight.cycles)
    return found


@pytest.fixture(scope="session")
def changed(flights: dict[str, Flight]) -> dict[str, Flight]:
    other = SCENARIO.replace(**{"network.slots": 24, "control.R": 2 * SCENARIO.control.R})
    found = {policy: flight.changed(CHANGE, other) for policy, flight in flights.items()}
    for flight in found.values():
        flight.reach(flight.cycles)
    return found
