"""What a benchmark has found: one figure beside that of a named peer, in one run."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

COLLECT = "SAFE_EXPLORER_FIGURES"
"""Names the file to which figures are added for the table of them all (`make bench`)."""


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Attributes:
        work: what was done.
        size: how much of it.
        ours: what it takes here, in `unit`.
        peer: who did the same, or what is reached for; empty when nobody does.
        theirs: what it takes there.
    """

    work: str
    size: str
    ours: float
    unit: str = "ms"
    peer: str = ""
    theirs: float | None = None

    @property
    def ratio(self) -> str:
        """How many times as much the peer takes."""
        return "" if self.theirs is None or self.ours == 0 else f"{digits(self.theirs / self.ours)} ×"

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The line in words."""
        theirs = "" if self.theirs is None else f"{digits(self.theirs)} {self.unit}"
        peer = f"{self.peer}, {theirs}" if theirs else self.peer
        return self.work, self.size, f"{digits(self.ours)} {self.unit}", peer, self.ratio


def digits(x: float) -> str:
    """Two or three digits that mean something."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def publish(figures: Iterable[Figure]) -> None:
    """Print figures as they come, and add them to the file that collects them."""
    collect = os.environ.get(COLLECT)
    for figure in figures:
        print("{:<34} {:<30} {:>12}   {:<52} {:>9}".format(*figure.cells), flush=True)
        if collect:
            with Path(collect).open("a", encoding="utf-8") as out:
                out.write(json.dumps({"script": Path(sys.argv[0]).name, **asdict(figure)}) + "\n")


def processor() -> str:
    """What the machine calls its processor."""
    described = Path("/proc/cpuinfo")
    for line in described.read_text(encoding="utf-8").splitlines() if described.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
