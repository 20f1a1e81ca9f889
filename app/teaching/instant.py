"""One instant of the swarm through the dashboard's own figures: boundary, frontier, frame (lessons 00, 04 and 05)."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.figures.allocation import allocation_figure, update_allocation
from app.figures.boundary import boundary_figure, update_boundary
from app.figures.frontier import frontier_figure, update_frontier
from app.picture import Picture, compute
from app.state import State, default_of, metadata_of
from app.teaching.explorer import Explorer, choice, slider
from app.teaching.figure_pane import FigurePane
from app.teaching.tables import table_html
from app.teaching.text import LiveText
from core.scenario import Scenario


def picture_of(scenario: Scenario, **controls: Any) -> Picture:
    """What the dashboard's first three tabs would show.

    Args:
        scenario: everything but the focused loop's state.
        controls: values of the dashboard's controls by name, such as v_ratio, c, focus (counted from 1), beta.
    """
    state = State()
    state.load(scenario)
    state.apply(controls)
    return compute(state)


def chain_table(picture: Picture) -> str:
    """The chain as numbers for the focused loop and action, as HTML."""
    n, unit = picture.chain, picture.model.V_max
    rows = {
        "SNR [dB]": n["snr"],
        "margin [dB]": n["margin"],
        "ε uplink": n["eps"],
        "ρ_ul": n["rho_ul"],
        "ρ_dl": n["rho_dl"],
        "g": n["g"],
        "T_cert [s]": n["T_cert"],
        "ᾱ": n["alpha_bar"],
        "Φ / V_max": n["phi"] / unit,
        "U / V_max": n["U"] / unit,
    }
    return table_html({name: [value] for name, value in rows.items()}, f"UAV {picture.focus + 1}, {n['slots']} slots")


STATE = {"v_ratio": 0.4, "sigma_share": 0.4, "c": 1, "c_fail": 0}
"""State of the focused loop with which the lessons begin: far enough out that every term of Φ matters."""


def control(name: str, **changes: Any) -> pn.widgets.Widget:
    """A slider of one of the dashboard's controls, or a choice when it has few values."""
    meta, default = metadata_of(name), STATE.get(name, default_of(name))
    if meta.choices:
        return choice(meta.symbol, meta.choices, changes.get("value", default))
    s = {"start": meta.lo, "end": meta.hi, "step": meta.step, "value": default, **changes}
    return slider(f"{meta.symbol} [{meta.unit}]" if meta.unit else meta.symbol, **s)


def explore_chain(scenario: Scenario, focus: int = 0) -> Explorer:
    """From SNR to verdict for one loop, as in the strip of the dashboard (lesson 00)."""
    text = LiveText()

    def update(**values: Any) -> str:
        picture = picture_of(scenario, focus=focus, **values)
        text.show(chain_table(picture))
        return picture.chain["sentence"]

    return Explorer({name: control(name) for name in ("snr_offset_db", "beta", "v_ratio", "c")}, [text], update)


def explore_boundary(scenario: Scenario, focus: int = 0) -> Explorer:
    """Φ over certificates and over states, the dashboard's first tab (lesson 04)."""
    fig = boundary_figure(height=360)

    def update(**values: Any) -> str:
        picture = picture_of(scenario, focus=focus, **values)
        update_boundary(fig, picture)
        share = picture.counts["admitted"] / max(picture.counts["candidates"], 1)
        return f"{share:.0%} of this loop's actions are admitted. {picture.chain['sentence']}"

    names = ("v_ratio", "sigma_share", "c", "c_fail", "formulation")
    return Explorer(
        {name: control(name) for name in names}, [[FigurePane(fig.certificate), FigurePane(fig.plane)]], update
    )


def explore_frontier(scenario: Scenario, focus: int = 0) -> Explorer:
    """Candidates, admitted, frontier of one loop, the dashboard's second tab (lesson 05)."""
    fig = frontier_figure(height=360)

    def update(**values: Any) -> str:
        picture = picture_of(scenario, focus=focus, **values)
        update_frontier(fig, picture)
        return picture.chain["sentence"]

    return Explorer({name: control(name) for name in ("v_ratio", "c", "beta")}, [FigurePane(fig.plot)], update)


def explore_allocation(scenario: Scenario) -> Explorer:
    """The frame and the value of slots, the dashboard's third tab (lesson 05)."""
    fig = allocation_figure(height=230)

    def update(slots: int) -> str:
        picture = picture_of(scenario, slots=slots)
        update_allocation(fig, picture)
        more, a = picture.next_useful, picture.allocation
        head = f"{int((a.choice >= 0).sum())} loops are served with {a.slots_used} of {slots} slots. "
        if more is None:
            return head + "More slots would change nothing."
        return head + f"{more.slots - slots} more slots would serve {more.who} better."

    return Explorer(
        {"slots": control("slots", start=0, end=200, value=scenario.network.slots)},
        [FigurePane(fig.frame), [FigurePane(fig.curve), FigurePane(fig.marginal)]],
        update,
    )
