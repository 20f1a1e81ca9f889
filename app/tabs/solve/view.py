"""Tab 5, Solve for: what one slider would do to the loop in focus, and from which value on."""

from __future__ import annotations

import dataclasses
import html
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.events import Tap

from app.components.tab_view import TabView, caption
from app.figures.key import key_html
from app.figures.plot import as_high, at_least
from app.jobs.newest import Newest
from app.jobs.prices import curves_price
from app.moves import ghost_name
from app.picture import Picture
from app.tabs.solve.choice import Question, field_of, more_about, moved_last, options, question
from app.tabs.solve.figure import HEIGHT, solve_figure, update_solve
from core.errors import SafeExplorerError
from core.instant import Focus, Solution, Variable
from core.wanted import Superseded, while_wanted

LARGE = 200
"""A swarm of more UAVs takes so long per value that fewer are looked at."""
FEW = 41
"""Values for such a swarm, before changes are bisected."""
AT_LEAST_S = 0.5
"""A curve that a newer one would replace is finished when it has been in the making for less: a drag is seen as motion."""
LEAST_PX = 380
"""Width that a plot needs; where there is less for two, they stand one under the other."""
WIDEST_PX = 640
"""Width of the choice, in which its longest usual label is read to the end."""
KEY = (
    ("sent", "this action is sent"),
    ("other_block", "another action of this UAV"),
    ("uncertified", "this action, without a certificate"),
    ("uncertified_other", "another one, without a certificate"),
    ("now", "value now"),
    ("change", "where something begins or ceases to hold"),
    ("promised", "actions with a certificate"),
)
BUSY_CSS = """
.busy { opacity: .75; animation: late .15s step-end; }
@keyframes late { from { visibility: hidden; } to { visibility: visible; } }
"""
"""A sign that appears only when the answer is not there at once."""


@dataclass(frozen=True, eq=False)
class Request:
    """One picture, the control to vary, and when it was asked for."""

    picture: Picture
    control: str
    at: float


@dataclass(frozen=True, eq=False)
class Answer:
    """What a request came to; `pinned` is the same question at the pinned instant."""

    request: Request
    solution: Solution
    pinned: Solution | None = None


