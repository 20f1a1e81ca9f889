"""Every instant is a cycle of a flight: flown states, and what a scenario would make of them now."""

from core.instant.flight import Flight, Superseded
from core.instant.focus import interesting_loop
from core.instant.instant import Instant
from core.instant.takeoff import takeoff

__all__ = ["Flight", "Instant", "Superseded", "interesting_loop", "takeoff"]
