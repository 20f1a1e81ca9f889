"""Every notebook runs top to bottom in a kernel of its own, and what is committed holds no output."""

import ast
import html
import re
from pathlib import Path

import nbformat
import pytest
from harness import NOTEBOOKS, ROOT
from nbclient import NotebookClient

from app.teaching.exercise import exercise

LIMIT_S = 600
"""A kernel that hangs is stopped; far above what any notebook needs."""

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def cells(path: Path, kind: str) -> list[nbformat.NotebookNode]:
    return [c for c in nbformat.read(path, 4).cells if c.cell_type == kind]


def test_there_are_nine_lessons() -> None:
    assert [p.name[:2] for p in NOTEBOOKS] == [f"{i:02d}" for i in range(9)]


@each
def test_runs(path: Path) -> None:
    nb = nbformat.read(path, 4)
    NotebookClient(nb, timeout=LIMIT_S, kernel_name="python3").execute(cwd=str(path.parent))
    outputs = [o for c in nb.cells if c.cell_type == "code" for o in c.outputs]
    assert not [o for o in outputs if o.output_type == "error"]
    assert not [o.text for o in outputs if o.output_type == "stream"], (
        "printed text and warnings are lost in a served page"
    )
    for cell in nb.cells:
        if cell.id.split("-")[2] == "formula":
            assert "text/latex" in cell.outputs[0].data, cell.id
    given_away = written_answers(path.name[:2], nb)
    assert not given_away, f"the lesson's own tables and sentences hold the answers of {given_away}"
    live = next(c for c in nb.cells if c.id.endswith("-live"))
    assert any("application/vnd.holoviews_exec.v0+json" in o.get("data", {}) for o in live.outputs), (
        "the explorer is not shown"
    )


def written_answers(lesson: str, nb: nbformat.NotebookNode) -> list[str]:
    """Exercises whose answer, a number with a point, stands in what the cells have written: tables and sentences."""
    outputs = [o for c in nb.cells if c.cell_type == "code" for o in c.outputs if "text/html" in o.get("data", {})]
    pages = [html.unescape(o.data["text/html"].encode().decode("unicode_escape", "ignore")) for o in outputs]
    texts = [t for page in pages for t in re.findall(r"<(?:td|p|caption)\b[^>]*>([^<]*)<", page)]
    written = " ".join(texts).replace("−", "-").replace("−".encode().decode("latin-1"), "-")
    numbers = [float(x) for x in re.findall(r"(?<![\w.])[-+]?\d+\.\d+(?![\w.])", written)]
    assert numbers or lesson == "08", "nothing was found: has the form of the output changed?"
    asked = [exercise(f"{lesson}.{c.id[-1]}") for c in nb.cells if "-answer-" in c.id]
    right = {e.id: e.matcher.read(e.answer()) for e in asked if e.matcher.typed}
    return [
        id
        for id, value in right.items()
        if isinstance(value, float) and any(exercise(id).matcher.same(x, value) for x in numbers)
    ]


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
        if "your-code" in cell.metadata.get("tags", []):  # what students write
            continue
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        assert not [n.name for n in ast.walk(ast.parse(cell.source)) if isinstance(n, kinds)], cell.id


@each
def test_has_goals_live_part_exercises_and_summary(path: Path) -> None:
    nb = nbformat.read(path, 4)
    lesson = path.name[:2]
    ids = [c.id.removeprefix(f"lesson-{lesson}-") for c in nb.cells]
    assert ids[:2] == ["goals", "start"]
    assert ids[-2:] == ["hand-in", "summary"]
    assert {"live", "glossary"} <= set(ids)
    assert sum(i.startswith("answer-") for i in ids) in (3, 4)
    assert "**After this lesson you can**" in nb.cells[0].source
    if lesson not in ("00", "08"):
        assert any(i.startswith("formula-") for i in ids)


def test_the_teachers_page_has_the_times_of_the_lessons() -> None:
    page = (ROOT / "docs" / "TEACHING.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| \[(\d\d) .+?\| (\d+) min", page, re.M))
    told = {
        p.name[:2]: re.search(r"^\*About (\d+) minutes", cells(p, "markdown")[0].source, re.M)[1] for p in NOTEBOOKS
    }
    assert listed == told


@each
def test_students_use_what_a_researcher_uses(path: Path) -> None:
    """Of the course's own modules a notebook takes pictures, checks and toys; flights, instants and certificates are core's."""
    helpers = {
        "app.teaching": None,
        "app.teaching.closed_loop": r"explore_\w+|delay_check|scarcity|lag_line|reproduction_table|full_size_ecdfs|ablation_table",
        "app.teaching.contraction": r"explore_\w+|bars_of|Setting|level_set",
        "app.teaching.instant": r"explore_\w+|ever_sent",
        "app.teaching.knapsack_table": r"explore_\w+",
        "app.teaching.link": r"explore_\w+",
        "app.teaching.one_loop": r"explore_\w+|fly|burst_pattern|lost_cycles",
        "app.teaching.prediction": r"explore_\w+|ranks",
        "app.teaching.studies": r"explore_\w+",
        "app.teaching.timeline": r"\w+_chart",
        "app.teaching.toys": r"[A-Z]+",
    }
    for cell in cells(path, "code"):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app"):
                allowed = helpers[node.module]
                assert all(allowed is None or re.fullmatch(allowed, a.name) for a in node.names), cell.id


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
