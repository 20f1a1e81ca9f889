"""What Run would do, said before it is pressed: how many runs, at which settings, and about how long."""

from __future__ import annotations

import html
import math
from collections.abc import Callable

from app.components.tab_view import caption
from app.jobs.debounced import Debounced
from app.jobs.page_work import PageWork
from app.jobs.price import Price, about
from app.tabs.whatif.cost import PACE, expected_s
from app.tabs.whatif.form import StudyForm
from app.tabs.whatif.process import workers_for
from app.tabs.whatif.words import flown_at
from core.studies import Study

PAUSE_S = 0.3
"""How long form and sliders rest before the study is looked at [s]."""
MEASURING = Price(1.0, "Measuring how long the runs take", "measuring")


class Plan:
    """A line of words that follows the form; what takes time is done in a thread.

    Args:
        work: of the page.
        form: whose study.
        idle: whether nothing runs that a measurement would disturb, or that would disturb it.
    """

    def __init__(self, work: PageWork, form: StudyForm, idle: Callable[[], bool]) -> None:
        self._form, self._idle = form, idle
        self.pane = caption()
        self.expected_s = math.nan
        self._define = Debounced(work, lambda _: form.definition(), self._defined, pause_s=PAUSE_S)
        self._measure = Debounced(
            work,
            lambda study: (study, expected_s(study, workers_for(study))),
            self._measured,
            lambda _: MEASURING,
            PAUSE_S,
        )

    def look(self) -> None:
        """The form or the settings have changed."""
        self._define.request(None)

    def _defined(self, found: Study | Exception) -> None:
        if isinstance(found, Exception):
            self._say(f"Run: {found}")
            return
        self._form.suggest(found)
        self.expected_s = math.nan
        self._say(plan(found))
        if self._idle():
            self._measure.request(found)

    def _measured(self, found: tuple[Study, float] | Exception) -> None:
        if isinstance(found, tuple):
            study, self.expected_s = found
            self._say(plan(study, self.expected_s * PACE.factor))

    def _say(self, text: str) -> None:
        self.pane.object = f"<div>{html.escape(text)}</div>"

    def close(self) -> None:
        """Drop everything under way."""
        self._define.close()
        self._measure.close()


def plan(study: Study, seconds: float = math.nan) -> str:
    """What Run would do, in words.

    Args:
        study: of the form.
        seconds: how long it would take; nan = not known yet.
    """
    parts = [f"{len(study.levels(n))} values" for n in study.names]
    for many, what in ((len(study.policies), "polic"), (len(study.seeds), "trial")):
        ending = ("y" if many == 1 else "ies") if what == "polic" else ("" if many == 1 else "s")
        parts.append(f"{many} {what}{ending}")
    how_long = about(seconds) if math.isfinite(seconds) else "measuring how long that takes …"
    return f"Run: {study.size} runs ({' × '.join(parts)}), {how_long}, at {flown_at(study)}."
