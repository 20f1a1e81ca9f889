"""Tab 5, claims: each guarantee of the paper beside its measurement at the sliders, and what each bound costs."""

from __future__ import annotations

import html
import logging
import queue
import threading
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from app.picture import Picture
from app.views.base import TabView, caption
from core.errors import SafeExplorerError
from core.scenario import SCENES, Scenario
from core.studies.claims import ClaimVerdict, Finding, audit, ledger_path, load_findings, load_ledger
from core.studies.claims.ledger import HEADINGS, in_words

log = logging.getLogger("app")

PERIOD_MS = 300
COLOUR = {
    ClaimVerdict.HOLDS: "#007A5A",
    ClaimVerdict.COMPATIBLE: "#0072B2",
    ClaimVerdict.VIOLATED: "#B8410B",
    ClaimVerdict.VACUOUS: "#666666",
}
"""White text on each has a contrast above 4.5; told apart with any colour vision, and by the mark without."""
MARK = {
    ClaimVerdict.HOLDS: "✓",
    ClaimVerdict.COMPATIBLE: "≈",
    ClaimVerdict.VIOLATED: "✗",
    ClaimVerdict.VACUOUS: "–",
}
ONE_AT_A_TIME = threading.Semaphore(1)
"""One audit per server process, so that a class of visitors does not stop the page for everybody."""

CSS = """
:host { display: block; color: var(--mui-palette-text-primary, #222); }
table { border-collapse: collapse; width: 100%; font-family: var(--page-font, system-ui, sans-serif); font-size: 13px; line-height: 1.35; }
th { text-align: left; border-bottom: 2px solid #808080; padding: 4px 8px; }
td { border-bottom: 1px solid #80808055; padding: 5px 8px; vertical-align: top; }
div.wide { overflow-x: auto; }
div.wide td:first-child { min-width: 15em; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.verdict { white-space: nowrap; font-weight: 600; }
span.chip { color: white; border-radius: 10px; padding: 2px 9px; }
small { opacity: 0.8; }
"""

LEDGER_CAPTION = (
    "What each bound of the certificate costs, measured when this version was made; the sliders do not move it. One bound at a time is "
    "replaced in the full certificate, so the parts need not add up. ρ, g and Φ are those of the actions SAFE flew with a certificate; "
    "RMSE is flown with that bound replaced, in brackets minus SAFE as certified on the same missions, with the interval at 95 %."
)


class Auditor:
    """An audit in a background thread; findings and progress wait in a queue for the page to fetch them."""

    def __init__(self, scenario: Scenario) -> None:
        self.events: queue.Queue[Finding | tuple[float, str] | str] = queue.Queue()
        self.cancel = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(scenario,), daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the thread is still at work."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def take(self) -> list[Finding | tuple[float, str] | str]:
        """What came in since the last call."""
        found = []
        while not self.events.empty():
            found.append(self.events.get())
        return found

    def _work(self, scenario: Scenario) -> None:
        while not ONE_AT_A_TIME.acquire(timeout=0.5):
            self.events.put((0.0, "waiting for another visitor's audit"))
            if self.cancel.is_set():
                return
        try:
            for finding in audit(scenario, cancel=self.cancel, on_progress=lambda s, what: self.events.put((s, what))):
                self.events.put(finding)
        except SafeExplorerError as error:
            self.events.put(str(error))
        except Exception:
            log.exception("the audit failed")
            self.events.put("An unexpected error stopped the audit; the server's log has the details.")
        finally:
            ONE_AT_A_TIME.release()


