"""Calibration runs: the mission flown with every loop served in every cycle, to see how wrong the twin can be."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.control import lqr_gain
from core.errors import CalibrationError
from core.network import Options, Routes, direction_options, either_fails, find_routes
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.channel import Channel
from core.simulation.coverage import realised_routes
from core.simulation.mission import reference
from core.simulation.plant import displacement, estimator_step, plant_step, velocity_command
from core.simulation.pool import in_processes
from core.simulation.replay import AnyLinks
from core.twin import (
    FIRST_EVALUATION_SEED,
    ROUTE_CLASSES,
    Calibration,
    ChainCounts,
    ScoreQuantiles,
    calibration_key,
    link_budget_db,
    route_class,
    route_scores,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

SNR_OFFSETS_DB = (-15.0, -10.0, -5.0, 0.0, 5.0, 10.0)
"""SNR offsets of the calibration runs [dB]: below, next to nothing is delivered; above, next to nothing fails."""
ACTIONS_PER_LOOP = 2
"""Candidate actions drawn per loop and cycle from the run's own stream; the first of them is the loop's service."""
MORE_ACTIONS_PER_LOOP = 14
"""Further ones that are only watched, for the failure chain: with them reliable actions have failures to count where next to
nothing fails. Their stream is their own, so that their number changes nothing that is flown or scored."""
_CALIBRATION = 101
_WATCHED = 102
"""Streams of the calibration's own draws, beside those of core.simulation.draws."""


@dataclass(frozen=True)
class CalibrationRun:
    """Records of one run: all candidate routes of all loops and cycles (scores), and drawn actions (pairs).

    Args:
        route_class: index into ROUTE_CLASSES, (n,).
        score: path-level conformal score, (n,) [dB].
        recent_failure: whether an attempt over this very route failed in the previous cycle, (n,).
        failure_nominal: predicted bidirectional failure of a drawn action, (m,).
        first, second: whether it failed in this cycle and, repeated, in the next, (m,).
    """

    route_class: Ints
    score: Floats
    recent_failure: Bools
    failure_nominal: Floats
    first: Bools
    second: Bools

    def scores_of(self, cls: int, *, after_failure: bool) -> Floats:
        """Scores of one route class: all, or those of routes that have just failed."""
        rows: Bools = np.equal(self.route_class, cls)
        return self.score[rows & self.recent_failure if after_failure else rows]


@dataclass(frozen=True)
class _Service:
    """Actions drawn for the loops that have a route, the same number of rows per loop."""

    routes: tuple[Routes, Routes]
    loop: Ints
    option: tuple[Ints, Ints]
    failure_nominal: Floats

    @classmethod
    def draw(
        cls, scenario: Scenario, routes: tuple[Routes, Routes], rng: np.random.Generator, per_loop: int
    ) -> _Service:
        """One uplink and one downlink option each, uniform over the loop's candidates."""
        ul, dl = (direction_options(scenario, r, np.zeros(r.hops.size)) for r in routes)
        count_ul, count_dl = np.diff(ul.offsets), np.diff(dl.offsets)
        loop = np.repeat(np.flatnonzero((count_ul > 0) & (count_dl > 0)), per_loop)
        u = ul.offsets[loop] + (rng.random(loop.size) * count_ul[loop]).astype(np.int64)
        d = dl.offsets[loop] + (rng.random(loop.size) * count_dl[loop]).astype(np.int64)
        return cls(routes, loop, (u, d), either_fails(ul.failure_nominal[u], dl.failure_nominal[d]))

    def fails(self, scenario: Scenario, realised: AnyLinks, rng: np.random.Generator) -> tuple[Bools, Bools]:
        """Whether uplink and downlink of each action fail over the realised channel (D16: fresh luck per attempt)."""
        up, down = (
            _options_over(scenario, r, realised).failure_nominal[o]
            for r, o in zip(self.routes, self.option, strict=True)
        )
        return rng.random(up.size) < up, rng.random(down.size) < down


