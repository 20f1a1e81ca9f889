"""What keeps the whole in shape: import contracts, the equation index, decisions, no loose ends."""

import ast
import re
import subprocess
import sys
import tomllib
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


def source_of(function: str) -> str | None:
    """The source of `package.module.function`, `….Class` or `….Class.method`; None where there is no such object."""
    parts = function.split(".")
    for i in range(len(parts) - 1, 0, -1):
        path = ROOT.joinpath(*parts[:i]).with_suffix(".py")
        if path.exists():
            break
    else:
        return None
    text = path.read_text(encoding="utf-8")
    node: ast.AST = ast.parse(text)
    for name in parts[i:]:
        found = [n for n in ast.iter_child_nodes(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
        inside = [n for n in found if n.name == name]
        if not inside:
            return None
        node = inside[0]
    return ast.get_source_segment(text, node)


def identifiers(path: Path) -> set[str]:
    """Names that the code of a file imports, calls or reads; words of its comments and texts are none."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return (
        {n.id for n in nodes if isinstance(n, ast.Name)}
        | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        | {n.name for n in nodes if isinstance(n, ast.alias)}
    )


@pytest.mark.parametrize("row", index_rows(), ids=lambda row: f"{row[0]}->{row[1]}")
def test_index_points_at_code_that_cites_the_label_and_a_test_that_uses_it(row: list[str]) -> None:
    """The object itself cites the label, not just its file, and the test's code names the object."""
    label, function, test = row
    source = source_of(function)
    assert source is not None, f"{label}: there is no {function}"
    assert label in LABEL.findall(source), f"{function} does not cite {label}; name the function that does"
    assert function.rpartition(".")[2] in identifiers(ROOT / test), f"{test} does not use {function}"


def test_the_index_check_looks_inside_objects() -> None:
    assert "lem:mode-order" in (source_of("core.control.factors.close_order") or "")
    assert "lem:mode-order" not in (source_of("core.control.factors.contraction_factors") or "lem:mode-order")
    assert source_of("core.control.factors.nothing") is None
    assert source_of("core.nothing.close_order") is None
    assert "Whether V ≤ V_max" in (source_of("core.control.domain.AdmissibleDomain.below_top") or "")


def test_stages_side_by_side_are_independent() -> None:
    """In a layers contract "a : b" lets a and b import each other; "a | b" does not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert "core.control | core.twin" in layers
    assert not [layer for layer in layers if ":" in layer]


def test_a_tab_is_a_folder_with_a_view_and_what_it_draws() -> None:
    tabs = [p for p in (ROOT / "app" / "tabs").iterdir() if p.is_dir() and p.name != "__pycache__"]
    assert len(tabs) >= 7
    for tab in tabs:
        assert (tab / "view.py").exists(), tab.name
        assert (tab / "figure.py").exists() or (tab / "tables.py").exists(), tab.name


def test_no_module_of_the_page_has_the_name_of_a_standard_one() -> None:
    names = {p.stem for p in (ROOT / "app").rglob("*.py")} - {"__init__"}
    assert names & sys.stdlib_module_names == set()


def test_every_decision_has_a_record() -> None:
    text = (ROOT / "docs" / "DECISIONS.md").read_text(encoding="utf-8")
    recorded = set(re.findall(r"^## (D\d+)\b", text, re.M))
    assert recorded >= {f"D{i}" for i in range(1, 28)}


def test_decisions_named_in_code_exist() -> None:
    named = {d for path in CORE for d in re.findall(r"\bD(\d{1,2})\b", path.read_text(encoding="utf-8"))}
    text = (ROOT / "docs" / "DECISIONS.md").read_text(encoding="utf-8")
    assert named <= set(re.findall(r"^## D(\d+)\b", text, re.M))


def test_no_loose_ends() -> None:
    own = [
        p
        for folder in ("core", "app", "tools", "tests", "benchmarks")
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
