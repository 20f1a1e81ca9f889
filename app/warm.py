"""Compile and solve once per process, before the first visitor waits for it."""

from __future__ import annotations

import functools
import gc
import logging

from app.picture import compute
from app.state import State
from app.views.reproduction import shipped_tables
from core.errors import SafeExplorerError

log = logging.getLogger("app")


@functools.cache
def warm_up() -> None:
    """Compute the default picture and everything the first page shows."""
    try:
        picture = compute(State())
        _ = picture.chain, picture.distinct_actions, picture.next_useful
        picture.instant.flight.reach(picture.instant.flight.cycles)  # the first visitor to move the cycle need not fly
        shipped_tables()
    except SafeExplorerError as error:
        log.warning("What the page shows first cannot be computed: %s", error)
    # What lives as long as the server (libraries, compiled kernels, tables) need not be searched for garbage again and again:
    # a full collection took 0.15 s, in which no page was served, and Panel asks for one whenever a page closes.
    gc.collect()
    gc.freeze()
