"""Tab 4, the flight: one cycle of it in space, and what explains how it goes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.events import Tap

from app.components.tab_view import TabView
from app.jobs.newest import Newest
from app.moves import ghost_name
from app.picture import Inputs, Picture
from app.state import CONTROLS, POLICY_NAMES
from app.tabs.flight.canvas import Scene
from app.tabs.flight.drawing import Drawing, Request, drawing, same
from app.tabs.flight.figure import show_curves, show_cycle
from app.tabs.flight.flyer import Flyer
from app.tabs.flight.plots import flight_figure
from app.tabs.flight.scene import ahead, moving, still
from app.tabs.flight.tables import CSS, chips_html, numbers_html
from app.touring.named_numbers import WAITING
from core.errors import SafeExplorerError
from core.figures.arrays.flight import over
from core.instant import Flight
from core.wanted import Superseded

AHEAD = 12
"""Cycles that are flown ahead of a clock that plays."""
HEIGHT = 200
"""Of scene and plots, until the style sheet gives each the height of its place [px]."""
CHOICE = {
    "UAV": "focus",
    "RMSE": "rmse",
    "V tail": "v",
    "Delay": "delay",
    "Modes": "modes",
    "β": "coverage",
    "Table": "numbers",
}
"""Where there is no room for all at once, one of these is shown."""
SMALL = {
    "& button": {"padding": "1px 2px", "minWidth": 0, "flex": "1 1 0", "textTransform": "none", "fontSize": "14px"}
}
OUTER = ":host { container-type: inline-size; display: block; width: 100%; }"
LAYOUT = Path(__file__).with_name("layout.css").read_text(encoding="utf-8")


class FlightView(TabView):
    """The flight looked at, in space and over time, beside the flights of the other policies."""

    title = "Flight"
    name_in_link = "flight"
    of_a_flight = draws_on_the_way = True
    parts = ("scene", "race")
    told = MappingProxyType(
        {
            "counted": "cycles that the numbers count",
            "leader": "policy with the smallest mean RMSE over them",
            "leader_rmse": "that RMSE [m]",
            "last": "policy with the largest",
            "last_rmse": "that RMSE [m]",
            "flawless_rmse": "mean RMSE of the same mission with a flawless radio [m]",
        }
    )

    def build(self) -> pn.viewable.Viewable:
        state = self.session.state
        self.figure = flight_figure(POLICY_NAMES)
        self.scene = Scene(self._focus, sizing_mode="stretch_width", height=HEIGHT, css_classes=["scene"], margin=0)
        self.chips = self._html("chips")
        self.numbers = self._html("numbers")
        self.choice = pmui.RadioButtonGroup(
            options=CHOICE,
            value="focus",
            size="small",
            css_classes=["choice"],
            margin=0,
            sizing_mode="stretch_width",
            sx=SMALL,
        )
        self.flyer = Flyer(self.session.work, self._hear)
        self._newest = Newest(self.session.work, drawing, self._draw)
        self.drawn: Drawing | None = None
        self._asked: Request | None = None
        self._flight: Flight | None = None
        self._complained: set[object] = set()
        self._loop, self._heard = 0, False
        self._picture: Picture | None = None
        panes = {
            name: pn.pane.Bokeh(p, sizing_mode="stretch_width", height=HEIGHT, css_classes=[name], margin=0)
            for name, p in self.figure.plots.items()
        }
        for name in ("series", "focus"):
            self.figure.plots[name].on_event(Tap, lambda event: self._go(event.x))
        names = [*CONTROLS, "takeoff", "changes", "tab"]
        self._watchers: list[tuple[Any, Any]] = [
            (state, state.param.watch(lambda *_: self.follow(), names)),
            (self.session.clock, self.session.clock.param.watch(lambda *_: self._play(), "playing")),
        ]
        self._inner = pn.Column(
            self.scene, self.chips, panes["series"], panes["focus"], self.choice, *(panes[n] for n in ("rmse", "v", "delay", "modes", "coverage")),
            self.numbers, css_classes=["flight", "show-focus"], stylesheets=[LAYOUT], sizing_mode="stretch_width", margin=0,
        )  # fmt: skip
        self._alone = ""
        self.choice.param.watch(lambda _: self._arrange(), "value")
        return pn.Column(self._inner, stylesheets=[OUTER], sizing_mode="stretch_width", margin=0)

    def show(self, picture: Picture) -> None:
        """The prediction of a new picture; the rest follows the state by itself."""
        self._loop, self._picture = picture.focus.loop, picture
        self.follow()
        self.scene.param.update(ahead=ahead(picture.focus), focus=picture.focus.uav)

    def refresh(self, picture: Picture | None) -> None:
        _ = self.content
        super().refresh(picture)
        self.follow()

    def follow(self, again: bool = False) -> None:
        """Draw the cycle of the state; what is not flown yet is flown meanwhile.

        Args:
            again: also when it has been asked for already, because more of it is flown.
        """
        state = self.session.state
        if state.tab != self.name_in_link:
            self.flyer.fly((), 0)
            self._asked = self.drawn = None
            return
        policies = tuple(dict.fromkeys((state.policy, *state.policies)))
        loop = state.focus - 1 if state.focus else self._loop
        try:
            request = Request(Inputs.of(state), policies, loop)
        except SafeExplorerError as error:
            self.scene.busy = str(error)
            return
        shown, last = self._picture, self.drawn
        if shown is not None and shown.pinned is not None:
            request = replace(request, pinned=shown.pinned, pinned_name=ghost_name(shown))
            if last is not None and last.pinned is not None and last.request.pinned is shown.pinned:
                request = replace(request, pinned_known=last.pinned.flights)
        if not again and same(self._asked, request):
            return
        if last is not None and last.request.course == request.course:
            request = replace(request, known=last.flights)
        self._asked = request
        self._show_scene(request)
        self._newest.request(request)

    def _arrange(self) -> None:
        """Which of its pictures the style sheet shows."""
        alone = [f"only-{self._alone}"] if self._alone else []
        self._inner.css_classes = ["flight", f"show-{self.choice.value}", *alone]

    def part(self, name: str) -> tuple[pn.viewable.Viewable, ...]:
        return {"scene": (self.scene,), "race": (self.scene, self.chips, *self._inner[2:3])}[name]

    def present(self, part: str) -> None:
        super().present(part)
        self._alone = part
        self._arrange()

    def unpresent(self) -> None:
        super().unpresent()
        self._alone = ""
        if "content" in self.__dict__:
            self._arrange()

    def tell(self) -> dict[str, str]:
        """Who leads, once every flight has got as far as the cycle shown."""
        if self.drawn is None or not self._complete:
            return dict.fromkeys(self.told, WAITING)
        found = self.drawn.curves
        errors = {policy: numbers["mean_rmse_m"] for policy, numbers in found.numbers.items()}
        first, last = min(errors, key=errors.__getitem__), max(errors, key=errors.__getitem__)
        return {
            "counted": str(found.cycle + 1 - found.start),
            "leader": first,
            "leader_rmse": f"{errors[first]:.1f}",
            "last": last,
            "last_rmse": f"{errors[last]:.1f}",
            "flawless_rmse": f"{found.mean_flawless:.1f}",
        }

    def close(self) -> None:
        if "content" in self.__dict__:
            self.flyer.close()
            self._newest.close()
            for owner, watcher in self._watchers:
                owner.param.unwatch(watcher)

    @property
    def _complete(self) -> bool:
        found = self.drawn
        flying = [f for f in found.flights.values() if f not in self.flyer.failed] if found is not None else []
        return found is not None and len(found.curves.numbers) >= len(flying)

    def _show_scene(self, request: Request) -> None:
        """Draw the swarm at once if its cycle is flown, else say what the picture waits for."""
        flight, k = request.known.get(request.policies[0]), request.inputs.cycle
        if flight is None:
            self.scene.busy = f"{request.policies[0]} takes off …"
        elif not over(flight, k):
            self.scene.busy = f"{request.policies[0]}: {flight.ended} of {flight.at(k) + 1} cycles are flown"
        else:
            with pn.io.hold():
                if self._flight is not flight:
                    self.scene.still = still(flight)
                if (self._flight, self.scene.moving.get("cycle")) != (flight, flight.at(k)):
                    self.scene.moving = moving(flight, k)
                self.scene.param.update(busy="", focus=request.loop + 1)
                show_cycle(self.figure, flight.at(k))
            self._flight = flight

    def _draw(self, result: Drawing | Exception | Superseded) -> None:
        if isinstance(result, Superseded):
            return
        if isinstance(result, Exception):
            self.scene.busy = str(result)
            return
        found, inspected = result.curves, result.request.policies[0]
        self.drawn = result
        self._tell_failed()
        with pn.io.hold():
            if same(self._asked, result.request):  # else the scene is ahead already
                self._show_scene(replace(result.request, known=result.flights))
            pinned = result.pinned
            show_curves(self.figure, found, inspected, pinned.faint if pinned is not None else None)
            chip = pinned.chip if pinned is not None else ""
            _say(self.chips, chips_html(result.flights, found, inspected, self.flyer.failed, chip))
            rows = pinned.curves if pinned is not None and pinned.distributions else None
            _say(self.numbers, numbers_html(found, inspected, rows))
            self.redrawn()
        self._fly()

    def _fly(self) -> None:
        if self.drawn is None:
            return
        k = self.drawn.curves.cycle + (AHEAD if self.session.clock.playing else 0)
        flights = tuple(self.drawn.flights.values())
        pinned = self.drawn.pinned
        failed = self.flyer.failed
        behind = pinned is not None and len(pinned.curves.numbers) < sum(
            f not in failed for f in pinned.flights.values()
        )
        if pinned is not None and behind and self._complete and not self.session.clock.playing:
            flights, k = tuple(pinned.flights.values()), pinned.curves.cycle
        if self.session.served:
            self.flyer.fly(flights, k)
        elif behind or not self._complete:
            for flight in (f for f in flights if f not in self.flyer.failed):
                try:
                    flight.reach(k + 1)
                except SafeExplorerError as error:
                    self.flyer.fail(flight, error)
            self._tell_failed()
            request = replace(self.drawn.request, known=self.drawn.flights)
            self._newest.request(replace(request, pinned_known=pinned.flights) if pinned is not None else request)

    def _hear(self) -> None:
        """Called from the thread that flies: draw again, soon."""
        if not self._heard and self.session.served:
            self._heard = True
            self.session.doc.add_next_tick_callback(self._listen)

    def _listen(self) -> None:
        self._heard = False
        self._tell_failed()
        self.follow(again=True)

    def _tell_failed(self) -> None:
        grounded = self.drawn.grounded if self.drawn is not None else {}
        for who, said in [*self.flyer.failed.items(), *grounded.items()]:
            if who not in self._complained:
                self._complained.add(who)
                self.session.complain(said)

    def _play(self) -> None:
        self.scene.playing = self.session.clock.playing
        self._fly()

    def _focus(self, uav: int) -> None:
        try:
            self.session.state.apply({"focus": uav})
        except SafeExplorerError as error:
            self.session.complain(str(error))

    def _go(self, x: float) -> None:
        last = self.session.state.scenario.cycles - 1
        self.session.clock.pause()
        self.session.state.apply({"cycle": min(max(round(x), 0), last)})

    @staticmethod
    def _html(name: str) -> pn.pane.HTML:
        return pn.pane.HTML("", css_classes=[name], stylesheets=[CSS], sizing_mode="stretch_width", margin=0)


def _say(pane: pn.pane.HTML, text: str) -> None:
    if pane.object != text:
        pane.object = text
