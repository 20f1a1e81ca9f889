"""Where the project keeps what it ships and what its users make, and how a file is written there."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
"""What is shipped (the project is installed in place, `pip install -e .`)."""

RESULTS = Path(os.environ.get("SAFE_EXPLORER_RESULTS", DATA.parent / "results"))
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
