"""The README and the documents are true: links lead somewhere, commands run, results equal the shipped file."""

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from distributed.cli import dask_scheduler, dask_worker
from plugin_files import as_before

from core.__main__ import parser
from core.cli import COMMANDS, sensitivity, study
from core.cli.calibrate import parse_seeds
from core.cli.plugin_option import load_named
from core.errors import SafeExplorerError
from core.scenario import field_names
from core.simulation import PAPER_FIVE, POLICIES
from core.simulation.calibrate import check_seeds
from core.studies.reproduction import Reproduction
from core.studies.statistics import paired_difference

ROOT = Path(__file__).resolve().parents[1]
DOCS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
COMMAND = re.compile(r"python -m core (\w+)[^`\n]*")


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: p.name)
def test_links_lead_somewhere(doc: Path) -> None:
    for target in LINK.findall(doc.read_text(encoding="utf-8")):
        assert (doc.parent / target).exists(), f"{doc.name} links to {target}"


def commands(doc: Path) -> Iterator[list[str]]:
    """Words after `python -m core` of every command in a document."""
    text = re.sub(r"\\\n\s*", " ", doc.read_text(encoding="utf-8"))  # a command may run over several lines
    for found in COMMAND.finditer(text):
        yield shlex.split(found[0].split("#")[0].split("python -m core ")[1])


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: p.name)
def test_commands_would_run(doc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options parse, and what they name exists: fields and their values, policies, presets, study files, seeds."""
    monkeypatch.chdir(ROOT)
    for words in commands(doc):
        assert words[0] in COMMANDS, words
        if any(mark in word for mark in ("…", "<", "[") for word in words) or len(words) == 1 or "--help" in words:
            continue
        with as_before():
            load_named(words)
            promised(parser([words[0]]).parse_args(words))


def promised(args: argparse.Namespace) -> None:
    """Everything a command checks before its first run; a user's own file (`my.yaml`) need not exist."""
    if args.command == "study":
        if args.file is None or not args.file.name.startswith("my"):
            study.study_from(args).check()
        return
    if args.command == "sensitivity":
        sensitivity.design_from(args).check()
        sensitivity.metric_from(args)
        return
    scenario = getattr(args, "scenario", None)
    if scenario is not None and not scenario.startswith("my"):
        assert study.scenario_from(scenario)
    names = [getattr(args, "policy", "SAFE"), *(getattr(args, "policies", None) or "SAFE").split(",")]
    assert set(names) <= set(POLICIES), names
    if args.command == "calibrate":
        assert check_seeds(parse_seeds(args.seeds))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("study --vary network.slot=1,2 --out x", "network.slot"),
        ("study --vary network.slots=1,999 --out x", "network.slots"),
        ("study --policies SAFE,VoI --vary network.slots=1,2 --out x", "VoI"),
        ("study --scenario teaching --vary network.slots=1,2 --out x", "teaching"),
        ("sensitivity --vary twin.bet --out x", "twin.bet"),
        ("sensitivity --vary twin.beta --metric rmse --out x", "rmse"),
        ("simulate --scenario nowhere", "nowhere"),
        ("simulate --policy Nobody", "Nobody"),
        ("calibrate --seeds 990:1010", "999"),
    ],
)
def test_a_command_that_names_nothing_is_noticed(words: str, error: str) -> None:
    with pytest.raises((SafeExplorerError, AssertionError), match=error):
        promised(parser().parse_args(words.split()))


DASK = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}


