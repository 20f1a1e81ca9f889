"""Compile and solve once per process, before the first visitor waits for it."""

from __future__ import annotations

import functools
import logging

from app.panel_fixes.full_collections import spare_what_stays
from app.picture import compute
from app.state import State
from app.tabs.reproduction.tables import shipped_tables
from core.errors import SafeExplorerError

log = logging.getLogger("app")


@functools.cache
def warm_up() -> None:
    """Compute the default picture and everything the first page shows."""
    try:
        picture = compute(State())
        _ = picture.focus.sentence, picture.focus.distinct, picture.instant.next_useful
        picture.flight.reach(picture.flight.cycles)  # the first visitor to move the cycle need not fly
        shipped_tables()
    except SafeExplorerError as error:
        log.warning("What the page shows first cannot be computed: %s", error)
    spare_what_stays()
