"""Recorded links: how good a link was when, in the order of control cycles (D27)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import OwnFileError
from core.files.store import check_size, keep, kept
from core.files.table import Floats, Table, read_table, write_table

Ints = NDArray[np.int64]
WHAT = "link trace"
LEVELS = ("snr_db", "path_loss_db")
EXTRA = ("budget_db", "shadow_db", "los")
ALSO = {
    "time": "t", "timestamp": "t", "tx": "from", "rx": "to", "source": "from", "destination": "to",
    "snr": "snr_db", "path_loss": "path_loss_db", "pathloss_db": "path_loss_db", "pathloss": "path_loss_db",
}  # fmt: skip
NODES = {"gcs": 0.0, "ground": 0.0, "gs": 0.0}
BOUNDS = {"snr_db": (-150.0, 150.0), "path_loss_db": (0.0, 300.0), "shadow_db": (-100.0, 100.0), "los": (0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class LinkTrace:
    """Records of directed links, in the order of the file; columns that it does not have are None.

    Args:
        t: since the start of the mission, (n,) [s].
        tx, rx: nodes, 0 is the ground station and i UAV i, (n,).
        snr_db: mean SNR, (n,) [dB]; or
        path_loss_db: loss of the link with everything in its way, (n,) [dB].
        budget_db: link budget at which the SNR was recorded, (n,) [dB].
        shadow_db: the part of it that no model of places explains, (n,) [dB].
        los: 1 for line of sight, 0 for none, (n,).
    """

    t: Floats
    tx: Ints
    rx: Ints
    snr_db: Floats | None = None
    path_loss_db: Floats | None = None
    budget_db: Floats | None = None
    shadow_db: Floats | None = None
    los: Floats | None = None

    @property
    def uavs(self) -> int:
        """The largest number of a UAV."""
        return int(max(self.tx.max(), self.rx.max()))

    def content(self) -> bytes:
        """The trace as the table that is kept."""
        columns = {"t": self.t, "from": self.tx, "to": self.rx}
        return write_table({**columns, **{c: x for c in (*LEVELS, *EXTRA) if (x := getattr(self, c)) is not None}})

    def cycle(self, Ts: float) -> Ints:
        """The control cycle nearest to each record, (n,)."""
        found: Ints = np.rint(self.t / Ts).astype(np.int64)
        return found

    def share(self, Ts: float, cycles: int, nodes: int) -> float:
        """Share of all links and cycles of a mission that have a record.

        Args:
            Ts: control period [s].
            cycles: of the mission.
            nodes: N+1.
        """
        k, a, b = self.cycle(Ts), np.minimum(self.tx, self.rx), np.maximum(self.tx, self.rx)
        inside = (k >= 0) & (k < cycles)
        found = np.unique((k[inside] * nodes + a[inside]) * nodes + b[inside])
        return len(found) / (cycles * nodes * (nodes - 1) / 2)

    def words(self, Ts: float, cycles: int, nodes: int) -> str:
        """What is replayed, in a sentence; arguments as for `share`."""
        pairs = {(min(a, b), max(a, b)) for a, b in zip(self.tx.tolist(), self.rx.tolist(), strict=True)}
        share = self.share(Ts, cycles, nodes)
        if share == 1.0:
            return "Every link is replayed from the trace in every cycle."
        return (
            f"The trace has records of {len(pairs)} of {nodes * (nodes - 1) // 2} links: {100 * share:.3g} % of all links "
            "and cycles are replayed from it, the rest follows the channel model."
        )


def links_from_csv(name: str, content: bytes) -> LinkTrace:
    """The trace of a table with the columns t, from, to, and snr_db or path_loss_db; see docs/FILES.md."""
    check_size(name, content)
    table = read_table(name, content, ("t", "from", "to"), (*LEVELS, *EXTRA), ALSO, NODES)
    levels = [c for c in LEVELS if c in table]
    if len(levels) != 1:
        raise OwnFileError(
            f"{name} must have one of the columns {' and '.join(LEVELS)}, and has {len(levels)} of them."
        )
    for end in ("from", "to"):
        for row in np.flatnonzero((table[end] != np.floor(table[end])) | (table[end] < 0) | (table[end] > 1000))[:1]:
            raise table.refuse(
                row, f"{end} = {table[end][row]:g} is no node: gcs (or 0) is the ground station, 1 … N the UAVs."
            )
    for row in np.flatnonzero(table["from"] == table["to"])[:1]:
        raise table.refuse(row, f"a link from node {table['from'][row]:g} to itself; name two different nodes.")
    for row in np.flatnonzero(table["t"] < 0.0)[:1]:
        raise table.refuse(
            row, f"t = {table['t'][row]:g} s lies before the start; t counts from the start of the mission."
        )
    for column, (lo, hi) in BOUNDS.items():
        _check_bounds(table, column, lo, hi)
    columns = {c: table[c] for c in (*levels, *EXTRA) if c in table}
    return LinkTrace(table["t"], table["from"].astype(np.int64), table["to"].astype(np.int64), **columns)


def _check_bounds(table: Table, column: str, lo: float, hi: float) -> None:
    if column not in table:
        return
    for row in np.flatnonzero((table[column] < lo) | (table[column] > hi))[:1]:
        raise table.refuse(row, f"{column} = {table[column][row]:g} lies outside {lo:g} … {hi:g}; correct it.")


def keep_links(trace: LinkTrace) -> str:
    """Keep a trace and return the name that a scenario has for it."""
    return keep(trace.content())


@functools.lru_cache(maxsize=8)
def kept_links(name: str) -> LinkTrace:
    """A trace that was kept."""
    return links_from_csv(name, kept(name, WHAT))
