"""Which sliders matter: one-at-a-time effects and Sobol indices, run as studies with explicit points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.errors import StudyError
from core.scenario import Scenario, quantity_of
from core.studies.axis import Axis, Value, known_field, parse_axis
from core.studies.definition import Study
from core.studies.statistics import mean_band

METHODS = ("oat", "sobol")
SPAN = 0.1
"""A slider named without a range moves by this share of its own range to either side of the scenario's value."""


def slider_range(scenario: Scenario, name: str) -> Axis:
    """The default range of a named slider: 10 % of its bounds to either side of the scenario's value, clipped."""
    known_field(name)
    value, quantity = scenario.value(name), quantity_of(name)
    if isinstance(value, (bool, str, tuple)) or quantity.lo is None or quantity.hi is None:
        raise StudyError(f"{name} is not a number with bounds; sensitivity needs numbers.")
    half = SPAN * (quantity.hi - quantity.lo)
    lo, hi = max(quantity.lo, value - half), min(quantity.hi, value + half)
    if isinstance(value, int):
        lo, hi = min(int(np.floor(lo)), value), max(int(np.ceil(hi)), value)
    return Axis(name, (lo, hi))


def parse_slider(scenario: Scenario, text: str) -> Axis:
    """A slider of a sensitivity analysis: `name`, `name=lo:hi`, or any list of levels that `parse_axis` reads."""
    name, equals, spec = text.partition("=")
    if not equals:
        return slider_range(scenario, name.strip())
    ends = spec.split(":")
    if len(ends) == 2 and "," not in spec:
        low, high = (parse_axis(f"{name}={end}").values[0] for end in ends)
        if not low < high:  # type: ignore[operator]
            raise StudyError(f"{name}: the range {spec!r} is empty or reversed; write lo:hi.")
        return Axis(name.strip(), (low, high))
    return parse_axis(text)


def one_at_a_time(
    scenario: Scenario, axes: tuple[Axis, ...], policies: tuple[str, ...], seeds: tuple[int, ...]
) -> Study:
    """The scenario itself, and each slider at each of its values with all others at the scenario's."""
    _checked(axes)
    base = [scenario.value(a.name) for a in axes]
    points = [tuple(base)]
    for i, axis in enumerate(axes):
        points += [(*base[:i], value, *base[i + 1 :]) for value in axis.values]
    return Study(scenario, axes, policies, seeds, tuple(points))


def sobol(
    scenario: Scenario,
    axes: tuple[Axis, ...],
    policies: tuple[str, ...],
    seeds: tuple[int, ...],
    samples: int,
    seed: int = 0,
) -> Study:
    """Saltelli's design for first-order and total indices: samples·(sliders + 2) points, whole numbers rounded.

    Args:
        axes: sliders; the smallest and the largest value of each are the bounds.
        samples: base samples, a power of two [-].
        seed: of the scrambled Sobol sequence.
    """
    if samples < 2 or samples & (samples - 1):
        raise StudyError(f"samples = {samples} must be a power of two, such as 8, 64 or 256 (Sobol sequence).")
    design = _saltelli(scenario, axes, samples, seed)
    return Study(scenario, axes, policies, seeds, tuple(_row(scenario, axes, x) for x in design))


def effects(frame: pd.DataFrame, study: Study, metric: str, policy: str) -> pd.DataFrame:
    """One-at-a-time effect of each slider: metric at its largest minus at its smallest value, paired on seeds.

    n counts the seeds that have a value at both ends; only they enter.
    """
    part = frame[frame["policy"] == policy]
    base = {a.name: study.scenario.value(a.name) for a in study.axes}
    rows: list[dict[str, Any]] = []
    for axis in study.axes:
        low, high = min(axis.values), max(axis.values)
        ends = [_series(part, {**base, axis.name: v}, metric) for v in (low, high)]
        d = (ends[1] - ends[0]).to_numpy(dtype=float)
        d = d[np.isfinite(d)]
        mean, lo, hi = mean_band(d)
        rows.append(
            {
                "slider": axis.name,
                "from": low,
                "to": high,
                "unit": axis.unit,
                "effect": mean,
                "lo": lo,
                "hi": hi,
                "n": len(d),
            }
        )
    return pd.DataFrame(rows)


def sobol_indices(
    frame: pd.DataFrame, study: Study, metric: str, policy: str, samples: int, seed: int = 0
) -> pd.DataFrame:
    """First-order and total Sobol indices of the seed-averaged metric, with SALib's bootstrap confidence.

    Only seeds count that have a value at every point: a point with kinder seeds must not pass for an effect of its sliders.
    n is their number.
    """
    from SALib.analyze import sobol as analyse

    part = frame[frame["policy"] == policy]
    wide = part.pivot(index=list(study.names), columns="seed", values=metric).astype(float)
    design = _saltelli(study.scenario, study.axes, samples, seed)
    rows = [_row(study.scenario, study.axes, x) for x in design]
    keys = rows if len(study.names) > 1 else [r[0] for r in rows]
    values = wide.reindex(keys).to_numpy(dtype=float)
    there = np.isfinite(values)
    if not there.any(axis=1).all():
        raise StudyError(
            f"{int((~there.any(axis=1)).sum())} of {len(values)} points have no {metric}; run the study to its end."
        )
    common = there.all(axis=0)
    if not common.any():
        raise StudyError(f"No seed has {metric} at every point; run the study to its end, or choose another metric.")
    y = values[:, common].mean(axis=1)
    if np.ptp(y) == 0.0:
        raise StudyError(f"{metric} is the same at every point, so nothing explains its variance.")
    # SALib takes 0 for "no seed" and would draw its bootstrap anew every time.
    found = analyse.analyze(_problem(study.axes), y, calc_second_order=False, seed=seed + 1)
    return pd.DataFrame(
        {
            "slider": list(study.names),
            "from": [min(a.values) for a in study.axes],
            "to": [max(a.values) for a in study.axes],
            "unit": [a.unit for a in study.axes],
            "first_order": found["S1"],
            "first_order_conf": found["S1_conf"],
            "total": found["ST"],
            "total_conf": found["ST_conf"],
            "n": int(common.sum()),
        }
    )


def _saltelli(scenario: Scenario, axes: tuple[Axis, ...], samples: int, seed: int) -> npt.NDArray[np.float64]:
    from SALib.sample import sobol as sample

    _checked(axes)
    design: npt.NDArray[np.float64] = sample.sample(_problem(axes), samples, calc_second_order=False, seed=seed)
    return design


def _problem(axes: tuple[Axis, ...]) -> dict[str, Any]:
    bounds = [[float(min(a.values)), float(max(a.values))] for a in axes]
    return {"num_vars": len(axes), "names": [a.name for a in axes], "bounds": bounds}


def _row(scenario: Scenario, axes: tuple[Axis, ...], x: npt.NDArray[np.float64]) -> tuple[Value, ...]:
    whole = [isinstance(scenario.value(a.name), int) for a in axes]
    return tuple(round(float(v)) if w else float(v) for v, w in zip(x, whole, strict=True))


def _checked(axes: tuple[Axis, ...]) -> None:
    if not axes:
        raise StudyError("Name at least one slider, such as --vary network.snr_offset_db=-3:3.")
    for axis in axes:
        if not axis.numeric or len(axis.values) < 2:
            raise StudyError(f"{axis.name} needs two different numbers, such as {axis.name}=lo:hi.")


def _series(part: pd.DataFrame, point: dict[str, Value], metric: str) -> pd.Series[float]:
    chosen = part
    for name, value in point.items():
        chosen = chosen[chosen[name] == value]
    return chosen.set_index("seed")[metric]
