"""Hints come in three stages and are counted; what was solved can be handed in, and a changed file is found out."""

import dataclasses
import json
import math
from pathlib import Path

import pytest

from app.teaching import check, hand_in, hint
from app.teaching.collect import main
from app.teaching.feedback import typed
from app.teaching.progress import Progress, progress
from app.teaching.results import checked, results, signature_of, token_of
from core.errors import SafeExplorerError

KEY = "a long secret"


@pytest.fixture(autouse=True)
def nobody_has_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.teaching.progress._kernel", Progress())


def solve() -> None:
    """A student fails, asks for a hint and solves 02.3; writes 02.2; gives up 02.1."""
    check("02.3", 4)
    check("02.3").hint()
    check("02.3", 5)
    check("02.3", 6)
    check("02.2", margin)
    check("02.1", 1)


def margin(scores: list[float], beta: float) -> float:
    """A solution whose source is handed in."""
    rank = math.ceil((len(scores) + 1) * (1 - beta))
    return sorted(scores)[rank - 1] if rank <= len(scores) else math.inf


def test_the_button_gives_one_stage_after_the_other() -> None:
    asked = check("02.3")
    for stage, name in enumerate(("Nudge", "Method", "Nearly there"), start=1):
        asked.hint()
        assert f"{name}: " in asked._line.html
        assert progress().of("02.3").hints == stage
    asked.hint()
    assert asked._line.html.count("Nearly there: ") == 1
    asked.box.value = "5"
    asked.submit()
    assert "Right" in asked._line.html
    assert "Nudge: " in asked._line.html, "what was said stays"


def test_a_negative_number_may_be_copied_from_a_page() -> None:
    assert typed("−0.25") == typed("-0.25") == -0.25


def test_a_hint_in_words_counts_too() -> None:
    assert hint("02.3", 2).startswith("Method: ")
    assert progress().of("02.3").hints == 2
    with pytest.raises(SafeExplorerError, match="1, 2 and 3"):
        hint("02.3", 4)


def test_what_is_counted() -> None:
    solve()
    record = progress().of("02.3")
    assert (record.attempts, record.hints, record.right, record.answer) == (2, 1, True, "5")
    assert progress().of("02.1").right is False
    assert "def margin" in progress().of("02.2").answer


def test_unanswered_cells_leave_no_trace(tmp_path: Path) -> None:
    check("02.1")
    check("02.2", lambda *_: ...)
    assert results("Ann", "", progress())["exercises"] == {}
    hand_in("", "", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_verified_and_judged_again(tmp_path: Path) -> None:
    solve()
    shown = hand_in("Ann Lee", token_of(KEY, "Ann Lee"), tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.name == "hand-in-Ann_Lee-02.json"
    assert file.name in shown.object
    found = checked(file, KEY)
    assert dataclasses.astuple(found) == (
        file.name, "Ann Lee", "good", ("02.2", "02.3"), ("02.3",), (), ("02.2",), 1, 4,
    )  # fmt: skip


@pytest.mark.parametrize("change", ["student", "mark", "token"])
def test_a_changed_file_is_found_out(tmp_path: Path, change: str) -> None:
    solve()
    hand_in("Ann", token_of(KEY, "Bob" if change == "token" else "Ann"), tmp_path)
    (file,) = tmp_path.iterdir()
    content = json.loads(file.read_text())
    if change == "student":
        content["student"] = "Bob"
    if change == "mark":
        content["exercises"]["02.1"]["right"] = True
    file.write_text(json.dumps(content))
    assert checked(file, KEY).signature == "wrong"


def test_a_forged_answer_is_refuted_whatever_its_signature(tmp_path: Path) -> None:
    """A student's kernel can sign anything; a value is judged again by the teacher."""
    solve()
    token = token_of(KEY, "Ann")
    content = results("Ann", token, progress())
    content["exercises"]["02.1"] |= {"right": True, "answer": "12"}
    content["signature"] = signature_of(content, token)
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(content))
    found = checked(file, KEY)
    assert found.signature == "good"
    assert found.refuted == ("02.1",)


def test_without_a_token_a_file_is_unsigned(tmp_path: Path) -> None:
    solve()
    hand_in("Ann", folder=tmp_path)
    assert checked(next(tmp_path.iterdir()), KEY).signature == "unsigned"


def test_the_teachers_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, folder = tmp_path / "key.txt", tmp_path / "in"
    key.write_text(KEY)
    folder.mkdir()
    assert main(["tokens", str(key), "Ann", "=2+2"]) == 0
    tokens = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    solve()
    for name, token in tokens.items():
        hand_in(name, token, folder)
    (folder / "other.json").write_text("[1, 2]")
    assert main(["check", str(key), str(folder)]) == 0
    said = capsys.readouterr()
    head, *rows = said.out.splitlines()
    assert head.startswith("file,student,signature")
    assert sum(",good,02.2 02.3,02.3,,02.2,1,4" in row for row in rows) == 2
    assert ",'=2+2,good" in said.out, "no spreadsheet takes a name for a formula"
    assert "other.json is no file of results" in said.err


@pytest.mark.parametrize(
    "words", [["tokens", "no-such-file", "Ann"], ["check", "EMPTY", "."], ["check", "KEY", "EMPTY-FOLDER"]]
)
def test_the_teachers_mistakes_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (tmp_path / "EMPTY").write_text("")
    (tmp_path / "KEY").write_text(KEY)
    (tmp_path / "EMPTY-FOLDER").mkdir()
    there = [str(tmp_path / w) if (tmp_path / w).exists() and w != "." else w for w in words]
    assert main(there) == 1
    assert len(capsys.readouterr().err) > 20
