"""A file of runs and a page of their own: no test touches those of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.reliability import page, runs


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which figures are added; there is none yet."""
    monkeypatch.setattr(runs, "FILE", tmp_path / "runs.jsonl")
    return runs.FILE


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page, with nothing between its marks."""
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text(f"# Head\n\n{page.BEGIN}\nnothing\n{page.END}\n\n## Tail\n", encoding="utf-8")
    return page.PAGE