def test_options_of_dask_exist() -> None:
    text = "\n".join(doc.read_text(encoding="utf-8") for doc in DOCS)
    found = re.findall(r"^dask (scheduler|worker) (.+)$", text, re.M)
    assert len(found) >= 4
    for command, line in found:
        known = {option for p in DASK[command].params for option in (*p.opts, *p.secondary_opts)}
        assert {word for word in line.split() if word.startswith("--")} <= known, line


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: p.name)
def test_fields_files_and_tests_named_in_prose_exist(doc: Path) -> None:
    text = doc.read_text(encoding="utf-8")
    for span in re.findall(r"`([^`\n]+)`", text):
        for field in re.findall(r"(?<![\w./])(?:control|network|twin|allocation|mission)\.[A-Za-z]\w*\b(?![(/])", span):
            assert field in field_names() or field in ALIASES, f"{doc.name}: {field}"
    if doc.name != "CHANGELOG.md":  # history may name what is gone
        for path in re.findall(
            r"(?<![\w/.])(?:core|app|tools|tests|docs|data|benchmarks|notebooks)/[\w./-]+\.(?:py|md|yaml|csv|ipynb)\b",
            text,
        ):
            assert (ROOT / path).exists(), f"{doc.name}: {path}"
        for name in re.findall(r"`(test_\w+)`", text):
            assert any(f"def {name}(" in p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("test_*.py")), (
                name
            )


ALIASES = {"control.split"}
"""Properties of a scenario that read like fields."""


PYTHON_DOCS = ("EXPORT.md", "GUIDE.md", "METRICS.md", "POLICIES.md", "PYTHON.md", "TEACHING.md")
"""Blocks of STUDIES.md read a study that has to be made first."""


def test_no_python_block_is_left_out() -> None:
    with_python = {p.name for p in (ROOT / "docs").glob("*.md") if "```python" in p.read_text(encoding="utf-8")}
    assert with_python == {*PYTHON_DOCS, "STUDIES.md"}


@pytest.mark.parametrize("name", PYTHON_DOCS)
@pytest.mark.slow
def test_python_in_the_documents_runs(name: str, tmp_path: Path) -> None:
    for example in (ROOT / "docs" / "examples").glob("*.py"):
        shutil.copy(example, tmp_path)
    for code in blocks(ROOT / "docs" / name, "python"):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]


def test_every_place_to_extend_exists_and_holds_what_is_looked_for() -> None:
    text = (ROOT / "docs" / "EXTENDING.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:core|app|tools|tests|docs|notebooks)/[\w./]+)`: `([^`]+)`", text)
    assert len(places) > 20
    for path, what in places:
        assert what in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no {what}"
    assert {title.split()[-1] for title in re.findall(r"^## Add a (.+)$", text, re.M)} == {
        "policy",
        "metric",
        "field",
        "tab",
        "lesson",
    }


