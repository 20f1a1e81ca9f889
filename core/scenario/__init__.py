"""Scenario and the metadata of its fields."""

from core.scenario.groups import (
    SLOT_PATTERNS,
    AllocationFields,
    ControlFields,
    MissionFields,
    NetworkFields,
    TwinFields,
)
from core.scenario.presets import PRESETS, SCENES, preset
from core.scenario.quantity import Affects, Quantity
from core.scenario.scenario import FORMULATIONS, Scenario, field_names, fields_affecting, quantity_of

__all__ = [
    "FORMULATIONS",
    "PRESETS",
    "SCENES",
    "SLOT_PATTERNS",
    "Affects",
    "AllocationFields",
    "ControlFields",
    "MissionFields",
    "NetworkFields",
    "Quantity",
    "Scenario",
    "TwinFields",
    "field_names",
    "fields_affecting",
    "preset",
    "quantity_of",
]
