"""One figure as it is kept: what was measured, of which tree, in which run, where and when."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

from tools.reliability.machine import Machine

Side = Literal["before", "after"]
"""Which tree: another one to compare with, or this one."""


@dataclass(frozen=True)
class Measurement:
    """One line of the file; None = not known.

    Args:
        run: when the run began (UTC); figures with the same were measured in one go.
        check: its name.
        tree: which one.
        commit: of that tree, with + when it was changed.
        said: the figure in words, with units.
        passed: whether the goal is met; None also = the tree cannot be compared.
        seconds: how long it took [s].
        load: averages over 1, 5 and 15 minutes before it began.
        machine: where.
        date: day on which it was measured (UTC).
        note: what else has to be known, by hand.
    """

    run: str
    check: str
    tree: Side
    commit: str | None
    said: str
    passed: bool | None
    seconds: float | None = None
    load: tuple[float, ...] | None = None
    machine: Machine | None = None
    date: str | None = None
    note: str | None = None

    @property
    def line(self) -> str:
        """As JSON, on one line."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def of(cls, line: str) -> Measurement:
        """Read a line."""
        row = json.loads(line)
        load, machine = row.pop("load"), row.pop("machine")
        return cls(
            **row,
            load=None if load is None else tuple(load),
            machine=None if machine is None else Machine(**machine),
        )

    @property
    def reached(self) -> str:
        """Whether the goal is met, in the words of the table."""
        return "–" if self.passed is None else "yes" if self.passed else "**no**"

    @property
    def told(self) -> str:
        """The figure with its note."""
        return f"{self.said}; {self.note}" if self.note else self.said
