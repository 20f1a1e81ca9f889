"""Which scenario flies behind the instants: the one thing a slider must not change."""

from __future__ import annotations

import functools

from core.control import ControlModel
from core.errors import SafeExplorerError
from core.scenario import Scenario, field_names
from core.simulation.loop import RESTART_FIELDS

FLOWN = RESTART_FIELDS
"""Fields that decide the flight; any other field asks "what if, now" at an instant of it."""


@functools.lru_cache(maxsize=64)
def takeoff(scenario: Scenario) -> Scenario:
    """The scenario at take-off: the mission of the given one, everything that is not FLOWN at its default.

    Where the defaults do not fit the mission (a corridor too narrow for its speed), the scenario's own control law is
    taken, and where even that does not fit, the scenario as it is: then those fields decide the flight too.
    """
    for more in ("mission.", "control."):
        own = {n: scenario.value(n) for n in field_names() if n in FLOWN or n.startswith(more)}
        try:
            found = Scenario().replace(**own)
            ControlModel.of(found)
        except SafeExplorerError:
            continue
        return found
    return scenario
