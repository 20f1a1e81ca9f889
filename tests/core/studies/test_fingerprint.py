"""A policy or a metric from outside core belongs to the version of a study: changed between two runs, it is refused."""

import importlib
import inspect
import linecache
import subprocess
import sys

import pytest
import yaml

from core import Scenario
from core.errors import StudyError
from core.simulation import METRICS, POLICIES, Metric
from core.simulation.metric_table import longest_waits
from core.studies import Study, StudyStore, run_study, seed_range, summarise
from core.studies.fingerprint import (
    MEASURES,
    called_by,
    metrics_of_runs,
    policies_of,
    policy_fingerprint,
    sources_of_a_run,
)

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
    return run_study(Study(SMALL, (), policies, seed_range(trials, 700)), folder, workers=0, **options)


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


@pytest.mark.slow
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


@pytest.mark.slow
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


METRIC = """from core.simulation import register_metric


def helper(run):
    return float(len(run.rmse)) * {number}


@register_metric(direction="lower", unit="cycles")
def my_length(run):
    "How long it took."
    return helper(run)


@register_metric(direction="none")
def my_other(run):
    "Something else."
    return 1.0
"""


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A function that writes the user's metrics anew and imports them, as a new session would; None = not at all."""
    before = dict(METRICS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(number):
        METRICS.clear()
        METRICS.update(before)
        sys.modules.pop("metrics_of_a_user", None)
        linecache.clearcache()
        if number is not None:
            (tmp_path / "metrics_of_a_user.py").write_text(METRIC.format(number=number))
            importlib.invalidate_caches()
            importlib.import_module("metrics_of_a_user")

    yield write
    write(None)


def test_a_new_metric_leaves_the_old_records_valid(tmp_path, measured):
    first = fly(tmp_path / "s", policies=("SAFE",), trials=2)
    before = {p: p.read_bytes() for p in first.store.records.glob("*/*.parquet")}
    measured(3)
    grown = fly(tmp_path / "s", policies=("SAFE",), trials=5)
    assert (grown.kept, grown.new) == (2, 3)
    assert all(p.read_bytes() == text for p, text in before.items())
    frame = grown.store.frame()
    assert frame["mean_rmse_m"].notna().all()
    assert frame["my_length"].isna().tolist() == [True, True, False, False, False]
    assert set(frame["my_length"].dropna()) == {3.0 * SMALL.cycles}
    assert frame.attrs["units"]["my_length"] == "cycles"
    table = summarise(frame, grown.store.study()).set_index("metric")
    assert (table.loc["my_length", "n"], table.loc["mean_rmse_m", "n"]) == (3, 5)
    measured(None)  # a session that does not know the metric still reads what was measured
    assert StudyStore(tmp_path / "s").frame()["my_length"].notna().sum() == 3


def test_a_changed_metric_never_mixes_with_old_records(tmp_path, measured):
    measured(1)
    fly(tmp_path / "s", policies=("SAFE",))
    measured(1)
    assert fly(tmp_path / "s", policies=("SAFE",), trials=2).kept == 1
    measured(None)
    assert fly(tmp_path / "s", policies=("SAFE",), trials=3).kept == 2  # its column stays empty
    measured(2)  # a function the metric leans on
    with pytest.raises(StudyError, match=r"another version of the metric my_length\..*--out.*--fresh"):
        fly(tmp_path / "s", policies=("SAFE",), trials=4)


def test_a_metric_of_core_can_change_or_come_without_changing_the_code_of_a_run():
    assert set(metrics_of_runs()) == set(METRICS)
    assert len(set(metrics_of_runs().values())) == len(METRICS)
    assert MEASURES.is_file()
    assert MEASURES not in sources_of_a_run()
    assert MEASURES.with_name("loop.py") in sources_of_a_run()
    here = METRICS["longest_wait_cycles"].measure
    assert inspect.getsource(longest_waits) in "\n".join(inspect.getsource(f) for f in called_by(here))


def test_a_typed_in_metric_is_refused(tmp_path):
    METRICS["typed"] = Metric("typed", "", "none", "Typed.", eval("lambda run: 1.0"))
    try:
        with pytest.raises(StudyError, match="metric 'typed' has no source"):
            fly(tmp_path / "s", policies=("SAFE",))
    finally:
        del METRICS["typed"]
