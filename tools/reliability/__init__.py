"""`python -m tools.reliability`: every promise about reliability as a check with its figure (docs/RELIABILITY.md)."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]  # the tests' servers, browsers and visitors
