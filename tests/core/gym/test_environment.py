"""The environment is what Gymnasium asks for, shows nothing true, and flies what the shipped policy flies."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from core import Scenario
from core.errors import SafeExplorerError
from core.gym import FEATURES, LIMIT, SwarmEnv, observe
from core.simulation import POLICIES, Simulation, simulate

SMALL = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0, "network.slots": 40})


@pytest.mark.parametrize("reward", ["error", "energy"])
def test_gymnasiums_own_checker(reward):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having a spec")
        check_env(SwarmEnv(SMALL, reward=reward))


def fly(env, mission, scores):
    """Rewards, and the rows that were seen, of one mission."""
    seen, rewards = [env.reset(options={"mission": mission})[0]], []
    over = False
    while not over:
        row, reward, ended, over, info = env.step(scores(env.simulation.view()))
        assert not ended
        seen.append(row)
        rewards.append(reward)
    assert info["cycle"] == env.scenario.cycles - 1
    return np.array(rewards), np.array(seen)


def ranked(view):
    """SAFE's predicted worth U = G + λ_Σ·T as scores: only order and sign count, so ranks in [−1, 1] say the same."""
    worth = POLICIES["SAFE-greedy"]().scores(view)
    rank = np.empty(len(worth))
    rank[np.argsort(-worth, kind="stable")] = np.arange(len(worth), 0, -1)
    return np.where(worth > 0, rank / len(worth), -1.0).astype(np.float32)


@pytest.mark.parametrize("scenario", [SMALL, Scenario().replace(**{"mission.duration_s": 3.0})])
def test_safes_own_worth_as_the_score_flies_like_safe_greedy(scenario):
    rewards, _ = fly(SwarmEnv(scenario), 7, ranked)
    run = simulate(scenario, "SAFE-greedy", 7)
    np.testing.assert_array_equal(rewards, -(run.rmse**2))
    other, _ = fly(SwarmEnv(scenario), 7, lambda view: -ranked(view))
    assert other.sum() < rewards.sum()


def test_rewards_by_energy_add_up_to_what_the_mission_changed():
    rewards, _ = fly(SwarmEnv(SMALL, reward="energy"), 7, ranked)
    run = simulate(SMALL, "SAFE-greedy", 7)
    start = Simulation(SMALL, "SAFE-greedy", 7).energy().mean()
    assert rewards.sum() == pytest.approx(start - run.v_normalised[-1].mean())


def test_a_learner_sees_what_any_policy_is_given_and_nothing_true():
    env = SwarmEnv(SMALL)
    env.reset(options={"mission": 3})
    for _ in range(5):
        env.step(np.ones(6, dtype=np.float32))
    view = env.simulation.view()
    before = observe(view)
    env.simulation._p = env.simulation._p + 50.0  # where the UAVs really are
    env.simulation._z = env.simulation._z + 50.0
    np.testing.assert_array_equal(observe(env.simulation._view(env.simulation.states())), before)
    rows = dict(zip(FEATURES, before.T, strict=True))
    np.testing.assert_allclose(rows["V"], view.states.V / view.model.V_max, rtol=1e-6)
    np.testing.assert_allclose(rows["c"], view.states.c / 10, rtol=1e-6)
    admitted = view.admit().admitted
    for i in range(6):
        mine = (view.candidates.loop == i) & admitted
        cheapest = view.candidates.slots[mine].min() / view.budget if mine.any() else 2.0
        assert rows["admitted_slots"][i] == pytest.approx(cheapest)
    worth = POLICIES["SAFE-greedy"]().scores(view) / view.model.V_max
    np.testing.assert_allclose(rows["G"] + rows["T"], worth, rtol=1e-4, atol=1e-7)
    assert np.abs(before).max() <= LIMIT


def test_a_seed_draws_the_same_mission_and_learning_never_meets_an_evaluation_seed():
    env = SwarmEnv(SMALL)
    assert env.reset(seed=5)[1] == env.reset(seed=5)[1]
    drawn = {env.reset()[1]["mission"] for _ in range(20)}
    assert len(drawn) > 10
    assert max(drawn) < 1000
    assert SwarmEnv(SMALL, seeds=[4]).reset()[1] == {"mission": 4}
    first, second = (env.reset(options={"mission": 9})[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_what_is_wrong_is_said():
    with pytest.raises(SafeExplorerError, match="choose one of error, energy"):
        SwarmEnv(SMALL, reward="speed")
    with pytest.raises(SafeExplorerError, match="at least one seed"):
        SwarmEnv(SMALL, seeds=[])
    with pytest.raises(SafeExplorerError, match="reset"):
        SwarmEnv(SMALL).step(np.zeros(6, dtype=np.float32))
    assert isinstance(SwarmEnv(SMALL), gymnasium.Env)


def test_without_gymnasium_the_remedy_is_said_and_observations_still_work():
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "from core.gym import observe\nfrom core import Scenario\nfrom core.simulation import Simulation\n"
        "s = Scenario().replace(**{'mission.uavs': 4, 'mission.duration_s': 2.0})\n"
        "print(observe(Simulation(s).view()).shape)\n"
        "from core.gym import SwarmEnv\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"(4, {len(FEATURES)})"
    assert "pip install 'safe-explorer[gym]'" in done.stderr
