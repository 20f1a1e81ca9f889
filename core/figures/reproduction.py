"""The reproduction of Section V-B: its distributions, what each part of SAFE buys, and who wins where."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.errors import SafeExplorerError
from core.figures.paper.axes import label, legend_under, line, policy_line
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.typeset import typeset
from core.figures.paper.words import settings_words
from core.numerals import numeral
from core.studies.ablation import COMPARED, ablation
from core.studies.paper_table import grid_table
from core.studies.reproduction import FIGURES, Reproduction
from core.style import AXIS_LABEL, SAFE_SIDE, SHARE_LABEL, UNSAFE_SIDE, policy_colour

UNDECIDED = "#606060"
NOBODY = "#BBBBBB"


def reproduction_ecdf(result: Reproduction, figure: str = "rmse_m", link: str = "") -> Figure:
    """One distribution of all ranked policies, pooled over the missions.

    Args:
        result: of all policies on the same seeds.
        figure: key of `core.studies.reproduction.FIGURES`.
        link: query string of the page.
    """
    if figure not in FIGURES:
        raise SafeExplorerError(f"There is no distribution {figure!r}; choose {', '.join(FIGURES)}.")
    curves = result.curves[(result.curves["figure"] == figure) & result.curves["policy"].isin(result.ranked)]

    def paint(drawing: Any, wide: bool) -> None:
        axes = drawing.add_subplot()
        entries = {}
        for policy in reversed(result.ranked):  # SAFE is the first one, and on top
            rows = curves[curves["policy"] == policy]
            axes.plot(rows["value"], rows["share"], **policy_line(policy, policy == "SAFE"))
        for policy in result.ranked:
            entries[policy] = line(**policy_line(policy, policy == "SAFE"))
        label(axes, AXIS_LABEL[figure], SHARE_LABEL)
        axes.set(xlim=visible_range(curves), ylim=(0, 1.01))
        axes.grid(True)
        legend_under(drawing, entries, 5 if wide else 3)

    return Figure(
        f"ecdf-{figure.replace('_', '-')}",
        f"Empirical distribution of {FIGURES[figure]} under each policy. {reproduction_words(result)}",
        Stamp.of(result.scenario, link),
        {"curves": curves.drop(columns="figure").reset_index(drop=True)},
        paint,
        (2.75, 3.0),
    )


def reproduction_ablation(result: Reproduction, link: str = "") -> Figure:
    """What each part of SAFE buys: the change of each metric when it is exchanged, with its 95 % interval.

    Args:
        result: with SAFE and at least one of its ablations.
        link: query string of the page.
    """
    parts = ablation(result)
    if not parts:
        raise SafeExplorerError("No part of SAFE was exchanged in this reproduction; fly SAFE beside its ablations.")

    def paint(drawing: Any, wide: bool) -> None:
        from matplotlib.ticker import MaxNLocator

        rows = range(len(parts), 0, -1)
        panels = drawing.subplots(1, len(COMPARED), sharey=True)
        for axes, (name, (title, _)) in zip(panels, COMPARED.items(), strict=True):
            axes.axvline(0.0, color=UNDECIDED, linewidth=0.7)
            for y, part in zip(rows, parts, strict=True):
                c = part.change[name]
                colour = _side(c.low, c.high)
                axes.plot([c.low, c.high], [y, y], color=colour, linewidth=1.3)
                axes.plot(c.mean, y, marker="o", markersize=2.8, color=colour)
            axes.set_title(typeset(title.replace(" [", "\n[") if not wide else title))
            axes.xaxis.set_major_locator(MaxNLocator(5 if wide else 3))
            axes.grid(True, axis="x")
            axes.tick_params(axis="y", length=0)
        panels[0].set_yticks(list(rows), [p.policy for p in parts])
        label(panels[len(panels) // 2], "change: ablation − SAFE")
        dot: dict[str, Any] = {"marker": "o", "markersize": 2.8, "linewidth": 1.3}
        entries = {
            "the part pays": line(color=SAFE_SIDE, **dot),
            "it costs": line(color=UNSAFE_SIDE, **dot),
            "undecided at 95 %": line(color=UNDECIDED, **dot),
        }
        legend_under(drawing, entries, 3)

    rows = [
        {
            "policy": p.policy,
            "part": p.words,
            "metric": name,
            "mean": p.mean[name],
            "change": c.mean,
            "low": c.low,
            "high": c.high,
        }
        for p in parts
        for name, c in p.change.items()
    ]
    return Figure(
        "ablation",
        f"What each part of SAFE buys: one part exchanged at a time, change against SAFE on the same missions with its 95 % interval. {reproduction_words(result)}",
        Stamp.of(result.scenario, link),
        {"parts": pd.DataFrame(rows)},
        paint,
        (0.95 + 0.2 * len(parts), 0.95 + 0.22 * len(parts)),
    )


def reproduction_grid(grid: pd.DataFrame, result: Reproduction, link: str = "") -> Figure:
    """Who wins over corridor radius × frame length, and SAFE minus the best other policy.

    Args:
        grid: rows of `core.studies.reproduction.grid_rows`.
        result: the reproduction that it belongs to, for its settings.
        link: query string of the page.
    """
    table = grid_table(grid)
    radii, slots = sorted(table["corridor_radius_m"].unique()), sorted(table["slots"].unique())
    policies = set(grid["policy"])

    def paint(drawing: Any, wide: bool) -> None:
        axes = drawing.add_subplot()
        for row in table.to_dict("records"):
            i, j, won = slots.index(row["slots"]), radii.index(row["corridor_radius_m"]), str(row["verdict"])
            colour = policy_colour(won) if won in policies else NOBODY
            axes.fill_between(
                [i - 0.5, i + 0.5], j - 0.5, j + 0.5, facecolor=colour, alpha=0.55, edgecolor="#ffffff", linewidth=1.0
            )
            mean, low, high = (_signed(row[f"difference{end}"]) for end in ("", "_low", "_high"))
            said = f"{won}\n{mean}{' ' if wide else chr(10)}[{low}, {high}]"
            axes.text(i, j, said, ha="center", va="center", fontsize=6.5 if wide else 5.5)
        axes.set_xticks(range(len(slots)), [f"{s:g}" for s in slots])
        axes.set_yticks(range(len(radii)), [f"{r:g}" for r in radii])
        axes.tick_params(length=0)
        axes.set(xlim=(-0.5, len(slots) - 0.5), ylim=(-0.5, len(radii) - 0.5))
        label(axes, "frame length S [slots]", "corridor radius r_c [m]")

    seeds = int(table["seeds"].min())
    return Figure(
        "grid",
        f"Who wins by mean RMSE where it beats every other policy with 95 % confidence, and SAFE minus the best other policy [m] with its 95 % "
        f"interval, over {seeds} paired seeds of {settings_words(result.scenario)}; varied: corridor radius r_c and frame length S.",
        Stamp.of(result.scenario, link),
        {"cells": table},
        paint,
        (0.55 + 0.5 * len(radii), 0.55 + 0.4 * len(radii)),
    )


def visible_range(rows: pd.DataFrame) -> tuple[float, float]:
    """Ends of the axis of one figure: the far tails of a diverging baseline would squeeze every other curve.

    Args:
        rows: its curves, columns value and share.
    """
    inner = rows["value"][(rows["share"] >= 0.005) & (rows["share"] <= 0.995)]
    low, high = (float(inner.min()), float(inner.max())) if len(inner) else (0.0, 1.0)
    pad = 0.04 * max(high - low, 1e-9)
    return low - pad, high + pad


def _signed(value: float) -> str:
    return numeral(value, "+.2f")


def _side(low: float, high: float) -> str:
    return SAFE_SIDE if low > 0 else UNSAFE_SIDE if high < 0 else UNDECIDED


def reproduction_words(result: Reproduction) -> str:
    """What a reproduction flew, in words."""
    seeds = result.seeds
    return f"{len(seeds)} missions per policy (seeds {seeds[0]} to {seeds[-1]}) at {settings_words(result.scenario)}."
