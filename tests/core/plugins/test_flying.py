"""A policy or a metric of the user's own that goes wrong while it flies is told with its name, file and line."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from plugin_files import EXAMPLE, as_before, broken

from core import Scenario, load_plugins
from core.__main__ import main
from core.errors import MetricError, PolicyError
from core.instant import Flight
from core.simulation import POLICIES, Decision, Policy, Simulation, simulate

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 30})


@pytest.fixture(autouse=True)
def _as_before():
    with as_before():
        yield


WRONG = {
    "return 1 / 0": r"Policy Wrong failed in cycle 3: mine.py, line 16: ZeroDivisionError: division by zero, in `return 1 / 0`\.",
    "return view.nothing": r"failed in cycle 3: mine.py, line 16: AttributeError: .*, in `return view.nothing`",
    "return np.argmax(none.choice.reshape(0, 2))": r"cycle 3: mine.py, line 16: ValueError: .*, in `return np.argmax",
    "return None": r"Policy Wrong \(mine.py, line 10\) answered None in place of a Decision",
    "return none.choice": r"answered a ndarray in place of a Decision; end `decide` with",
    "return Decision.of(none.choice[:-1])": r"\(mine.py, line 10\) must choose one row .* each of the 4 loops; .* shape \(3,\)",
    "return Decision.of(np.zeros((4, 1), dtype=int))": r"shape \(4, 1\)",
    "return Decision.of([[0], [1, 2], 3, 4])": r"its choice has the shape \(\)",
    "return Decision.of(none.choice * np.nan)": r"by whole numbers, or -1; its choice holds nan",
    "return Decision.of(none.choice + 0.5)": r"its choice holds -0.5",
    "return Decision.of(none.choice > 0)": r"its choice holds values of type bool",
    "return Decision.of(none.choice - 1)": r"or -1; it chose -2",
    "return Decision.of(none.choice + 10**6)": r"it chose 999999",
    "return Decision.of(np.append(view.candidates.offsets[1], none.choice[1:]))": r"UAV 1 has one of UAV 2",
    "return Decision(none.choice, np.zeros(2))": r"for each of the 4 loops whether it is served without a certificate",
    "return Decision(none.choice, none.synchronisation, 7)": r"answered a int in place of an Allocation",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_goes_wrong_is_told_and_what_was_flown_stays(line, tmp_path):
    load_plugins(broken(tmp_path / "mine.py", "Wrong", line))
    simulation = Simulation(SMALL, "Wrong", 5)
    for _ in range(3):
        simulation.step()
    for _ in range(2):  # asked again it says the same, and nothing has moved
        with pytest.raises(PolicyError, match=WRONG[line]) as told:
            simulation.step()
        assert told.value.policy == "Wrong"
        assert simulation.k == 3
    flight = Flight.of(SMALL, "Wrong", 5)
    with pytest.raises(PolicyError, match=WRONG[line]):
        flight.reach(flight.cycles)
    assert flight.ended == 3
    now = Flight.of(SMALL, "SAFE", 5).instant(4)
    with pytest.raises(PolicyError, match="Wrong"):
        now.other_policies(["SAFE", "Wrong"])


def test_a_frame_that_is_too_full_is_told(tmp_path):
    line = "return Decision.of(np.array([rows[np.argmax(view.candidates.slots[rows])] for i in range(4) for rows in [np.flatnonzero(view.candidates.loop == i)]]))"
    load_plugins(broken(tmp_path / "mine.py", "Greedy", line))
    with pytest.raises(PolicyError, match=r"Policy Greedy \(mine.py, line 10\) used \d+ slots of 30 in cycle 3"):
        simulate(SMALL, "Greedy", 5)


def test_one_that_cannot_be_made_is_told_and_a_fault_of_ours_is_not_blamed_on_anybody(tmp_path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_text(
        "from core.simulation import register\nfrom core.simulation.policies import Safe\n\n\n@register\nclass Mine(Safe):\n"
        "    name = 'Mine'\n\n    def __init__(self):\n        self.table = open('/nowhere')\n"
    )
    load_plugins(file)
    with pytest.raises(
        PolicyError, match=r"Policy Mine cannot be made: mine.py, line 10: FileNotFoundError: .*, in `self.table"
    ):
        simulate(SMALL, "Mine", 5)
    monkeypatch.setattr(POLICIES["SAFE"], "decide", lambda self, view: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        simulate(SMALL, "SAFE", 5)


def test_one_of_a_notebook_or_a_script_is_told_too():
    class Typed(Policy):
        name = "Typed"

        def decide(self, view):
            return Decision.of(np.full(3, -1))

    with pytest.raises(PolicyError, match=rf"Policy Typed \({Path(__file__).name}, line \d+\) must choose one row"):
        simulate(SMALL, Typed, 5)


def test_a_metric_that_fails_is_told(tmp_path, capsys):
    file = tmp_path / "mine.py"
    for body, words in {
        "return run.nothing": "Metric mine (mine.py, line 5) failed: mine.py, line 7: AttributeError: ",
        "return 'fast'": "Metric mine (mine.py, line 5) answered a str in place of a number.",
        "return run.positions": "Metric mine (mine.py, line 5) answered a ndarray in place of a number.",
        "'forgot to return'": "Metric mine (mine.py, line 5) answered None in place of a number.",
    }.items():
        file.write_text(
            "from core.simulation import register_metric\n\n\n@register_metric(direction='none')\n"
            f"def mine(run):\n    'Mine.'\n    {body}\n"
        )
        load_plugins(file)
        with pytest.raises(MetricError) as told:
            simulate(SMALL, "SAFE", 5).summary()
        assert str(told.value).startswith(words)
    small = tmp_path / "small.yaml"
    SMALL.to_yaml(small)
    assert main(["simulate", "--scenario", str(small), "--plugins", str(file)]) == 2
    assert "error: Metric mine (mine.py, line 5)" in capsys.readouterr().err


def test_own_scores_fly_and_odd_ones_are_told(tmp_path):
    file = Path(shutil.copy(EXAMPLE, tmp_path / "mine.py"))
    load_plugins(file)
    run = simulate(SMALL, "Oldest-First", 5)
    assert run.served.any()
    good = file.read_text()
    line = 1 + good.splitlines().index("    def scores(self, view):")
    for scores, words in {
        "view.states.c * float('nan')": "that of UAV 1 is nan",
        "view.states.c[:3]": r"for each of the 4 loops; the scores have the shape \(3,\)",
        "None": r"the scores have the shape \(\)",
    }.items():
        file.write_text(good.replace("1.0 + view.states.c", scores))
        load_plugins(file)
        named = rf"Policy Oldest-First \(mine.py, line {line}\) failed in cycle 0: "
        with pytest.raises(PolicyError, match=named + ".*" + words):
            simulate(SMALL, "Oldest-First", 5)