class SolveView(TabView):
    """Curves over one quantity for the loop and action in focus; a click moves the slider there."""

    title = "Solve for"
    name_in_link = "solve"
    of_a_flight = True

    def build(self) -> pn.viewable.Viewable:
        state = self.session.state
        self.figure = solve_figure()
        self.pick = pmui.Select(
            label="vary",
            options=options(),
            value=state.solve_for,
            size="small",
            searchable=True,
            sizing_mode="stretch_width",
            min_width=360,
            max_width=WIDEST_PX,
            margin=(6, 10),
        )
        self.pick.param.watch(self._picked, "value")
        self.follow = pmui.Checkbox(
            label="follow the slider moved last", value=state.follow, size="small", margin=(10, 4)
        )
        self.follow.param.watch(lambda event: state.apply({"follow": event.new}), "value")
        self.about, self.words, self.key = caption(), caption(), caption(key_html(KEY, ground=""))
        self.busy = pn.pane.HTML("", stylesheets=[BUSY_CSS], margin=(12, 4), styles={"font-size": "15px"})
        self.solution: Solution | None = None
        self.pinned: Solution | None = None
        self._answered: Question | None = None
        self._varied = ""
        self._asked: Request | None = None
        self._newest = Newest(
            self.session.work, self._solve, self._draw, lambda request: curves_price(request.picture.focus)
        )
        self._watcher = state.param.watch(self._choose, ["solve_for", "follow"])
        for p in self.figure.plots.values():
            p.on_event(Tap, lambda event: self._go(event.x))
        for name in ("admitted", "phi", "cheapest", "U"):
            as_high(at_least(self.figure.plots[name], LEAST_PX), f"max({HEIGHT[name]}px, 50vh - 280px)", stacked=False)
        panes = {n: pn.pane.Bokeh(p, sizing_mode="stretch_width", margin=2) for n, p in self.figure.plots.items()}
        wide = {"sizing_mode": "stretch_width", "styles": {"flex-wrap": "wrap"}, "margin": 0}
        return pn.Column(
            pn.Row(self.pick, self.follow, self.about, self.busy, **wide),
            self.words,
            pn.Row(panes["admitted"], panes["phi"], **wide),
            pn.Row(panes["cheapest"], panes["U"], **wide),
            panes["service"],
            self.key,
            caption(
                "Everything but the chosen quantity is as now, and the action in focus is held along the curves. Click anywhere "
                "to move the slider there."
            ),
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        state = self.session.state
        last = moved_last(picture) if state.follow else ""
        if last and last != state.solve_for and picture is not self.shown:
            self._varied = last  # so that nobody asks for it twice
            state.apply({"solve_for": last})
        self._varied = state.varied
        more = more_about(self._varied)
        self.about.param.update(object=f"<div>{html.escape(more)}</div>", visible=bool(more))
        if not self._slide(picture):
            self._ask(picture)

    def _slide(self, picture: Picture) -> bool:
        """Only the varied slider moved: the curves stay, the mark of the present value moves along them."""
        old, name = self.solution, field_of(self._varied)
        if old is None or old.variable.name != name or self._asked is not None:
            return False
        asked = question(picture, self._varied)
        if asked != self._answered:
            return False
        variable = Variable(name, picture.instant, picture.focus.loop)
        if variable.here not in old.curves.x:
            return False
        self._show_solution(dataclasses.replace(old, focus=picture.focus, variable=variable))
        return True

    def _ask(self, picture: Picture) -> None:
        self._asked = Request(picture, self._varied, time.perf_counter())
        self.busy.object = '<div class="busy" role="status">Computing the curves …</div>'
        self._newest.request(self._asked)

    def _solve(self, request: Request) -> Answer:
        name, kept = field_of(request.control), request.picture.pinned
        found = self._curves(request, request.picture.focus)
        if kept is None:
            return Answer(request, found)
        if self.pinned is not None and self.pinned.focus is kept.focus and self.pinned.variable.name == name:
            return Answer(request, found, self.pinned)
        try:
            return Answer(request, found, self._curves(request, kept.focus))
        except SafeExplorerError:  # this quantity cannot be varied there
            return Answer(request, found)

    def _curves(self, request: Request, focus: Focus) -> Solution:
        few = FEW if focus.instant.scenario.mission.uavs > LARGE else None
        with while_wanted(lambda: self._wanted(request)):
            return focus.solve(field_of(request.control), most=few)

    def _wanted(self, request: Request) -> bool:
        if self.session.state.tab != self.name_in_link:
            return False
        return self._asked is request or time.perf_counter() - request.at < AT_LEAST_S

    def _draw(self, result: Answer | Exception | Superseded) -> None:
        if isinstance(result, Superseded):
            if self.session.state.tab != self.name_in_link:
                self._asked = self.shown = None  # asked again on the next visit
            return
        if isinstance(result, Exception):
            self._asked = None
            self.busy.object = f"<div>The curves could not be computed: {html.escape(str(result))}</div>"
            return
        request, self.pinned = result.request, result.pinned
        if request is self._asked:
            self._asked = None
            self.busy.object = ""
        self._answered = question(request.picture, request.control)
        ghost = [("pinned", ghost_name(request.picture))] if self.pinned is not None else []
        said = f"<div>{key_html([*KEY, *ghost], ground='')}</div>"
        if self.key.object != said:
            self.key.object = said
        self._show_solution(result.solution)

    def _show_solution(self, solution: Solution) -> None:
        self.solution = solution
        with pn.io.hold():
            update_solve(self.figure, solution, self.pinned)
            self.words.object = f"<div>{html.escape(str(solution.said))}</div>"

    def _picked(self, event: Any) -> None:
        """Who picks a quantity keeps it."""
        if event.new != self.session.state.solve_for:
            self.session.state.apply({"solve_for": event.new, "follow": False})

    def _choose(self, *_: Any) -> None:
        state = self.session.state
        self.pick.value, self.follow.value = state.solve_for, state.follow
        if state.varied == self._varied:
            return
        if self.shown is not None and state.tab == self.name_in_link:
            self.show(self.shown)
        else:
            self.shown = None

    def _go(self, x: float | None) -> None:
        if x is None or self.solution is None:
            return
        v = self.solution.variable
        low, high = float(self.solution.curves.x[0]), float(self.solution.curves.x[-1])
        value = float(np.clip(x, low, high))  # moved there, to the nearest step of the slider
        try:
            self.session.state.move({self._varied: round(value) if v.whole else value})
        except SafeExplorerError as error:
            self.session.complain(str(error))

    def close(self) -> None:
        if "content" in self.__dict__:
            self._asked = None
            self._newest.close()
            self.session.state.param.unwatch(self._watcher)
