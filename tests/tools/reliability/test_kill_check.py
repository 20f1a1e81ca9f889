"""A study of another tree that cannot be killed as the check does it."""

from __future__ import annotations

from pathlib import Path

import pytest
from killed_study import Outcome

from tools.reliability import kill_check
from tools.reliability.tree import Tree


def study(monkeypatch: pytest.MonkeyPatch, found: Outcome | AssertionError) -> None:
    def run(*_: object, **__: object) -> Outcome:
        if isinstance(found, AssertionError):
            raise found
        return found

    monkeypatch.setattr(kill_check, "kill_and_resume", run)


def test_a_command_that_does_not_know_its_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(monkeypatch, AssertionError("usage: …\npython -m core: error: unrecognized arguments: --seed-start 100\n"))
    found = kill_check.killed(Tree(tmp_path))
    assert found.said.endswith("does not take what the check gives it (unrecognized arguments: --seed-start 100)")
    assert found.passed is None
    with pytest.raises(AssertionError, match="unrecognized"):
        kill_check.killed(Tree())


def test_a_damaged_record_is_a_failure_of_any_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(monkeypatch, AssertionError("error: the record is damaged"))
    with pytest.raises(AssertionError, match="damaged"):
        kill_check.killed(Tree(tmp_path))


def test_a_study_without_records_where_the_check_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study(monkeypatch, Outcome((), 240, ()))
    assert kill_check.killed(Tree(tmp_path)).passed is None
    assert kill_check.killed(Tree()).passed is False
