"""At most one writer per study folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from core.errors import StudyError


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, or raise StudyError naming the process that holds it.

    The kernel drops the lock when its holder dies, however it dies, so the file a killed run leaves behind is taken
    over by the next one; the process number inside is for the message only.
    """
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 64, 0).decode(errors="replace").strip() or "unknown"
            raise StudyError(
                f"{folder} is being written by process {holder}; wait for it, stop it, or choose another --out."
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
