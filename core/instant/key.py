"""What decides a flight: scenario at take-off, policy, seed, calibration, and the changes on the way."""

from __future__ import annotations

from typing import NamedTuple

from core.scenario import Scenario
from core.simulation import Policy
from core.simulation.policy import policy_class
from core.twin import Calibration, calibration_for


class Change(NamedTuple):
    """Another scenario from the start of a cycle on, with its calibration of the twin."""

    cycle: int
    scenario: Scenario
    calibration: Calibration


class Segment(NamedTuple):
    """The cycles start … end − 1, flown under one scenario."""

    start: int
    end: int
    scenario: Scenario


class FlightKey(NamedTuple):
    """All that decides a flight; a changed state of a loop is never part of one."""

    scenario: Scenario
    policy: type[Policy]
    seed: int
    calibration: Calibration
    changes: tuple[Change, ...] = ()

    @classmethod
    def of(cls, scenario: Scenario, policy: str | type[Policy] = "SAFE", seed: int = 0) -> FlightKey:
        """The key of a flight without changes; see `Flight.of`."""
        return cls(scenario, policy_class(policy), int(seed), calibration_for(scenario))

    def changed(self, cycle: int, scenario: Scenario) -> FlightKey:
        """The key of the flight that has another scenario from the start of a cycle on; later changes are left out."""
        prefix = self.before(cycle)
        if scenario == prefix.at(cycle):
            return prefix
        return prefix._replace(changes=(*prefix.changes, Change(cycle, scenario, calibration_for(scenario))))

    def before(self, cycle: int) -> FlightKey:
        """The flight without the changes of this cycle and of later ones."""
        return self._replace(changes=tuple(c for c in self.changes if c.cycle < cycle))

    def at(self, k: int) -> Scenario:
        """Scenario in force in cycle k."""
        return next((c.scenario for c in reversed(self.changes) if c.cycle <= k), self.scenario)
