"""What the tests of work beside the page share."""

import math

import pytest

from app.jobs import page_work


@pytest.fixture(autouse=True)
def nothing_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a cycle takes longer, and the page would ask; tests about asking set their own limit."""
    monkeypatch.setattr(page_work, "ASK_S", math.inf)