class ClaimsView(TabView):
    """Opens with the shipped audit; a new one takes some seconds, so sliders only mark what is shown as out of date."""

    title = "Claims"

    def build(self) -> pn.viewable.Viewable:
        self.findings: list[Finding] = load_findings()
        self.auditor: Auditor | None = None
        self._audited = Scenario()
        self._poller: Any = None
        self.start_button = pmui.Button(label="Audit at these settings", color="primary", size="small", margin=(8, 6))
        self.cancel_button = pmui.Button(label="Cancel", color="error", size="small", margin=(8, 6), disabled=True)
        self.progress = pmui.LinearProgress(value=0, variant="determinate", sizing_mode="stretch_width", margin=(6, 10))
        self.status = caption()
        self.table = pn.pane.HTML(
            findings_html(self.findings), sizing_mode="stretch_width", stylesheets=[CSS], margin=(4, 10)
        )
        self._say(f"Measured at the default settings when this version was made: {self._counted()}.")
        self.scene = pmui.Select(
            label="Ledger of", options=list(SCENES), value=SCENES[0], width=220, size="small", margin=(8, 6)
        )
        self.ledger = pn.pane.HTML("", sizing_mode="stretch_width", stylesheets=[CSS], margin=(4, 10))
        self.scene.param.watch(lambda _: self._show_ledger(), "value")
        self._show_ledger()
        self.start_button.on_click(lambda _: self.start())
        self.cancel_button.on_click(lambda _: self.cancel())
        return pn.Column(
            pn.Row(self.start_button, self.cancel_button),
            self.progress,
            self.status,
            self.table,
            caption(
                "Brackets: interval at 95 %, binomial (Clopper–Pearson) of the share of trials in which the promise was kept, or of "
                "a mean over missions (Student); where trials hang together the note says how many independent ones they are worth; a "
                "check without chance has none. A promised probability or mean holds when the whole interval keeps it, is violated when "
                "the whole interval breaks it, and is compatible when the interval contains it: the trials do not decide. A promise "
                "without exceptions is violated by one counterexample; vacuous here = the promise says nothing at these settings."
            ),
            self.scene,
            self.ledger,
            caption(LEDGER_CAPTION),
            sizing_mode="stretch_width",
        )

    def start(self) -> None:
        """Begin an audit of the current settings."""
        if self.auditor is not None and self.auditor.running:
            return
        self.findings, self._audited = [], self.session.state.scenario
        self.auditor = Auditor(self._audited)
        self.start_button.disabled, self.cancel_button.disabled = True, False
        self.table.object = ""
        self._say("Measuring …")
        if self.session.served:
            self._poller = pn.state.add_periodic_callback(self.poll, period=PERIOD_MS)

    def cancel(self) -> None:
        """Stop after the measurement under way; what was found stays."""
        if self.auditor is not None:
            self.auditor.cancel.set()
            self._say("Stopping …")

    def poll(self) -> None:
        """Show what the background thread has found since the last call."""
        auditor = self.auditor
        if auditor is None:
            return
        running = auditor.running  # before the queue is emptied, so that nothing said at the end is missed
        with pn.io.hold():
            for event in auditor.take():
                if isinstance(event, Finding):
                    self.findings.append(event)
                    self.table.object = findings_html(self.findings)
                elif isinstance(event, str):
                    self.session.complain(event)
                else:
                    self.progress.value = int(100 * event[0])
                    self._say(f"Measuring: {event[1]} …")
            if not running:
                self._finish(cancelled=auditor.cancel.is_set())

    def show(self, picture: Picture) -> None:
        """Sliders moved: say so, and keep the findings until the next audit."""
        if self.auditor is None and picture.inputs.scenario != self._audited:
            self._say_outdated()

    def close(self) -> None:
        if "content" in self.__dict__ and self.auditor is not None:
            self.auditor.cancel.set()

    def _finish(self, *, cancelled: bool) -> None:
        self.auditor = None
        if self._poller is not None:
            self._poller.stop()
            self._poller = None
        self.start_button.disabled, self.cancel_button.disabled = False, True
        said = self._counted()
        if self.session.state.scenario != self._audited:
            self._say_outdated()
        else:
            self._say(f"Stopped early: {said}." if cancelled else f"Measured at these settings: {said}.")

    def _say_outdated(self) -> None:
        what = "at the default settings" if self._audited == Scenario() else "before the settings changed"
        self._say(f"Measured {what}; press the button to measure at these (some seconds).")

    def _show_ledger(self) -> None:
        self.ledger.object = ledger_html(load_ledger(ledger_path(self.scene.value)))

    def _counted(self) -> str:
        counts = {v: sum(f.verdict is v for f in self.findings) for v in ClaimVerdict}
        return ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items())

    def _say(self, text: str) -> None:
        self.status.object = f"<div>{html.escape(text)}</div>"


def findings_html(findings: list[Finding]) -> str:
    """The findings as a table; every text is escaped."""
    rows = "".join(_row(f) for f in findings)
    head = "<tr><th>verdict</th><th>claim</th><th>promised</th><th>measured</th></tr>"
    return f"<table>{head}{rows}</table>"


def ledger_html(ledger: pd.DataFrame) -> str:
    """A ledger as a table, under each title what takes the bound's place; every text is escaped."""
    e = html.escape
    head = "".join(f"<th>{e(heading)}</th>" for heading in HEADINGS)
    rows = "".join(
        f"<tr data-bound='{e(key)}'><td>{e(title)}<br><small>{e(what)}</small></td>"
        + "".join(f"<td class='number'>{e(cell)}</td>" for cell in cells)
        + "</tr>"
        for key, what, (title, *cells) in zip(ledger["key"], ledger["what"], in_words(ledger), strict=True)
    )
    return f"<div class='wide'><table><tr>{head}</tr>{rows}</table></div>"


def _row(f: Finding) -> str:
    e = html.escape
    interval = f" <small>{e(f.interval_text)}</small>" if f.interval_text else ""
    note = f"<br><small>{e(f.note)}</small>" if f.note else ""
    chip = f"<span class='chip' style='background:{COLOUR[f.verdict]}'>{MARK[f.verdict]} {e(f.verdict.value)}</span>"
    return (
        f"<tr data-claim='{e(f.key)}'><td class='verdict'>{chip}</td><td>{e(f.title)}<br><small>{e(f.reference)}</small></td>"
        f"<td>{e(f.promise)}</td><td>{e(f.measured)}{interval}{note}</td></tr>"
    )
