"""Every exercise can be failed and solved, and no answer a student may type breaks it."""

import re

import nbformat
import numpy as np
import pytest
from harness import NOTEBOOKS, ROOT

from app.teaching import check, hint
from app.teaching.exercise import EXERCISES, LESSONS, exercise
from app.teaching.feedback import typed
from core.errors import SafeExplorerError


def asked() -> list[str]:
    """Ids of the exercises in the notebooks."""
    found = []
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, 4).cells:
            if "-answer-" in cell.id:
                lesson, _, number = cell.id.removeprefix("lesson-").partition("-answer-")
                id = f"{lesson}.{number}"
                found.append(id)
                if "your-code" in cell.metadata.get("tags", []):
                    name = re.match(r"(?:def|class) (\w+)", cell.source)[1]
                    assert cell.source.endswith(f'return ...  # your lines here\n\n\ncheck("{id}", {name})'), (
                        "a stub that says nothing"
                    )
                else:
                    assert cell.source == f'answer = None\ncheck("{id}", answer)'
    return found


pytestmark = pytest.mark.xdist_group("exercises")  # answers are cached in one process

IDS = asked()
each = pytest.mark.parametrize("id", IDS)


def test_every_exercise_is_asked() -> None:
    for id in IDS:
        exercise(id)
    assert sorted(EXERCISES) == sorted(IDS)
    assert {i[:2] for i in IDS} == set(LESSONS)


@each
def test_can_be_solved_and_failed(id: str) -> None:
    e = exercise(id)
    right = check(id, e.answer())
    assert right.right is True, right
    assert e.praise in str(right)
    for trap in e.traps:
        mark = check(id, trap.answer())
        assert mark.right is False, f"{id}: the typical mistake {trap.answer()} counts as right"
        assert trap.reply in str(mark)
    blank = check(id)
    assert blank.right is None
    assert e.matcher.form in str(blank)
    assert e.trains


@each
def test_every_exercise_has_three_hints(id: str) -> None:
    e = exercise(id)
    assert len(set(e.hints)) == 3
    assert all(len(text) > 8 for text in e.hints)
    asked = check(id)
    for stage, name in enumerate(("Nudge", "Method", "Nearly there"), start=1):
        asked.hint()
        assert hint(id, stage) == f"{name}: {e.hints[stage - 1]}"


@each
def test_a_wrong_answer_gets_the_nudge_or_its_own_reply(id: str) -> None:
    e = exercise(id)
    for wrong in wrong_answers(id):
        mark = check(id, wrong)
        assert mark.right is False
        assert e.hints[0] in str(mark) or any(t.reply in str(mark) for t in e.traps) or "shipped" in str(mark)


def wrong_answers(id: str) -> list[object]:
    """Answers of the right form with the wrong content."""
    e = exercise(id)
    if id.startswith("08") and not e.matcher.typed:
        from core.simulation import POLICIES

        return [POLICIES["Fixed-Service"]]
    if not e.matcher.typed:
        return [lambda *_: 7.0]
    right = e.matcher.read(e.answer())
    if isinstance(right, frozenset):
        return [[*sorted(right), 99], []]
    return [right * 2 + 7]


@each
def test_no_answer_is_a_mere_yes_or_no(id: str) -> None:
    """A number, a list or code: nothing that a second try must get right."""
    e = exercise(id)
    assert not e.matcher.typed or not isinstance(e.matcher.read(e.answer()), (bool, str))


@each
@pytest.mark.parametrize("nonsense", ["nonsense", float("nan"), [], {}, object(), [1, "x"], np.zeros((2, 2)), print])
def test_nonsense_gets_a_sentence(id: str, nonsense: object) -> None:
    mark = check(id, nonsense)
    assert mark.right is False
    assert len(str(mark)) > 20


def test_answers_typed_into_the_box() -> None:
    blank = check("02.3")
    blank.box.value = "5"
    blank.submit()
    assert blank.right is True
    assert "Right" in blank._line.html
    blank.box.value = "7"
    blank.submit()
    assert blank.right is False
    blank.box.value = "  "
    blank.submit()
    assert blank.right is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        (" 0.3 ", 0.3),
        ("1, 3", (1, 3)),
        ("[0, 2]", [0, 2]),
        ("SAFE", "SAFE"),
        ("", None),
    ],
)
def test_typed_text_is_read(text: str, value: object) -> None:
    assert typed(text) == value


def test_typed_text_never_runs_code() -> None:
    assert typed("__import__('os').getcwd()") == "__import__('os').getcwd()"


def test_the_teachers_page_lists_what_each_exercise_trains() -> None:
    page = (ROOT / "docs" / "TEACHING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d\d\.\d) \| (.+) \|$", page, re.M))
    assert rows == {id: exercise(id).trains for id in IDS}


def test_an_unknown_exercise_is_explained() -> None:
    with pytest.raises(SafeExplorerError, match=r"There is no exercise '02\.9'"):
        check("02.9", 1)
    with pytest.raises(SafeExplorerError, match="ids look like"):
        check("nothing", 1)
