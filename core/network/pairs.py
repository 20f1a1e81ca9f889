"""Values of unordered links: every pair of nodes once, and tables of those that depend on the ends alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from core.network.arrays import Floats, Ints


def pair_count(nodes: int) -> int:
    """Links between some nodes, both directions counted once: the length P of every array of pairs."""
    return nodes * (nodes - 1) // 2


@njit(cache=True, nogil=True)
def pair_row(i: int, nodes: int) -> int:
    """Where node i's links stand in an array of pairs: link i–j, i < j, is at pair_row(i, nodes) + j."""
    return i * nodes - i * (i + 1) // 2 - i - 1


@njit(cache=True, nogil=True)
def symmetric(pairs: Floats, nodes: int) -> Floats:
    """Values of pairs, (P,), as a symmetric matrix with a zero diagonal, (N+1, N+1)."""
    out = np.zeros((nodes, nodes))
    at = 0
    for i in range(nodes):
        for j in range(i + 1, nodes):
            out[i, j] = out[j, i] = pairs[at]
            at += 1
    return out


class PairTable(NamedTuple):
    """A value of every link that few numbers of its ends decide: UAVs on one layer share a height.

    Attributes:
        ground: links of the ground station, by the other end; the first is of no link, (N+1,).
        level: which of the L distinct ends a node is, (N+1,).
        between: links between UAVs, by the levels of both ends, symmetric, (L, L).
    """

    ground: Floats
    level: Ints
    between: Floats

    @classmethod
    def of(cls, ends: Floats, ground: Floats, between: Callable[[Floats], Floats]) -> PairTable:
        """A table of a function of the sum of both ends' numbers.

        Args:
            ends: number of every node, (N+1,).
            ground: values of the ground station's links, (N+1,).
            between: gives the values between UAVs from the sums, (L, L).
        """
        level, distinct = _levels(ends)
        return cls(ground, level, between(distinct[:, None] + distinct))

    @classmethod
    def constant(cls, nodes: int, value: float) -> PairTable:
        """The same value on every link of N+1 nodes."""
        return cls(np.full(nodes, value), np.zeros(nodes, dtype=np.int64), np.full((1, 1), value))

    def pairs(self) -> Floats:
        """The value of every pair, (P,)."""
        every: Floats = _pairs(self)
        return every


@njit(cache=True, nogil=True)
def _levels(ends: Floats) -> tuple[Ints, Floats]:
    """Which distinct value every entry has, and the distinct values."""
    level, distinct, count = np.empty(ends.size, dtype=np.int64), np.empty(ends.size), 0
    for i in range(ends.size):
        at = 0
        while at < count and distinct[at] != ends[i]:
            at += 1
        if at == count:
            distinct[at] = ends[i]
            count += 1
        level[i] = at
    return level, distinct[:count].copy()


@njit(cache=True, nogil=True)
def pair_values(table: PairTable, i: int, out: Floats) -> None:
    """Values of links i–j for every j > i, at their j, (N+1,)."""
    ground, level, between = table
    for j in range(i + 1, len(level)):
        out[j] = ground[j] if i == 0 else between[level[i], level[j]]


@njit(cache=True, nogil=True)
def _pairs(table: PairTable) -> Floats:
    nodes = len(table.level)
    out, row, at = np.empty(nodes * (nodes - 1) // 2), np.empty(nodes), 0
    for i in range(nodes):
        pair_values(table, i, row)
        for j in range(i + 1, nodes):
            out[at] = row[j]
            at += 1
    return out
