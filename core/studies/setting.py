"""A setting of a study: a name for several scenario fields that change together, such as a preset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import ScenarioError, StudyError
from core.scenario import Scenario
from core.studies.axis import known_field

SETTING = "setting"
"""The column of the records that holds the name."""


@dataclass(frozen=True)
class Setting:
    """Scenario fields that a study changes together.

    Args:
        name: what the records and tables call it.
        changes: dotted name and value of each field; none = the study's own scenario.
    """

    name: str
    changes: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, name: str, changes: Mapping[str, Any]) -> Setting:
        """A setting whose values are checked against the fields' own bounds."""
        if not name:
            raise StudyError("A setting needs a name.")
        for field in changes:
            known_field(str(field))
        try:
            changed = Scenario().replace(**{str(field): value for field, value in changes.items()})
        except (
            ScenarioError
        ):  # it may need the study's own scenario: `Study.scenario_of` says what does not go together
            return cls(name, tuple((str(field), _plain(value)) for field, value in changes.items()))
        return cls(name, tuple((str(field), changed.value(str(field))) for field in changes))

    @classmethod
    def between(cls, name: str, base: Scenario, scenario: Scenario) -> Setting:
        """The setting that turns one scenario into another."""
        return cls(name, tuple(scenario.differences(base).items()))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that change."""
        return tuple(name for name, _ in self.changes)


def checked_settings(settings: Iterable[Setting], varied: Iterable[str]) -> tuple[Setting, ...]:
    """The settings; StudyError when a name is given twice or a field is also varied by itself."""
    found = tuple(settings)
    names = [s.name for s in found]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise StudyError(f"The setting {twice[0]!r} is given twice; name each setting once.")
    if both := sorted({f for s in found for f in s.fields} & set(varied)):
        raise StudyError(f"{both[0]} is varied by itself and by a setting; leave it out of one of them.")
    return found


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
