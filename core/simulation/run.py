"""A finished run: arrays by cycle and loop, a summary, and a plain npz file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.simulation.loop_log import LoopLog
from core.simulation.metric_table import METRICS
from core.simulation.record import CycleRecord

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
NOT_ARRAYS = ("scenario", "policy", "seed", "log")
LOG_ARRAYS = tuple(f.name for f in fields(LoopLog))


@dataclass(frozen=True, eq=False)
class Run:
    """One mission under one policy. Rows are cycles k = 0 … cycles−1; values "at the end" belong to instant k+1.

    The npz file holds every array, also those of the log, under its field name, plus `header`, a JSON text with policy, seed, and scenario.

    Args:
        scenario: at the end of the run.
        policy: name.
        seed: trial.
        rmse: at the end, Eq. (eq:rmse), (cycles,) [m].
        v_normalised: V/V_max of the true errors at the end, (cycles, N).
        v_estimated: V/V_max the controller saw at the start, (cycles, N).
        tr_sigma: estimation uncertainty at the start, (cycles, N) [m²].
        command_delay_ms: delivery instant − start of the first downlink slot, delivered commands, (delivered,) [ms].
        slots_used: (cycles,) [slots].
        served: slots allocated, (cycles, N).
        uplink, downlink: telemetry and command arrived, (cycles, N).
        mode: core.allocation.Mode, (cycles, N).
        c, c_fail: staleness and failed attempts in a row at the start, (cycles, N).
        drift_exceeded: certified loops with V⁺ > ᾱV on the controller's side, (cycles, N).
        bound_exceeded: certified loops whose failed attempts in a row reached their g, (cycles, N).
        stale_hold: loops flying a held command older than H cycles, (cycles, N).
        nearest_m: distance to the nearest other UAV at the end, (cycles, N) [m].
        positions, references: at the end, (cycles, N, 3) [m].
        routes: candidate routes with a margin, by class of route; None in a file of a version that did not keep them, (cycles, 6).
        covered: those of them whose links stayed within the margin, (cycles, 6).
        log: actions, certificates and what came of them; None in a file of a version that did not keep them.
    """

    scenario: Scenario
    policy: str
    seed: int
    rmse: Floats
    v_normalised: Floats
    v_estimated: Floats
    tr_sigma: Floats
    command_delay_ms: Floats
    slots_used: NDArray[np.int64]
    served: Bools
    uplink: Bools
    downlink: Bools
    mode: NDArray[np.int8]
    c: NDArray[np.int64]
    c_fail: NDArray[np.int64]
    drift_exceeded: Bools
    bound_exceeded: Bools
    stale_hold: Bools
    nearest_m: Floats
    positions: Floats
    references: Floats
    routes: NDArray[np.integer[Any]] | None = None
    covered: NDArray[np.integer[Any]] | None = None
    log: LoopLog | None = None

    @property
    def delivered(self) -> Bools:
        """Bidirectional successes, (cycles, N)."""
        return self.uplink & self.downlink

    @classmethod
    def of(cls, scenario: Scenario, policy: str, seed: int, records: Sequence[CycleRecord]) -> Run:
        """Collect the cycles of one run."""
        delays = np.concatenate([r.delay_ms[r.downlink] for r in records])
        columns: dict[str, Any] = {
            name: np.array([getattr(r, name) for r in records])
            for name in (
                "rmse",
                "v_normalised",
                "v_estimated",
                "slots_used",
                "served",
                "uplink",
                "downlink",
                "mode",
                "drift_exceeded",
                "bound_exceeded",
                "stale_hold",
                "nearest_m",
                "positions",
                "references",
            )
        }
        states = {name: np.array([getattr(r.states, name) for r in records]) for name in ("tr_sigma", "c", "c_fail")}
        columns |= {name: np.array([getattr(r.coverage, name) for r in records]) for name in ("routes", "covered")}
        return cls(scenario, policy, seed, command_delay_ms=delays, **columns, **states, log=LoopLog.of(records))

    def summary(self) -> dict[str, float]:
        """Every metric of the table by name: those of Section V-B, diagnostics, and any that a user registered."""
        return {name: metric.of(self) for name, metric in METRICS.items()}

    def frame(self) -> pd.DataFrame:
        """One tidy row per cycle and loop, units in `.attrs["units"]`: see core.simulation.run_frame.frame_of."""
        from core.simulation.run_frame import frame_of  # pandas takes its time to load

        return frame_of(self)

    def to_parquet(self, path: str | Path) -> Path:
        """Write `frame` as Parquet, whole or not at all, units included; its folder is made when missing."""
        from core.simulation.run_frame import write_parquet

        return write_parquet(self, path)

    def save(self, path: str | Path) -> Path:
        """Write the run as a compressed npz without pickled objects; its folder is made when missing."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        header = json.dumps({"policy": self.policy, "seed": self.seed, "scenario": self.scenario.to_dict()})
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in NOT_ARRAYS}
        arrays = {name: value for name, value in values.items() if value is not None}
        if self.log is not None:
            arrays |= {name: getattr(self.log, name) for name in LOG_ARRAYS}
        with target.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, header=np.array(header), **arrays)
        return target

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Read a run written by `save`, also by a version that kept no log: it has every metric, but no `frame`."""
        try:
            with np.load(Path(path), allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                arrays = {name: file[name] for name in file.files if name != "header"}
            kept = {name: arrays.pop(name) for name in LOG_ARRAYS if name in arrays}
            log = LoopLog(**kept) if kept else None
            return cls(Scenario.from_dict(header["scenario"]), header["policy"], header["seed"], **arrays, log=log)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise SafeExplorerError(f"{path} is not a run saved by this version of SAFE Explorer: {error}") from error
