"""Every instant is a cycle of a flight: flown states, and what a scenario would make of them now.

from core.instant import Flight
from core.scenario import Scenario

now = Flight.of(Scenario(), "SAFE", 0).instant(60)
print(now.on(16).sentence)  # UAV 17: why its action is or is not sent
print(now.replace(scenario=now.scenario.replace(**{"twin.beta": 0.2})).on(16).why)  # what if
print(now.on(16).solve("network.snr_offset_db").certifiable)  # from which SNR
"""

from core.instant.action import SHORT, Action
from core.instant.comparison import changed, compared
from core.instant.flight import Flight
from core.instant.focus import Focus
from core.instant.history import History, SentFrame
from core.instant.instant import BEYOND, Instant
from core.instant.interest import interesting_loop
from core.instant.key import Change, FlightKey, Segment
from core.instant.offer import Offer
from core.instant.paths import Paths
from core.instant.rivals import PolicyFrame
from core.instant.solve import Curves, Solution, solve
from core.instant.spans import Spans
from core.instant.takeoff import takeoff
from core.instant.vary import Variable, varied
from core.instant.words import longer_frame

__all__ = [
    "BEYOND",
    "SHORT",
    "Action",
    "Change",
    "Curves",
    "Flight",
    "FlightKey",
    "Focus",
    "History",
    "Instant",
    "Offer",
    "Paths",
    "PolicyFrame",
    "Segment",
    "SentFrame",
    "Solution",
    "Spans",
    "Variable",
    "changed",
    "compared",
    "interesting_loop",
    "longer_frame",
    "solve",
    "takeoff",
    "varied",
]
