"""What cannot change while a run is in flight."""

from __future__ import annotations

from core.errors import ScenarioError
from core.scenario import Affects, Scenario, fields_affecting

RESTART_FIELDS = fields_affecting(Affects.FLIGHT)
"""The fields that shape the state of a run and cannot change while it flies."""


def needs_restart(before: Scenario, after: Scenario) -> list[str]:
    """Fields by which two scenarios differ and which no run in flight can follow."""
    return [n for n in after.differences(before) if n in RESTART_FIELDS]


def refuse_restart(before: Scenario, after: Scenario) -> None:
    """ScenarioError when no run in flight can change from one scenario to the other."""
    if fixed := needs_restart(before, after):
        raise ScenarioError(f"{', '.join(fixed)} cannot change while a run is in flight; start a new run.")
