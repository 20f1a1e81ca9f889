"""One instant of the swarm through the dashboard's own figures: boundary, frontier, frame (lessons 00, 04 and 05)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import panel as pn

from app.panel_fixes.figure_pane import FigurePane
from app.panel_fixes.notebook_text import LiveText
from app.state import FIELDS, default_of, metadata_of
from app.tabs.allocation.figure import allocation_figure, update_allocation
from app.tabs.boundary.figure import boundary_figure, update_boundary
from app.tabs.frontier.figure import frontier_figure, update_frontier
from app.teaching.explorer import Explorer, choice, slider
from app.teaching.tables import table_html
from core.allocation import coordinates
from core.instant import Focus, Instant, interesting_loop, longer_frame


def what_if(
    now: Instant,
    loop: int | None = None,
    *,
    v_ratio: float | None = None,
    sigma_share: float | None = None,
    c: int | None = None,
    c_fail: int | None = None,
    **fields: Any,
) -> Focus:
    """One loop of an instant with another state or other scenario fields, as the dashboard's sliders ask for it.

    Args:
        now: the instant.
        loop: counted from 0; the most instructive one when None.
        v_ratio: V/V_max instead of the flown one, as c and c_fail [-].
        sigma_share: place of tr Σ between σ_min and σ_max [-].
        c: staleness [cycles].
        c_fail: failed attempts in a row.
        fields: scenario fields by their last name, such as beta or slots.
    """
    loop = interesting_loop(now.flight, now.cycle) if loop is None else loop
    scenario = now.scenario.replace(**{FIELDS[name]: value for name, value in fields.items()})
    there = now.replace(scenario=scenario, focus=loop)
    m = there.model
    return there.replace(
        V=None if v_ratio is None else v_ratio * m.V_max,
        tr_sigma=None if sigma_share is None else m.sigma_min + sigma_share * (m.sigma_max - m.sigma_min),
        c=c,
        c_fail=c_fail,
    ).on(loop)


def chain_table(focus: Focus) -> str:
    """The chain as numbers for the loop and its action, as HTML; empty when it has none."""
    action, ways, unit = focus.held, focus.ways, focus.model.V_max
    if action is None or ways is None:
        return ""
    rows = {
        "SNR [dB]": ways[0].snr_db,
        "margin [dB]": ways[0].margin_db,
        "ε uplink": ways[0].eps,
        "ρ_ul": action.rho_ul,
        "ρ_dl": action.rho_dl,
        "g": action.g,
        "T_cert [s]": action.T_cert,
        "ᾱ": action.alpha_bar,
        "Φ / V_max": action.phi / unit,
        "U / V_max": action.U / unit,
    }
    return table_html({name: [value] for name, value in rows.items()}, f"UAV {focus.uav}, {action.slots} slots")


STATE = {"v_ratio": 0.4, "sigma_share": 0.4, "c": 1, "c_fail": 0}
"""State of the focused loop with which the lessons begin: far enough out that every term of Φ matters."""


def control(name: str, **changes: Any) -> pn.widgets.Widget:
    """A slider of one of the dashboard's controls, or a choice when it has few values."""
    meta, default = metadata_of(name), STATE.get(name, default_of(name))
    if meta.choices:
        return choice(meta.symbol, meta.choices, changes.get("value", default))
    s = {"start": meta.lo, "end": meta.hi, "step": meta.step, "value": default, **changes}
    return slider(f"{meta.symbol} [{meta.unit}]" if meta.unit else meta.symbol, **s)


def explore_chain(now: Instant, loop: int) -> Explorer:
    """From SNR to verdict for one loop, as in the strip of the dashboard (lesson 00)."""
    text = LiveText()

    def update(**values: Any) -> str:
        focus = what_if(now, loop, **values)
        text.show(chain_table(focus))
        return focus.sentence

    return Explorer({name: control(name) for name in ("snr_offset_db", "beta", "v_ratio", "c")}, [text], update)


def explore_boundary(now: Instant, loop: int) -> Explorer:
    """Φ over certificates and over states, the dashboard's first tab (lesson 04)."""
    fig = boundary_figure(height=360)

    def update(**values: Any) -> str:
        focus = what_if(now, loop, **values)
        update_boundary(fig, focus)
        return f"{blue_line(focus)} {focus.sentence}"

    names = ("v_ratio", "sigma_share", "c", "c_fail", "formulation")
    charts = [[FigurePane(fig.certificate), FigurePane(fig.ways)], FigurePane(fig.plane)]
    return Explorer({name: control(name) for name in names}, charts, update)


def blue_line(focus: Focus) -> str:
    """How many actions have Φ ≤ 0 (blue), and how many of these are refused all the same, in words."""
    judged = focus.offer.appraisal.admission
    falls = judged.terms.phi <= 0.0
    anyway = int((falls & ~judged.admitted).sum())
    words = f"{int(falls.sum())} of UAV {focus.uav}'s {falls.size} actions have Φ ≤ 0 (blue)"
    if not anyway:
        return f"{words}, and all of these are admitted."
    return f"{words}; {anyway} of these are refused all the same, for want of a certificate or by the printed gate (hatched)."


def explore_frontier(now: Instant, loop: int) -> Explorer:
    """Candidates, admitted, frontier of one loop, the dashboard's second tab (lesson 05)."""
    fig = frontier_figure(height=360)

    def update(**values: Any) -> str:
        focus = what_if(now, loop, **values)
        update_frontier(fig, focus)
        return focus.sentence

    return Explorer({name: control(name) for name in ("v_ratio", "c", "beta")}, [FigurePane(fig.plot)], update)


def ever_sent(now: Instant, loop: int) -> str:
    """How many of the actions that are ever on a loop's frontier are ever sent, over many states and frames (lesson 05)."""
    frontier: set[tuple[float, ...]] = set()
    sent: set[tuple[float, ...]] = set()
    asked = list(itertools.product(np.linspace(0.05, 0.95, 7).tolist(), range(4), range(8, 73, 8)))
    for v_ratio, c, slots in asked:
        found = what_if(now, loop, v_ratio=v_ratio, c=c, slots=slots).allocation
        q, row = found.candidates, int(found.choice[loop])
        at = np.arange(q.offsets[loop], q.offsets[loop + 1])
        on = {tuple(x) for x in coordinates(q)[at[found.frontier[at]]].tolist()}
        frontier |= on
        sent |= {tuple(coordinates(q)[row].tolist())} & on if row >= 0 else set()
    return (
        f"Over {len(asked)} combinations of V, c and frame length, {len(frontier)} different actions of UAV {loop + 1} are on its "
        f"frontier at some time; {len(sent)} of them are ever sent."
    )


def explore_allocation(now: Instant) -> Explorer:
    """The frame and the value of slots, the dashboard's third tab (lesson 05)."""
    fig = allocation_figure(height=230)

    def update(slots: int) -> str:
        focus = what_if(now, slots=slots)
        update_allocation(fig, focus)
        a = focus.allocation
        served = int((a.choice >= 0).sum())
        return f"{served} loops are served with {a.slots_used} of {slots} slots. {longer_frame(focus.instant)}"

    return Explorer(
        {"slots": control("slots", start=0, end=200, value=now.scenario.network.slots)},
        [FigurePane(fig.frame), [FigurePane(fig.curve), FigurePane(fig.marginal)]],
        update,
    )
