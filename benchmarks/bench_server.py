"""The real server under a class: first paint, messages per move, opening, memory, 24 users; against an almost empty Panel page."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
from client import Answer, Client, visiting
from harness import Server, Visitor, free_port, panel_serve, running, running_app, running_browser

CLASSES, RATE_HZ, MOVES = (8, 16, 24), 2.0, 12
CROWD = 20
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


async def user(client: Client, number: int, users: int) -> list[Answer]:
    """One student, whose page is open, moves a slider twice a second."""
    await asyncio.sleep(number / users / RATE_HZ)
    found = []
    for i in range(MOVES):
        answer = await client.move("v_ratio", round(0.41 + 0.01 * ((i + number) % 70), 2))
        found.append(answer)
        await asyncio.sleep(max(0.0, 1 / RATE_HZ - answer.seconds))
    return found


async def crowd(server: Server) -> tuple[float, float]:
    """As many visitors as a class has, all at once: seconds until all see their first numbers, megabytes each while open."""
    before, start = memory_mb(server.pid), time.perf_counter()
    async with AsyncExitStack() as stack:
        clients = await asyncio.gather(*(stack.enter_async_context(visiting(server)) for _ in range(CROWD)))
        await asyncio.gather(*(client.start() for client in clients))
        return time.perf_counter() - start, (memory_mb(server.pid) - before) / CROWD


async def class_of(server: Server, users: int) -> tuple[list[Answer], list[int]]:
    """Students come in one by one, then all move at the same time: their answers, and how many each process serves."""
    async with AsyncExitStack() as stack:
        clients = []
        for _ in range(users):
            clients.append(await stack.enter_async_context(visiting(server)))
            await clients[-1].start()
        split = [_connections(p, server.port) for p in psutil.Process(server.pid).children()]
        answers = await asyncio.gather(*(user(c, i, users) for i, c in enumerate(clients)))
        return [a for found in answers for a in found], [n for n in split if n]


def _connections(process: psutil.Process, port: int) -> int:
    return sum(c.status == psutil.CONN_ESTABLISHED and c.laddr.port == port for c in process.net_connections("tcp"))


def memory_mb(pid: int) -> float:
    """Resident memory of a server with its workers."""
    process = psutil.Process(pid)
    return sum(p.memory_info().rss for p in (process, *process.children(recursive=True))) / 1e6


def main() -> None:
    """Print the table."""
    with running_app() as server:
        ours = opening(server, plots=2)
        alone = asyncio.run(_alone(server))
        print(
            f"first paint, warm            {ours.painted:6.2f} s   (goal about 2 s); live {ours.live:.2f} s, first tab drawn {ours.drawn:.2f} s"
        )
        print(
            f"one user, one move           {1e3 * statistics.median(a.seconds for a in alone):6.0f} ms, "
            f"{statistics.mean(a.messages for a in alone):.1f} messages, {statistics.mean(a.bytes for a in alone) / 1e3:.0f} kB"
        )
        took, each_mb = asyncio.run(crowd(server))
        print(f"{CROWD} visitors at once         {took:6.1f} s   (goal 15 s)")
        print(f"memory per session           {each_mb:6.1f} MB  (goal 5 MB)")
    with running_app("--num-procs", "2") as server:
        for users in CLASSES:
            answers, split = asyncio.run(class_of(server, users))
            times = [1e3 * a.seconds for a in answers]
            print(
                f"{users:2d} users at {RATE_HZ:g} Hz on {' + '.join(map(str, split))} per process: p50 {np.median(times):.0f} ms, p95 {np.percentile(times, 95):.0f} ms, "
                f"{len(answers)} of {users * MOVES} moves answered   (goal p95 250 ms; the users run on the same cores)"
            )
    with tempfile.TemporaryDirectory() as folder:
        script, port = Path(folder) / "app.py", free_port()
        script.write_text(PEER, encoding="utf-8")
        with running(panel_serve(script, port=port, options=("--warm",)), port) as server:
            theirs = opening(server, plots=0)
    print(
        f"peer: a Panel page with one slider, first paint {theirs.painted:.2f} s, live {theirs.live:.2f} s, drawn {theirs.drawn:.2f} s"
    )
    print(
        f"ratio {ours.painted / theirs.painted:.1f}× painted, {ours.live / theirs.live:.1f}× live, {ours.drawn / theirs.drawn:.1f}× drawn"
    )


async def _alone(server: Server) -> list[Answer]:
    async with visiting(server) as client:
        await client.start()
        return [await client.move("v_ratio", round(0.11 + 0.02 * i, 2)) for i in range(20)]


if __name__ == "__main__":
    main()
