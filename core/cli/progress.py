"""A progress bar for work that counts its pieces."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def progress_bar(unit: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr; what it gives is called with (pieces done, pieces in all).

    Args:
        unit: what a piece is called.
        quiet: show nothing.
    """
    with tqdm(unit=unit, dynamic_ncols=True, file=sys.stderr, disable=quiet) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
