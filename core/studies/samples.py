"""Whole distributions of a run that its record cannot hold: what the ECDFs of Section V-B are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from core.errors import StudyError
from core.simulation import Run

Samples = Mapping[str, NDArray[np.float32]]
"""Values by name, (values,) each."""

SAMPLES: dict[str, Callable[[Run], NDArray[np.float64]]] = {
    "rmse_m": lambda run: run.rmse,
    "v_normalised": lambda run: run.v_normalised,
    "command_delay_ms": lambda run: run.command_delay_ms,
}
"""What a study can keep of every run: the swarm's RMSE of each cycle [m], V/V_max of each loop and cycle [-], the delay of
each delivered command [ms]."""


def samples_of(run: Run, names: Iterable[str]) -> Samples:
    """The named distributions of a run, flat and in single precision."""
    return {name: SAMPLES[name](run).ravel().astype(np.float32) for name in names}


def checked_samples(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each known and once; StudyError otherwise."""
    found = tuple(dict.fromkeys(names))
    if unknown := [name for name in found if name not in SAMPLES]:
        raise StudyError(f"There are no samples {unknown[0]!r}; there are {', '.join(SAMPLES)}.")
    return found
