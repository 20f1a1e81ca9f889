"""Coverage where the calibration has not looked: the rest of a mission, or of a recording (D27)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.scenario import Scenario
from core.simulation.calibrate import check_seeds, fly, split
from core.simulation.pool import in_processes
from core.twin import Calibration


@dataclass(frozen=True)
class RestCoverage:
    """How often the confidence set held in the part of a mission that the calibration did not see.

    Args:
        routes: candidate routes with a margin, over all cycles and seeds.
        covered: of them, those whose links kept within it.
        beta: the share that may leave it.
    """

    routes: int
    covered: int
    beta: float

    @property
    def share(self) -> float:
        """Share covered, nan without a route."""
        return self.covered / self.routes if self.routes else float("nan")

    @property
    def words(self) -> str:
        """The result as a sentence."""
        if not self.routes:
            return "In the rest of the mission no route had a margin, so nothing can be said of its coverage."
        return (
            f"In the rest of the mission the confidence set held for {100 * self.share:.2f} % of {self.routes} routes; "
            f"{100 * (1 - self.beta):g} % are promised (β = {self.beta:g})."
        )


def coverage_of_rest(
    calibration: Calibration, scenario: Scenario, seeds: Sequence[int], first: float, workers: int = 1
) -> RestCoverage:
    """Coverage in the cycles that a calibration on the first share of a mission left out (eq:dt-confidence-set).

    Args:
        calibration: made by `calibrate` with the same share.
        scenario: the scenario, at its own link budget and β.
        seeds: of the missions.
        first: share that the calibration has seen.
        workers: processes.
    """
    rest, routes, covered = split(scenario, first)[1], 0, 0
    for run in in_processes(fly, [(scenario, seed, rest) for seed in check_seeds(seeds)], workers):
        margin = calibration.margin_db(scenario.twin.beta, run.route_class, run.recent_failure)
        bounded = np.isfinite(margin)
        routes, covered = routes + int(bounded.sum()), covered + int((run.score[bounded] <= margin[bounded]).sum())
    return RestCoverage(routes, covered, scenario.twin.beta)
