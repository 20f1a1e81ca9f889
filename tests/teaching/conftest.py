"""What the tests of the lessons share."""

import nbformat
import pytest
from harness import NOTEBOOKS


@pytest.fixture(scope="session")
def notebook_sources() -> str:
    """All cells of all notebooks."""
    return "\n".join(c.source for path in NOTEBOOKS for c in nbformat.read(path, 4).cells)
