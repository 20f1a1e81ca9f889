"""Every run there was: figures are only ever added to the file, so a figure that was measured again is still there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.reliability import ROOT
from tools.reliability.measurement import Measurement, Side

FILE = ROOT / "tools" / "reliability" / "runs.jsonl"


def append(found: Measurement) -> None:
    """Keep a figure; it is on the disk when this returns."""
    with FILE.open("a", encoding="utf-8") as out:
        out.write(found.line + "\n")
        out.flush()
        os.fsync(out.fileno())


def read() -> list[Measurement]:
    """All figures, oldest first."""
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    return [Measurement.of(line) for line in lines]


@dataclass(frozen=True)
class Run:
    """Figures that were measured in one go."""

    name: str
    figures: tuple[Measurement, ...]

    def of(self, check: str, tree: Side = "after") -> Measurement | None:
        """The figure of a check."""
        return next((f for f in self.figures if (f.check, f.tree) == (check, tree)), None)

    def has(self, checks: Iterable[str]) -> bool:
        """Whether all of these were measured on this tree."""
        return all(self.of(check) is not None for check in checks)


def runs_of(figures: Sequence[Measurement]) -> list[Run]:
    """Figures by run, the newest run first."""
    names = dict.fromkeys(f.run for f in figures)
    return [Run(name, tuple(f for f in figures if f.run == name)) for name in reversed(names)]


def shown(runs: Sequence[Run], checks: Sequence[str]) -> dict[str, Run]:
    """The run that a table shows for each check: the newest that has them all, or each check's newest where none has."""
    whole = [run for run in runs if run.has(checks)]
    found = {check: next((run for run in whole or runs if run.has([check])), None) for check in checks}
    return {check: run for check, run in found.items() if run is not None}
