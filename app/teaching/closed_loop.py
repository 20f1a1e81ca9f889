"""Policies side by side on one mission, through the dashboard's own figures (lessons 00, 07 and 08)."""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import panel as pn

from app.panel_fixes.figure_pane import FigurePane
from app.panel_fixes.notebook_text import LiveText
from app.tabs.flight.figure import reach, show_curves, show_distribution
from app.tabs.flight.plots import STORED, flight_figure
from app.teaching.explorer import Explorer, choice, slider
from app.teaching.swarm import show_swarm, swarm_figure
from app.teaching.tables import table_html
from app.teaching.timeline import FrameChart
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.figures.arrays.flight import curves
from core.instant import Flight
from core.scenario import Scenario, preset
from core.simulation import PAPER_FIVE, flawless_rmse
from core.studies.ablation import ablation
from core.studies.paper_table import PAPER_DELAY, PAPER_MEAN_RMSE_M, paper_table
from core.studies.reproduction import Reproduction
from core.studies.statistics import paired_difference
from core.style import policy_colour

SEEDS = (2000, 2001, 2002)
"""Missions of the lessons: neither calibration (below 1000) nor evaluation (10000 and up)."""


def lesson_scenario(slots: int = 32) -> Scenario:
    """The teaching swarm on a short mission with a scarce frame: what the lessons fly."""
    return preset("teaching-swarm").replace(**{"mission.duration_s": 12.0, "network.slots": slots})


class Place(NamedTuple):
    """One loop in one cycle of the lessons' flight.

    Args:
        cycle: of the flight.
        loop: counted from 0.
    """

    cycle: int
    loop: int


CORNER = Place(30, 5)
"""UAV 6 at a corner, which holding its velocity would miss: the instant that lessons 00, 02 and 04 to 06 look at."""


def lesson_flight() -> Flight:
    """The flight that the lessons look at: SAFE on the first mission."""
    return Flight.of(lesson_scenario(), "SAFE", SEEDS[0])


@dataclass(frozen=True, eq=False)
class Race:
    """A finished mission under several policies.

    Args:
        flights: by policy, flown to the end.
    """

    flights: dict[str, Flight]

    def summary(self, policy: str) -> dict[str, float]:
        """The metrics of one policy."""
        return self.flights[policy].summary()


@functools.lru_cache(maxsize=48)
def race(scenario: Scenario, policies: tuple[str, ...] = PAPER_FIVE, seed: int = SEEDS[0]) -> Race:
    """Fly a whole mission under every policy: same references, channel, noise and luck."""
    flights = {policy: Flight.of(scenario, policy, seed) for policy in policies}
    for flight in flights.values():
        flight.reach(flight.cycles)
    return Race(flights)


def metric(scenario: Scenario, policy: str, name: str, seeds: tuple[int, ...] = SEEDS) -> np.ndarray:
    """One value of a summary per seed, from the race of the paper's five policies, (seeds,)."""
    return np.array([race(scenario, PAPER_FIVE, s).summary(policy)[name] for s in seeds])


def scarcity(scenario: Scenario, slots: tuple[int, ...], name: str = "mean_rmse_m") -> dict[str, tuple[Any, Any]]:
    """Mean of a metric over the lesson's seeds, by policy, over the length of the frame."""
    frames = [scenario.replace(**{"network.slots": s}) for s in slots]
    return {p: (list(slots), [float(metric(f, p, name).mean()) for f in frames]) for p in PAPER_FIVE}


def lag_line(scenario: Scenario, slots: int) -> str:
    """What is left of the differences when slots abound: the lag on a line, flawless flight, and the five policies."""
    longer = scenario.replace(**{"network.slots": slots})
    lag = scenario.mission.speed_mps / ControlModel.of(scenario).k
    floor = float(np.mean([flawless_rmse(longer, s, disturbed=False) for s in SEEDS]))
    means = [float(metric(longer, p, "mean_rmse_m").mean()) for p in PAPER_FIVE]
    below = sum(m < lag for m in means)
    return (
        f"v/k = {lag:.2f} m; the same missions flown flawlessly: mean RMSE {floor:.2f} m; the five policies with {slots} slots: "
        f"{min(means):.2f} to {max(means):.2f} m, {below} of {len(means)} below v/k, {sum(m < floor for m in means)} below flawless flight."
    )


def explore_swarm(flight: Flight, cycle: int = 0) -> Explorer:
    """Step through one mission: who is served, held, relayed, and what its frame carried (lesson 00)."""
    flight.reach(flight.cycles)
    history, policy = flight.history(), flight.key.policy.name
    swarm, frame = swarm_figure(flight), FrameChart(flight)

    def update(cycle: int) -> str:
        show_swarm(swarm, flight, cycle)
        frame.show(cycle)
        served, arrived = (int(found[cycle].sum()) for found in (history.served, history.delivered))
        return (
            f"Cycle {cycle}: {policy} serves {served} of {history.served.shape[1]} UAVs with {history.slots_used[cycle]} slots, "
            f"{arrived} exchanges are complete; RMSE {history.rmse[cycle]:.1f} m at its end."
        )

    return Explorer(
        {"cycle": slider("cycle", 0, flight.cycles - 1, 1, cycle)},
        [[FigurePane(swarm.plan), FigurePane(swarm.elevation)], frame],
        update,
    )


