"""What stands in place of the simulator is part of a study: another mission, model or constant is never mixed in silently."""

import functools
import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

from core import Scenario
from core.errors import StudyError
from core.simulation import POLICIES, Run, Simulation, reference, simulate
from core.studies import Axis, Study, StudyStore, run_study
from core.studies.hook import hook_fingerprint

SMALL = Scenario().replace(**{"mission.uavs": 2, "mission.duration_s": 1.0})
STUDY = Study(SMALL, (Axis("network.slots", (20, 40)),), ("SAFE", "Fixed-Service"), (700, 701))
TRACE = reference(SMALL, 999)


def fly(scenario, policy, seed, trace):
    simulation = Simulation(scenario, policy, seed, trace=trace)
    return Run.of(scenario, simulation.policy.name, seed, list(simulation))


@dataclass(frozen=True)
class OwnMission:
    trace: object

    def __call__(self, scenario, policy, seed):
        return fly(scenario, policy, seed, self.trace)


def own_mission(scenario, policy, seed):
    return fly(scenario, policy, seed, TRACE)


def shifted():
    return replace(TRACE, positions=TRACE.positions + 1.0)


def test_an_own_mission_is_never_continued_with_the_simulator_nor_the_other_way_round(tmp_path):
    first = run_study(STUDY, tmp_path / "own", workers=0, run=own_mission)
    assert first.new == 8
    with pytest.raises(StudyError, match=r"8 records made with a run function of its own .*, not with the simulator"):
        run_study(STUDY, tmp_path / "own", workers=0)
    assert run_study(STUDY, tmp_path / "own", workers=0, run=own_mission).kept == 8
    run_study(STUDY, tmp_path / "plain", workers=0)
    with pytest.raises(StudyError, match=r"made with the simulator, not with a run function of its own"):
        run_study(STUDY, tmp_path / "plain", workers=0, run=own_mission)
    assert run_study(STUDY, tmp_path / "plain", workers=0, run=simulate).kept == 8
    assert "run" not in StudyStore(tmp_path / "plain").header()


def test_another_mission_behind_the_same_function_is_another_hook(tmp_path):
    def closure(trace):
        return lambda scenario, policy, seed: fly(scenario, policy, seed, trace)

    for make in (OwnMission, closure, lambda trace: functools.partial(fly, trace=trace)):
        same, other = hook_fingerprint(make(TRACE)), hook_fingerprint(make(shifted()))
        assert same == hook_fingerprint(make(reference(SMALL, 999)))
        assert same != other
    run_study(STUDY, tmp_path / "s", workers=0, run=OwnMission(TRACE))
    with pytest.raises(StudyError, match="another mission or model"):
        run_study(STUDY, tmp_path / "s", workers=0, run=OwnMission(shifted()))


def test_a_name_of_the_module_and_the_content_of_a_file_count(tmp_path, monkeypatch):
    before = hook_fingerprint(own_mission)
    monkeypatch.setitem(globals(), "TRACE", shifted())
    assert hook_fingerprint(own_mission) != before
    path = tmp_path / "mission.csv"
    path.write_text("1")
    of_file = functools.partial(fly, trace=path)
    first = hook_fingerprint(of_file)
    path.write_text("2")
    assert hook_fingerprint(of_file) != first


SCRIPT = """
import numpy as np
from core.studies.hook import hook_fingerprint

MISSION = np.arange({number})

def inner(x):
    return x + {inner}

def fly(scenario, policy, seed):
    return inner(MISSION)

print(hook_fingerprint(fly))
"""


@pytest.mark.slow
def test_of_a_script_the_function_what_it_calls_and_its_data_count_in_every_process(tmp_path):
    said = []
    for number, inner in ((3, 1), (3, 1), (4, 1), (3, 2)):
        (tmp_path / "script.py").write_text(SCRIPT.format(number=number, inner=inner))
        done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert said[0] == said[1]
    assert len(set(said)) == 3


def test_what_cannot_be_told_from_another_is_refused():
    with pytest.raises(StudyError, match="cannot be told from a changed one"):
        hook_fingerprint(functools.partial(fly, trace=(x for x in ())))


def test_constants_of_a_policy_that_were_changed_by_hand_are_refused(tmp_path, monkeypatch):
    run_study(STUDY, tmp_path / "s", workers=0)
    assert StudyStore(tmp_path / "s").header()["constants"]["Fixed-Service"]["usable"] == 0.5
    monkeypatch.setattr(POLICIES["Fixed-Service"], "usable", 0.9)
    with pytest.raises(
        StudyError, match=r"other constants of the policy Fixed-Service, .*'usable': 0\.5.* \(now .*'usable': 0\.9"
    ):
        run_study(STUDY, tmp_path / "s", workers=0)


def test_constants_changed_here_do_not_fly_silently_on_workers_that_have_others(monkeypatch):
    from core.studies.backends import version

    before = version(SMALL, "Fixed-Service", simulate)
    monkeypatch.setattr(POLICIES["Fixed-Service"], "usable", 0.9)
    assert version(SMALL, "Fixed-Service", simulate) != before
    assert version(SMALL, "Fixed-Service", own_mission) != version(SMALL, "Fixed-Service", simulate)


def test_arrays_count_by_value():
    one = functools.partial(fly, trace=np.arange(4.0))
    assert hook_fingerprint(one) == hook_fingerprint(functools.partial(fly, trace=np.arange(8.0)[::2] / 2))
    assert hook_fingerprint(one) != hook_fingerprint(functools.partial(fly, trace=np.arange(4)))
