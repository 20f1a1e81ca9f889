"""One control loop without noise: what a pattern of exchanges does to the tracking error (lesson 01)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.teaching.charts import line_chart
from app.teaching.explorer import Explorer, field_slider, slider
from core.control import ControlModel, mode_matrix, run_matrix
from core.errors import SafeExplorerError
from core.scenario import Scenario

OUTCOME = {"+": (1, 1), "u": (1, 0), "d": (0, 1), "-": (0, 0)}
"""Signs of a pattern: both directions, uplink only, downlink only, nothing."""


@dataclass(frozen=True, eq=False)
class Track:
    """The loop at the start of every cycle and after the last one.

    Args:
        error_m: tracking error of one axis, (cycles+1,) [m].
        v: V/V_max of a loop with that error on one axis, (cycles+1,) [-].
        c: staleness, cycles since the last complete exchange, (cycles+1,).
        delivered: share of complete exchanges [-].
    """

    error_m: NDArray[np.float64]
    v: NDArray[np.float64]
    c: NDArray[np.int64]
    delivered: float


TURN_CYCLES = 5
"""The reference turns back every so many cycles: a disturbance that changes sign, which a held command cannot follow."""


def fly(scenario: Scenario, pattern: str, start_m: float = 10.0, push_m: float = 0.0) -> Track:
    """Fly one axis through a pattern of exchanges, all delays h = 1, from a constant error.

    Args:
        scenario: control setting.
        pattern: one sign of OUTCOME per cycle.
        start_m: error before the first cycle, and in all of the lifted state [m].
        push_m: distance that the reference moves away in every cycle, back and forth every TURN_CYCLES [m].
    """
    if unknown := set(pattern) - set(OUTCOME):
        raise SafeExplorerError(f"A pattern has the signs {' '.join(OUTCOME)}, not {unknown.pop()!r}.")
    m = ControlModel.of(scenario)
    z, c = np.full(m.H + 1, float(start_m)), 0
    errors, v, stale = [z[0]], [z @ m.X @ z / m.V_max], [0]
    for k, sign in enumerate(pattern):
        if sign == "-":
            M = run_matrix(c + 1, 1, 1, H=m.H, a=m.a)
        else:
            M = mode_matrix(OUTCOME[sign], 1, 1, H=m.H, a=m.a, split=scenario.control.split)
        z, c = M @ z, 0 if sign == "+" else c + 1
        z[0] += push_m if (k // TURN_CYCLES) % 2 == 0 else -push_m
        errors.append(z[0])
        v.append(z @ m.X @ z / m.V_max)
        stale.append(c)
    return Track(np.array(errors), np.array(v), np.array(stale), pattern.count("+") / max(len(pattern), 1))


def burst_pattern(cycles: int, lost: int, longest: int) -> str:
    """`lost` failures among `cycles`, in runs of at most `longest`, spread as evenly as that allows."""
    runs = [longest] * (lost // longest) + ([lost % longest] if lost % longest else [])
    good = cycles - lost
    gaps = np.diff(np.round(np.linspace(0, good, len(runs) + 2)).astype(int)) if runs else np.array([good])
    text = "+" * int(gaps[0])
    for run, gap in zip(runs, gaps[1:], strict=True):
        text += "-" * run + "+" * int(gap)
    return text


def lost_cycles(pattern: str) -> list[int]:
    """Cycles of a pattern whose exchange was not complete."""
    return [k for k, sign in enumerate(pattern) if sign != "+"]


def explore_one_loop(scenario: Scenario, cycles: int = 30) -> Explorer:
    """Same number of lost exchanges, spread or in bursts: drag and compare."""
    x = np.arange(cycles + 1)
    error = line_chart(
        "Tracking error of one axis",
        "cycle k",
        "error e [m]",
        {"this pattern": (x, x), "nothing lost": (x, x)},
        dots=("this pattern", "nothing lost"),
        level=0.0,
        shaded=(),
    )
    energy = line_chart(
        "Energy V; the dashed line is the edge of the domain, V = V_max",
        "cycle k",
        "V / V_max [-]",
        {"this pattern": (x, x), "nothing lost": (x, x)},
        dots=("this pattern", "nothing lost"),
        level=1.0,
        shaded=(),
    )

    def update(R: float, lost: int, longest: int, push_m: float) -> str:
        s = scenario.replace(**{"control.R": R})
        pattern = burst_pattern(cycles, lost, longest)
        bad, good = fly(s, pattern, 0.0, push_m), fly(s, "+" * cycles, 0.0, push_m)
        error.draw({"this pattern": (x, bad.error_m), "nothing lost": (x, good.error_m)})
        energy.draw({"this pattern": (x, bad.v), "nothing lost": (x, good.v)})
        for chart in (error, energy):
            chart.shade(lost_cycles(pattern))
        return (
            f"Pattern {pattern} (lost cycles shaded): {100 * bad.delivered:.0f} % of the exchanges arrive, the largest V/V_max is "
            f"{bad.v.max():.2f} and the largest |error| {np.abs(bad.error_m).max():.1f} m."
        )

    return Explorer(
        {
            "R": field_slider("control.R", start=0.05, end=1.0),
            "lost": slider("lost exchanges", 0, 20, 1, 8),
            "longest": slider("longest run of losses", 1, 8, 1, 1),
            "push_m": slider("push per cycle [m]", 0.0, 6.0, 0.25, 3.0),
        },
        [[error, energy]],
        update,
    )
