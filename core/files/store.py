"""Files that belong to a scenario, kept by their content: a changed file is another name, hence another scenario (D27)."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from core import folders
from core.errors import OwnFileError

MAX_BYTES = 64_000_000
"""Largest file that is read; a minute of fifty UAVs with all their links is a third of it."""
_STORED = re.compile(r"[0-9a-f]{16}\.csv")


def is_stored_name(text: str) -> bool:
    """Whether a text looks like the name of a kept file: sixteen digits of its content's hash, and .csv."""
    return _STORED.fullmatch(text) is not None


def keep(content: bytes) -> str:
    """Put a table into the store and return its name; the same content has the same name everywhere."""
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.csv"
    path = _path(name)
    if not path.is_file():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.write_atomically(path, content)
        except OSError as error:
            raise OwnFileError(
                f"The file cannot be kept in {path.parent} ({error.strerror}); make that folder writable, or set "
                "SAFE_EXPLORER_RESULTS to one that is."
            ) from error
    return name


def kept(name: str, what: str) -> bytes:
    """Content of a kept file.

    Args:
        name: see `is_stored_name`.
        what: of the file, for the message when it is not here.
    """
    try:
        return _path(name).read_bytes()
    except OSError as error:
        raise OwnFileError(
            f"The {what} {name} is not on this computer: its name says what is in it, not where it is. Load the original "
            f"file here once (upload it, or name its path in a scenario file), or copy {name} into {_path(name).parent}."
        ) from error


def check_kept(name: str, what: str) -> None:
    """OwnFileError unless the file is here."""
    if not _path(name).is_file():
        kept(name, what)


def read_path(path: Path, what: str) -> bytes:
    """Content of a file that somebody named, refused in words when there is none or it is too large."""
    try:
        if not path.is_file():
            raise OwnFileError(
                f"There is no {what} at {str(path)[-200:]!r}{_begun(path)}; check the name and the folder."
            )
        if path.stat().st_size > MAX_BYTES:
            raise OwnFileError(_too_large(path.name, path.stat().st_size))
        return path.read_bytes()
    except OSError as error:
        raise OwnFileError(f"The {what} {str(path)[-200:]!r} cannot be read: {error.strerror}.") from error


def check_size(name: str, content: bytes) -> None:
    """Refuse what is empty or too large to be read."""
    if len(content) > MAX_BYTES:
        raise OwnFileError(_too_large(name, len(content)))
    if not content.strip():
        raise OwnFileError(f"{name} is empty; docs/FILES.md shows what belongs into it.")


def _too_large(name: str, size: int) -> str:
    return (
        f"{name} has {size / 1e6:.0f} MB and a file may have {MAX_BYTES / 1e6:.0f} MB; shorten it, or leave out columns "
        "and rows between control periods."
    )


def _begun(path: Path) -> str:
    """Where a relative path begins, in words."""
    return "" if path.is_absolute() else f" in the folder {str(Path.cwd())[-200:]!r}"


def _path(name: str) -> Path:
    return folders.RESULTS / "files" / name