def explore_race(scenario: Scenario, slots: tuple[int, ...], policies: tuple[str, ...] = PAPER_FIVE) -> Explorer:
    """Distributions of error, energy and delay of all policies, over scarcity (lesson 07)."""
    fig = flight_figure(policies, height=280)
    text = LiveText()

    def update(slots: int, seed: int) -> str:
        mission = race(scenario.replace(**{"network.slots": slots}), policies, seed)
        last = next(iter(mission.flights.values())).cycles - 1
        show_curves(fig, curves(mission.flights, last, 0), policies[0])
        rows = {p: mission.summary(p) for p in policies}
        best = min(rows, key=lambda p: rows[p]["mean_rmse_m"])
        text.show(legend(policies) + table_html(summary_columns(rows)))
        return f"With {slots} slots and seed {seed}, {best} has the smallest mean RMSE. One mission proves little: change the seed."

    return Explorer(
        {"slots": choice("slots S", slots, slots[0]), "seed": choice("mission (seed)", SEEDS, SEEDS[0])},
        [[FigurePane(fig.plots[name]) for name in STORED], text],
        update,
    )


def summary_columns(rows: dict[str, dict[str, float]]) -> dict[str, list[Any]]:
    """Summaries of some policies as columns of a table."""
    names = {
        "mean_rmse_m": "mean RMSE [m]",
        "p95_rmse_m": "P95 RMSE [m]",
        "p95_v": "P95 V / V_max",
        "mean_delay_ms": "mean delay [ms]",
    }
    return {"policy": list(rows), **{title: [r[n] for r in rows.values()] for n, title in names.items()}}


def legend(policies: tuple[str, ...]) -> str:
    """Policies in their colours, as HTML."""
    return " ".join(f'<b style="color: {policy_colour(p)}">━ {p}</b>' for p in policies)


def delay_check(scenario: Scenario, seeds: tuple[int, ...] = SEEDS) -> dict[str, list[Any]]:
    """SAFE minus each other policy on the same missions: RMSE and command delay, with the paper's order of delays.

    Differences are paired over seeds; an interval that contains 0 decides nothing.
    """
    columns: dict[str, list[Any]] = {
        "policy": [],
        "ΔRMSE [m]": [],
        "Δdelay [ms]": [],
        "95 % interval": [],
        "here": [],
        "paper": [],
    }
    for policy in PAPER_FIVE[1:]:
        delay, rmse = (
            paired_difference(metric(scenario, "SAFE", n, seeds), metric(scenario, policy, n, seeds))
            for n in ("mean_delay_ms", "mean_rmse_m")
        )
        found = "undecided" if not delay.excludes_zero else ("SAFE lower" if delay.mean < 0 else "SAFE higher")
        row = (policy, rmse.mean, delay.mean, f"{delay.low:.2f} … {delay.high:.2f}", found, PAPER_DELAY[policy])
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return columns


def full_size_ecdfs() -> pn.viewable.Viewable:
    """Error, energy and delay of the shipped reproduction at full size, in the figures of the flight tab."""
    try:
        stored = Reproduction.load().curves
    except SafeExplorerError as error:
        return LiveText(f"<p>{html.escape(str(error))}</p>").__panel__()
    fig = flight_figure(PAPER_FIVE, height=280)
    for name, column in STORED.items():
        rows = {p: stored[(stored["figure"] == column) & (stored["policy"] == p)] for p in PAPER_FIVE}
        found = {p: (r["value"].to_numpy(), r["share"].to_numpy()) for p, r in rows.items()}
        if name == "v":  # drawn as its tail, on a log scale: the largest value has nothing above it
            found = {p: (x[:-1], 1.0 - share[:-1]) for p, (x, share) in found.items()}
        show_distribution(fig, name, found)
        reach(fig, name, found)
    row = pn.Row(*(FigurePane(fig.plots[name]) for name in STORED), sizing_mode="stretch_width")
    return pn.Column(row, LiveText(legend(PAPER_FIVE)), sizing_mode="stretch_width")


def ablation_table() -> tuple[dict[str, list[Any]], str]:
    """What each part of SAFE buys at full size, from the shipped reproduction, and a line that says what it is."""
    try:
        result = Reproduction.load()
    except SafeExplorerError as error:
        return {"policy": []}, str(error)
    parts = ablation(result)
    change = [part.change["mean_rmse_m"] for part in parts]
    columns = {
        "policy": [part.policy for part in parts],
        "part exchanged": [part.words for part in parts],
        "mean RMSE − SAFE's [m]": [f"{c.mean:+.2f}" for c in change],
        "95 % interval": [f"{c.low:+.2f} … {c.high:+.2f}" for c in change],
    }
    pays = [part.policy for part, c in zip(parts, change, strict=True) if c.low > 0]
    costs = [part.policy for part, c in zip(parts, change, strict=True) if c.high < 0]
    return columns, (
        f"{len(result.seeds)} missions at full size, paired. Above zero the part pays ({', '.join(pays) or 'none'}), below zero it costs "
        f"({', '.join(costs) or 'none'})."
    )


def reproduction_table() -> tuple[dict[str, list[Any]], str]:
    """The paper's mean RMSE beside the shipped reproduction at full size, and a line that says what it is."""
    try:
        result = Reproduction.load()
    except SafeExplorerError as error:
        return {"policy": list(PAPER_MEAN_RMSE_M), "paper [m]": list(PAPER_MEAN_RMSE_M.values())}, str(error)
    rows: pd.DataFrame = paper_table(result)
    ours = [f"{r.mean_rmse_m:.2f} [{r.mean_rmse_m_low:.2f}, {r.mean_rmse_m_high:.2f}]" for r in rows.itertuples()]
    columns = {"policy": rows["policy"].tolist(), "paper [m]": rows["paper_mean_rmse_m"].tolist(), "ours [m]": ours}
    return (
        columns,
        f"{len(result.seeds)} missions per policy, {result.scenario.mission.uavs} UAVs; brackets are 95 % intervals over seeds.",
    )
