"""Files of the visitor's own under the controls: a button, and a dialog that is built when it is asked for (D27)."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, NamedTuple

import panel as pn
import panel_material_ui as pmui

from app.components.controls import OWN
from app.jobs.debounced import Debounced
from app.panel_fixes.refused_uploads import tell_of_refused_uploads
from app.session import Session
from app.state import FIELDS, default_of
from core.errors import OwnFileError
from core.files.bring import keep_links_upload, keep_uploads, read_buildings
from core.scenario import Scenario
from core.scenario.own import BUILDINGS_FIELD, FOLLOWING, LINKS_FIELD, MISSION_FIELD, fitting, own_words

MAX_BYTES = 10_000_000
"""An upload is one message to the server; larger files are for the command line."""
AT_MOST = f"An upload may have {MAX_BYTES / 1e6:.0f} MB; use the command line for more (docs/FILES.md)."
Files = list[tuple[str, bytes]]
LEAF = {name: leaf for leaf, name in FIELDS.items()}
CSS = """
:host { font-family: var(--page-font, system-ui, sans-serif); font-size: 15px; line-height: 1.4; }
.refused { color: #D55E00; font-weight: 600; }
"""


class Kind(NamedTuple):
    """One kind of own file.

    Args:
        title: heading of its part of the dialog.
        about: what it replaces and what it is read from.
        accept: endings of its files.
        several: whether there may be one file per UAV.
        field: dotted name.
        read: what its files make of the scenario's controls, by name of the control.
    """

    title: str
    about: str
    accept: str
    several: bool
    field: str
    read: Callable[[Files, Scenario], dict[str, Any]]


def _mission(files: Files, scenario: Scenario) -> dict[str, Any]:
    name = keep_uploads(files, scenario.network.gcs[:2])
    found = {MISSION_FIELD: name, **fitting(name, scenario.control.Ts)}
    return {LEAF[field]: value for field, value in found.items()}


def _buildings(files: Files, scenario: Scenario) -> dict[str, Any]:
    return {LEAF[BUILDINGS_FIELD]: read_buildings(*files[0], scenario.network.gcs[:2])}


def _links(files: Files, scenario: Scenario) -> dict[str, Any]:
    return {LEAF[LINKS_FIELD]: keep_links_upload(*files[0])}


KINDS = (
    Kind(
        "Mission",
        "Where every UAV shall be when, instead of the built-in inspection: a table (t, uav, x, y, z), QGroundControl plans or PX4 "
        "logs, one per UAV.",
        ".csv,.plan,.ulg",
        True,
        MISSION_FIELD,
        _mission,
    ),
    Kind(
        "Buildings",
        "What stands in the way of links, instead of the square building: a table (x_min, y_min, x_max, y_max, height) or GeoJSON "
        "footprints around a point named home.",
        ".csv,.geojson,.json",
        False,
        BUILDINGS_FIELD,
        _buildings,
    ),
    Kind(
        "Links",
        "Recorded link qualities (t, from, to, snr_db or path_loss_db), replayed where there are records.",
        ".csv",
        False,
        LINKS_FIELD,
        _links,
    ),
)


class OwnFiles(pn.viewable.Viewer):
    """One button for every visitor; the dialog for those who click it."""

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.parts: dict[str, Part] = {}
        self.dialog: pmui.Dialog | None = None
        self.button = pmui.Button(label=self._label, size="small", variant="outlined", margin=(6, 10, 10, 10))
        self.button.on_click(lambda _: self.open())
        self._place = pn.Column(self.button, sizing_mode="stretch_width")
        session.state.param.watch(lambda *_: self._follow(), list(OWN))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._place

    @property
    def _label(self) -> str:
        used = [kind.title.lower() for kind in KINDS if self.session.state.scenario.value(kind.field)]
        return f"Own files: {', '.join(used)}" if used else "Own mission, buildings, links …"

    def open(self) -> None:
        """Show the dialog, built on the first click."""
        if self.dialog is None:
            self.parts = {kind.field: Part(self.session, kind) for kind in KINDS}
            self.dialog = pmui.Dialog(
                *(part.view for part in self.parts.values()),
                title="Files of your own",
                open=True,
                close_on_click=True,
                width_option="md",
            )
            self._follow()
            self._place.append(self.dialog)
        else:
            self.dialog.open = True

    def _follow(self) -> None:
        self.button.label = self._label
        for part in self.parts.values():
            part.show()


class Part:
    """What the dialog says of one kind of file, and its upload."""

    def __init__(self, session: Session, kind: Kind) -> None:
        self.session, self.kind, self._refused = session, kind, ""
        self.text = pn.pane.HTML("", stylesheets=[CSS], sizing_mode="stretch_width")
        self.upload = pmui.FileInput(
            accept=kind.accept,
            multiple=kind.several,
            label="Upload",
            size="small",
            variant="outlined",
            max_total_file_size=MAX_BYTES,
            width=120,
        )
        self.upload.param.watch(self._uploaded, "value")
        tell_of_refused_uploads(self.upload, self._not_sent)
        self.remove = pmui.Button(label="Remove", size="small", variant="outlined", visible=False)
        self.remove.on_click(lambda _: self._remove())
        self._reader = Debounced(session.work, self._read, self._use, pause_s=0.0)
        session.when_closing(self._reader.close)
        self.view = pn.Column(self.text, pn.Row(self.upload, self.remove), sizing_mode="stretch_width")

    def show(self) -> None:
        """Say what is in use, and why the last file is not."""
        words = own_words(self.session.state.scenario).get(self.kind.field, "")
        used = f"<p><b>In use:</b> {html.escape(words)}</p>" if words else ""
        refused = f'<p class="refused" role="alert">{html.escape(self._refused)}</p>' if self._refused else ""
        self.text.object = f"<h3>{self.kind.title}</h3><p>{html.escape(self.kind.about)}</p>{used}{refused}"
        self.remove.visible = bool(words)

    def _uploaded(self, event: Any) -> None:
        """Read in a thread: a large table takes its time, and other visitors wait for nothing."""
        if not event.new:
            return
        several = isinstance(event.new, (list, tuple))
        contents = [bytes(x) for x in (event.new if several else [event.new])]
        given = self.upload.filename
        names = [str(n) for n in (given if isinstance(given, (list, tuple)) else [given])]
        names += ["file" + self.kind.accept.split(",")[0]] * (len(contents) - len(names))
        files = sorted((PurePath(name).name[-80:], content) for name, content in zip(names, contents, strict=False))
        self._reader.request((files, self.session.state.scenario))

    def _not_sent(self, why: str) -> None:
        """The browser itself refused the files: they are too large, or not of a kind that it knows."""
        reason = f" ({why})" if why else ""
        self._refused = f"The files were not sent{reason}. {AT_MOST}"
        self.show()

    def _read(self, argument: tuple[Files, Scenario]) -> dict[str, Any]:
        files, scenario = argument
        if (size := sum(len(content) for _, content in files)) > MAX_BYTES:
            raise OwnFileError(f"The upload has {size / 1e6:.0f} MB. {AT_MOST}")
        found = self.kind.read(files, scenario)
        self.session.state.check(found)  # refused here, in the thread; what it works out is kept for the page's own
        return found

    def _use(self, found: Any) -> None:
        self._refused = ""
        try:
            if isinstance(found, Exception):
                raise found
            self.session.state.apply(found)
        except ValueError as error:
            self._refused = f"The file is not used. {error}"
        except Exception:
            self._refused = "The file is not used: reading it failed. The format is described in docs/FILES.md."
        else:
            words = own_words(self.session.state.scenario).get(self.kind.field, "")
            self.session.tell(f"{self.kind.title} in use: {words}")
        self.show()

    def _remove(self) -> None:
        """Back to what was built in."""
        leaves = [LEAF[self.kind.field], *(LEAF[n] for n in FOLLOWING if self.kind.field == MISSION_FIELD)]
        try:
            self.session.state.apply({leaf: default_of(leaf) for leaf in leaves})
            self._refused = ""
        except ValueError as error:
            self._refused = f"It stays in use. {error}"
        self.show()
