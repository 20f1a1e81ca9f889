"""Which scenario flies behind the instants: the one thing a slider must not change."""

from __future__ import annotations

import functools
from typing import Any

from core.control import ControlModel
from core.errors import SafeExplorerError
from core.scenario import Scenario, field_names
from core.simulation.restart import RESTART_FIELDS

FLOWN = RESTART_FIELDS
"""Fields that decide the flight; any other field asks "what if, now" at an instant of it."""
Settings = tuple[tuple[str, Any], ...]
"""Dotted scenario field and value, in the order of the fields; none of them FLOWN."""


@functools.lru_cache(maxsize=64)
def takeoff(scenario: Scenario, settings: Settings = ()) -> Scenario:
    """The scenario at take-off: the mission of the given one, what the settings name, and everything else at its default.

    Where the defaults do not fit these (a corridor too narrow for the mission's speed), the scenario's own control law is
    taken in their place, and where even that does not fit, all its own fields: then those decide the flight too. The fields
    are always put together at once, so that what fits together is never refused for the sake of a default.

    Args:
        scenario: of the sliders.
        settings: with which the flight took off.

    Raises:
        SafeExplorerError: the settings fit neither the defaults nor the scenario. Without settings, a scenario that cannot
            be flown is given back as it is; who flies it is told why not.
    """
    refused: SafeExplorerError | None = None
    for groups in (("mission.",), ("mission.", "control."), ("",)):
        own = {n: scenario.value(n) for n in field_names() if n in FLOWN or n.startswith(groups)}
        try:
            made = Scenario().replace(**own | dict(settings))
            ControlModel.of(made)
        except SafeExplorerError as error:
            refused = error
            continue
        return made
    if settings and refused is not None:
        raise refused
    return scenario
