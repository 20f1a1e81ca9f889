"""Server time per slider move on tabs 1–3 at N = 50 with the focused loop's full candidate set, against replacing HoloViews objects."""

from __future__ import annotations

import time
from collections.abc import Callable

import holoviews as hv
import numpy as np
import panel as pn
from bokeh.document import Document
from panel.io.document import hold
from panel.io.state import set_curdoc

from app.figures.boundary import boundary_data
from app.figures.frontier import frontier_data
from app.picture import Picture, compute
from app.session import Session
from app.views.allocation import AllocationView
from app.views.boundary import BoundaryView
from app.views.frontier import FrontierView

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
        later = getattr(view, "later", None)
        if later is not None:
            later.request = lambda _picture: None  # P1 is off the hot path in the app too
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
    """The same three layers of dots and two maps as new HoloViews objects, what `pn.bind` would return."""
    b, f = boundary_data(picture)["sources"], frontier_data(picture)["sources"]
    image = hv.Image(np.asarray(b["map"]["image"][0]), bounds=(0.5, 0, 0.5 + b["map"]["dw"][0], 1))
    plane = hv.Image(
        np.asarray(b["plane"]["image"][0]),
        bounds=(0, b["plane"]["y"][0], 1.2, b["plane"]["y"][0] + b["plane"]["dh"][0]),
    )
    dots = hv.Points((b["candidates"]["x"], b["candidates"]["y"]))
    layers = [hv.Points((f[n]["x"], f[n]["y"])) for n in ("candidates", "safe", "frontier")]
    return [image * dots, plane, layers[0] * layers[1] * layers[2]]


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


def main() -> None:
    """Print the table; CPU time of the serving thread, so that a busy machine does not blur it."""
    compute(Session().state)
    ours: list[float] = []
    print("tab                slider           p50 [ms]  p95 [ms]  property changes per move, sent as one message")
    for view in (BoundaryView, FrontierView, AllocationView):
        for slider in SLIDERS:
            times, changes = measure(view, slider)
            ours += times
            print(
                f"{view.title:<18} {slider:<15} {np.median(times):9.1f} {np.percentile(times, 95):9.1f}  {changes:.1f}"
            )
    theirs = [t for slider in ("v_ratio", "beta") for t in measure_peer(slider)]
    print(
        f"all moves          p50 {np.median(ours):.1f} ms, p95 {np.percentile(ours, 95):.1f} ms (goal: p95 below 100 ms)"
    )
    print(f"peer: replaced HoloViews objects (tabs 1 and 2 only) p50 {np.median(theirs):.1f} ms")
    print(f"ratio {np.median(theirs) / np.median(ours):.1f}×")


if __name__ == "__main__":
    main()
