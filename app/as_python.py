"""Copy as Python: what the page shows, as code on core.instant alone."""

from __future__ import annotations

from app.course import course_of
from app.share_links import query_of
from app.state import FIELDS, State
from core.instant import takeoff
from core.plugins import plugin_of
from core.scenario import Scenario
from core.simulation import POLICIES


def python_of(state: State) -> str:
    """Lines on core.instant alone that print the sentence which the page shows."""
    flown, here = state.in_force(state.cycle), state.scenario
    start = takeoff(here, state.takeoff)
    changes = course_of(start, state.changes)
    view = POLICIES[state.policy].view_changes
    names = ["Flight"] + (["interesting_loop"] if not state.focus else [])
    lines = [f"from core.instant import {', '.join(names)}", "from core.scenario import Scenario"]
    if view:
        lines.append("from core.simulation import seen_by")
    plugin = plugin_of(POLICIES[state.policy])
    if plugin is not None:
        lines.insert(0, "from core import load_plugins")
        lines += ["", f"load_plugins({plugin.file!r})" if plugin.file else "load_plugins()"]
    lines += ["", f"flight = Flight.of({_scenario_code(start)}, {state.policy!r}, seed={state.seed})"]
    scenario = start
    for cycle, after in changes:
        made = after.differences(scenario)
        lines.append(f"flight = flight.changed({cycle}, flight.scenario_at({cycle}).replace(**{made!r}))")
        scenario = after
    lines.append(f"now = flight.instant({state.cycle})")
    if asked := here.differences(flown):
        code = f"flight.scenario_at({state.cycle}).replace(**{asked!r})"
        code = f"seen_by(flight.key.policy, {code})" if view else code
        lines.append(f"now = now.replace(scenario={code})  # what if, at this cycle only")
    loop = str(state.focus - 1) if state.focus else f"interesting_loop(flight, {state.cycle})"
    lines.append(f"loop = {loop}  # loops count from 0, UAVs from 1")
    if moved := _moved(state):
        lines.append(f"now = now.replace(focus=loop, {moved})  # a state that was not flown")
    action = f", {state.action!r}" if state.action else ""
    lines += [f"print(now.on(loop{action}).sentence)"]
    if state.tab == "solve":
        lines += [f"print(now.on(loop{action}).solve({FIELDS.get(state.varied, state.varied)!r}).said)"]
    lines += ["", *_figure_code(state, action)]
    return "\n".join(lines) + "\n"


def _figure_code(state: State, action: str) -> list[str]:
    """Lines that draw a figure of it for paper."""
    return [
        "# for paper; also safety_boundary, uplink_downlink, state_plane, prediction, slot_allocation (docs/EXPORT.md)",
        "from core.figures import certified_frontier",
        "",
        f"certified_frontier(now.on(loop{action}), link={query_of(state)!r}).export('frontier.pdf')",
    ]


def _scenario_code(scenario: Scenario) -> str:
    made = scenario.differences()
    return f"Scenario().replace(**{made!r})" if made else "Scenario()"


def _moved(state: State) -> str:
    """What replaces the focused loop's flown state, as arguments."""
    m = "now.model"
    texts = {
        "v_ratio": f"V={{}} * {m}.V_max",
        "sigma_share": f"tr_sigma={m}.sigma_min + {{}} * ({m}.sigma_max - {m}.sigma_min)",
        "c": "c={}",
        "c_fail": "c_fail={}",
    }
    made = state.differences()
    return ", ".join(text.format(made[n]) for n, text in texts.items() if n in made)
