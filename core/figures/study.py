"""A what-if study: a metric along a varied field with its band, and the map of who wins where."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from core.errors import StudyError
from core.figures.arrays.study import axis_label, places, title_of
from core.figures.paper.axes import label, legend_under, line, policy_line
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import settings_words
from core.numerals import numeral
from core.scenario import quantity_of
from core.studies import NO_COMMON_SEEDS, NO_DIRECTION, NOT_SIGNIFICANT, Study, curve, winners
from core.studies.axis import spelled
from core.studies.fingerprint import calibrations_of
from core.studies.setting import SETTING
from core.style import INK, policy_colour

DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1, 1.3)), (0, (5, 1.2, 1, 1.2)), (0, (5, 1.2, 1, 1.2, 1, 1.2)))
MARKERS = "osD^v<>ph*"
NOBODY = "#BBBBBB"
NO_WINNER = {NOT_SIGNIFICANT: "n. s.", NO_COMMON_SEEDS: "–", NO_DIRECTION: "–"}
"""What a cell of the map shows in place of a policy."""


def study_curves(study: Study, frame: pd.DataFrame, metric: str = "mean_rmse_m", x: str = "", link: str = "") -> Figure:
    """Mean over seeds with its 95 % band, a line per policy and per value of the other varied field.

    Args:
        study: what was run.
        frame: its records, `StudyStore.frame()`.
        metric: column of the records.
        x: varied field along the axis; the first one when "".
        link: query string of the page.
    """
    along = x or (study.names[0] if study.names else "")
    table = curve(frame, study, metric, along)
    others = [n for n in study.names if n != along]
    values = list(study.levels(along))
    place = places(values)
    levels = list(dict.fromkeys(tuple(row) for row in table[others].itertuples(index=False))) if others else [()]

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        policies = list(dict.fromkeys(table["policy"]))
        for key, part in table.groupby([*others, "policy"], sort=False):
            *rest, policy = cast("tuple[Any, ...]", key)
            part = part.assign(at=[place[v] for v in part[along]]).sort_values("at", kind="stable")
            style = policy_line(str(policy))
            if others:
                style["linestyle"] = DASHES[levels.index(tuple(rest)) % len(DASHES)]
            marker = MARKERS[policies.index(policy) % len(MARKERS)]
            axes.plot(part["at"], part["mean"], marker=marker, markersize=2.8, **style)
            axes.fill_between(
                part["at"].astype(float), part["lo"], part["hi"], color=style["color"], alpha=0.15, linewidth=0
            )
        label(axes, axis_label(along), title_of(metric))
        if not isinstance(place[values[0]], float):
            axes.set_xticks([place[v] for v in values], [spelled(v) for v in values])
        elif all(isinstance(v, int) for v in values):
            axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(True)
        entries = {
            str(p): line(
                marker=MARKERS[i % len(MARKERS)],
                markersize=2.8,
                **{**policy_line(str(p)), **({"linestyle": "solid"} if others else {})},
            )
            for i, p in enumerate(policies)
        }
        for level in levels if others else ():
            words = ", ".join(_level(n, v) for n, v in zip(others, level, strict=True))
            entries[words] = line(color=INK, linewidth=1.1, linestyle=DASHES[levels.index(level) % len(DASHES)])
        legend_under(figure, entries, 6 if wide else 3)

    return Figure(
        f"study-{_file(metric)}-along-{_file(along)}",
        f"{title_of(metric)} along {axis_label(along)}: mean over seeds and its 95 % band. {study_words(study, frame)}",
        study_stamp(study, frame, link),
        {"curves": table.assign(metric=metric)},
        paint,
        (2.7, 2.9),
    )


def study_map(study: Study, frame: pd.DataFrame, metric: str = "mean_rmse_m", x: str = "", link: str = "") -> Figure:
    """Who wins in each cell of two varied fields, and by how much.

    Args:
        study, frame, metric, x, link: as for `study_curves`.
    """
    if len(study.names) != 2 or study.points is not None:
        raise StudyError(
            f"A map of winners needs two varied fields; this study varies {', '.join(study.names) or 'nothing'}."
        )
    along = x or study.names[0]
    (up,) = [n for n in study.names if n != along]
    table = winners(frame, study, metric)
    index = {n: {v: i for i, v in enumerate(dict.fromkeys(study.levels(n)))} for n in (along, up)}

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        for row in table.to_dict("records"):
            i, j, won = index[along][row[along]], index[up][row[up]], str(row["winner"])
            colour = NOBODY if won in NO_WINNER else policy_colour(won)
            axes.fill_between(
                [i - 0.5, i + 0.5], j - 0.5, j + 0.5, facecolor=colour, alpha=0.65, edgecolor="#ffffff", linewidth=0.8
            )
            axes.text(
                i,
                j,
                f"{NO_WINNER.get(won, won)}\n{row['margin']:.2g}",
                ha="center",
                va="center",
                fontsize=6.5 if wide else 5.5,
            )
        for axis, name in ((axes.xaxis, along), (axes.yaxis, up)):
            axis.set_ticks(list(index[name].values()), [level_text(v) for v in index[name]])
        axes.tick_params(length=0)
        axes.set(xlim=(-0.5, len(index[along]) - 0.5), ylim=(-0.5, len(index[up]) - 0.5))
        label(axes, axis_label(along), axis_label(up))

    height = max(0.55 + 0.36 * len(index[up]), 1.9)
    return Figure(
        f"study-map-{_file(metric)}",
        f"Best policy by {title_of(metric)} where it beats every other with 95 % confidence on the seeds that all flew (n. s.: not "
        f"significant), and its margin over the next. {study_words(study, frame)}",
        study_stamp(study, frame, link),
        {"cells": table.assign(metric=metric)},
        paint,
        (height, height),
    )


def study_words(study: Study, frame: pd.DataFrame) -> str:
    """What a study flew, in words."""
    seeds = sorted({int(s) for s in frame["seed"]}) if len(frame) else []
    flown = f"{len(seeds)} seeds ({seeds[0]} to {seeds[-1]})" if seeds else "no seed yet"
    return f"{flown} of {settings_words(study.scenario, study.names)}; varied: {', '.join(study.names) or 'nothing'}."


def study_stamp(study: Study, frame: pd.DataFrame, link: str) -> Stamp:
    """Of the records of a study, with the calibrations that they were flown with."""
    flown_with = frame.attrs.get("calibration") or calibrations_of(study)
    return Stamp(study.scenario.digest(), ",".join(flown_with), link)


def _level(name: str, value: Any) -> str:
    return str(value) if name == SETTING else f"{quantity_of(name).symbol} = {level_text(value)}"


def level_text(value: Any) -> str:
    """A value of a varied field, for a reader."""
    return numeral(value, "g") if isinstance(value, (int, float)) and not isinstance(value, bool) else spelled(value)


def _file(name: str) -> str:
    return name.replace(".", "-").replace("_", "-")
