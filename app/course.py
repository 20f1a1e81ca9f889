"""The course of a flight: what it took off with, and what was changed on the way."""

from __future__ import annotations

from core.control import ControlModel
from core.errors import ScenarioError
from core.instant.takeoff import FLOWN, Settings
from core.scenario import Scenario

Changes = tuple[tuple[int, Settings], ...]
"""Cycle and what differs from its start on from the scenario before it."""


def course_of(start: Scenario, changes: Changes) -> tuple[tuple[int, Scenario], ...]:
    """The scenarios on the way.

    Args:
        start: at take-off.
        changes: in the order of their cycles.
    """
    found, scenario, last = [], start, -1
    for cycle, settings in changes:
        if not last < cycle < start.cycles:
            raise ScenarioError(f"A change at cycle {cycle} must follow the one before and lie within the mission.")
        if fixed := [name for name, _ in settings if name in FLOWN]:
            raise ScenarioError(f"{', '.join(fixed)} cannot change within a flight; fly again with these settings.")
        scenario, last = scenario.replace(**dict(settings)), cycle
        ControlModel.of(scenario)
        found.append((cycle, scenario))
    return tuple(found)


def settings_from(before: Scenario, after: Scenario) -> Settings:
    """By what a scenario differs from another, fields that no flight can follow left out (they are the mission's)."""
    return tuple((name, value) for name, value in after.differences(before).items() if name not in FLOWN)
