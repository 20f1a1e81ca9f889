"""Nothing that comes from outside runs as script, wherever it is shown."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Browser
from injection import TEXTS, ran_anywhere, runs_unescaped

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]


def test_script_in_addresses_and_files_never_runs(browser: Browser, server: Any) -> None:
    assert all(runs_unescaped(browser, text) for text in TEXTS[:3]), "the texts are harmless themselves"
    tried, ran = ran_anywhere(browser, server, TEXTS[1:3])
    assert tried > 20
    assert ran == 0
