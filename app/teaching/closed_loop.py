"""Policies side by side on one mission, through the dashboard's own figures (lessons 00, 06 and 07)."""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import panel as pn

from app.figures.live import live_figure, show_distributions, show_scene, show_swarm, stream_series
from app.figures.palette import POLICY_DASH, policy_colour
from app.live import LiveRun
from app.teaching.explorer import Explorer, choice, slider
from app.teaching.figure_pane import FigurePane
from app.teaching.tables import table_html
from app.teaching.text import LiveText
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.simulation import PAPER_FIVE, CycleRecord, flawless_rmse
from core.studies.paper_table import PAPER_DELAY, PAPER_MEAN_RMSE_M, paper_table
from core.studies.reproduction import Reproduction
from core.studies.statistics import paired_difference

SEEDS = (2000, 2001, 2002)
"""Missions of the lessons: neither calibration (below 1000) nor evaluation (10000 and up)."""


@dataclass(frozen=True, eq=False)
class Race:
    """A finished mission under several policies.

    Args:
        run: tracks and summaries of all policies.
        records: what happened in each cycle, by policy.
    """

    run: LiveRun
    records: tuple[dict[str, CycleRecord], ...]

    def summary(self, policy: str) -> dict[str, float]:
        """RMSE, V/V_max and delay of one policy."""
        return self.run.tracks[policy].summary()


@functools.lru_cache(maxsize=48)
def race(scenario: Scenario, policies: tuple[str, ...] = PAPER_FIVE, seed: int = SEEDS[0]) -> Race:
    """Fly a whole mission under every policy: same references, channel, noise and luck."""
    run = LiveRun(scenario, policies, seed)
    records = []
    while not run.done:
        records.append(run.advance())
    return Race(run, tuple(records))


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


def explore_swarm(scenario: Scenario, policy: str = "SAFE", seed: int = SEEDS[0]) -> Explorer:
    """Step through one mission: who is served, held, relayed (lesson 00)."""
    fig = live_figure((policy,), height=280)
    mission = race(scenario, (policy,), seed)
    show_scene(fig, scenario)
    stream_series(fig, mission.run, list(mission.records))

    def update(cycle: int) -> str:
        record = mission.records[cycle][policy]
        show_swarm(fig, scenario, record)
        return (
            f"Cycle {cycle}: {policy} serves {int(record.served.sum())} of {len(record.served)} loops with {record.slots_used} slots, "
            f"{int(record.delivered.sum())} exchanges arrive; RMSE {record.rmse:.1f} m."
        )

    return Explorer(
        {"cycle": slider("cycle", 0, len(mission.records) - 1, 1, 0)},
        [[FigurePane(fig.plan), FigurePane(fig.elevation)], FigurePane(fig.series)],
        update,
    )


def explore_race(scenario: Scenario, slots: tuple[int, ...], policies: tuple[str, ...] = PAPER_FIVE) -> Explorer:
    """Distributions of error, energy and delay of all policies, over scarcity (lesson 06)."""
    fig = live_figure(policies, height=280)
    text = LiveText()

    def update(slots: int, seed: int) -> str:
        mission = race(scenario.replace(**{"network.slots": slots}), policies, seed)
        show_distributions(fig, mission.run)
        rows = {p: mission.summary(p) for p in policies}
        best = min(rows, key=lambda p: rows[p]["mean_rmse_m"])
        text.show(legend(policies) + table_html(summary_columns(rows)))
        return f"With {slots} slots and seed {seed}, {best} has the smallest mean RMSE. One mission proves little: change the seed."

    return Explorer(
        {"slots": choice("slots S", slots, slots[0]), "seed": choice("mission (seed)", SEEDS, SEEDS[0])},
        [[FigurePane(fig.ecdfs[name]) for name in fig.ecdfs], text],
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
    """Error, energy and delay of the shipped reproduction at full size, in the figures of the live tab."""
    try:
        curves = Reproduction.load().curves
    except SafeExplorerError as error:
        return LiveText(f"<p>{html.escape(str(error))}</p>").__panel__()
    fig = live_figure(PAPER_FIVE, height=280)
    for name, column in (("rmse", "rmse_m"), ("v", "v_normalised"), ("delay", "command_delay_ms")):
        rows = {p: curves[(curves["figure"] == column) & (curves["policy"] == p)] for p in PAPER_FIVE}
        fig.sources[name].data = {
            "xs": [r["value"].to_numpy() for r in rows.values()],
            "ys": [r["share"].to_numpy() for r in rows.values()],
            "colour": [policy_colour(p) for p in rows],
            "dash": [POLICY_DASH.get(p, "solid") for p in rows],
            "policy": list(rows),
        }
    row = pn.Row(*(FigurePane(p) for p in fig.ecdfs.values()), sizing_mode="stretch_width")
    return pn.Column(row, LiveText(legend(PAPER_FIVE)), sizing_mode="stretch_width")


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
