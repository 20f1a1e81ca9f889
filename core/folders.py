"""Where the project keeps what it ships and what its users make, and how a file is written there."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[1]
"""What holds `core` and `app`: the repository, or site-packages."""


def shipped_in(packages: Path) -> Path:
    """What holds `data`, `docs` and `notebooks`: the repository itself, or where setup.py puts them in a wheel."""
    installed = packages / "safe_explorer"
    return installed if (installed / "data").is_dir() else packages


def made_in(packages: Path) -> Path:
    """Where results go unless told: beside the repository's own folders, else where this user's programs keep data."""
    if shipped_in(packages) == packages:
        return packages / "results"
    return Path(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")) / "safe-explorer"


PAGE = PACKAGES / "app"
"""What `panel serve` is given."""
DATA = shipped_in(PACKAGES) / "data"
"""What is shipped: presets, calibrations, results."""
DOCS = shipped_in(PACKAGES) / "docs"
"""The documents, as Markdown."""
NOTEBOOKS = shipped_in(PACKAGES) / "notebooks"
"""The lessons."""
CITATION = shipped_in(PACKAGES) / "CITATION.cff"
"""How to cite the software and the paper."""
RESULTS = Path(os.environ.get("SAFE_EXPLORER_RESULTS") or made_in(PACKAGES))
"""Studies and calibrations made here; the dashboard and the command line find each other's."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the target and rename: a reader, or a kill at any moment, never sees half a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
