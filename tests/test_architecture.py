"""What keeps the whole in shape: import contracts, the equation index, decisions, no loose ends."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = sorted((ROOT / "core").rglob("*.py"))
LABEL = re.compile(r"\b((?:eq|prop|lem|rem|def|alg|tab|fig):[a-z0-9]+(?:-[a-z0-9]+)*)")
INDEX = (ROOT / "core" / "EQUATIONS.md").read_text(encoding="utf-8")
PAPER_LABELS = set((ROOT / "tests" / "data" / "paper_labels.txt").read_text().split())


def index_rows() -> list[list[str]]:
    rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in INDEX.splitlines()
        if line.startswith("| `")
    ]
    return [row for row in rows if LABEL.fullmatch(row[0])]


def test_import_contracts_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_label_in_core_is_in_the_index() -> None:
    used = {label for path in CORE for label in LABEL.findall(path.read_text(encoding="utf-8"))}
    assert used - {row[0] for row in index_rows()} == set()


def test_every_index_row_names_a_label_of_the_paper_that_core_uses() -> None:
    used = {label for path in CORE for label in LABEL.findall(path.read_text(encoding="utf-8"))}
    for label, *_ in index_rows():
        assert label in PAPER_LABELS, f"{label} is not in the paper"
        assert label in used, f"{label} is in the index but no docstring of core names it"


@pytest.mark.parametrize("row", index_rows(), ids=lambda row: f"{row[0]}->{row[1]}")
def test_index_points_at_existing_code_and_tests(row: list[str]) -> None:
    label, function, test = row
    module, _, name = function.rpartition(".")
    path = ROOT / (module.replace(".", "/") + ".py")
    owner = None
    if not path.exists():  # module.Class.method
        module, _, owner = module.rpartition(".")
        path = ROOT / (module.replace(".", "/") + ".py")
    assert path.exists(), f"{label}: no module for {function}"
    defined = {
        n.name
        for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(n, (ast.FunctionDef, ast.ClassDef))
    }
    assert name in defined, f"{label}: {function} is not defined in {path.relative_to(ROOT)}"
    assert owner is None or owner in defined
    assert label in path.read_text(encoding="utf-8"), f"{path.relative_to(ROOT)} does not cite {label}"
    text = (ROOT / test).read_text(encoding="utf-8")
    assert name in text or (owner or name) in text, f"{test} does not use {name}"


def test_every_decision_has_a_record() -> None:
    text = (ROOT / "docs" / "DECISIONS.md").read_text(encoding="utf-8")
    recorded = set(re.findall(r"^## (D\d+)\b", text, re.M))
    assert recorded == {f"D{i}" for i in range(1, 22)}


def test_decisions_named_in_code_exist() -> None:
    named = {d for path in CORE for d in re.findall(r"\bD(\d{1,2})\b", path.read_text(encoding="utf-8"))}
    assert {int(d) for d in named} <= set(range(1, 22))


def test_no_loose_ends() -> None:
    own = [
        p
        for folder in ("core", "app", "tests", "benchmarks")
        for p in (ROOT / folder).rglob("*.py")
        if p != Path(__file__)
    ]
    marks = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b|mark\.(?:skip|xfail)|pytest\.skip\(")
    assert [str(p.relative_to(ROOT)) for p in own if marks.search(p.read_text(encoding="utf-8"))] == []


def test_the_project_stands_alone() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    text_files = [
        f
        for f in files
        if f.endswith((".py", ".md", ".yaml", ".yml", ".toml", ".txt", ".ipynb")) or f in ("Makefile", ".ci/run")
    ]
    here = Path(__file__).name
    bad = [
        f
        for f in text_files
        if not f.endswith(here)
        and re.search(r"\.\./shared|/work/(shared|main|brief)", (ROOT / f).read_text(encoding="utf-8"))
    ]
    assert bad == []
