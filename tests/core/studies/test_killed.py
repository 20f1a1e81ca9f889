"""kill -9 of a study after its first record, and again while it is resumed: the same bytes as if nothing had happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from killed_study import kill_and_resume


@pytest.mark.slow
def test_killed_twice_and_resumed_it_has_the_same_bytes(tmp_path: Path) -> None:
    outcome = kill_and_resume(tmp_path, kills=2, trials=5, seed=3)
    assert outcome.kills
    assert all(0 < n < outcome.total for n in outcome.kills), "a kill came too early or too late"
    assert outcome.differing == ()
