"""Plug-in files as users write them, and a process that has loaded none of them before and after a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.plugins import in_use, use_exactly

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "largest_error.py"

BROKEN = """from core.simulation import Decision, Policy, register


@register
class {kind}(Policy):
    "Flies three cycles, then not."

    name = "{name}"

    def decide(self, view):
        import numpy as np

        none = Decision.of(np.full(len(view.states), -1))
        if view.k < 3:
            return none
        {line}
"""


def broken(path: Path, name: str, line: str) -> Path:
    """A plug-in whose policy does something wrong in cycle 3."""
    path.write_text(BROKEN.format(kind="Broken", name=name, line=line), encoding="utf-8")
    return path


@contextmanager
def as_before() -> Iterator[None]:
    """Afterwards the plug-ins in use are those of before."""
    before = in_use()
    try:
        yield
    finally:
        use_exactly(before)
