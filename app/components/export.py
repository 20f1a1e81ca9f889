"""Export: what the visible tab shows, as files for paper; made in a thread, saved by the browser."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from app.components.tab_view import caption
from app.jobs.newest import Newest
from app.jobs.prices import EXPORT
from app.session import Session
from core.errors import SafeExplorerError
from core.wanted import Superseded

MIME = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "csv": "text/csv",
    "tex": "application/x-tex",
    "zip": "application/zip",
    "html": "text/html",
}
WIDTHS = {"column": "column", "page": "page"}
Made = tuple[str, bytes, str]
"""Name of a file, its content, and what is said of it."""


class Download(JSComponent):
    """Hands a file to the browser, which saves it at once."""

    content = param.String("", doc="The file in base64; the browser empties it.")
    filename = param.String("")
    mime = param.String("")

    _esm = Path(__file__).with_name("download.js")


LIKE_THE_MENUS = {
    "& button, &": {
        "textTransform": "none",
        "fontSize": "14px",
        "fontWeight": 500,
        "height": "32px",
        "padding": "0 11px",
    },
    "borderColor": "rgba(255, 255, 255, .6)",
}
"""It stands beside Share, Tour and Help."""


class Export:
    """A button for the header; its dialog is made on the first click, in `place`, which stands on the page itself and not on the coloured bar.

    Args:
        session: the visitor.
        offer: makers by title of what the visible tab shows; asked at every opening.
        formats: endings by title.
        all_files: makes a zip of such makers.
        snapshot: makes the page of the current instant; None = there is none yet.
    """

    def __init__(
        self,
        session: Session,
        offer: Callable[[], dict[str, Callable[[], Any]]],
        formats: Callable[[str], tuple[str, ...]],
        all_files: Callable[[dict[str, Callable[[], Any]]], bytes],
        snapshot: Callable[[], Callable[[], str] | None],
    ) -> None:
        self.session, self._offer, self._formats = session, offer, formats
        self._all_files, self._snapshot = all_files, snapshot
        self._maker = Newest(session.work, lambda work: work(), self._deliver, lambda _: EXPORT)
        session.when_closing(self._maker.close)
        self._makers: dict[str, Callable[[], Any]] = {}
        self.button = pmui.Button(
            label="Export", size="small", variant="outlined", color="light", margin=(10, 4), sx=LIKE_THE_MENUS
        )
        self.button.on_click(lambda _: self.open())
        self.place = pn.Row(margin=0)
        self.dialog: pmui.Dialog | None = None

    def open(self) -> None:
        """Show what the visible tab offers now."""
        if self.dialog is None:
            self._build()
        makers = self._offer()
        self._makers = makers
        titles = list(makers)
        with pn.io.hold():
            self.what.param.update(options=titles, value=titles[0] if titles else None, disabled=not titles)
            self.save.disabled = self.save_all.disabled = not titles
            self._follow()
            self._say(
                "" if titles else "This tab has drawn nothing yet: close this, wait for its figures, and open it again."
            )
            self._dialog.open = True

    @property
    def _dialog(self) -> pmui.Dialog:
        assert self.dialog is not None
        return self.dialog

    def _build(self) -> None:
        wide: dict[str, Any] = {"sizing_mode": "stretch_width", "size": "small"}
        self.what = pmui.Select(label="Figure or table of this tab", options=[], margin=(12, 10, 5, 10), **wide)
        self.format = pmui.RadioButtonGroup(options=["pdf"], value="pdf", size="small", margin=(8, 10))
        self.width = pmui.RadioButtonGroup(options=WIDTHS, value="column", size="small", margin=(8, 10))
        self.save = pmui.Button(label="Save", color="primary", size="small", margin=(8, 6))
        self.save_all = pmui.Button(label="Save all as zip", size="small", variant="outlined", margin=(8, 6))
        self.page = pmui.Button(
            label="Snapshot of this instant (HTML)", size="small", variant="outlined", margin=(8, 6)
        )
        self.busy = pmui.LinearProgress(variant="indeterminate", sizing_mode="stretch_width", visible=False)
        self.status = caption()
        self.download = Download(width=0, height=0, margin=0)
        self.what.param.watch(lambda *_: self._follow(), "value")
        self.save.on_click(lambda _: self._make(self._one()))
        self.save_all.on_click(lambda _: self._make(self._zip()))
        self.page.on_click(lambda _: self._make(self._html()))
        self.dialog = pmui.Dialog(
            self.what,
            pn.Row(self.format, self.width),
            pn.Row(self.save, self.save_all, self.page),
            self.busy,
            self.status,
            self.download,
            title="Export for paper",
            open=False,
            close_on_click=True,
            width_option="sm",
        )
        self.place.append(self.dialog)

    def _follow(self) -> None:
        kinds = list(self._formats(self.what.value)) if self.what.value else ["pdf"]
        keep = self.format.value if self.format.value in kinds else "tex" if "tex" in kinds else "pdf"
        self.format.param.update(options=kinds, value=keep)

    def _one(self) -> Callable[[], Made]:
        make, kind, width = self._makers.get(self.what.value), self.format.value, self.width.value

        def made() -> Made:
            if make is None:
                raise SafeExplorerError("Choose a figure or a table first.")
            found = make()
            return f"{found.name}.{kind}", found.render(kind, width), found.caption

        return made

    def _zip(self) -> Callable[[], Made]:
        makers = self._makers
        return lambda: (
            "safe-explorer.zip",
            self._all_files(makers),
            f"{len(makers)} figures and tables with their captions.",
        )

    def _html(self) -> Callable[[], Made]:
        make = self._snapshot()

        def made() -> Made:
            if make is None:
                raise SafeExplorerError("There is no instant yet; wait until the page has computed one.")
            return "snapshot.html", make().encode(), "One page that needs no server; print it or mail it."

        return made

    def _make(self, work: Callable[[], Made]) -> None:
        """Work in a thread with a busy sign; without a running server it is done when this returns."""
        self._wait(True)
        self._maker.request(work)

    def _deliver(self, result: Made | Exception | Superseded) -> None:
        self._wait(False)
        if isinstance(result, Superseded):
            self._say("")
        elif isinstance(result, SafeExplorerError):
            self._say(str(result))
            self.session.complain(str(result))
        elif isinstance(result, Exception):
            self._say("The file could not be made; the server's log has the details.")
            self.session.complain("The file could not be made; the server's log has the details.")
        else:
            name, content, said = result
            with pn.io.hold():
                self.download.param.update(filename=name, mime=MIME[name.rpartition(".")[2]])
                self.download.content = base64.b64encode(content).decode()
                self._say(f"Saved {name} ({len(content) / 1000:.0f} kB). {said}")

    def _wait(self, busy: bool) -> None:
        self.busy.visible = busy
        for button in (self.save, self.save_all, self.page):
            button.disabled = busy or (button is not self.page and not self._makers)
        if busy:
            self._say("Drawing …")

    def _say(self, text: str) -> None:
        self.status.object = f"<div>{html.escape(text)}</div>"
