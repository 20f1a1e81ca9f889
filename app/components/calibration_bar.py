"""The line under the chain that says when the twin was never calibrated for the scenario on the page, and calibrates it."""

from __future__ import annotations

import html
import re
from typing import Any

import panel as pn
import panel_material_ui as pmui

from app.jobs.command import BackgroundCommand
from app.jobs.poller import Poller
from app.session import Session
from core import folders
from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.twin import calibration_for, own_path

SEEDS = "0:10"
"""Calibration missions flown from the page: enough for every common class of routes, and soon done."""
POLL_MS = 500
CSS = """
:host { display: block; }
.bar { background: #D55E00; color: white; border-radius: 6px; padding: 4px 8px; font-family: var(--page-font, system-ui, sans-serif); font-size: 15px; line-height: 1.35; }
"""


class CalibrationProcess(BackgroundCommand):
    """`python -m core calibrate`, one process, so that the other core keeps serving pages."""

    def __init__(self, scenario: Scenario) -> None:
        folder, name = folders.RESULTS / ".calibrate", own_path(scenario).name
        definition = folder / f"{name}.yaml"
        super().__init__(
            ["calibrate", "--scenario", str(definition), "--seeds", SEEDS, "--workers", "1"],
            folder / f"{name}.log",
            "calibration",
            {definition: scenario.to_yaml()},
        )

    @property
    def progress(self) -> tuple[int, int]:
        """Missions flown and missions in all; (0, 0) before the first."""
        found = re.findall(r"(\d+)/(\d+) \[", self.said)
        return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)


class CalibrationBar(pn.viewable.Viewer):
    """Empty, and free of cost, while the calibration fits."""

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.process: CalibrationProcess | None = None
        self._running = False
        self._poller = Poller(self.poll, POLL_MS, served=session.served)
        self._place = pn.Column(sizing_mode="stretch_width")
        session.pipeline.param.watch(lambda *_: self._draw(), "picture")
        session.when_closing(self.close)
        # A link may ask for it: then it is part of the document. What is put in while the browser draws the page gets lost.
        self._draw()

    def __panel__(self) -> pn.viewable.Viewable:
        return self._place

    def start(self) -> None:
        """Calibrate for the scenario on the page, in the background."""
        try:
            self.process = CalibrationProcess(self.session.state.scenario)
        except SafeExplorerError as error:
            self.session.complain(str(error))
            return
        self._draw()
        self._poller.start()

    def cancel(self) -> None:
        """Stop; nothing is kept of a calibration that is not complete."""
        if self.process is not None:
            self.process.cancel()

    def poll(self) -> None:
        """Show how far the calibration is; when it is there, compute the page again with it."""
        process = self.process
        if process is None:
            return
        process.insist()
        if process.running:
            self._say()
            return
        complaint, cancelled = process.complaint, process.cancelled
        self._end()
        if complaint:
            self.session.complain(complaint)
        elif not cancelled:
            self.session.tell("The twin is calibrated for these settings; all pages and commands use it from now on.")
        self._draw()
        self.session.pipeline.request()

    def close(self) -> None:
        """Stop the calibration of a visitor who leaves."""
        self._end()

    def _end(self) -> None:
        self._poller.stop()
        if self.process is not None:
            self.process.close()
        self.process = None

    @property
    def text(self) -> str:
        """What the bar says; empty = nothing to say."""
        if self.process is not None:
            done, total = self.process.progress
            return f"Calibrating the twin for these settings: {done} of {total or '…'} missions flown."
        picture, scenario = self.session.pipeline.picture, self.session.state.scenario
        return picture.instant.notice if picture is not None else calibration_for(scenario).notice(scenario)

    def _draw(self) -> None:
        """Make the line anew when it appears, disappears, or changes its button."""
        if not self.text:
            if len(self._place):
                self._place.clear()
            return
        running = self.process is not None
        if len(self._place) and self._running == running:
            self._say()
            return
        self._running = running
        self.line = pn.pane.HTML("", sizing_mode="stretch_width", stylesheets=[CSS], margin=(4, 4, 0, 10))
        self.button = pmui.Button(
            label="Cancel" if running else "Calibrate now",
            color="error" if running else "primary",
            size="small",
            margin=(4, 10, 0, 4),
        )
        self.button.on_click(lambda _: self.cancel() if running else self.start())
        self._say()
        self._place[:] = [pn.Row(self.line, self.button, sizing_mode="stretch_width")]

    def _say(self) -> None:
        self.line.object = f'<div class="bar" role="status">{html.escape(self.text)}</div>'
