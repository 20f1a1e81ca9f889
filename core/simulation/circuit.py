"""Flight circuits: closed chamfered squares at a constant distance from the building."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CORNER_CHORD = float(np.sqrt(0.5))
"""Two points an arc s apart that turns by at most 90° are at least s/√2 apart."""


@dataclass(frozen=True)
class Circuit:
    r"""An octagon whose eight sides all lie `offset` from a square building: four facade passes, four corner segments.

    .. math:: |x| \le b/2 + d,\quad |y| \le b/2 + d,\quad |x| + |y| \le b + \sqrt{2}\,d

    Circuits of different offsets are parallel curves, so points on two of them are at least the difference apart.

    Args:
        side: building side b [m].
        offset: distance d from the walls and from the building's corners [m].
    """

    side: float
    offset: float

    @property
    def corners(self) -> NDArray[np.float64]:
        """The eight corners, counter-clockwise from the east side, (8, 2) [m]."""
        reach = self.side / 2 + self.offset
        half = self.side + np.sqrt(2.0) * self.offset - reach
        quarter = np.array([[reach, half], [half, reach]])
        turn = np.array([[0.0, 1.0], [-1.0, 0.0]])  # row vectors times this turn by +90°
        return np.vstack([quarter @ np.linalg.matrix_power(turn, q) for q in range(4)])

    @property
    def _edges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        edges = np.roll(self.corners, -1, axis=0) - self.corners
        return edges, np.hypot(edges[:, 0], edges[:, 1])

    @property
    def length(self) -> float:
        """Perimeter [m]."""
        return float(self._edges[1].sum())

    def at(self, arc: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Point and unit tangent at arc lengths along the circuit.

        Args:
            arc: arc length from the first corner, any shape, wrapped around [m].

        Returns:
            (points, tangents), each (..., 2) [m], [-]. The outward normal is the tangent turned by −90°.
        """
        edges, lengths = self._edges
        ends = np.cumsum(lengths)
        s = np.mod(arc, ends[-1])
        edge = np.minimum(np.searchsorted(ends, s, side="right"), len(ends) - 1)
        tangents = edges[edge] / lengths[edge][..., None]
        points = self.corners[edge] + tangents * (s - (ends - lengths)[edge])[..., None]
        return points, tangents
