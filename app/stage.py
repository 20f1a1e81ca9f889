"""The tour on the page: which step is shown, what of the page belongs to it, and how one goes on or leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import panel as pn

from app.components.controls import Controls, group_of, notes
from app.components.presenter import Presenter
from app.components.tab_view import TabView
from app.picture import Inputs, Picture
from app.session import Session
from app.share_links import moved_since, parse_query, query_from, read_query
from app.state import State
from app.touring.catalogue import tour_files
from app.touring.named_numbers import filled
from app.touring.tour import Step, Tour

ASIDE = {"display": "var(--off-stage, flex)"}
"""For what steps aside while somebody presents (presenter.js sets the variable)."""


def state_of(step: Step) -> State:
    """What the link of a step says; it was checked when the tour was read."""
    state = State()
    read_query(state, parse_query(step.link))
    return state


class Stage:
    """A tour under way: the same tabs and figures, one part at a time; costs nothing until it starts."""

    def __init__(self, session: Session, views: Mapping[str, TabView]) -> None:
        self.session, self.views = session, views
        self.place = pn.Column(sizing_mode="stretch_width", margin=0)
        self.tour: Tour | None = None
        self.index = 0
        self._start = session.state
        self._bar: Presenter | None = None
        self._old: Picture | None = None
        self._lit: tuple[TabView, Step] | None = None
        self._controls: dict[str, Controls] = {}
        self._told: dict[str, Tour] = {}
        session.history.address = self._address
        session.history.elsewhere = self._revisit

    @property
    def step(self) -> Step | None:
        """The step shown; None when nobody presents."""
        return self.tour.steps[self.index] if self.tour is not None else None

    def announce(self, tour: Tour, index: int) -> None:
        """Take the state of a step before the page is on the screen; `show` follows when it is."""
        self.tour, self.index = tour, min(max(index, 0), len(tour.steps) - 1)
        self._told[tour.name] = tour
        self._start = state_of(tour.steps[self.index])
        self.session.state.take(self._start)

    def start(self, tour: Tour, index: int = 0) -> None:
        """Present a tour from one of its steps on."""
        self.tour = self._told[tour.name] = tour
        self.go(index)

    def go(self, index: int, moved: Mapping[str, list[str]] = MappingProxyType({})) -> None:
        """Show a step, as its link would.

        Args:
            index: counted from 0.
            moved: what such a link says besides tour and step.
        """
        if self.tour is None or not 0 <= index < len(self.tour.steps):
            return
        self.index = index
        step = self.tour.steps[index]
        self._start = state_of(step)
        self.session.clock.pause()
        with pn.io.hold():
            with self.session.pipeline.exactly(afresh=True):
                wanted = state_of(step)
                read_query(wanted, moved)
                self._old = self.session.pipeline.picture
                self.session.state.take(wanted)
            if self._old is not None and self._old.inputs == Inputs.of(self.session.state):
                self._old = None  # it is the picture of this step already
            self.show()

    def reset(self) -> None:
        """Back to what the step's link says."""
        self.go(self.index)

    def leave(self) -> None:
        """Give the page back; what is shown stays."""
        self._close()
        self.session.history.begin()

    def _close(self) -> None:
        self.tour = None
        with pn.io.hold():
            self._dim()
            if self._bar is not None:
                self._bar.view = {}
                self.place[1:] = []

    def show(self) -> None:
        """Put the step on the stage: its sentence, its control, its part of the tab."""
        step = self.step
        if step is None:
            return
        if self._bar is None:
            self._bar = Presenter(self._asked, sizing_mode="stretch_width", margin=(0, 18))
        self.place[:] = [self._bar, *([self._control(step.control)] if step.control not in ("", "cycle") else [])]
        self.refresh()
        self.session.history.begin()

    def _control(self, name: str) -> Controls:
        """The one control of a step; kept, since it listens to the state for as long as the page lives."""
        if name not in self._controls:
            self._controls[name] = Controls(
                self.session.state,
                self.session.complain,
                groups=group_of(name),
                css_classes=["one"],
                sizing_mode="stretch_width",
                margin=(0, 18),
            )
        return self._controls[name]

    def light(self, view: TabView) -> None:
        """The tab is drawn: show the step's part of it large."""
        step = self.step
        if step is None or self._lit == (view, step):
            return
        if self._lit is not None and self._lit[0] is not view:
            self._dim()
        self._lit = view, step
        view.redrawn = self.refresh
        view.present(step.show)

    def _dim(self) -> None:
        if self._lit is not None:
            view, self._lit = self._lit[0], None
            view.redrawn = lambda: None
            view.unpresent()

    def refresh(self) -> None:
        """Fill the sentence with the numbers of the picture as it is now."""
        step, tour = self.step, self.tour
        if step is None or tour is None or self._bar is None:
            return
        view, picture = self.views.get(self.session.state.tab), self.session.pipeline.picture
        if picture is self._old:
            picture = None  # of the step before: its numbers are not said of this one
        extra: dict[str, str] = view.tell() if view is not None and "content" in view.__dict__ else {}
        shown: dict[str, Any] = {
            "index": self.index,
            "steps": [each.title for each in tour.steps],
            "title": step.title,
            "say": filled(step.say, picture, extra),
            "look": filled(step.look, picture, extra),
            "control": step.control,
        }
        if shown != self._bar.view:
            self._bar.view = shown
        if picture is not None and step.control in self._controls:
            self._controls[step.control].param.update(notes=notes(picture), flown=picture.focus.flown)

    def _address(self, pairs: Iterable[tuple[str, str]]) -> str:
        """Address of the step and of what was moved since; of a tour that only this visitor has, of what is shown."""
        if self.tour is None or self.tour.name not in tour_files():
            return query_from(pairs)
        moved = moved_since(self.session.state, self._start)
        return query_from([("tour", self.tour.name), ("step", str(self.index + 1)), *moved])

    def _revisit(self, query: str) -> bool:
        """Go where an address of a tour leads that was shown before; whether it was one."""
        arguments = parse_query(query)
        name, step = (arguments.pop(key, [""])[0] for key in ("tour", "step"))
        story = self._told.get(name)
        if story is None or not step.isdecimal():
            self._close()
            return False
        self.tour = story
        self.go(min(int(step[:4]), len(story.steps)) - 1, arguments)
        return True

    def _asked(self, what: str, index: int) -> None:
        if what == "go":
            self.go(index)
        elif what == "reset":
            self.reset()
        else:
            self.leave()