def calibration_run(scenario: Scenario, seed: int, cycles: range | None = None) -> CalibrationRun:
    """Fly one mission with ideal service and compare the prediction (eq:dt-state-map) with what happened.

    Every loop is served in every cycle by a candidate action drawn at random: no policy, no frame, all routes. Plant,
    estimator and channel are the simulator's; the swarm starts in steady flight at the lag floor.

    Args:
        scenario: the scenario to calibrate for.
        seed: trial.
        cycles: those that are recorded; None = all of the mission.
    """
    trace, control, Ts = reference(scenario, seed), scenario.control, scenario.control.Ts
    channel, rng = Channel(scenario, trace, seed), np.random.default_rng([int(seed), _CALIBRATION])
    watching = np.random.default_rng([int(seed), _WATCHED])
    gain, N = lqr_gain(Ts, control.Q, control.R), trace.positions.shape[1]
    u = trace.velocity[0].copy()
    p = trace.positions[0] - (0.0 if control.feed_forward else 1.0) * u / gain
    p_hat = p + control.sigma_meas_m * draws.normals(seed, draws.INITIAL, 0, N, 3)
    failed = np.empty(0, dtype=np.int64)
    scores: list[tuple[Ints, Floats, Bools]] = []
    pairs: list[tuple[Floats, Bools, Bools]] = []
    before: list[tuple[_Service, Bools, np.random.Generator]] = []
    for k in range(trace.cycles):
        realised = channel.realised_links(scenario, p)
        recorded = cycles is None or k in cycles
        for drawn, first, stream in before:
            second = np.logical_or(*drawn.fails(scenario, realised, stream))
            if recorded:
                pairs.append((drawn.failure_nominal, first, second))
        routes = find_routes(scenario, channel.predicted_links(scenario, p_hat))
        if recorded:
            scores.extend(_compare(r, realised_routes(r, realised), failed) for r in routes)
        failed = np.concatenate([_route_keys(r)[_attempts_fail(scenario, r, realised, rng)] for r in routes])

        service = _Service.draw(scenario, routes, rng, ACTIONS_PER_LOOP)
        misses = service.fails(scenario, realised, rng)
        watched = _Service.draw(scenario, routes, watching, MORE_ACTIONS_PER_LOOP)
        before = [
            (service, np.logical_or(*misses), rng),
            (watched, np.logical_or(*watched.fails(scenario, realised, watching)), watching),
        ]
        served = service.loop[::ACTIONS_PER_LOOP]
        uplink, downlink = np.zeros((2, N), dtype=np.bool_)
        uplink[served], downlink[served] = (~miss[::ACTIONS_PER_LOOP] for miss in misses)

        p_meas = p + control.sigma_meas_m * draws.normals(seed, draws.MEASUREMENT, k, N, 3)
        v_ref = trace.velocity[k] if control.feed_forward else None
        command = velocity_command(np.where(uplink[:, None], p_meas, p_hat), trace.positions[k], gain, v_ref)
        # The frame is unlimited here; half of it is what a loop waits on average for its turn.
        arrival = np.where(downlink, 0.5 * scenario.network.frame_s, Ts)
        flown = displacement(u, command, arrival, Ts)
        noise = control.sigma_proc_m * draws.normals(seed, draws.PROCESS, k, N, 3)
        p, p_hat = plant_step(p, flown, trace.gust[k], noise, Ts), estimator_step(p_hat, p_meas, uplink, flown)
        u = np.where(downlink[:, None], command, u)
        if k + 1 < trace.cycles:
            channel.advance(scenario)
    return CalibrationRun(
        *(np.concatenate(x) for x in zip(*scores, strict=True)), *(np.concatenate(x) for x in zip(*pairs, strict=True))
    )


def calibrate(
    scenario: Scenario,
    seeds: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
    first: float = 1.0,
) -> Calibration:
    """Calibrate the twin for a scenario: conformal scores by route class, and failure-chain counts.

    Args:
        scenario: the scenario; its own SNR offset does not matter, all of SNR_OFFSETS_DB are flown.
        seeds: calibration seeds, all below FIRST_EVALUATION_SEED.
        progress: called with (runs done, runs in all) after every run.
        workers: processes.
        first: share of the mission's time to learn from; the rest is left to core.simulation.held_out.
    """
    seeds, cycles = check_seeds(seeds), split(scenario, first)[0]
    shifted = [scenario.replace(**{"network.snr_offset_db": offset}) for offset in SNR_OFFSETS_DB]
    jobs = [(s, seed, cycles) for s in shifted for seed in seeds]
    pool: list[CalibrationRun] = []
    for run in in_processes(fly, jobs, workers):
        pool.append(run)
        if progress is not None:
            progress(len(pool), len(jobs))
    by_budget = [pool[i : i + len(seeds)] for i in range(0, len(jobs), len(seeds))]
    return Calibration(
        key=calibration_key(scenario),
        scenario_digest=scenario.digest(),
        seeds=tuple(seeds),
        budgets_db=tuple(link_budget_db(s) for s in shifted),
        made=datetime.datetime.now(datetime.UTC).date().isoformat(),
        scores=tuple(_quantiles(runs) for runs in (*by_budget, pool)),
        counts=tuple(
            ChainCounts.of_seeds([ChainCounts.of_pairs(r.failure_nominal, r.first, r.second) for r in runs])
            for runs in by_budget
        ),
    )


