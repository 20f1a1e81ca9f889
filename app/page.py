"""The page: header, controls, chain strip and tabs, all driven by one session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import panel_material_ui as pmui

from app.components.calibration_bar import CalibrationBar
from app.components.chain import Chain
from app.components.controls import Controls, notes
from app.components.export import Export
from app.components.header import Header
from app.components.move_line import MoveLine
from app.components.own_files import OwnFiles
from app.components.tab_view import TabView, caption
from app.components.timeline import Timeline
from app.exports import Makers, everything, formats, offered
from app.help_desk import HELP, TOUR, HelpDesk
from app.opening import TEMPLATE, prepare
from app.panel_fixes.busy_watcher import without_busy_watcher
from app.panel_fixes.fonts import FAMILY
from app.panel_fixes.lost_connection import come_back
from app.panel_fixes.ready_pages import page_in_the_making
from app.session import Session, full
from app.share_links import query_of, read_query
from app.stage import ASIDE, Stage
from app.state import NOT_LOADED
from app.tabs.allocation.view import AllocationView
from app.tabs.boundary.view import BoundaryView
from app.tabs.claims.view import ClaimsView
from app.tabs.flight.view import FlightView
from app.tabs.frontier.view import FrontierView
from app.tabs.reproduction.view import ReproductionView
from app.tabs.solve.view import SolveView
from app.tabs.whatif.view import WhatIfView
from app.touring.catalogue import tour
from app.touring.reader import TourError
from app.touring.tour import Scenery
from core.figures.snapshot import snapshot

TABS: tuple[type[TabView], ...] = (
    BoundaryView,
    FrontierView,
    AllocationView,
    FlightView,
    SolveView,
    ClaimsView,
    WhatIfView,
    ReproductionView,
)
"""The tabs in order. A new tab is one new folder in app/tabs and one line here."""

INDEX: dict[str, int] = {view.name_in_link: index for index, view in enumerate(TABS)}
"""Where a tab is, by its name in a link."""

SCENERY = {view.name_in_link: Scenery(view.parts, view.told) for view in TABS}
"""What each tab offers to a tour."""

TITLE = "SAFE Explorer"
ABOUT = (
    "A swarm inspects a building over one shared radio frame: see who gets slots in each cycle, why, and what it does to "
    "the flight."
)
"""What this is, under the title."""
SIDEBAR_WIDTH = 330
NARROW = 900
"""Below this width [px] the sidebar starts folded and the bar leaves out the title."""
BLUE, LIGHT_BLUE = "#0072B2", "#56B4E9"
THEME = {
    scheme: {"palette": {"primary": {"main": colour}}, "typography": {"fontSize": 13, "fontFamily": FAMILY}}
    for scheme, colour in {"light": BLUE, "dark": LIGHT_BLUE}.items()
}
"""Labels and edges in a blue that stands out from the page; the bar at the top is the darker one in both."""
BAR = {
    "& .header": {"backgroundColor": BLUE, "color": "white", **ASIDE},
    "& nav, & main .MuiToolbar-root": ASIDE,
    f"@media (max-width: {NARROW}px)": {
        "& .header .title": {"display": "none"},
        "& .header .MuiToolbar-root": {"paddingLeft": "14px", "paddingRight": "4px"},
        "& .header .MuiToolbar-root > button": {"marginRight": 0},
    },
}

LOADING = ":host::before { content: 'Loading …'; padding: 16px 10px; opacity: .7; font: 15px var(--page-font); }"
"""What an empty tab says until it is drawn."""
NO_PICTURE = "There is no picture of this cycle yet; the lines above say why, and what it takes."
"""What stands in place of empty plots."""


class Page:
    """One visitor's page."""

    def __init__(self, session: Session, arguments: dict[str, list[bytes]] | None = None) -> None:
        self.session = session
        state = session.state
        self.views = [view(session) for view in TABS]
        self.stage = Stage(session, {view.name_in_link: view for view in self.views})
        arguments = dict(arguments or {})
        self._complaints = self._announce(arguments) + read_query(state, arguments)
        if state.tab not in INDEX:
            self._complaints.append(no_tab(state.tab))
            state.tab = TABS[0].name_in_link
        self.controls = Controls(state, session.complain, about=ABOUT, sizing_mode="stretch_width")
        self.own_files = OwnFiles(session)
        desk = HelpDesk(session, self.stage, SCENERY)
        self.header = Header(session, (TOUR, HELP), desk.ask)
        desk.menus = self.header.menus
        self.timeline = Timeline(session, sizing_mode="stretch_width", margin=(2, 10, 0, 10))
        self.chain = Chain(session.pipeline)
        session.history.begin()
        self.move_line = MoveLine(session, sizing_mode="stretch_width", margin=(2, 10, 0, 10))
        self._of_a_flight()
        self.calibration = CalibrationBar(session)
        # empty: each costs every visitor
        self._places = [pn.Column(sizing_mode="stretch_width", stylesheets=[LOADING]) for _ in TABS]
        self.tabs = pmui.Tabs(
            *((view.title, place) for view, place in zip(TABS, self._places, strict=True)),
            active=INDEX[state.tab],
            sizing_mode="stretch_width",
            sx={"& .MuiTabs-root": ASIDE},
        )
        self.export = Export(session, self._offer, formats, everything, self._snapshot)
        self._drawn: set[int] = set()
        self._on_screen = False
        self.tabs.param.watch(lambda e: setattr(state, "tab", TABS[e.new].name_in_link), "active")
        state.param.watch(self._visit, "tab")
        session.pipeline.param.watch(lambda *_: self._show(), ["picture", "stale"])
        for view in self.views:
            session.when_closing(view.close)

    def _announce(self, arguments: dict[str, list[bytes]]) -> list[str]:
        """Take a tour and its step out of a link; what is wrong with them, in words."""
        name, step = (_text(arguments.pop(key, [])) for key in ("tour", "step"))
        if not name:
            return []
        try:
            self.stage.announce(tour(name, SCENERY), int(step) - 1 if step.isdecimal() and len(step) < 4 else 0)
        except TourError as error:
            return [str(error)]
        return []

    def start(self) -> None:
        """First computation, unless it is done, and first tab; called once the page is on the visitor's screen."""
        self._on_screen = True
        self.session.pipeline.request()
        self.stage.show()
        self._visit()
        for text in NOT_LOADED:
            self.session.insist(text)
        for text in self._complaints[:6]:
            self.session.warn(text)
        if len(self._complaints) > 6:
            self.session.warn(f"{len(self._complaints) - 6} more values of the link were not usable.")

    def _visit(self, *_: Any) -> None:
        state = self.session.state
        if state.tab not in INDEX:
            self.session.warn(no_tab(state.tab))
            state.tab = TABS[self.tabs.active].name_in_link
            return
        if self.tabs.active != INDEX[state.tab]:
            self.tabs.active = INDEX[state.tab]
        self._of_a_flight()
        self._show()

    def _of_a_flight(self) -> None:
        """The timeline and what a move changed belong to the tabs that show a flight; the others have the room."""
        of_a_flight = TABS[INDEX[self.session.state.tab]].of_a_flight
        self.timeline.visible = self.move_line.compares = of_a_flight

    def _show(self) -> None:
        """Bring the visible tab up to date; a tab is built on its first visit, once there is something to draw."""
        pipeline, index = self.session.pipeline, INDEX[self.session.state.tab]
        if pipeline.picture is None and not pipeline.stale:
            return
        if self._on_screen:
            self.draw()
        elif self.session.served and not self._drawn:
            # Made while the browser reads the libraries, put in when it has drawn the page: Panel would lose it before that.
            self.session.doc.add_next_tick_callback(lambda: self.views[index].refresh(pipeline.picture))

    def draw(self) -> None:
        """Put the visible tab into the page, with the newest numbers."""
        pipeline, index = self.session.pipeline, INDEX[self.session.state.tab]
        with pn.io.hold():
            self.views[index].refresh(pipeline.picture)
            if index not in self._drawn:
                waits = pipeline.picture is None and TABS[index].of_a_flight and not TABS[index].draws_on_the_way
                self._drawn.update(() if waits else (index,))
                shown = caption(NO_PICTURE) if waits else self.views[index].content
                self._places[index].param.update(objects=[shown], stylesheets=[])
            if pipeline.picture is not None:
                self.controls.param.update(notes=notes(pipeline.picture), flown=pipeline.picture.focus.flown)
            self.stage.light(self.views[index])
            self.stage.refresh()

    def _offer(self) -> Makers:
        """What the visible tab has for paper."""
        return offered(self.views[INDEX[self.session.state.tab]], query_of(self.session.state))

    def _snapshot(self) -> Callable[[], str] | None:
        picture = self.session.pipeline.picture
        return None if picture is None else lambda: snapshot(picture.focus, picture.inputs.link)

    def servable(self) -> pmui.Page:
        """The shell with everything in it."""
        return shell(
            sidebar=[self.controls, self.own_files],
            main=[
                self.stage.place,
                self.timeline,
                self.chain,
                self.calibration,
                self.move_line,
                self.tabs,
                self.export.place,
                self.header.place,
            ],
            header=[*self.header.items, self.export.button],
            sidebar_width=SIDEBAR_WIDTH,
            theme_config=THEME,
            sx=BAR,
        )


