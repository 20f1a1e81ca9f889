"""One deterministic Hypothesis profile for the whole suite, the folders that `make check` leaves to `make test`, one server."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from harness import Server

settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("deterministic")

RESULTS = tempfile.mkdtemp(prefix="safe-explorer-results-")
"""What the tests of one worker, and the servers and commands they start, make and calibrate: no other worker finds it."""
os.environ["SAFE_EXPLORER_RESULTS"] = RESULTS
atexit.register(shutil.rmtree, RESULTS, ignore_errors=True)

HERE = Path(__file__).parent
SLOW = ("browser", "fuzz", "notebooks", "paper", "teaching")
"""Folders whose tests take minutes together: real browsers and notebooks, whole missions, thousands of damaged files."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in a slow folder; single slow tests elsewhere carry the mark themselves."""
    for item in items:
        if item.path.relative_to(HERE).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def server() -> "Iterator[Server]":
    """The dashboard's server, for every test that visits it."""
    from harness import running_app  # here because only few tests need it, and it brings a browser's library

    with running_app() as found:
        yield found