def split(scenario: Scenario, first: float) -> tuple[range, range]:
    """Cycles of the first share of a mission, and the rest."""
    end = round(first * scenario.cycles) if 0.0 < first <= 1.0 else 0  # not what is infinite or no number
    if first != 1.0 and not 2 <= end <= scenario.cycles - 2:
        raise CalibrationError(
            f"The first {first:g} of the mission and the rest must have two cycles each, and it has {scenario.cycles}; give a "
            "share between 0 and 1, such as 0.5."
        )
    return range(end), range(end, scenario.cycles)


def fly(job: tuple[Scenario, int, range]) -> CalibrationRun:
    """`calibration_run` of one process: scenario, seed, cycles."""
    return calibration_run(*job)


def check_seeds(seeds: Sequence[int]) -> list[int]:
    """The seeds in order, refused when they could be evaluation seeds."""
    found = sorted({int(s) for s in seeds})
    if len(found) < 2:
        raise CalibrationError(
            "Give at least two calibration seeds, such as 0:30: one cannot tell how much seeds differ."
        )
    check_seed_range(found[0], found[-1])
    return found


def check_seed_range(first: int, last: int) -> None:
    """Refuse seeds that could be evaluation seeds."""
    if first < 0 or last >= FIRST_EVALUATION_SEED:
        raise CalibrationError(
            f"Calibration seeds must lie between 0 and {FIRST_EVALUATION_SEED - 1}, not {first}…{last}: the others "
            "are for evaluation, and certificates must not have seen them."
        )


def _quantiles(runs: Sequence[CalibrationRun]) -> tuple[tuple[ScoreQuantiles, ScoreQuantiles], ...]:
    def pooled(cls: int, after_failure: bool) -> ScoreQuantiles:
        return ScoreQuantiles.of(np.concatenate([r.scores_of(cls, after_failure=after_failure) for r in runs]))

    return tuple((pooled(c, False), pooled(c, True)) for c in range(len(ROUTE_CLASSES)))


def _options_over(scenario: Scenario, routes: Routes, realised: AnyLinks) -> Options:
    """Options of the same paths at the realised SNR, row by row those of the prediction."""
    return direction_options(scenario, realised_routes(routes, realised), np.zeros(routes.hops.size))


def _compare(predicted: Routes, realised: Routes, failed: Ints) -> tuple[Ints, Floats, Bools]:
    """Class, score and whether the route has just failed, of every route."""
    score = route_scores(predicted.snr_db, realised.snr_db, predicted.rayleigh, realised.rayleigh, predicted.hops)
    return route_class(predicted.hops, predicted.rayleigh), score, np.isin(_route_keys(predicted), failed)


def _attempts_fail(scenario: Scenario, routes: Routes, realised: AnyLinks, rng: np.random.Generator) -> Bools:
    """Whether each route fails once, under a blocklength and retransmission limit drawn at random."""
    options = _options_over(scenario, routes, realised)
    first = np.searchsorted(options.route, np.arange(routes.hops.size))
    count = np.diff(first, append=options.route.size)
    pick = first + (rng.random(count.size) * count).astype(np.int64)
    usable = count > 0
    failure = np.where(usable, options.failure_nominal[np.where(usable, pick, 0)], 0.0)
    return rng.random(failure.size) < failure


def _route_keys(routes: Routes) -> Ints:
    """A number that tells apart all directed routes of one swarm, the same in every cycle."""
    base = routes.offsets.size + 1  # N+1 nodes and the padding, not the largest node that happens to have a route
    keys: Ints = (routes.nodes + 1) @ (np.int64(base) ** np.arange(routes.nodes.shape[1]))
    return keys
