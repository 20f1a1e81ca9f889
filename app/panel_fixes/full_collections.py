"""A repair of Panel 1.9: full garbage collections come in quiet moments.

A full collection looks at every object of every open page, 0.2 s with two dozen of them, in which no page is served, and frees what
closed pages have left: thirty that were closed at once take more than a second. Python starts one whenever much is new, while
visitors open pages and while they move sliders, and Panel asks for one whenever a page closes. Here what Panel asks for, and what
has piled up, waits for a moment in which nobody needs the process. What lives as long as the server is never looked at, and
memory that a collection has freed goes back to the system.
"""

from __future__ import annotations

import asyncio
import ctypes
import functools
import gc

from panel.io import document

from app.calm import calm

NEVER = 1_000_000
"""Collections of the middle generation after which Python would start a full one by itself."""
MANY = 100
"""Collections of the middle generation after which a full one is due; Python's own figure is 10."""
TOO_MANY = 2 * MANY
"""After so many it waits no longer."""
LOOK_S = 1.0
"""How often it is looked whether one is due [s]."""
GAP_S, GAP_SHARE = 0.3, 0.15
"""A quiet moment: so long, with so much of it spent on work at the most [s, -]; a few users who move sliders leave many."""
PATIENCE_S = 300.0
"""How long a collection that is due waits for one [s]."""
MOST_CLOSED = 60
"""Closed pages that wait for a collection at the most: 0.2 GB."""


def spare_what_stays() -> None:
    """What lives as long as the server need not be searched for garbage again; called once it is all there."""
    gc.collect()
    gc.freeze()


class QuietCollections:
    """The full collections of one process."""

    def __init__(self) -> None:
        self._asked = False
        self.closed = 0
        """Pages closed since the last one."""
        self.done = 0
        """How many there have been."""

    def ask(self) -> None:
        """Say that a collection would free something."""
        self._asked = True

    @property
    def due(self) -> bool:
        """Whether somebody has asked, or much is new since the last one."""
        return self._asked or gc.get_count()[2] >= MANY

    @property
    def urgent(self) -> bool:
        """Whether so much waits for it that it cannot wait for a quiet moment."""
        return self.closed >= MOST_CLOSED or gc.get_count()[2] >= TOO_MANY

    async def keep(self) -> None:
        """Collect whenever it is due, in quiet moments."""
        while True:
            await asyncio.sleep(LOOK_S)
            if self.due:
                await calm(PATIENCE_S, GAP_S, GAP_SHARE, or_else=lambda: self.urgent)
                self.collect()

    def collect(self) -> None:
        """Collect now."""
        self._asked, self.closed = False, 0
        gc.collect()
        give_back_memory()
        self.done += 1


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library can; other threads go on meanwhile."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):  # not glibc
        return


COLLECTIONS = QuietCollections()
"""Those of this process."""


@functools.cache
def collect_in_quiet_moments() -> asyncio.Task[None]:
    """From now on, full collections wait for quiet moments. Once per process, on its event loop."""
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, NEVER)
    document._garbage_collect = COLLECTIONS.ask
    return asyncio.create_task(COLLECTIONS.keep())


def count_closed_page() -> None:
    """Say that a page has been closed, whose objects wait for a collection."""
    COLLECTIONS.closed += 1
