"""What a run is measured by: one table with the name, unit, good direction and meaning of every metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode
from core.errors import MetricError, SafeExplorerError
from core.own_code import told, where_defined

if TYPE_CHECKING:
    from core.simulation.run import Run

Direction = Literal["lower", "higher", "none"]
Measure = Callable[["Run"], float]

RESERVED = ("cell", "policy", "seed", "setting")
"""Columns that say which run a row belongs to."""


@dataclass(frozen=True)
class Metric:
    """One number that sums up a run.

    Args:
        name: column of every table of results; an identifier.
        unit: "" for a share, a ratio or an index.
        direction: which side is better; "none" where neither is.
        sentence: what it says, in plain English.
        measure: from a run to its value; nan where a run has nothing to measure.
    """

    name: str
    unit: str
    direction: Direction
    sentence: str
    measure: Measure

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name in RESERVED:
            raise SafeExplorerError(
                f"{self.name!r} cannot name a metric; use letters, digits and _, and none of {', '.join(RESERVED)}."
            )
        if self.direction not in get_args(Direction):
            raise SafeExplorerError(
                f"The direction of metric {self.name} is {self.direction!r}; say which values are better: lower, higher or none."
            )
        if not self.sentence:
            raise SafeExplorerError(f"Metric {self.name} needs a sentence (or a docstring) that says what it means.")

    def of(self, run: Run) -> float:
        """Its value in a run; MetricError when a function of the user's own fails."""
        code = getattr(self.measure, "__code__", None)
        own = code is not None and getattr(self.measure, "__module__", "").partition(".")[0] != "core"
        try:
            found = self.measure(run)
        except Exception as error:
            if not own:
                raise
            files = {code.co_filename} if code is not None else set()
            raise MetricError(
                f"Metric {self.name} ({where_defined(self.measure)}) failed: {told(error, files)}"
            ) from error
        try:
            return float(found)
        except (TypeError, ValueError) as error:
            if not own:
                raise
            kind = "None" if found is None else f"a {type(found).__name__}"
            raise MetricError(
                f"Metric {self.name} ({where_defined(self.measure)}) answered {kind} in place of a number."
            ) from error


METRICS: dict[str, Metric] = {}
"""Every metric by name, in the order of `Run.summary`."""


@overload
def register_metric(
    measure: Measure, *, direction: Direction, unit: str = ..., name: str = ..., sentence: str = ...
) -> Measure: ...
@overload
def register_metric(
    measure: None = None, *, direction: Direction, unit: str = ..., name: str = ..., sentence: str = ...
) -> Callable[[Measure], Measure]: ...
def register_metric(
    measure: Measure | None = None, *, direction: Direction, unit: str = "", name: str = "", sentence: str = ""
) -> Measure | Callable[[Measure], Measure]:
    """Make a metric known, so that every run reports it; called with a function or used as its decorator.

    Args:
        measure: from a run to a number; left out in a decorator.
        direction: which values are better: "lower", "higher" or "none".
        unit: "" for a share, a ratio or an index.
        name: the function's own name when left out.
        sentence: the first paragraph of the function's docstring when left out.

    Raises:
        SafeExplorerError: the name is taken or cannot name a column, the direction is none of the three, or nothing
            says what the metric means.
    """
    if measure is None:
        return lambda found: register_metric(found, direction=direction, unit=unit, name=name, sentence=sentence)
    said = sentence or " ".join((measure.__doc__ or "").partition("\n\n")[0].split())
    metric = Metric(name or getattr(measure, "__name__", ""), unit, direction, said, measure)
    if metric.name in METRICS:
        raise SafeExplorerError(
            f"There is a metric {metric.name} already; choose another name, or remove it first with METRICS.pop({metric.name!r})."
        )
    METRICS[metric.name] = metric
    return measure


@register_metric(unit="m", direction="lower")
def mean_rmse_m(run: Run) -> float:
    """Root-mean-square distance of the UAVs from their references, averaged over the cycles."""
    return float(run.rmse.mean())


@register_metric(unit="m", direction="lower")
def p95_rmse_m(run: Run) -> float:
    """The swarm's root-mean-square distance that 5 % of the cycles exceed."""
    return float(np.percentile(run.rmse, 95))


@register_metric(direction="lower")
def mean_v(run: Run) -> float:
    """V/V_max of the true errors, averaged over loops and cycles; 1 is the limit of the admissible domain."""
    return float(run.v_normalised.mean())


@register_metric(direction="lower")
def p95_v(run: Run) -> float:
    """V/V_max of the true errors that 5 % of all loop-cycles exceed."""
    return float(np.percentile(run.v_normalised, 95))


@register_metric(unit="ms", direction="lower")
def mean_delay_ms(run: Run) -> float:
    """Time from the first downlink slot of a command to its arrival, averaged over the commands that arrived."""
    return float(_delays(run).mean())


