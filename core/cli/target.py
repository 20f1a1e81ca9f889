"""Where a command writes: found out before the work, not after it."""

from __future__ import annotations

from pathlib import Path

from core.errors import SafeExplorerError


def writable_folder(path: Path) -> Path:
    """The folder, made when missing; SafeExplorerError when nothing can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SafeExplorerError(f"Nothing can be written in {path} ({_reason(error)}); give another --out.") from error
    return path


def writable_file(path: Path) -> Path:
    """The file, in a folder that exists; SafeExplorerError when it cannot be written."""
    if path.name in ("", "..") or path.is_dir():
        raise SafeExplorerError(f"--out '{path}' is a folder; give the name of a file.")
    writable_folder(path.parent)
    return path


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
