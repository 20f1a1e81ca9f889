"""The results that come with the repository, read once per process."""

from __future__ import annotations

import functools
from pathlib import Path

from core.studies.reproduction import FOLDER, Reproduction


@functools.lru_cache(maxsize=2)
def shipped(folder: Path = FOLDER) -> Reproduction:
    """The reproduction that comes with the repository."""
    return Reproduction.load(folder)
