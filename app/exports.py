"""What each tab offers for paper: names, and how each is made from what the tab shows; all of core.figures, nothing drawn yet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial

import pandas as pd

from app.components.tab_view import TabView
from app.shipped import shipped
from app.tabs.allocation.view import AllocationView
from app.tabs.boundary.view import BoundaryView
from app.tabs.claims.view import ClaimsView
from app.tabs.flight.view import FlightView
from app.tabs.frontier.view import FrontierView
from app.tabs.reproduction.tables import decisions
from app.tabs.reproduction.view import ReproductionView
from app.tabs.solve.view import SolveView
from app.tabs.whatif.view import WhatIfView
from core import figures as paper
from core.figures import Figure, Stamp, Table
from core.studies.reproduction import FIGURES, FOLDER

Makers = dict[str, Callable[[], Figure | Table]]
"""What is on offer, by name; made in a thread when it is asked for."""

WIDTHS = ("column", "page")


def offered(view: TabView, link: str) -> Makers:
    """What a tab offers as it stands.

    Args:
        view: the visible tab, drawn.
        link: query string of the page.
    """
    for kind, found in _BY_TAB.items():
        if isinstance(view, kind):
            return found(view, link)
    return {}


def formats(name: str) -> tuple[str, ...]:
    """Endings in which something is offered."""
    return ("csv", "tex") if name.endswith("(table)") else ("svg", "pdf", "png", "csv")


def everything(makers: Makers) -> bytes:
    """All of it as one zip: every figure in both widths, every table, their captions; the same input gives the same bytes."""
    out = io.BytesIO()
    captions = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def put(name: str, content: bytes) -> None:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)

        for title, make in makers.items():
            made = make()
            captions.append(f"{made.name}: {made.caption}\n{made.stamp.text}\n")
            for kind in formats(title):
                for width in WIDTHS if kind != "csv" else WIDTHS[:1]:
                    ending = f"-{width}" if kind != "csv" else ""
                    put(f"{made.name}{ending}.{kind}", made.render(kind, width))
        put("captions.txt", "\n".join(captions).encode())
    return out.getvalue()


def _boundary(view: BoundaryView, link: str) -> Makers:
    if view.shown is None:
        return {}
    focus = view.shown.focus
    return {
        "Certificates that are safe": partial(paper.safety_boundary, focus, link),
        "Uplink and downlink": partial(paper.uplink_downlink, focus, link),
        "States that are safe": partial(paper.state_plane, focus, link),
    }


def _frontier(view: FrontierView, link: str) -> Makers:
    if view.shown is None:
        return {}
    focus = view.shown.focus
    return {
        "Certified frontier": partial(paper.certified_frontier, focus, link),
        "Prediction": partial(paper.prediction, focus, link),
    }


def _allocation(view: AllocationView, link: str) -> Makers:
    if view.shown is None:
        return {}
    focus, names = view.shown.focus, tuple(view.session.state.policies)
    return {
        "Frame and value of slots": partial(paper.slot_allocation, focus, link),
        "Other policies": lambda: paper.policy_frames(focus, focus.instant.other_policies(names), link),
        "Loops (table)": partial(paper.loops, focus, link),
    }


def _flight(view: FlightView, link: str) -> Makers:
    drawing = view.drawn
    if drawing is None:
        return {}
    request = drawing.request
    given = (
        dict(drawing.flights),
        request.inputs.cycle,
        min(request.loop, request.inputs.scenario.mission.uavs - 1),
        link,
    )
    return {
        "RMSE and V over the cycles": partial(paper.flight_series, *given),
        "Distributions": partial(paper.flight_distributions, *given),
        "Shares of the modes": partial(paper.flight_modes, *given),
        "Numbers (table)": partial(paper.flight_numbers, *given),
    }


def _solve(view: SolveView, link: str) -> Makers:
    return {} if view.solution is None else {"Solution": partial(paper.solution, view.solution, link)}


def _claims(view: ClaimsView, link: str) -> Makers:
    return {
        "Claims (table)": partial(paper.claims, list(view.findings), view.audited, link),
        "Ledger (table)": partial(paper.ledger, view.scene.value, link),
    }


def _whatif(view: WhatIfView, link: str) -> Makers:
    study, frame, metric, along = view.study, view.frame, view.metric.value, view.along.value
    if study is None or frame.empty or metric not in frame or along not in study.names:
        return {}
    found: Makers = {"Curves": partial(paper.study_curves, study, frame, metric, along, link)}
    if len(study.names) == 2 and study.points is None:
        found["Map of winners"] = partial(paper.study_map, study, frame, metric, along, link)
    found["Summary (table)"] = partial(paper.study_summary, study, frame, metric, link)
    if len(study.policies) > 1:
        found["Differences (table)"] = partial(paper.study_differences, study, frame, metric, link)
    return found


def _reproduction(_: ReproductionView, link: str) -> Makers:
    result = shipped()
    return {
        **{
            f"ECDF of the {words}": partial(paper.reproduction_ecdf, result, name, link)
            for name, words in FIGURES.items()
        },
        "What each part buys": partial(paper.reproduction_ablation, result, link),
        "Who wins where": lambda: paper.reproduction_grid(_rows("grid"), result, link),
        "Paper beside ours (table)": partial(paper.paper_numbers, result, link),
        "Differences (table)": partial(paper.paper_differences, result, link),
        "Parts (table)": partial(paper.ablations, result, link),
        "Radius × slots (table)": lambda: paper.grid(_rows("grid"), result, link),
        "Other scenes (table)": lambda: paper.scenes(_rows("scenes"), result, link),
        "Decisions (table)": lambda: _decisions(Stamp.of(result.scenario, link)),
    }


def _rows(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / f"{name}.csv")


def _decisions(stamp: Stamp) -> Table:
    rows = [[number, title, decision, effect] for number, title, _paper, decision, effect in decisions()]
    return Table(
        "decisions",
        "Where the paper is silent, inconsistent or wrong.",
        stamp,
        ("", "about", "decision", "what it changes"),
        rows,
    )


_BY_TAB: dict[type[TabView], Callable[..., Makers]] = {
    BoundaryView: _boundary,
    FrontierView: _frontier,
    AllocationView: _allocation,
    FlightView: _flight,
    SolveView: _solve,
    ClaimsView: _claims,
    WhatIfView: _whatif,
    ReproductionView: _reproduction,
}
