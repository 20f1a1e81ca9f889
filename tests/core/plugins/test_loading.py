"""A file of the user's own is loaded once, whole or not at all, and everything wrong with it is said with file and line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_files import EXAMPLE, as_before

from core import Scenario, load_plugins
from core.__main__ import main
from core.errors import PluginError
from core.plugins import VARIABLE, environment, in_use, read, try_plugins, use_exactly
from core.simulation import METRICS, POLICIES, simulate
from core.studies.fingerprint import metrics_of_runs, policy_fingerprint

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 30})
SHIPPED = (set(POLICIES), set(METRICS))


@pytest.fixture(autouse=True)
def _as_before(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with as_before():
        yield
    assert (set(POLICIES), set(METRICS)) == SHIPPED


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return Path(shutil.copy(EXAMPLE, tmp_path / "mine.py"))


def test_loading_again_changes_nothing_and_a_changed_file_replaces_what_it_had(mine):
    (plugin,) = load_plugins(mine)
    first = POLICIES["Largest-Error"]
    assert {"Largest-Error", "Oldest-First"} == set(POLICIES) - SHIPPED[0]
    assert set(METRICS) - SHIPPED[1] == {"far_share"}
    assert load_plugins(str(mine), mine) == (plugin,)
    assert load_plugins() == (plugin,)
    assert POLICIES["Largest-Error"] is first
    before = policy_fingerprint("Largest-Error"), metrics_of_runs()["far_share"]

    mine.write_text(mine.read_text().replace("> 10.0", "> 5.0").replace("OldestFirst", "Waiting"))
    # what runs is what was read, whatever becomes of the file
    assert (policy_fingerprint("Largest-Error"), metrics_of_runs()["far_share"]) == before
    load_plugins(mine)
    assert len(in_use()) == 1
    assert POLICIES["Largest-Error"] is not first
    assert policy_fingerprint("Largest-Error") != before[0]
    assert metrics_of_runs()["far_share"] != before[1]


def test_an_edited_file_that_was_never_fingerprinted_does_not_pass_for_what_runs(mine):
    text = mine.read_text()
    load_plugins(mine)
    mine.write_text(text + "# edited\n")
    edited = policy_fingerprint("Largest-Error")
    use_exactly(())
    mine.write_text(text)
    load_plugins(mine)
    assert policy_fingerprint("Largest-Error") == edited


def test_a_worker_has_exactly_the_plugins_of_its_study(mine, tmp_path):
    (first,) = load_plugins(mine)
    other = tmp_path / "other.py"
    other.write_text(
        mine.read_text().replace("Largest-Error", "Other").replace("Oldest-First", "Old").replace("far_share", "far")
    )
    second = read(other)
    mine.unlink()
    other.unlink()  # a worker on another machine has no such files
    policy = POLICIES["Largest-Error"]
    use_exactly([second])
    assert in_use() == (second,)
    assert "Largest-Error" not in POLICIES
    assert simulate(SMALL, "Other", 3).summary()["far"] >= 0.0
    assert len(policy_fingerprint("Other")) == 16
    use_exactly([first, second])
    assert POLICIES["Largest-Error"] is policy  # the same class, whose flights stay valid
    assert {"far", "far_share"} <= set(METRICS)


FAULTS = {
    "x = 1\ny = 1 / 0\n": "mine.py, line 2: ZeroDivisionError: division by zero, in `y = 1 / 0`",
    "def f(:\n    pass\n": "mine.py, line 1: SyntaxError: .*, in `def f",
    "import numpy\n\nimport a_module_of_nobody\n": "mine.py, line 3: ModuleNotFoundError: .*must be installed",
    "import sys\nsys.exit(3)\n": "mine.py, line 2: SystemExit: 3, in `sys.exit\\(3\\)`. A plug-in must not end",
    "x = 1\n": "registers nothing; put @register",
    "from core.simulation import Policy, register\n\n\n@register\nclass A(Policy):\n    pass\n": (
        "mine.py, line 4: SafeExplorerError: A needs a class attribute `name`"
    ),
    "from core.simulation import Policy, register\n\n\n@register\nclass A(Policy):\n    name = 'SAFE'\n": (
        "mine.py, line 4: SafeExplorerError: There is a policy SAFE already, shipped; give yours another `name`"
    ),
    "from core.simulation import Policy, register\n\n\n@register\nclass A(Policy):\n    name = 'a<b>'\n": (
        "mine.py, line 4: .*has '<' in it"
    ),
    "from core.simulation import ByScore, register\n\n\n@register\nclass A(ByScore):\n    name = 'A'\n": (
        r"mine.py, line 4: .*Policy A has no method `scores\(self, view\)`; write one"
    ),
    "from core.simulation import register\n\n\n@register\nclass A:\n    name = 'A'\n": (
        r"mine.py, line 4: .*A is no policy; write `class A\(Policy\):`"
    ),
    "from core.simulation import POLICIES\nPOLICIES['SAFE'] = POLICIES['CALLS']\n": "mine.py replaces SAFE",
    "from core.simulation import METRICS\nMETRICS.pop('mean_rmse_m')\n": "mine.py replaces mean_rmse_m",
    "from core.simulation import register_metric\n\n\n@register_metric(direction='lower')\ndef mean_v(run):\n    'V.'\n": (
        "mine.py, line 4: SafeExplorerError: There is a metric mean_v already"
    ),
    "from core.simulation import register_metric\n\n\n@register_metric(direction='down')\ndef v(run):\n    'V.'\n": (
        "mine.py, line 4: .*lower, higher or none"
    ),
}


@pytest.mark.parametrize("text", FAULTS)
def test_what_is_wrong_is_said_with_file_and_line_and_nothing_of_it_stays(text, tmp_path, capsys):
    file = tmp_path / "mine.py"
    good = "from core.simulation import register\nfrom core.simulation.policies import Safe\n\n\nclass Good(Safe):\n    name = 'Good'\n\n\n"
    file.write_text(text)
    with pytest.raises(PluginError, match=FAULTS[text]):
        load_plugins(file)
    file.write_text(good + "register(Good)\n" + text if not text.startswith("x = 1\n") else text)
    assert len(try_plugins(file)) == 1
    assert (set(POLICIES), set(METRICS)) == SHIPPED
    assert not in_use()
    assert main(["simulate", "--plugins", str(file)]) == 2
    assert capsys.readouterr().err.startswith(
        ("error: The plug-in mine.py cannot be loaded. mine.py, line", "error: mine.py re")
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone.py", "There is no plug-in"),
        (".", "is a folder"),
        ("mine.txt", "must end with .py"),
        ("raw.py", "not UTF-8"),
    ],
)
def test_a_file_that_is_none(name, words, tmp_path):
    (tmp_path / "mine.txt").write_text("x = 1\n")
    (tmp_path / "raw.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PluginError, match=words):
        load_plugins(tmp_path / name)


def test_two_files_may_not_share_a_name_and_the_first_stays(mine, tmp_path):
    load_plugins(mine)
    first = POLICIES["Largest-Error"]
    second = Path(shutil.copy(mine, tmp_path / "second.py"))
    with pytest.raises(PluginError, match=r"There is a policy Largest-Error already, registered by plugin_mine_"):
        load_plugins(second)
    assert POLICIES["Largest-Error"] is first


def test_the_environment_names_several_and_a_broken_one_keeps_nobody_else_away(mine, tmp_path, monkeypatch, capsys):
    bad = tmp_path / "bad.py"
    bad.write_text("1 / 0\n")
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(bad), "", str(mine)]))
    ((file, error),) = try_plugins()
    assert file == str(bad)
    assert "bad.py, line 1" in str(error)
    assert [p.name for p in in_use()] == ["mine.py"]
    assert environment() == {VARIABLE: str(mine)}  # what a process of ours is given
    assert main(["simulate"]) == 2
    assert "bad.py, line 1" in capsys.readouterr().err


PACKAGE = "from core.simulation import register\nfrom core.simulation.policies import Safe\n\n\n@register\nclass Installed(Safe):\n    name = 'Installed'\n"


def test_an_installed_package_is_found_by_its_entry_point(tmp_path):
    """As pip leaves it: a package, and its metadata with the entry point."""
    for name, text in (("good_policies", PACKAGE), ("bad_policies", "x = 1\nx.y\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[safe_explorer.plugins]\n{name} = {name}\n")
    words = [sys.executable, "-m", "core", "simulate", "--help"]
    done = subprocess.run(
        words, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert "Installed" in done.stdout
    assert done.stderr.startswith(
        "note: The plug-in bad_policies cannot be loaded. bad_policies/__init__.py, line 2: AttributeError: "
    )


def test_help_lists_own_policies_and_every_command_knows_the_option(mine, capsys):
    from core.cli import COMMANDS

    for command in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([command, "--plugins", str(mine), "--help"])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        assert "--plugins FILE.py" in said
        assert command not in ("simulate", "reproduce") or "Largest-Error" in said
