"""A mission as an episode, a control cycle as a step, a score per loop as the action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode
from core.errors import SafeExplorerError
from core.gym.observation import FEATURES, LIMIT, observe
from core.scenario import Scenario
from core.simulation import ByScore, CycleView, Simulation

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise SafeExplorerError("core.gym.SwarmEnv needs Gymnasium: pip install 'safe-explorer[gym]'.") from error

Reward = Literal["error", "energy"]
Observation = NDArray[np.float32]


class Steered(ByScore):
    """Serves by the scores that somebody else sets before every cycle."""

    name = "Steered"

    def __init__(self) -> None:
        self.given: NDArray[np.float64] = np.zeros(0)

    def scores(self, view: CycleView) -> NDArray[np.float64]:
        """Those that were set."""
        return self.given


class SwarmEnv(gymnasium.Env[Observation, NDArray[np.float32]]):
    """The swarm of a scenario over the same simulator that every policy flies in.

    Observation: `core.gym.observe`, one row per loop, columns FEATURES, (N, F). Action: a score per loop in [−1, 1], (N,);
    the loops with the largest scores are served, each with its cheapest usable exchange, while slots last, and a loop
    whose score is not above 0 gets none (`core.simulation.ByScore`). An episode ends with the mission: truncated, because
    nothing failed and the swarm would fly on.

    Args:
        scenario: of every mission.
        seeds: missions to draw from; those below 1000 are for tuning and learning, from 10000 on for evaluation.
        reward: "error": − mean squared distance of the UAVs from their references at the end of the cycle [m²].
            "energy": − change of the mean V/V_max of the true errors over the cycle [-].
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it so)

    def __init__(
        self, scenario: Scenario | None = None, seeds: Sequence[int] = range(1000), reward: Reward = "error"
    ) -> None:
        if reward not in get_args(Reward):
            raise SafeExplorerError(f"The reward is {reward!r}; choose one of {', '.join(get_args(Reward))}.")
        if not seeds:
            raise SafeExplorerError("An environment needs at least one seed to fly.")
        self.scenario = scenario if scenario is not None else Scenario()
        self._seeds, self._reward = seeds, reward
        N = self.scenario.mission.uavs
        self.observation_space = gymnasium.spaces.Box(-LIMIT, LIMIT, (N, len(FEATURES)), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (N,), np.float32)
        self._pilot, self._energy = Steered(), 0.0
        self._simulation: Simulation | None = None

    @property
    def simulation(self) -> Simulation:
        """The mission under way; SafeExplorerError before the first `reset`."""
        if self._simulation is None:
            raise SafeExplorerError("No mission is under way; call reset() first.")
        return self._simulation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a mission.

        Args:
            seed: of the draw of missions, not the mission itself.
            options: {"mission": 7} flies the mission of seed 7.
        """
        super().reset(seed=seed)
        drawn = self._seeds[int(self.np_random.integers(len(self._seeds)))]
        mission = int((options or {}).get("mission", drawn))
        self._pilot = Steered()
        self._simulation = Simulation(self.scenario, self._pilot, mission)
        self._energy = float(self._simulation.energy().mean())
        return observe(self._simulation.view()), {"mission": mission}

    def step(self, action: NDArray[np.float32]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Fly one control cycle with these scores."""
        simulation = self.simulation
        self._pilot.given = np.asarray(action, dtype=np.float64)
        record = simulation.step()
        energy = float(record.v_normalised.mean())
        reward = -(record.rmse**2) if self._reward == "error" else self._energy - energy
        self._energy = energy
        info = {
            "cycle": record.k,
            "rmse_m": record.rmse,
            "slots_used": record.slots_used,
            "served": int(record.served.sum()),
            "delivered": int(record.delivered.sum()),
            "certified": int((record.mode == Mode.CERTIFIED).sum()),
        }
        return observe(simulation.view()), float(reward), False, simulation.done, info
