"""The page: header, controls, chain strip and tabs, all driven by one session."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.events import ConnectionLost
from bokeh.models import CustomJS

from app.calibration_bar import CalibrationBar
from app.chain import Chain
from app.controls import Controls
from app.fonts import FAMILY
from app.header import Header
from app.opening import TEMPLATE, prepare
from app.picture import Picture
from app.session import Session, full
from app.share_links import query_of, read_query
from app.state import CONTROLS
from app.views.allocation import AllocationView
from app.views.base import TabView
from app.views.boundary import BoundaryView
from app.views.claims import ClaimsView
from app.views.frontier import FrontierView
from app.views.live import LiveView
from app.views.reproduction import ReproductionView
from app.views.whatif import WhatIfView

TABS: tuple[type[TabView], ...] = (
    BoundaryView,
    FrontierView,
    AllocationView,
    LiveView,
    ClaimsView,
    WhatIfView,
    ReproductionView,
)
"""The tabs in order. A new tab is one new file in app/views and one line here."""

TITLE = "SAFE Explorer"
SIDEBAR_WIDTH = 330
BLUE, LIGHT_BLUE = "#0072B2", "#56B4E9"
THEME = {
    scheme: {"palette": {"primary": {"main": colour}}, "typography": {"fontSize": 13, "fontFamily": FAMILY}}
    for scheme, colour in {"light": BLUE, "dark": LIGHT_BLUE}.items()
}
"""Labels and edges in a blue that stands out from the page; the bar at the top is the darker one in both."""
BAR = {"& .header": {"backgroundColor": BLUE, "color": "white"}}

LOADING = ":host::before { content: 'Loading …'; padding: 16px 10px; opacity: .7; font: 14px var(--page-font); }"
"""What an empty tab says until it is drawn."""

COME_BACK_JS = """
window.comingBack ??= window.setInterval(() => {
  fetch(window.location.href, {method: "HEAD"}).then((r) => { if (r.status < 500) { window.location.reload() } }).catch(() => {})
}, 2000)
"""
"""After a lost connection: wait for the server and open the same address, which carries the state, again."""


class Page:
    """One visitor's page."""

    def __init__(self, session: Session, arguments: dict[str, list[bytes]] | None = None) -> None:
        self.session = session
        state = session.state
        self._complaints = read_query(state, arguments or {})
        state.tab = min(state.tab, len(TABS) - 1)
        self.controls = Controls(state, session.complain, sizing_mode="stretch_width")
        self.header = Header(session)
        self.chain = Chain(session.pipeline)
        self.calibration = CalibrationBar(session)
        self.views = [view(session) for view in TABS]
        # empty: each costs every visitor
        self._places = [pn.Column(sizing_mode="stretch_width", stylesheets=[LOADING]) for _ in TABS]
        self.tabs = pmui.Tabs(
            *((view.title, place) for view, place in zip(TABS, self._places, strict=True)),
            active=state.tab,
            sizing_mode="stretch_width",
        )
        self._drawn: set[int] = set()
        self._on_screen = False
        self.tabs.param.watch(lambda e: setattr(state, "tab", e.new), "active")
        state.param.watch(self._visit, "tab")
        state.param.watch(lambda *_: self._remember(), [*CONTROLS, "action"])
        session.pipeline.param.watch(lambda *_: self._show(), ["picture", "stale"])
        for view in self.views:
            session.when_closing(view.close)

    def start(self) -> None:
        """First computation, unless it is done, and first tab; called once the page is on the visitor's screen."""
        self._on_screen = True
        self.session.pipeline.request()
        self._visit()
        for text in self._complaints[:6]:
            self.session.warn(text)
        if len(self._complaints) > 6:
            self.session.warn(f"{len(self._complaints) - 6} more values of the link were not usable.")

    def _visit(self, *_: Any) -> None:
        if self.tabs.active != self.session.state.tab:
            self.tabs.active = self.session.state.tab
        self._show()
        self._remember()

    def _show(self) -> None:
        """Bring the visible tab up to date; a tab is built on its first visit, once there is something to draw."""
        pipeline, index = self.session.pipeline, self.session.state.tab
        if pipeline.picture is None and not pipeline.stale:
            return
        if not self._on_screen:
            # Made while the browser reads the libraries, put in when it has drawn the page: Panel would lose it before that.
            if self.session.served:
                self.session.doc.add_next_tick_callback(lambda: self.views[index].refresh(pipeline.picture))
            return
        with pn.io.hold():
            self.views[index].refresh(pipeline.picture)
            if index not in self._drawn:
                self._drawn.add(index)
                self._places[index].param.update(objects=[self.views[index].content], stylesheets=[])
            if pipeline.picture is not None:
                self.controls.param.update(notes=notes(pipeline.picture), flown=pipeline.picture.flown)

    def _remember(self) -> None:
        self.controls.address = query_of(self.session.state)

    def servable(self) -> pmui.Page:
        """The shell with everything in it."""
        return shell(
            sidebar=[self.controls],
            main=[self.chain, self.calibration, self.tabs],
            header=self.header.items,
            sidebar_width=SIDEBAR_WIDTH,
            theme_config=THEME,
            sx=BAR,
        )


def shell(**params: Any) -> pmui.Page:
    """The frame around everything.

    It lets go of Panel's global busy flag, which it would watch for ever: every closed page would stay in memory.
    """
    if pn.state.curdoc is not None:
        prepare(pn.state.curdoc, colour=BLUE, sidebar_width=SIDEBAR_WIDTH)
    before = _busy_watchers()
    page = pmui.Page(title=TITLE, busy_indicator=None, template=TEMPLATE, **params)
    for watcher in _busy_watchers():
        if not any(watcher is old for old in before):
            pn.state.param.unwatch(watcher)
    return page


def _busy_watchers() -> list[Any]:
    return list(pn.state.param.watchers.get("busy", {}).get("value", []))


def notes(picture: Picture) -> dict[str, str]:
    """Short remarks beside controls: what a normalised value means in units, what is as flown, which cycle is shown."""
    loop, instant, inputs = picture.loop, picture.instant, picture.inputs
    units = {"v_ratio": f"V = {loop.V:.0f} m²", "sigma_share": f"= {loop.tr_sigma:.2f} m²", "c": "", "c_fail": ""}
    state = {n: "as flown" if getattr(inputs, n) is None else unit for n, unit in units.items()}
    last = instant.flight.cycles - 1
    return {
        **state,
        "focus": f"UAV {picture.focus + 1}" if picture.focus_is_ours else "",
        "cycle": f"shown: {last}, the last" if inputs.cycle > last else f"of {last}",
    }


def build(arguments: dict[str, list[bytes]] | None = None) -> pmui.Page:
    """A page for a new visitor, or a polite refusal when the server is full."""
    if full():
        return shell(main=[pn.pane.Markdown("# The server is full\nPlease reload this page in a few minutes.")])
    page = Page(Session(), arguments)
    if page.session.served:
        if not query_of(page.session.state):
            # the default picture is warm since the server started: the document comes with its numbers, the tab follows
            page.session.pipeline.request(at_once=True)
        pn.state.onload(page.start)
        pn.state.curdoc.js_on_event(ConnectionLost, CustomJS(code=COME_BACK_JS))
    else:
        page.start()
    return page.servable()
