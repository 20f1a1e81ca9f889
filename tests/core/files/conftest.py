"""Every test has a store of its own."""

import pytest

from core import folders


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "RESULTS", tmp_path / "results")
    return tmp_path / "results" / "files"
