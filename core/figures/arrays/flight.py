"""What explains a flight, as columns: RMSE and V over the cycles, distributions, shares of the modes, numbers."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode
from core.control import ControlModel
from core.instant import Flight, History
from core.scenario import Scenario
from core.simulation import flawless_errors
from core.studies.statistics import ecdf

Floats = NDArray[np.float64]
Curve = tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]

POINTS = 120
"""Points per distribution: enough for the eye, light for the line."""
NUMBERS = (
    "mean_rmse_m",
    "p95_rmse_m",
    "p95_v",
    "longest_silence_cycles",
    "min_separation_m",
    "slots_used",
)
"""The metrics in the table."""
HEADS = {
    "mean_rmse_m": ("mean RMSE", 2),
    "p95_rmse_m": ("P95 RMSE", 2),
    "p95_v": ("P95 V/V_max", 3),
    "longest_silence_cycles": ("longest silence", 0),
    "min_separation_m": ("closest pair", 1),
    "slots_used": ("slots used", 0),
}
"""Head and digits of each metric in the table; unit and meaning are those of the metric."""
FLAWLESS = "flawless radio"
"""Name of the yardstick among the curves of policies."""


@dataclass(frozen=True, eq=False)
class Curves:
    """What is drawn beside the scene for one cycle k and one loop; all of it plain arrays.

    Args:
        cycle: k.
        start: first cycle counted in distributions, shares and numbers: take-off, or the last change of settings.
        cycles: of the mission.
        rmse: by policy, of every cycle flown, nan afterwards, (cycles,) [m].
        flawless, lag: RMSE with a radio that never fails, and v/k, as the settings of each cycle have them, (cycles,) [m].
        changes: cycles with new settings.
        V: V/V_max of the loop by policy, as `rmse`.
        delivered, lost: cycles in which the inspected policy served the loop, and how that ended.
        distributions: "rmse", "v" and "delay" → policy → curve, of policies that have flown the cycle.
        shares: share of each mode by policy, (4,).
        numbers: metrics by policy.
        covered: share of the candidate routes within the twin's set under the inspected policy, by cycle, nan where there was
            none with a margin or nothing is flown yet, (cycles,).
        covered_so_far: the same over all cycles since the last change of settings, (cycles,).
        promised: 1 − β as the settings of each cycle have it, (cycles,).
    """

    cycle: int
    start: int
    cycles: int
    rmse: dict[str, Floats]
    flawless: Floats
    lag: Floats
    changes: tuple[int, ...]
    V: dict[str, Floats]
    delivered: NDArray[np.int64]
    lost: NDArray[np.int64]
    distributions: dict[str, dict[str, Curve]]
    shares: dict[str, Floats]
    numbers: dict[str, dict[str, float]]
    covered: Floats
    covered_so_far: Floats
    promised: Floats

    @property
    def mean_flawless(self) -> float:
        """`flawless` over the cycles counted [m]."""
        return float(self.flawless[self.start : self.cycle + 1].mean())


def over(flight: Flight, k: int) -> bool:
    """Whether the cycle shown at k has been flown to its end, so that nothing of it has to be flown first."""
    return flight.ended > flight.at(k)


def since(flight: Flight, k: int) -> int:
    """First cycle flown with the settings of cycle k; cycles before it are never pooled with those after it."""
    return max(segment.start for segment in flight.segments if segment.start <= flight.at(k))


def curves(flights: Mapping[str, Flight], k: int, loop: int) -> Curves:
    """Everything beside the scene.

    Args:
        flights: by policy, the inspected one first; same take-off, seed and changes.
        k: cycle shown; distributions, shares and numbers count the cycles since the last change up to it.
        loop: counted from 0.
    """
    first = next(iter(flights.values()))
    k, start = first.at(k), since(first, k)
    past = {policy: flight.history() for policy, flight in flights.items()}
    found = {policy: past[policy].between(start, k + 1) for policy, flight in flights.items() if over(flight, k)}
    yardstick, lag = _yardsticks(first)
    distributions: dict[str, dict[str, Curve]] = {
        "rmse": {p: ecdf(h.rmse, POINTS) for p, h in found.items()},
        "v": {p: tail(h.v_normalised) for p, h in found.items()},
        "delay": {p: steps(h.command_delay_ms) for p, h in found.items()},
    }
    distributions["rmse"][FLAWLESS] = ecdf(yardstick[start : k + 1], POINTS)
    mine = next(iter(past.values()))
    served, delivered = mine.served[:, loop], mine.delivered[:, loop]
    return Curves(
        cycle=k,
        start=start,
        cycles=first.cycles,
        rmse={p: _padded(h.rmse, first.cycles) for p, h in past.items()},
        flawless=yardstick,
        lag=lag,
        changes=tuple(segment.start for segment in first.segments[1:]),
        V={p: _padded(h.v_normalised[:, loop], first.cycles) for p, h in past.items()},
        delivered=np.flatnonzero(served & delivered),
        lost=np.flatnonzero(served & ~delivered),
        distributions=distributions,
        shares={p: np.bincount(h.mode.ravel(), minlength=len(Mode)) / h.mode.size for p, h in found.items()},
        numbers={p: flights[p].summary(NUMBERS, start, k + 1) for p in found},
        covered=_padded(_share(mine.covered.sum(axis=1), mine.routes.sum(axis=1)), first.cycles),
        covered_so_far=_covered_so_far(first, mine),
        promised=_promised(first),
    )


def _share(part: Any, whole: Any) -> Floats:
    found: Floats = np.divide(
        part, whole, out=np.full(len(whole), np.nan), where=np.asarray(whole) > 0, dtype=np.float64
    )
    return found


def _covered_so_far(flight: Flight, past: History) -> Floats:
    found = []
    for segment in flight.segments:
        here = past.between(segment.start, segment.end)
        found.append(_share(here.covered.sum(axis=1).cumsum(), here.routes.sum(axis=1).cumsum()))
    return _padded(np.concatenate(found), flight.cycles)


def _promised(flight: Flight) -> Floats:
    return np.concatenate([np.full(s.end - s.start, 1.0 - s.scenario.twin.beta) for s in flight.segments])


def tail(samples: Any) -> Curve:
    """1 − F: sorted values and the share of samples at or above each; the largest ones all kept.

    Args:
        samples: any shape.
    """
    values = np.sort(np.asarray(samples, dtype=np.float64), axis=None)
    n = len(values)
    if n == 0:
        return values, values
    above = np.unique(np.geomspace(1, n, POINTS).round().astype(int))[::-1]  # how many are at or above
    return values[n - above], above / n


def steps(samples: Any) -> Curve:
    """The distribution function of values that repeat: every value once, drawn as steps.

    Args:
        samples: any shape.
    """
    values, count = np.unique(np.asarray(samples, dtype=np.float64), return_counts=True)
    if len(values) == 0:
        return values, values
    share = np.cumsum(count) / count.sum()
    return np.repeat(values, 2), np.concatenate([[0.0], np.repeat(share, 2)[:-1]])


def _padded(values: Any, cycles: int) -> Floats:
    found = np.full(cycles, np.nan)
    found[: len(values)] = values
    return found


def _yardsticks(flight: Flight) -> tuple[Floats, Floats]:
    flawless, lag = np.empty(flight.cycles), np.empty(flight.cycles)
    for part in flight.segments:
        rows = slice(part.start, part.end)
        flawless[rows] = _flawless(part.scenario, flight.key.seed)[rows]
        law = part.scenario.control.feed_forward
        lag[rows] = 0.0 if law else part.scenario.mission.speed_mps / ControlModel.of(part.scenario).k
    return flawless, lag


@functools.lru_cache(maxsize=16)
def _flawless(scenario: Scenario, seed: int) -> Floats:
    errors = flawless_errors(scenario, seed)
    return np.asarray(np.sqrt((errors**2).sum(axis=2).mean(axis=1)))
