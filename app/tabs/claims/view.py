"""Tab 5, claims: each guarantee of the paper beside its measurement at the sliders, and what each bound costs."""

from __future__ import annotations

import html
from types import MappingProxyType

import panel as pn
import panel_material_ui as pmui

from app.components.html_table import TABLE_CSS
from app.components.tab_view import TabView, caption
from app.jobs.poller import Poller
from app.picture import Picture
from app.tabs.claims.auditor import Auditor
from app.tabs.claims.tables import GLANCE_CSS, findings_html, glance_html, ledger_html
from core.scenario import SCENES, Scenario
from core.studies.claims import ClaimVerdict, Finding, ledger_path, load_findings, load_ledger

PERIOD_MS = 300

SCROLLED = ":host { max-height: calc(var(--stage, 100000px) - 110px); overflow-y: auto; }"
"""On a stage the sentence stays in view."""
LEDGER_CAPTION = (
    "What each bound of the certificate costs, measured when this version was made; the sliders do not move it. One bound at a time is "
    "replaced in the full certificate, so the parts need not add up. ρ, g and Φ are those of the actions SAFE flew with a certificate; "
    "RMSE is flown with that bound replaced, in brackets minus SAFE as certified on the same missions, with the interval at 95 %."
)


class ClaimsView(TabView):
    """Opens with the shipped audit; a new one takes some seconds, so sliders only mark what is shown as out of date."""

    title = "Claims"
    name_in_link = "claims"
    parts = ("glance", "findings")
    told = MappingProxyType(
        {
            "claims": "promises in the audit shown",
            **{verdict.name.lower(): f"how many of them: {verdict.value}" for verdict in ClaimVerdict},
        }
    )

    def build(self) -> pn.viewable.Viewable:
        self.findings: list[Finding] = load_findings()
        self.auditor: Auditor | None = None
        self.audited = Scenario()
        self._poller = Poller(self.poll, PERIOD_MS, served=self.session.served)
        self.start_button = pmui.Button(label="Audit at these settings", color="primary", size="small", margin=(8, 6))
        self.cancel_button = pmui.Button(label="Cancel", color="error", size="small", margin=(8, 6), disabled=True)
        self.progress = pmui.LinearProgress(value=0, variant="determinate", sizing_mode="stretch_width", margin=(6, 10))
        self.status = caption()
        self.table = pn.pane.HTML(
            findings_html(self.findings), sizing_mode="stretch_width", stylesheets=[TABLE_CSS, SCROLLED], margin=(4, 10)
        )
        self.glance = pn.pane.HTML(
            "", visible=False, sizing_mode="stretch_width", stylesheets=[GLANCE_CSS], margin=(4, 10)
        )
        self._say(f"Measured at the default settings when this version was made: {self._counted()}.")
        self.scene = pmui.Select(
            label="Ledger of", options=list(SCENES), value=SCENES[0], width=220, size="small", margin=(8, 6)
        )
        self.ledger = pn.pane.HTML("", sizing_mode="stretch_width", stylesheets=[TABLE_CSS], margin=(4, 10))
        self.scene.param.watch(lambda _: self._show_ledger(), "value")
        self._show_ledger()
        self.start_button.on_click(lambda _: self.start())
        self.cancel_button.on_click(lambda _: self.cancel())
        self.buttons = pn.Row(self.start_button, self.cancel_button)
        return pn.Column(
            self.buttons,
            self.progress,
            self.status,
            self.glance,
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
        self.findings, self.audited = [], self.session.state.scenario
        self.auditor = Auditor(self.audited)
        self.start_button.disabled, self.cancel_button.disabled = True, False
        self.table.object = ""
        self._say("Measuring …")
        self._poller.start()

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
        if self.auditor is None and picture.inputs.scenario != self.audited:
            self._say_outdated()

    def part(self, name: str) -> tuple[pn.viewable.Viewable, ...]:
        shown = {"glance": self.glance, "findings": self.table}[name]
        return self.buttons, self.progress, self.status, shown

    def present(self, part: str) -> None:
        self.glance.visible = part == "glance"
        super().present(part)

    def unpresent(self) -> None:
        self.glance.visible = False
        super().unpresent()

    def tell(self) -> dict[str, str]:
        found = {v.name.lower(): str(sum(f.verdict is v for f in self.findings)) for v in ClaimVerdict}
        return {"claims": str(len(self.findings)), **found}

    def close(self) -> None:
        if "content" in self.__dict__ and self.auditor is not None:
            self.auditor.cancel.set()

    def _finish(self, *, cancelled: bool) -> None:
        self.auditor = None
        self._poller.stop()
        self.start_button.disabled, self.cancel_button.disabled = False, True
        said = self._counted()
        if self.session.state.scenario != self.audited:
            self._say_outdated()
        else:
            self._say(f"Stopped early: {said}." if cancelled else f"Measured at these settings: {said}.")

    def _say_outdated(self) -> None:
        what = "at the default settings" if self.audited == Scenario() else "before the settings changed"
        self._say(f"Measured {what}; press the button to measure at these (some seconds).")

    def _show_ledger(self) -> None:
        self.ledger.object = ledger_html(load_ledger(ledger_path(self.scene.value)))

    def _counted(self) -> str:
        counts = {v: sum(f.verdict is v for f in self.findings) for v in ClaimVerdict}
        return ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items())

    def _say(self, text: str) -> None:
        self.status.object = f"<div>{html.escape(text)}</div>"
        self.glance.object = glance_html(self.findings)
        self.redrawn()
