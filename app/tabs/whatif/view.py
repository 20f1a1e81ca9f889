"""Tab 6, what-if: choose one or two parameters, run in the background, compare policies, keep and reopen studies."""

from __future__ import annotations

import html
import io
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from app.components.html_table import TABLE_CSS
from app.components.tab_view import TabView, caption
from app.jobs.poller import Poller
from app.jobs.price import about
from app.picture import Picture
from app.tabs.whatif.cost import PACE
from app.tabs.whatif.figure import Baseline, study_figure, update_study
from app.tabs.whatif.form import NONE, StudyForm
from app.tabs.whatif.plan import Plan
from app.tabs.whatif.process import StudyProcess, free_name, own_folder, stored_studies
from app.tabs.whatif.tables import differences_html, summary_html
from app.tabs.whatif.words import axis_label, flown_at, meaning_of, title_of
from core.errors import SafeExplorerError
from core.studies import Study, StudyStore
from core.studies.comparison import differences_csv
from core.studies.metrics import metric_columns
from core.studies.statistics import summary_csv

FIRST_SHOWN = "scarcity (shipped)"
"""What a new visitor sees before running anything: a figure, not an empty frame."""
POLL_MS = 500


class WhatIfView(TabView):
    """Define, run with progress and cancel, watch the curves fill in, pin a baseline, save, reload, download."""

    title = "What-if"
    name_in_link = "whatif"

    def build(self) -> pn.viewable.Viewable:
        self.study: Study | None = None
        self.frame = pd.DataFrame()
        self.process: StudyProcess | None = None
        self.baseline: Baseline | None = None
        self._name, self._seen, self._started = "", -1, 0.0
        self._poller = Poller(self._poll, POLL_MS, served=self.session.served)
        self.figure = study_figure()
        self.table, self.differences = (
            pn.pane.HTML("", sizing_mode="stretch_width", stylesheets=[TABLE_CSS], margin=(4, 10)) for _ in range(2)
        )
        small = {"size": "small", "margin": (8, 6)}
        self.form = StudyForm(self.session.state)
        self.plan = Plan(self.session.work, self.form, lambda: self.process is None)
        self.form.when_changed(self.plan.look)
        self.run_button = pmui.Button(label="Run", color="primary", size="small", margin=(10, 6))
        self.cancel_button = pmui.Button(label="Cancel", color="error", size="small", margin=(10, 6), disabled=True)
        self.progress = pmui.LinearProgress(
            value=0, max=100, variant="determinate", sizing_mode="stretch_width", margin=(6, 10)
        )
        self.status = caption()
        self.flown = caption()
        self.pinned = caption()
        self.stored = pmui.Select(
            label="Stored studies", options=[NONE, *stored_studies()], value=NONE, width=240, **small
        )
        self.reload_button = pmui.Button(label="Refresh list", size="small", variant="outlined", margin=(10, 6))
        self.pin_button = pmui.Button(label="Pin as baseline", size="small", variant="outlined", margin=(2, 6))
        self.unpin_button = pmui.Button(label="Unpin", size="small", variant="outlined", margin=(2, 6), disabled=True)
        self.metric = pmui.Select(
            label="Metric", options={title_of("mean_rmse_m"): "mean_rmse_m"}, value="mean_rmse_m", width=220, **small
        )
        self.meaning = caption("")
        self.along = pmui.Select(
            label="Along",
            options={axis_label("network.slots"): "network.slots"},
            value="network.slots",
            width=220,
            **small,
        )
        self.records_download = _download(self._parquet, "records.parquet", "Records (Parquet)")
        self.differences_download = _download(self._differences, "differences.csv", "Differences (CSV)")
        self.summary_download = _download(self._csv, "summary.csv", "Summary (CSV)")
        self.run_button.on_click(lambda _: self.start())
        self.cancel_button.on_click(lambda _: self.cancel())
        self.reload_button.on_click(lambda _: self.refresh_list())
        self.stored.param.watch(lambda e: self.open(e.new) if e.new not in (NONE, self._name) else None, "value")
        self.pin_button.on_click(lambda _: self.pin())
        self.unpin_button.on_click(lambda _: self.unpin())
        for widget in (self.metric, self.along):
            widget.param.watch(lambda _: self.draw(), "value")
        if FIRST_SHOWN in self.stored.options:
            self.stored.value = FIRST_SHOWN
        return pn.Column(
            pn.FlexBox(*self.form.widgets, self.run_button, self.cancel_button),
            self.plan.pane,
            self.progress,
            self.status,
            pn.FlexBox(self.stored, self.reload_button, self.metric, self.along),
            self.meaning,
            pn.FlexBox(
                self.pin_button,
                self.unpin_button,
                self.records_download,
                self.summary_download,
                self.differences_download,
            ),
            self.flown,
            self.pinned,
            pn.pane.Bokeh(self.figure.curves, sizing_mode="stretch_width"),
            pn.pane.Bokeh(self.figure.map, sizing_mode="stretch_width"),
            self.table,
            self.differences,
            caption(
                "Every policy flies the same seeds, so differences are paired. A map cell has a winner only if it beats every other policy "
                "with 95 % confidence on the seeds that all of them flew; n. s. = not significant. Differences are policy − baseline. Studies of the command line (python -m core study … --out results/…) open here."
            ),
            sizing_mode="stretch_width",
        )

    def start(self) -> None:
        """Begin, or continue, the study of the form in the background; under another name where one with other settings lies."""
        try:
            study = self.form.definition()
            self.form.suggest(study)
            asked = self.form.name()
            name, wrong = free_name(asked, study)
            self.process = StudyProcess(study, own_folder(name))
        except SafeExplorerError as error:
            self.session.complain(str(error))
            return
        self.study, self.frame, self._seen, self._started = study, pd.DataFrame(), -1, time.monotonic()
        self._name, self.stored.value = name, NONE
        self.run_button.disabled, self.cancel_button.disabled = True, False
        if wrong:
            self.form.rename(name)
            self.session.tell(f"{asked} holds runs made with {wrong} This study is a new one, {name}.")
        self._say(f"{name}: starting {study.size} runs in the background …")
        self._poller.start()

    def cancel(self) -> None:
        """Stop the study; its finished runs stay and Run continues it."""
        if self.process is not None:
            self._say("Stopping; finished runs stay …")
            self.process.cancel()

    async def _poll(self) -> None:
        process = self.process
        if process is None:
            return
        # the end is looked at before the records, so that the last ones are never missed
        process.insist()
        running = process.running
        count = await self.session.work.do(process.count)
        frame = await self.session.work.do(process.frame) if count > max(self._seen, 0) or not running else None
        if process is self.process:
            self.follow(running, count, frame)

    def follow(self, running: bool, count: int, frame: pd.DataFrame | None) -> None:
        """Show how far the background study is."""
        process, study = self.process, self.study
        if process is None or study is None:
            return
        with pn.io.hold():
            self.progress.value = int(100 * count / study.size)
            if frame is not None and len(frame):
                self.frame, self._seen = frame, count
                self._show_study()
            if running:
                left = process.seconds_left(count, time.monotonic() - self._started)
                self._say(f"{count} of {study.size} runs" + ("" if left is None else f", {about(left)} left"))
            else:
                self._finish(count)

    def _finish(self, count: int) -> None:
        process, study = self.process, self.study
        if process is None or study is None:
            return
        complaint = process.complaint
        if count == study.size and process.kept == 0 and not process.cancelled:
            PACE.learn(self.plan.expected_s, time.monotonic() - self._started)
        process.close()
        self.process = None
        self._poller.stop()
        self.run_button.disabled, self.cancel_button.disabled = False, True
        self._list()
        if complaint:
            self.session.complain(complaint)
            self._say(complaint)
        elif count < study.size:
            self._say(f"Stopped after {count} of {study.size} runs; press Run to continue.")
        else:
            self._say(f"{count} runs done, kept in {process.store.folder.name}.")
        self.plan.look()

    def open(self, name: str) -> None:
        """Open a stored study by the name the list shows."""
        path = stored_studies().get(name)
        if path is None:
            self.session.complain("That study is no longer there.")
            return
        try:
            study, frame = load(path)
        except SafeExplorerError as error:
            self.session.complain(str(error))
            return
        self.study, self.frame, self._name = study, frame, name
        self._show_study()
        varied = ", ".join(f"{axis_label(n)} takes {len(study.levels(n))} values" for n in study.names)
        self._say(f"{name}: {len(frame)} runs; {varied}")

    def pin(self) -> None:
        """Keep what is shown behind whatever comes next."""
        if self.study is None or self.frame.empty:
            self.session.complain("There is nothing to pin yet; run or open a study first.")
            return
        self.baseline = Baseline(self.study, self.frame, self._name)
        self.unpin_button.disabled = False
        self.draw()

    def unpin(self) -> None:
        """Let the baseline go."""
        self.baseline, self.unpin_button.disabled = None, True
        self.draw()

    def draw(self) -> None:
        """Draw the chosen metric of the shown study."""
        study, metric, along = self.study, self.metric.value, self.along.value
        if study is None or self.frame.empty or metric not in self.frame or along not in study.names:
            return
        with pn.io.hold():
            self.meaning.object = f"<div>{html.escape(meaning_of(metric))}</div>"
            update_study(self.figure, study, self.frame, metric, along, self.baseline)
            self._say_settings(study, along)
            self.table.object = summary_html(self.frame, study, metric)
            self.differences.object = differences_html(self.frame, study, metric)

    def _show_study(self) -> None:
        study = self.study
        if study is None or not study.names:
            self.session.complain("This study varies nothing, so there is no curve to draw.")
            return
        metrics = metric_columns(self.frame.columns, study.names)
        with pn.io.hold():
            if (
                list(self.metric.options.values() if isinstance(self.metric.options, dict) else self.metric.options)
                != metrics
            ):
                keep = self.metric.value if self.metric.value in metrics else metrics[0]
                self.metric.param.update(options={title_of(m): m for m in metrics}, value=keep)
            if list(self.along.options.values()) != list(study.names):
                self.along.param.update(options={axis_label(n): n for n in study.names}, value=study.names[0])
            self.draw()

    def refresh_list(self) -> None:
        """Look for studies again, and read the one shown again: it may have grown meanwhile."""
        self._list()
        if self.process is None and self.stored.value != NONE:
            self.open(self.stored.value)

    def _list(self) -> None:
        names = [NONE, *stored_studies()]
        self.stored.param.update(options=names, value=self._name if self._name in names else NONE)

    def _say_settings(self, study: Study, along: str) -> None:
        """At which settings the curves were flown, and the pinned ones."""
        self.flown.object = f"<div><b>{html.escape(self._name)}</b> flown at {html.escape(flown_at(study))}.</div>"
        kept = self.baseline
        text = ""
        if kept is not None:
            text = f"Dashed, pinned: {kept.name}, flown at {flown_at(kept.study)}."
            if along not in kept.study.names:
                text = f"Pinned: {kept.name}; it does not vary {axis_label(along)}, so it has no curve here."
        self.pinned.param.update(object=f"<div>{html.escape(text)}</div>", visible=bool(text))

    def show(self, picture: Picture) -> None:
        """Settings of the left side have changed, or the tab is visited: what would be run is another study."""
        self.plan.look()

    def _say(self, text: str) -> None:
        self.status.object = f"<div>{html.escape(text)}</div>"

    def _parquet(self) -> io.BytesIO:
        buffer = io.BytesIO()
        self.frame.to_parquet(buffer)
        buffer.seek(0)
        return buffer

    def _csv(self) -> io.BytesIO:
        return self._table(summary_csv)

    def _differences(self) -> io.BytesIO:
        return self._table(differences_csv)

    def _table(self, made: Callable[[pd.DataFrame, Study], bytes]) -> io.BytesIO:
        return io.BytesIO(b"" if self.study is None or self.frame.empty else made(self.frame, self.study))

    def close(self) -> None:
        """Stop the background study of a visitor who leaves."""
        if "content" in self.__dict__:
            self.plan.close()
            if self.process is not None:
                self.process.close()


def load(path: Path) -> tuple[Study, pd.DataFrame]:
    """A stored study and its records; StudyError when it cannot be read."""
    store = StudyStore(path)
    return store.study(), store.frame()


def _download(made: Callable[[], io.BytesIO], filename: str, label: str) -> pmui.FileDownload:
    return pmui.FileDownload(
        callback=made, filename=filename, label=label, size="small", variant="outlined", margin=(2, 6)
    )
