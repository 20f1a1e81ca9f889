"""The channel and the routes over whole matrices, every link in every cycle: what the compiled pairs must equal bit for bit."""

from __future__ import annotations

from collections import deque

import numpy as np

from core.network import node_positions, uma_av_shadowing_db
from core.scenario import Scenario
from core.simulation import Trace, draws
from core.simulation.channel import los_of_run

Matrix = np.ndarray


def _normal(nodes: int, key: list[int]) -> Matrix:
    upper = np.triu(np.random.default_rng(key).standard_normal((nodes, nodes)), k=1)
    return upper + upper.T


class PlainChannel:
    """Shadowing and the twin's filter of it, (N+1, N+1) matrices throughout."""

    def __init__(self, scenario: Scenario, trace: Trace, seed: int) -> None:
        self.trace, self.seed, self.k, self.measured = trace, seed, 0, 0
        self.los = los_of_run(scenario, trace, seed)
        n = len(self.los)
        self.unit = _normal(n, [seed, draws.SHADOWING, 0])
        self.past = deque([self.unit], maxlen=scenario.twin.link_age_cycles + 1)
        self.mean, self.variance = np.zeros((n, n)), np.ones((n, n))
        self._measure(scenario)

    def correlation(self, scenario: Scenario, k: int) -> Matrix:
        moved = np.linalg.norm(self.trace.positions[k + 1] - self.trace.positions[k], axis=-1)
        moved = np.concatenate([[0.0], moved])
        distance = np.where(self.los, scenario.network.shadow_corr_los_m, scenario.network.shadow_corr_nlos_m)
        return np.exp(-(moved[:, None] + moved) / distance)

    def spread(self, scenario: Scenario, k: int) -> Matrix:
        z = node_positions(scenario, self.trace.positions[k])[:, 2]
        h = 0.5 * (z[:, None] + z)
        h[0, :] = h[:, 0] = z
        return uma_av_shadowing_db(h, self.los)

    def advance(self, scenario: Scenario) -> None:
        r = self.correlation(scenario, self.k)
        self.k += 1
        self.unit = r * self.unit + np.sqrt(1.0 - r * r) * _normal(len(r), [self.seed, draws.SHADOWING, self.k])
        self.past.append(self.unit)
        if self.k - (len(self.past) - 1) > self.measured:
            self.mean, self.variance = self._moved(scenario, self.measured, self.mean, self.variance)
            self.measured += 1
            self._measure(scenario)

    def _moved(self, scenario: Scenario, k: int, mean: Matrix, variance: Matrix) -> tuple[Matrix, Matrix]:
        r = self.correlation(scenario, k)
        return r * mean, 1.0 + r**2 * (variance - 1.0)

    def _measure(self, scenario: Scenario) -> None:
        spread, noise_db = self.spread(scenario, self.measured), scenario.twin.link_noise_db
        errors = _normal(len(spread), [self.seed, draws.LINK_QUALITY, self.measured])
        seen = self.past[0] * spread + noise_db * errors
        total = self.variance + (noise_db / spread) ** 2
        gain = np.divide(self.variance, total, out=np.zeros_like(total), where=total > 0.0)
        self.mean, self.variance = self.mean + gain * (seen / spread - self.mean), (1.0 - gain) * self.variance

    def shadowing_db(self, scenario: Scenario) -> Matrix:
        """What is."""
        return self.unit * self.spread(scenario, self.k)

    def link_quality_db(self, scenario: Scenario) -> Matrix:
        """What the twin expects."""
        mean, variance = self.mean, self.variance
        for k in range(self.measured, self.k):
            mean, variance = self._moved(scenario, k, mean, variance)
        return mean * self.spread(scenario, self.k)


def best_paths(
    cost: Matrix, max_hops: int, quota: tuple[int, int, int], width: int
) -> list[list[tuple[float, list[int]]]]:
    """Of every UAV the `width` cheapest of the best paths of each hop count through different relays, every link looked at."""
    n = len(cost)
    two: list[list[tuple[float, int]]] = [[]]
    for i in range(1, n):
        ways = [(cost[i, k] + cost[k, 0], k) for k in range(1, n) if k != i] if max_hops >= 2 else []
        two.append(sorted(w for w in ways if w[0] < np.inf))
    found = []
    for i in range(1, n):
        proposed = [(float(cost[i, 0]), 1, 0, [i, 0])] if cost[i, 0] < np.inf else []
        proposed += [(float(c), 2, x, [i, k, 0]) for x, (c, k) in enumerate(two[i][: quota[1]])]
        three = []
        for j in range(1, n) if max_hops >= 3 else ():
            rest = next(((c, k) for c, k in two[j][:2] if k != i), None) if j != i else None
            if rest is not None and cost[i, j] + rest[0] < np.inf:
                three.append((cost[i, j] + rest[0], j, rest[1]))
        proposed += [(float(c), 3, x, [i, j, k, 0]) for x, (c, j, k) in enumerate(sorted(three)[: quota[2]])]
        found.append([(c, path) for c, _, _, path in sorted(proposed)[:width]])
    return found
