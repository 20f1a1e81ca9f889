"""Every notebook runs top to bottom in a kernel of its own, and what is committed holds no output."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from harness import NOTEBOOKS, ROOT
from nbclient import NotebookClient

LIMIT_S = 600
"""A kernel that hangs is stopped; far above what any notebook needs."""

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def cells(path: Path, kind: str) -> list[nbformat.NotebookNode]:
    return [c for c in nbformat.read(path, 4).cells if c.cell_type == kind]


def test_there_are_eight_lessons() -> None:
    assert [p.name[:2] for p in NOTEBOOKS] == [f"{i:02d}" for i in range(8)]


@each
def test_runs(path: Path) -> None:
    nb = nbformat.read(path, 4)
    NotebookClient(nb, timeout=LIMIT_S, kernel_name="python3").execute(cwd=str(path.parent))
    outputs = [o for c in nb.cells if c.cell_type == "code" for o in c.outputs]
    assert not [o for o in outputs if o.output_type == "error"]
    assert not [o.text for o in outputs if o.output_type == "stream"], (
        "printed text and warnings are lost in a served page"
    )
    live = next(c for c in nb.cells if c.id.endswith("-live"))
    assert any("application/vnd.holoviews_exec.v0+json" in o.get("data", {}) for o in live.outputs), (
        "the explorer is not shown"
    )


@each
def test_outputs_are_stripped(path: Path) -> None:
    for cell in cells(path, "code"):
        assert cell.outputs == []
        assert cell.execution_count is None


@each
def test_cells_are_stable_and_short(path: Path) -> None:
    nb = nbformat.read(path, 4)
    nbformat.validate(nb)
    ids = [c.id for c in nb.cells]
    assert len(set(ids)) == len(ids)
    assert all(i.startswith(f"lesson-{path.name[:2]}-") for i in ids)
    assert max(len(c.source.splitlines()) for c in nb.cells if c.cell_type == "code") <= 16


@each
def test_nothing_reusable_is_defined(path: Path) -> None:
    for cell in cells(path, "code"):
        if "your-code" in cell.metadata.get("tags", []):  # the policy that lesson 07 teaches to write
            continue
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        assert not [n.name for n in ast.walk(ast.parse(cell.source)) if isinstance(n, kinds)], cell.id


@each
def test_has_goals_live_part_exercises_and_summary(path: Path) -> None:
    nb = nbformat.read(path, 4)
    lesson = path.name[:2]
    ids = [c.id.removeprefix(f"lesson-{lesson}-") for c in nb.cells]
    assert ids[:2] == ["goals", "start"]
    assert ids[-1] == "summary"
    assert "live" in ids
    assert sum(i.startswith("answer-") for i in ids) in (3, 4)
    text = "\n".join(c.source for c in nb.cells if c.cell_type == "markdown")
    assert "**After this lesson you can**" in text
    assert "> " in text or lesson in ("06", "07"), "an equation is quoted"


@each
def test_markup_survives_panel_serve(path: Path) -> None:
    """Panel pastes markdown into a plain string literal: a backslash would turn "beta" into a backspace."""
    for cell in cells(path, "markdown"):
        assert "\\" not in cell.source, cell.id
        assert "$" not in cell.source, cell.id


def test_prose_names_only_labels_of_the_paper() -> None:
    known = set((ROOT / "tests" / "data" / "paper_labels.txt").read_text().split())
    label = re.compile(r"\b((?:eq|prop|lem):[a-z0-9]+(?:-[a-z0-9]+)*)")
    for path in NOTEBOOKS:
        for cell in cells(path, "markdown"):
            assert set(label.findall(cell.source)) <= known, cell.id
