"""What every policy flies: references, phases and gusts by cycle and UAV (Section V-A)."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class Phase(enum.IntEnum):
    """Where a group is in its rotation."""

    CRUISE = 0
    HOTSPOT = 1
    RECOVERY = 2


@dataclass(frozen=True)
class Trace:
    """The mission every policy flies (Section V-A).

    Args:
        positions: reference positions p_ref at cycle starts, (cycles+1, N, 3) [m].
        velocity: mean reference velocity of each cycle, (cycles, N, 3) [m/s].
        phase: Phase of each UAV, (cycles, N).
        gust: velocity disturbance averaged over each cycle, (cycles, N, 3) [m/s].
        group: group of each UAV, (N,).
    """

    positions: NDArray[np.float64]
    velocity: NDArray[np.float64]
    phase: NDArray[np.int8]
    gust: NDArray[np.float64]
    group: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Memory."""
        return sum(x.nbytes for x in (self.positions, self.velocity, self.phase, self.gust, self.group))

    @property
    def cycles(self) -> int:
        """Number of control cycles."""
        return len(self.velocity)

    @classmethod
    def of_positions(cls, positions: NDArray[np.float64], Ts: float) -> Trace:
        """A trace of given reference positions, all cruise and no gusts, (cycles+1, N, 3) [m]."""
        cycles, uavs = len(positions) - 1, positions.shape[1]
        return cls(
            positions=np.asarray(positions, dtype=np.float64),
            velocity=np.diff(positions, axis=0) / Ts,
            phase=np.zeros((cycles, uavs), dtype=np.int8),
            gust=np.zeros((cycles, uavs, 3)),
            group=np.zeros(uavs, dtype=np.int64),
        )

    def frozen(self) -> Trace:
        """Itself, read-only from now on: a trace that nobody changes may be shared."""
        for array in (self.positions, self.velocity, self.phase, self.gust, self.group):
            array.flags.writeable = False
        return self
