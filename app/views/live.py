"""Tab 4, the closed loop live: several policies on the same seed, while the page stays yours."""

from __future__ import annotations

import html
import time
from typing import Any

import panel as pn
import panel_material_ui as pmui

from app.figures.live import (
    clear,
    live_figure,
    show_distributions,
    show_scene,
    show_stored,
    show_swarm,
    stream_series,
)
from app.figures.palette import MODE, MODE_NAME, policy_colour
from app.live import LiveRun, Player
from app.state import CONTROLS, FIELDS, POLICY_NAMES
from app.views.base import TabView, caption
from app.views.reproduction import shipped
from core.errors import SafeExplorerError, ScenarioError
from core.simulation import CycleRecord, needs_restart

PERIOD_MS = 70
"""The page looks for finished cycles this often at most: about 14 times a second."""
REST = 4
"""Drawing rests this many times as long as it took, so that a slow machine still answers its sliders."""
CURVES_S = 0.5
"""ECDFs and the table of figures are redrawn this often; dots and time series with every poll."""


class LiveView(TabView):
    """Start, pause, step, reset, speed; sliders act from the next cycle or restart the run."""

    title = "Closed loop, live"

    def build(self) -> pn.viewable.Viewable:
        self.player = Player()
        self.figure = live_figure(POLICY_NAMES)
        self._polling = False
        self._curves_at = 0.0
        self._last: dict[str, CycleRecord] = {}
        small: dict[str, Any] = {"size": "small", "margin": (6, 4)}
        self.play = pmui.Button(label="Start", color="primary", variant="contained", width=90, **small)
        self.step = pmui.Button(label="Step", variant="outlined", **small)
        self.reset = pmui.Button(label="Reset", variant="outlined", **small)
        self.speed = pmui.IntSlider(label="Speed [cycles/s]", start=1, end=20, value=8, width=170, margin=(0, 14))
        self.changes = pmui.Select(
            label="Sliders act",
            options={"from the next cycle": "next", "by a restart": "restart"},
            value="next",
            width=180,
            **small,
        )
        self.whose = pmui.Select(label="Swarm of", options=list(self.session.state.policies), width=150, **small)
        self.progress = pmui.LinearProgress(value=0, variant="determinate", sizing_mode="stretch_width")
        self.status = caption()
        self.legend = caption()
        self.numbers = caption()
        self.play.on_click(lambda _: self._toggle())
        self.step.on_click(lambda _: self._step())
        self.reset.on_click(lambda _: self._restart())
        self.speed.param.watch(lambda e: setattr(self.player, "speed", float(e.new)), "value")
        self.whose.param.watch(lambda _: self._draw_swarm(), "value")
        self._watcher = self.session.state.param.watch(
            self._control_moved, [n for n in CONTROLS if n in FIELDS or n in ("policies", "seed")]
        )
        show_scene(self.figure, self.session.state.scenario)
        self._draw_legend()
        self._draw_stored()
        f = self.figure
        return pn.Column(
            pn.Row(
                self.play,
                self.step,
                self.reset,
                self.speed,
                self.whose,
                self.changes,
                sizing_mode="stretch_width",
                margin=(6, 0, 0, 0),
            ),
            self.progress,
            self.status,
            self.legend,
            pn.Row(
                *(pn.pane.Bokeh(p, sizing_mode="stretch_width") for p in (f.plan, f.elevation)),
                sizing_mode="stretch_width",
            ),
            pn.Row(
                *(pn.pane.Bokeh(p, sizing_mode="stretch_width") for p in f.ecdfs.values()), sizing_mode="stretch_width"
            ),
            pn.pane.Bokeh(f.series, sizing_mode="stretch_width"),
            self.numbers,
            sizing_mode="stretch_width",
        )

    def close(self) -> None:
        if "content" in self.__dict__:
            self.player.close()
            self.session.state.param.unwatch(self._watcher)
            self._polling = False

    def poll(self) -> int:
        """Draw the cycles that were finished since the last call; returns how many."""
        items = self.player.take()
        cycles = [item for item in items if not isinstance(item, str)]
        run = self.player.run
        with pn.io.hold():
            for text in (item for item in items if isinstance(item, str)):
                self.session.complain(text)
                self._show_playing(False)
            if cycles and run is not None:
                self._last = cycles[-1]
                stream_series(self.figure, run, cycles)
                self._draw_swarm()
                self._draw_status(run)
                if run.done or not self.player.playing or time.monotonic() - self._curves_at > CURVES_S:
                    self._curves_at = time.monotonic()
                    show_distributions(self.figure, run)
                    self._draw_numbers(run)
        if run is not None and run.done and not items and not self.player.busy:
            self._show_playing(False)
            self._polling = False
        return len(cycles)

    def _toggle(self) -> None:
        if self.player.playing:
            self.player.pause()
            self._show_playing(False)
            return
        if (self.player.run is None or self.player.run.done) and not self._restart():
            return
        self.player.play()
        self._show_playing(True)
        self._start_polling()

    def _step(self) -> None:
        if (self.player.run is None or self.player.run.done) and not self._restart():
            return
        self.player.step()
        self._start_polling()

    def _restart(self) -> bool:
        state = self.session.state
        try:
            run = LiveRun(state.scenario, state.policies, state.seed)
        except SafeExplorerError as error:
            self.session.complain(f"The run could not start. {error}")
            return False
        with pn.io.hold():
            clear(self.figure)
            self._last = {}
            self.player.load(run)
            self.whose.options = list(run.policies)
            self.whose.value = self.whose.value if self.whose.value in run.policies else run.policies[0]
            show_scene(self.figure, state.scenario)
            self._draw_legend()
            self.progress.value = 0
            self.status.object = f"<div>Ready: cycle 0 of {run.cycles}, seed {run.seed}.</div>"
            self.numbers.object = "<div></div>"
        return True

    def _control_moved(self, *events: Any) -> None:
        run = self.player.run
        if run is None:
            show_scene(self.figure, self.session.state.scenario)
            self._draw_legend()
            if any(e.name == "policies" for e in events):
                self._draw_stored()
            return
        needs_new = self.changes.value == "restart" or any(e.name in ("policies", "seed") for e in events)
        if not needs_new:
            try:
                scenario = self.session.state.scenario
                if fixed := needs_restart(run.scenario, scenario):
                    raise ScenarioError(f"{', '.join(fixed)} shapes the whole run")
                self.player.change(scenario)
                return
            except ScenarioError as error:
                self.session.warn(f"{error}: the live run starts again.")
        self._restart()

    def _draw_stored(self) -> None:
        """Before the first run: how the policies fared in the stored reproduction."""
        text = "Press Start."
        try:
            stored = shipped()
        except SafeExplorerError:
            pass  # the Reproduction tab says why
        else:
            show_stored(self.figure, stored.curves, self.session.state.policies)
            text += (
                f" Until then the distributions are those of the stored reproduction ({len(stored.seeds)} missions at {html.escape(stored.flown_at)}, "
                "which the sliders do not move); a run starts its own."
            )
        self.status.object = f"<div>{text}</div>"

    def _draw_swarm(self) -> None:
        record = self._last.get(self.whose.value)
        if record is not None and self.player.run is not None:
            show_swarm(self.figure, self.player.run.scenario, record)

    def _draw_status(self, run: LiveRun) -> None:
        k = next(iter(self._last.values())).k + 1
        self.progress.value = round(100 * k / run.cycles)
        parts = [
            f"<b style='color:{policy_colour(n)}'>{n}</b> {r.rmse:.1f} m, {int(r.served.sum())} served"
            for n, r in self._last.items()
        ]
        self.status.object = f"<div>Cycle {k} of {run.cycles}: RMSE now " + "; ".join(parts) + ".</div>"

    def _draw_numbers(self, run: LiveRun) -> None:
        rows = []
        for name, track in run.tracks.items():
            m = track.summary()
            rows.append(
                f"<tr><td><b style='color:{policy_colour(name)}'>{name}</b></td><td>{m['mean_rmse_m']:.2f}</td><td>{m['p95_rmse_m']:.2f}</td>"
                f"<td>{m['mean_v']:.3f}</td><td>{m['p95_v']:.3f}</td><td>{m['mean_delay_ms']:.2f}</td><td>{m['p95_delay_ms']:.2f}</td></tr>"
            )
        self.numbers.object = (
            "<div><table style='border-spacing:14px 1px'><tr><th></th><th>mean RMSE [m]</th><th>P95 RMSE [m]</th><th>mean V/V_max</th>"
            "<th>P95 V/V_max</th><th>mean delay [ms]</th><th>P95 delay [ms]</th></tr>" + "".join(rows) + "</table>"
            "One seed is an anecdote: the Reproduction tab has the confidence intervals.</div>"
        )

    def _draw_legend(self) -> None:
        modes = " ".join(f"<span style='color:{MODE[m]}'>●</span> {MODE_NAME[m]}" for m in MODE)
        names = " ".join(f"<span style='color:{policy_colour(n)}'>▬</span> {n}" for n in self.session.state.policies)
        self.legend.object = (
            f"<div>Loops: {modes} &nbsp; × reference &nbsp; ▲ ground station<br>Policies: {names}</div>"
        )

    def _show_playing(self, playing: bool) -> None:
        self.play.label = "Pause" if playing else "Start"

    def _start_polling(self) -> None:
        if not self._polling and self.session.served:
            self._polling = True
            self._tick_in(PERIOD_MS)

    def _tick_in(self, pause_ms: int) -> None:
        self.session.doc.add_timeout_callback(self._tick, pause_ms)

    def _tick(self) -> None:
        if not self._polling:
            return
        start = time.perf_counter()
        drawn = self.poll()
        spent_ms = 1e3 * (time.perf_counter() - start)
        if not self.player.playing and not drawn and not self.player.busy:
            self._polling = False
        if self._polling:
            self._tick_in(max(PERIOD_MS, int(REST * spent_ms)))
