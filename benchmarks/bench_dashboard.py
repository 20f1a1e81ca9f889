"""Server time per slider move on tabs 1–3 at N = 50 with the focused loop's full candidate set, against replacing HoloViews objects."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import holoviews as hv
import numpy as np
import panel as pn
from bokeh.document import Document
from panel.io.document import hold
from panel.io.state import set_curdoc
from results import Figure, publish

from app.picture import Picture, compute
from app.session import Session
from app.tabs.allocation.view import AllocationView
from app.tabs.boundary.figure import boundary_data
from app.tabs.boundary.view import BoundaryView
from app.tabs.frontier.view import FrontierView
from core.figures.arrays.frontier import frontier_data

hv.extension("bokeh", logo=False)
MOVES = 40
SLIDERS: dict[str, Callable[[int], float]] = {
    "v_ratio": lambda i: 0.1 + 0.01 * (i % 80),
    "snr_offset_db": lambda i: -5.0 + 0.5 * (i % 20),
    "beta": lambda i: 0.01 + 0.005 * (i % 60),
}


def measure(view_type: type, slider: str) -> tuple[list[float], float]:
    """CPU milliseconds per move and changed properties per move (one message) of one view in a document of its own."""
    doc = Document()
    with set_curdoc(doc):
        session = Session()
        view = view_type(session)
        session.pipeline.request()
        view.refresh(session.pipeline.picture)
        doc.add_root(view.content.get_root(doc))
        for later in ("solver", "rivals"):
            if hasattr(view, later):
                getattr(view, later).request = lambda _asked: None  # off the hot path in the app too
        times, changes = [], []
        for i in range(MOVES + 5):
            value = SLIDERS[slider](i)
            doc.hold("combine")
            start = time.thread_time()
            session.state.apply({slider: value})
            view.refresh(session.pipeline.picture)
            if i >= 5:
                times.append(1e3 * (time.thread_time() - start))
                changes.append(len(doc.callbacks._held_events))
            doc.unhold()
        session.close()
    return times, float(np.mean(changes))


def peer(picture: Picture) -> list[hv.core.Dimensioned]:
    """The same layers of dots and maps as new HoloViews objects, what `pn.bind` would return."""
    b, f = boundary_data(picture.focus)["sources"], frontier_data(picture.focus)["sources"]
    image = hv.Image(np.asarray(b["map"]["image"][0]), bounds=(0.5, 0, 0.5 + b["map"]["dw"][0], 1))
    ways = hv.Image(np.asarray(b["ways"]["image"][0]), bounds=(0, 0, 1, 1))
    plane = hv.Image(
        np.asarray(b["plane"]["image"][0]),
        bounds=(0, b["plane"]["y"][0], 1.2, b["plane"]["y"][0] + b["plane"]["dh"][0]),
    )
    dots = hv.Points((b["candidates"]["x"], b["candidates"]["y"]))
    layers = [hv.Points((f["actions"]["x"], f["actions"][n])) for n in ("y", "admitted", "frontier")]
    return [image * dots, ways, plane, layers[0] * layers[1] * layers[2]]


def measure_peer(slider: str) -> list[float]:
    """Milliseconds per move when the plots are replaced."""
    doc = Document()
    with set_curdoc(doc):
        session = Session()
        session.pipeline.request()
        panes = [pn.pane.HoloViews(o) for o in peer(session.pipeline.picture)]
        doc.add_root(pn.Column(*panes).get_root(doc))
        times = []
        for i in range(10):
            start = time.thread_time()
            with hold(doc):
                session.state.apply({slider: SLIDERS[slider](i)})
                for pane, found in zip(panes, peer(session.pipeline.picture), strict=True):
                    pane.object = found
            if i >= 2:
                times.append(1e3 * (time.thread_time() - start))
        session.close()
    return times


def figures() -> Iterator[Figure]:
    """Processor time of the serving thread, so that a busy machine does not blur it."""
    compute(Session().state)
    ours: list[float] = []
    for view in (BoundaryView, FrontierView, AllocationView):
        for slider in SLIDERS:
            times, changes = measure(view, slider)
            ours += times
            size = f"{slider}, median, {changes:.1f} properties in one message"
            yield Figure(f"slider move, {view.title}", size, float(np.median(times)))
    theirs = [t for slider in ("v_ratio", "beta") for t in measure_peer(slider)]
    peer = "HoloViews objects replaced, tabs 1 and 2 only"
    yield Figure("slider move, tabs 1–3", "median", float(np.median(ours)), "ms", peer, float(np.median(theirs)))
    yield Figure("slider move, tabs 1–3", "p95", float(np.percentile(ours, 95)), "ms", "the goal", 15.0)


if __name__ == "__main__":
    publish(figures())