def shell(**params: Any) -> pmui.Page:
    """The frame around everything."""
    if pn.state.curdoc is not None:
        prepare(pn.state.curdoc, colour=BLUE, sidebar_width=SIDEBAR_WIDTH, narrow=NARROW)
    with without_busy_watcher():
        return pmui.Page(title=TITLE, busy_indicator=None, template=TEMPLATE, **params)


def _text(values: Sequence[bytes | str]) -> str:
    """The first value of a link's argument, "" without one."""
    first = values[0] if values else ""
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else first


def no_tab(name: str) -> str:
    """What to say about a link to a tab that is not there."""
    return f"There is no tab “{name}”; the tabs are {', '.join(INDEX)}."


def build(arguments: dict[str, list[bytes]] | None = None) -> pmui.Page:
    """A page for a new visitor, or a polite refusal when the server is full."""
    if full():
        return shell(main=[pn.pane.Markdown("# The server is full\nPlease reload this page in a few minutes.")])
    page = Page(Session(), arguments)
    if page.session.served:
        if not query_of(page.session.state):
            # the default picture is warm since the server started: the document comes with its numbers, the tab follows
            page.session.pipeline.request(at_once=True)
        if (ahead := page_in_the_making()) is not None:
            ahead.second = page.draw
            pn.state.onload(ahead.deliver)
        pn.state.onload(page.start)
        come_back(page.session.doc)
    else:
        page.start()
    return page.servable()
