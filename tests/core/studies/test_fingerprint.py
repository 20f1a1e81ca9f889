"""A policy from outside core belongs to the version of a study: changed between two runs, it is refused."""

import importlib
import subprocess
import sys

import pytest
import yaml

from core import Scenario
from core.errors import StudyError
from core.simulation import POLICIES
from core.studies import Study, run_study, seed_range
from core.studies.fingerprint import policies_of, policy_fingerprint

SMALL = Scenario().replace(**{"mission.uavs": 2, "mission.duration_s": 1.0})
MODULE = """from core.simulation import register
from core.simulation.policies import Safe


def helper():
    return {number}


@register
class Mine(Safe):
    name = "Mine"
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A function that writes the user's module anew and imports it, as a new session would."""
    before = dict(POLICIES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(number):
        (tmp_path / "mine_of_a_user.py").write_text(MODULE.format(number=number))
        sys.modules.pop("mine_of_a_user", None)
        importlib.invalidate_caches()
        importlib.import_module("mine_of_a_user")

    yield write
    sys.modules.pop("mine_of_a_user", None)
    POLICIES.clear()
    POLICIES.update(before)


def fly(folder, policies=("SAFE", "Mine"), trials=1, **options):
    return run_study(Study(SMALL, (), policies, seed_range(trials)), folder, workers=0, **options)


def test_a_changed_policy_never_mixes_with_old_records(tmp_path, written):
    written(1)
    fly(tmp_path / "s")
    header = yaml.safe_load((tmp_path / "s" / "study.yaml").read_text())
    assert list(header["policies"]) == ["Mine"]
    written(1)
    assert fly(tmp_path / "s", trials=2).kept == 2
    written(2)  # a function the policy may lean on
    with pytest.raises(StudyError, match=r"another version of the policy Mine\..*--out.*--fresh"):
        fly(tmp_path / "s", trials=2)
    with pytest.raises(StudyError, match="another version of the policy Mine"):
        fly(tmp_path / "s", policies=("SAFE",), trials=3)  # its records are in the same table
    assert fly(tmp_path / "s", trials=2, fresh=True).new == 4


def test_a_policy_under_the_name_of_one_of_core_is_another_one(tmp_path, written):
    fly(tmp_path / "s", policies=("SAFE",))
    written(1)
    POLICIES["SAFE"] = POLICIES["Mine"]
    with pytest.raises(StudyError, match="another version of the policy SAFE"):
        fly(tmp_path / "s", policies=("SAFE",))


def test_policies_of_core_need_no_fingerprint_of_their_own():
    assert policies_of(Study(SMALL, (), tuple(POLICIES), seed_range(1))) == {}


def test_a_base_class_from_elsewhere_counts():
    class Base(POLICIES["SAFE"]):
        pass

    Base.__module__ = "yaml"  # any module that is not core's
    Derived = type("Derived", (Base,), {"name": "Derived", "__module__": "core.simulation.policies.safe"})
    POLICIES["Derived"] = Derived
    try:
        assert policy_fingerprint("Derived") not in ("", policy_fingerprint("SAFE"))
    finally:
        del POLICIES["Derived"]


def test_a_policy_that_a_worker_does_not_know():
    assert policy_fingerprint("Nobody's") == "unknown here"


SCRIPT = """
from core import Scenario
from core.simulation import register
from core.simulation.policies import Safe
from core.studies.fingerprint import policy_fingerprint

@register
class Typed(Safe):
    name = "Typed"
    weight = {number}

    def extra(self):
        return {number}

print(policy_fingerprint("Typed"))
"""


def test_a_script_is_known_by_the_class_and_a_typed_in_class_is_refused(tmp_path):
    said = []
    for number in (1, 2):
        (tmp_path / "script.py").write_text(SCRIPT.format(number=number))
        done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert len(set(said)) == 2
    typed = subprocess.run([sys.executable, "-c", SCRIPT.format(number=1)], capture_output=True, text=True, check=False)
    assert "'Typed' has no source" in typed.stderr
    assert "define it in a file or in a notebook cell" in typed.stderr


def test_a_notebook_is_known_by_the_functions_of_the_class(tmp_path):
    """IPython gives Python the text of a cell by function, not by class."""
    said = []
    for number in (1, 2):
        (tmp_path / "cell.py").write_text(
            "from IPython.core.interactiveshell import InteractiveShell\n"
            "import sys\nshell = InteractiveShell.instance()\nsys.modules['__main__'] = shell.user_module\n"
            f"shell.run_cell({SCRIPT.format(number=number)!r})\n"
        )
        done = subprocess.run([sys.executable, tmp_path / "cell.py"], capture_output=True, text=True, check=True)
        said.append(done.stdout.strip())
    assert len(set(said)) == 2
    assert all(len(text) == 16 for text in said)
