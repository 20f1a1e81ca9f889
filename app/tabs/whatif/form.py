"""The form of tab 6: which fields vary over which values, policies, trials, and the name the study is kept under."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import panel_material_ui as pmui

from app.state import POLICY_NAMES, State
from app.tabs.whatif.words import automatic_name, axis_label, field_help
from core.errors import StudyError
from core.scenario import Scenario, field_names
from core.studies import Study, parse_axis, seed_range

NONE = "(none)"
FIELDS = [n for n in field_names() if not isinstance(Scenario().value(n), tuple)]
FIRST = (
    "network.slots",
    "mission.uavs",
    "network.snr_offset_db",
    "twin.beta",
    "twin.delta_T",
    "control.corridor_radius_m",
)
"""Parameters people ask about, on top of the list."""
EXAMPLES = {
    "network.slots": "100:200:20",
    "mission.uavs": "10,25,50",
    "network.snr_offset_db": "-6:6:3",
    "twin.beta": "0.01,0.05,0.2",
    "twin.delta_T": "0.01,0.05,0.2",
    "control.corridor_radius_m": "22,30,40",
    "formulation": "repaired,paper",
}
MAX_RUNS = 2000
"""A larger study belongs on the command line."""


class StudyForm:
    """Widgets that define a study over the current settings.

    Args:
        state: the settings; the study varies what is chosen in the form.
    """

    def __init__(self, state: State) -> None:
        self._state, self._suggested = state, ""
        small = {"size": "small", "margin": (8, 6)}
        names = {axis_label(n): n for n in (*FIRST, *(n for n in FIELDS if n not in FIRST))}
        first, second = {"options": names, "value": FIRST[0]}, {"options": {NONE: NONE, **names}, "value": NONE}
        self.first = pmui.Select(label="Vary", width=220, description=field_help(FIRST[0]), **first, **small)
        self.first_values = pmui.TextInput(label="Values (lo:hi:step or a,b,c)", value="100:200:20", width=200, **small)
        self.second = pmui.Select(label="and", width=220, description="A second field.", **second, **small)
        self.second_values = pmui.TextInput(label="Values", value="", width=200, **small)
        self.policies = pmui.MultiChoice(
            label="Policies", options=list(POLICY_NAMES), value=["SAFE", "VoI-Sched"], width=330, margin=(8, 6)
        )
        self.trials = pmui.IntInput(label="Trials (seeds)", value=4, start=1, end=200, width=110, **small)
        self.name_input = pmui.TextInput(label="Save as", value="", width=230, **small)
        for choice, values in ((self.first, self.first_values), (self.second, self.second_values)):
            choice.param.watch(lambda e, c=choice, v=values: self._choose(c, v, e.new), "value")
        self.widgets = (
            self.first,
            self.first_values,
            self.second,
            self.second_values,
            self.policies,
            self.trials,
            self.name_input,
        )

    def when_changed(self, tell: Callable[[], None]) -> None:
        """Call this after every change of what would be run."""
        for widget in self.widgets[:-1]:
            widget.param.watch(lambda _: tell(), "value")

    def suggest(self, study: Study) -> None:
        """Name the study after what it varies, unless the visitor has named it."""
        if self.name_input.value.strip() in ("", self._suggested):
            self._suggested = self.name_input.value = automatic_name(study)

    def name(self) -> str:
        """The name to keep the study under; StudyError unless it can name a folder."""
        name: str = self.name_input.value.strip()
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", name):
            raise StudyError("A study's name has 1 to 40 letters, digits, - and _, beginning with a letter or digit.")
        return name

    def rename(self, name: str) -> None:
        """Show the name that the study got; an automatic one may change again, the visitor's own stays."""
        if self.name_input.value.strip() == self._suggested:
            self._suggested = name
        self.name_input.value = name

    def definition(self) -> Study:
        """The study the form describes, checked as a whole; StudyError says what to change."""
        axes = [parse_axis(f"{self.first.value}={self.first_values.value}")]
        if self.second.value != NONE:
            axes.append(parse_axis(f"{self.second.value}={self.second_values.value}"))
        study = Study(self._state.scenario, tuple(axes), tuple(self.policies.value), seed_range(self.trials.value))
        if study.size > MAX_RUNS:
            raise StudyError(f"{study.size} runs are more than {MAX_RUNS}; use larger steps or the command line.")
        study.check()
        return study

    def _choose(self, choice: Any, values: Any, name: str) -> None:
        choice.description = field_help(name) if name != NONE else "A second field."
        values.value = self._example(name)

    def _example(self, name: str) -> str:
        if name == NONE:
            return ""
        value = self._state.scenario.value(name)
        return EXAMPLES.get(name, str(value).lower() if isinstance(value, bool) else f"{value}")
