"""The real server under a class: first paint, messages per move, opening, memory, 24 and 60 users; against an almost empty Panel page."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness import Server, Visitor, free_port, panel_serve, running, running_browser
from load.classroom import move_sliders, rush
from load.server import serving
from results import Figure, publish

SPLITS = ((12, 12), (22, 2), (30, 30))
"""Users of each of two processes."""
PEER = """
import panel as pn
import panel_material_ui as pmui
pn.extension(notifications=True)
pmui.Page(title="peer", main=[pn.pane.HTML("<div class='chain'><span class='value'>0</span></div>"), pmui.FloatSlider(value=0)]).servable()
"""


WATCH_JS = """
window.seen = {};
const mark = (name) => {  // the frame after the one in which it was found has it on the screen
  if (!(name in seen)) { seen[name] = 0; requestAnimationFrame(() => setTimeout(() => { seen[name] = performance.now() / 1000 })) }
};
const find = (root) => root.querySelector(".chain .value")
  ?? [...root.querySelectorAll("*")].filter((e) => e.shadowRoot && !e.closest("#loader")).map((e) => find(e.shadowRoot)).find(Boolean);
const covered = () => { const cover = document.querySelector("#loader"); return cover && getComputedStyle(cover).display !== "none" };
setInterval(() => {
  if (!("live" in seen) && document.body && !covered() && find(document)) { mark("live") }
  if (!("live" in seen) || !window.Bokeh.index.roots[0].is_idle) { return }
  const plots = [...window.Bokeh.documents[0]._all_models.values()].filter((m) => m.type === "Figure").map((m) => window.Bokeh.index.find_one(m));
  const drawn = (plot) => plot?.has_finished() && plot.canvas_view.el.getBoundingClientRect().width > 0;
  if (plots.length >= PLOTS && plots.every(drawn)) { mark("drawn") }
}, 10);
"""
SEEN_JS = (
    "[performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000, window.seen.live, window.seen.drawn]"
)


class Opening(NamedTuple):
    """Median seconds from the address to three moments, in a warm browser on a warm server."""

    painted: float
    """Something to look at: the frame, and on our page the numbers."""
    live: float
    """The page itself, with its numbers and controls."""
    drawn: float
    """Everything, the first tab included."""


GOALS = Opening(0.5, 1.5, 2.0)
P95_MS = 250.0


def opening(server: Server, plots: int, times: int = 7) -> Opening:
    """Open the page again and again, as a visitor who has its files already; the page itself notes the times.

    Args:
        server: where it is.
        plots: how many plots its first tab has.
        times: how often.
    """
    with running_browser() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        found = []
        for _ in range(times + 1):
            visitor = Visitor.of(context.new_page(), server)
            visitor.page.add_init_script(WATCH_JS.replace("PLOTS", str(plots)))
            time.sleep(1)  # the browser starts its tab, the server tidies up after the last visitor
            visitor.page.goto(server.url)
            visitor.until("window.seen.drawn > 0")
            found.append(visitor.page.evaluate(SEEN_JS))
            visitor.page.close()
    return Opening(*(statistics.median(row) for row in zip(*found[1:], strict=True)))


def figures() -> Iterator[Figure]:
    with serving(procs=1) as server:
        ours = opening(server, plots=2)
        alone = move_sliders(server, users=1, seconds=10)
    with tempfile.TemporaryDirectory() as folder:
        script, port = Path(folder) / "app.py", free_port()
        script.write_text(PEER, encoding="utf-8")
        with running(panel_serve(script, port=port, options=("--warm",)), port) as server:
            theirs = opening(server, plots=0)
    for moment, goal in GOALS._asdict().items():
        work, seconds = f"browser, warm: {moment}", getattr(ours, moment)
        yield Figure(work, "one visitor", seconds, "s", "a Panel page with one slider", getattr(theirs, moment))
        yield Figure(work, "one visitor", seconds, "s", "the goal", goal)
    yield Figure("slider move, from when it was due", "one user, median", alone.p50_ms, "ms", "the goal (p95)", P95_MS)
    yield Figure("slider move, processor time", "one user", alone.cpu_ms, "ms", "the goal", 20.0)
    yield Figure("slider move, sent", f"{alone.messages:.1f} messages", alone.bytes / 1e3, "kB")
    with serving(procs=1, SAFE_EXPLORER_READY_PAGES="0") as server:
        rush(server, 4)
        made = rush(server)
    yield Figure("memory per session", "20 sessions", made.rss_mb, "MB", "the goal", 4.0)
    yield Figure("page made for its visitor", "processor time", made.cpu_s, "s")
    yield Figure("page made for its visitor, document", "one visitor", made.document / 1e3, "kB")
    yield Figure("page made for its visitor, first tab", "one visitor", made.first_tab / 1e3, "kB")
    with serving(procs=2) as server:
        crowd = rush(server)
        size = f"{len(crowd.drawn_s)} within a second, {_and(crowd.split)} per process"
        yield Figure("visitors who open the page, all drawn", size, crowd.all_s, "s", "the goal", 10.0)
        for split in SPLITS:
            found = move_sliders(server, split=split)
            size = f"{sum(split)} users at 2 Hz, {_and(found.split)} per process, {found.errors} errors"
            yield Figure("slider move, p95 from when it was due", size, found.p95_ms, "ms", "the goal", P95_MS)


def _and(numbers: Iterable[int]) -> str:
    return " + ".join(map(str, numbers))


if __name__ == "__main__":
    publish(figures())
