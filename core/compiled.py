"""Where compiled kernels are kept: one folder per state of their sources.

Numba's cache notices a change in the file of a kernel, but not in a file whose scalars the kernel calls: after an update a
kernel would go on with an old formula. So the folder's name is a digest of every source with a kernel in it. It lies beside
the sources; where these are read-only in the user's cache folder, else in a temporary one; where nothing can be written,
every process compiles for itself.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
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


def choose_folder(root: Path = HERE) -> Path | None:
    """The folder of this state of the sources in the first place that can be written; None where there is no such place.

    Folders of states long gone are removed.
    """
    name = f"{PREFIX}{sources_digest(root)}"
    for cache in _places(root):
        mine = cache / name
        if _writable(mine):
            others = [p for p in cache.glob(f"{PREFIX}*") if p != mine]
            for old in sorted(others, key=lambda p: p.stat().st_mtime, reverse=True)[KEPT:]:
                shutil.rmtree(old, ignore_errors=True)
            return mine
    return None


def keep_kernels() -> None:
    """Tell numba where to keep its kernels, unless the user has told it (NUMBA_CACHE_DIR)."""
    given = os.environ.get("NUMBA_CACHE_DIR", "")
    # ours may come from a parent process with older sources
    if given and not Path(given).name.startswith(PREFIX) and _writable(Path(given)):
        return
    folder = choose_folder()
    if folder is None:
        _keep_none()
    elif (numba := sys.modules.get("numba")) is not None:
        numba.config.CACHE_DIR = str(folder)
    else:
        os.environ["NUMBA_CACHE_DIR"] = str(folder)


def _places(root: Path) -> Iterator[Path]:
    yield root / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "safe-explorer"
    try:
        yield _own_temporary()
    except OSError:  # not even that: nothing on this machine can be written
        return


def _own_temporary() -> Path:
    """A folder for temporary files that only this user can write: numba runs what it finds in its cache."""
    own = Path(tempfile.gettempdir()) / f"safe-explorer-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    own.mkdir(mode=0o700, exist_ok=True)
    found = own.lstat()
    if hasattr(os, "getuid") and not (
        stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    ):
        return Path(tempfile.mkdtemp(prefix="safe-explorer-"))  # somebody else's: for this process alone
    return own


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _keep_none() -> None:
    """Numba refuses to compile what is declared with cache=True and cannot be kept; so it is told to keep nothing."""
    from numba.core.dispatcher import Dispatcher

    Dispatcher.enable_caching = lambda self: None  # type: ignore[method-assign]
