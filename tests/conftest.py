"""One deterministic Hypothesis profile for the whole suite, and the folders that `make check` leaves to `make test`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("deterministic")

HERE = Path(__file__).parent
SLOW = ("browser", "notebooks", "paper", "teaching")
"""Folders whose tests take minutes together: real browsers and notebooks, whole missions."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in a slow folder; single slow tests elsewhere carry the mark themselves."""
    for item in items:
        if item.path.relative_to(HERE).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)