def test_every_decision_is_complete() -> None:
    text = (ROOT / "docs" / "DECISIONS.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## (D\d+) [^\n]*\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    numbers = [int(number[1:]) for number, _ in parts]
    assert numbers == sorted(set(numbers))
    for number, body in parts:
        assert re.findall(r"^\*\*(\w+):\*\* \S", body, re.M) == ["Paper", "Decision", "Effect", "Evidence"], number


def test_the_share_that_the_printed_formulas_certify_is_the_shipped_one() -> None:
    trials = pd.read_csv(ROOT / "data" / "reproduction" / "trials.csv")
    share = f"{100 * trials[trials['policy'] == 'SAFE-paper']['certified_share'].mean():.2f} %"
    for path in ("README.md", "docs/REPRODUCTION.md"):
        (shown,) = re.findall(
            r"(\d\.\d+ %) of (?:SAFE-paper's )?loop-cycles", (ROOT / path).read_text(encoding="utf-8")
        )
        assert shown == share, path


@pytest.mark.parametrize("path", ["README.md", "docs/REPRODUCTION.md"])
def test_what_the_documents_say_of_the_evaluation_is_what_was_flown(path: str) -> None:
    """The sentences beside the tables: leads, costs and shares, recomputed from the rows."""
    text, result = (ROOT / path).read_text(encoding="utf-8"), Reproduction.load()
    ours = result.metric("SAFE", "mean_rmse_m")

    def gap(name: str, policy: str, digits: int = 2) -> str:
        found = paired_difference(result.metric(policy, name), result.metric("SAFE", name))
        return f"{abs(found.mean):.{digits}f} m [{min(abs(found.low), abs(found.high)):.{digits}f}, {max(abs(found.low), abs(found.high)):.{digits}f}]"

    flawless = paired_difference(ours, result.flawless_rmse_m)
    said = [f"{flawless.mean:.2f} m [{flawless.low:.2f}, {flawless.high:.2f}]"]
    leads = {p: result.metric(p, "mean_rmse_m").mean() - ours.mean() for p in result.ranked if p != "SAFE"}
    said += [{4: "fourth of nine", 1: "first of nine"}[1 + sum(lead < 0 for lead in leads.values())]] * (
        path == "README.md"
    )
    for policy in ("SAFE", "CALLS"):
        said.append(f"{result.metric(policy, 'certified_share').mean():.0%}".replace("%", " %"))
    for policy in ("SAFE-L1", "SAFE-no-plan"):
        said.append(gap("mean_rmse_m", policy)[:6])
    if path == "README.md":
        said += [gap("mean_rmse_m", "SAFE-repaired"), gap("mean_rmse_m", "SAFE-no-admission")]
        reach = (
            result.metric("SAFE-reach", "mean_rmse_m").mean() - result.metric("SAFE-no-admission", "mean_rmse_m").mean()
        )
        said.append(f"costs {reach:.2f} m")
    else:
        said += [gap("mean_rmse_m", policy) for policy in ("CALLS", "Rollout", "Whittle-Age")]
        said += [f"{result.metric(p, 'mean_delay_ms').mean():.2f}" for p in (*PAPER_FIVE, "SAFE-no-admission")]
    for words in said:
        assert words in text, words
    assert all(leads[p] > 0 for p in PAPER_FIVE if p != "SAFE")


def test_contributors_are_told_where_commands_are_listed() -> None:
    (row,) = re.findall(r"^\| a command \|.*$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    (path,) = re.findall(r"listed in `(.+?)`", row)
    assert "COMMANDS = (" in (ROOT / path).read_text(encoding="utf-8")


def blocks(doc: Path, language: str) -> list[str]:
    """Fenced blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", doc.read_text(encoding="utf-8"), re.S)


def readme_block(language: str) -> list[str]:
    return blocks(ROOT / "README.md", language)


@pytest.mark.slow
def test_readme_commands_run(tmp_path: Path) -> None:
    lines = [line for block in readme_block("sh") for line in block.splitlines() if ".venv/bin/python -m core" in line]
    assert len(lines) >= 4
    for line in lines:
        words = shlex.split(line)[1:]
        if "reproduce" in words:  # thirty trials take minutes; the same command on one small trial
            words[words.index("--trials") + 1] = "1"
            words += ["--scenario", "teaching-swarm", "--first-seed", "900", "--policies", "SAFE,VoI-Sched"]
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr[-2000:]}"


@pytest.mark.slow
def test_readme_python_runs() -> None:
    (code,) = readme_block("python")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 5.0 < float(done.stdout) < 30.0


def test_readme_results_are_the_shipped_ones() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"<!-- results:.*?-->\n(.*?)<!-- /results -->", text, re.S)
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    table = (ROOT / "data" / "reproduction" / "table.md").read_text(encoding="utf-8")
    assert len(rows) > 5
    assert [row for row in rows if row not in table] == []


@pytest.mark.parametrize("block", ["ablation", "grid", "scenes"])
def test_tables_in_the_documents_are_the_shipped_ones(block: str) -> None:
    text = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    (shown,) = re.findall(rf"<!-- {block}:.*?-->\n(.*?)<!-- /{block} -->", text, re.S)
    assert shown.strip() == (ROOT / "data" / "reproduction" / f"{block}.md").read_text(encoding="utf-8").strip()


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.M), target
