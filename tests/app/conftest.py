"""A small swarm on a short mission, for the tests of the page."""

import pytest
from opened import session

from app.session import Session


@pytest.fixture
def small() -> Session:
    return session(uavs=8, slots=40, duration_s=3.0)
