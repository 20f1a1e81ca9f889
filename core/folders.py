"""Where the project keeps what it ships and what its users make."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
"""What is shipped (the project is installed in place, `pip install -e .`)."""

RESULTS = Path(os.environ.get("SAFE_EXPLORER_RESULTS", DATA.parent / "results"))
"""Studies and calibrations made here; the dashboard and the command line find each other's."""