@register_metric(unit="ms", direction="lower")
def p95_delay_ms(run: Run) -> float:
    """Command delay that 5 % of the commands that arrived exceed."""
    return float(np.percentile(_delays(run), 95))


@register_metric(unit="slots", direction="none")
def slots_used(run: Run) -> float:
    """Slots in use per frame, averaged over the cycles."""
    return float(run.slots_used.mean())


@register_metric(unit="loops", direction="higher")
def served_per_cycle(run: Run) -> float:
    """Loops that get slots in a cycle, on average."""
    return float(run.served.sum(axis=1).mean())


@register_metric(direction="higher")
def delivered_share(run: Run) -> float:
    """Share of the exchanges tried in which telemetry and command both arrive."""
    return float(run.delivered.sum() / max(run.served.sum(), 1))


@register_metric(direction="higher")
def certified_share(run: Run) -> float:
    """Share of loop-cycles that are served with a certificate."""
    return float((run.mode == Mode.CERTIFIED).mean())


@register_metric(direction="none")
def synchronisation_share(run: Run) -> float:
    """Share of loop-cycles that are served without a certificate."""
    return float((run.mode == Mode.SYNCHRONISATION).mean())


@register_metric(direction="none")
def hold_share(run: Run) -> float:
    """Share of loop-cycles without slots in which the UAV flies on with its last command."""
    return float((run.mode == Mode.HOLD).mean())


@register_metric(direction="lower")
def safe_share(run: Run) -> float:
    """Share of loop-cycles without slots in which the supervisor has put the UAV under its onboard law."""
    return float((run.mode == Mode.SAFE).mean())


@register_metric(unit="cycles", direction="lower")
def longest_wait_cycles(run: Run) -> float:
    """The longest any loop waits without getting slots."""
    return float(longest_waits(run.served).max())


@register_metric(unit="cycles", direction="lower")
def longest_silence_cycles(run: Run) -> float:
    """The longest any loop goes without an exchange that succeeds both ways."""
    return float(longest_waits(run.delivered).max())


@register_metric(direction="lower")
def drift_exceeded_share(run: Run) -> float:
    """Share of the certified loop-cycles after which V of the estimates is above the certified ᾱV."""
    return float(run.drift_exceeded.sum() / max((run.mode == Mode.CERTIFIED).sum(), 1))


@register_metric(unit="events", direction="lower")
def bound_exceeded(run: Run) -> float:
    """How often a certified loop reaches the number of failures in a row that its certificate rules out."""
    return float(run.bound_exceeded.sum())


@register_metric(direction="lower")
def stale_hold_share(run: Run) -> float:
    """Share of loop-cycles flown with a command older than the lifted state remembers."""
    return float(run.stale_hold.mean())


@register_metric(unit="m", direction="higher")
def min_separation_m(run: Run) -> float:
    """The smallest distance between two UAVs in the whole mission."""
    return float(run.nearest_m.min())


@register_metric(direction="lower")
def too_close_share(run: Run) -> float:
    """Share of loop-cycles that end with another UAV nearer than the safety distance."""
    return float((run.nearest_m < run.scenario.mission.safety_distance_m).mean())


@register_metric(unit="m", direction="lower")
def worst_loop_rmse_m(run: Run) -> float:
    """Root-mean-square distance over the mission of the UAV for which it is largest."""
    error = run.positions - run.references
    return float(np.sqrt((error**2).sum(axis=2).mean(axis=0)).max())


@register_metric(direction="higher")
def service_fairness(run: Run) -> float:
    """How evenly successful exchanges are spread over the loops: 1 = all have equally many, 1/N = one has them all.

    Jain's index (Σx)²/(N·Σx²) of the exchanges that succeeded both ways, by loop; nan when there are none.
    """
    x = run.delivered.sum(axis=0).astype(np.float64)
    return float(x.sum() ** 2 / (len(x) * (x**2).sum())) if x.any() else float("nan")


@register_metric(unit="cycles", direction="lower")
def mean_silence_cycles(run: Run) -> float:
    """The longest time without an exchange that succeeds both ways, averaged over the loops."""
    return float(longest_waits(run.delivered).mean())


@register_metric(direction="none")
def route_coverage(run: Run) -> float:
    """Share of the candidate routes whose links stayed within the twin's confidence set; 1 − β is promised."""
    if run.routes is None or run.covered is None or not run.routes.any():
        return float("nan")
    return float(run.covered.sum() / run.routes.sum())


def longest_waits(events: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Longest run of cycles without an event of each loop, the start and the end of the mission included, (N,).

    Args:
        events: (cycles, N).
    """
    longest = np.zeros(events.shape[1], dtype=np.int64)
    waiting = np.zeros(events.shape[1], dtype=np.int64)
    for row in events:
        waiting = np.where(row, 0, waiting + 1)
        longest = np.maximum(longest, waiting)
    return longest


def _delays(run: Run) -> NDArray[np.float64]:
    return run.command_delay_ms if len(run.command_delay_ms) else np.array([np.nan])
