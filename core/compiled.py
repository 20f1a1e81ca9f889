"""Where compiled kernels are kept: one folder per state of their sources.

Numba's cache notices a change in the file of a kernel, but not in a file whose scalars the kernel calls: after an update a
kernel would go on with an old formula. So the folder's name is a digest of every source with a kernel in it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
PREFIX = "kernels-"
KEPT = 3
"""Folders of earlier states that stay, for switching back and forth while developing."""


def sources_digest(root: Path = HERE) -> str:
    """A short fingerprint of all sources below a folder that hold kernels."""
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            found.update(str(path.relative_to(root)).encode() + b"\0" + text)
    return found.hexdigest()[:12]


def choose_folder(root: Path = HERE) -> Path:
    """The folder of this state of the sources; folders of states long gone are removed."""
    cache = root / "__pycache__"
    mine = cache / f"{PREFIX}{sources_digest(root)}"
    others = [p for p in cache.glob(f"{PREFIX}*") if p != mine]
    for old in sorted(others, key=lambda p: p.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return mine


def keep_kernels() -> None:
    """Tell numba where to keep its kernels, unless the user has told it (NUMBA_CACHE_DIR)."""
    given = os.environ.get("NUMBA_CACHE_DIR", "")
    if given and not Path(given).name.startswith(PREFIX):  # ours may come from a parent process with older sources
        return
    folder = str(choose_folder())
    if (numba := sys.modules.get("numba")) is not None:
        numba.config.CACHE_DIR = folder
    else:
        os.environ["NUMBA_CACHE_DIR"] = folder
