"""Named scenarios shipped in data/scenarios/*.yaml."""

from __future__ import annotations

import difflib

from core.errors import ScenarioError
from core.folders import DATA
from core.scenario.scenario import Scenario

PRESETS: tuple[str, ...] = tuple(sorted(p.stem for p in (DATA / "scenarios").glob("*.yaml")))

SCENES = ("table-1", "clear-field", "wide-hall")
"""Presets that differ in what stands in the way and where the ground station is, not in how scarce slots are: a ranking that
holds in one of them only is a property of its geometry."""


def preset(name: str) -> Scenario:
    """A shipped scenario by name; unknown names are errors with the nearest one suggested."""
    if name not in PRESETS:
        near = difflib.get_close_matches(name, PRESETS, n=1, cutoff=0.3)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ScenarioError(f"No preset {name!r}; there are {', '.join(PRESETS)}.{hint}")
    return Scenario.from_yaml(DATA / "scenarios" / f"{name}.yaml")
