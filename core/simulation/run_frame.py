"""A run as one tidy table: a row per cycle and loop, for pandas and whatever reads Parquet."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.allocation import Mode
from core.errors import SafeExplorerError
from core.folders import write_atomically
from core.scenario import SLOT_PATTERNS
from core.simulation.trace import Phase

if TYPE_CHECKING:
    from core.simulation.loop_log import LoopLog
    from core.simulation.run import Run

UNITS = {
    "k": "cycles",
    "loop": "",
    "phase": "",
    "gust_x": "m/s",
    "gust_y": "m/s",
    "gust_z": "m/s",
    "V": "m²",
    "tr_sigma": "m²",
    "c": "cycles",
    "c_fail": "attempts",
    "mode": "",
    "action": "",
    "ul_route": "",
    "ul_n": "complex symbols",
    "ul_n_re": "retransmissions per hop",
    "dl_route": "",
    "dl_n": "complex symbols",
    "dl_n_re": "retransmissions per hop",
    "pattern": "",
    "slots": "slots",
    "rho_ul": "",
    "rho_dl": "",
    "g": "attempts",
    "D_ul": "s",
    "D_dl": "s",
    "T_cert": "s",
    "phi": "m²",
    "U": "m²",
    "uplink": "",
    "downlink": "",
    "delay_ms": "ms",
    "error_x": "m",
    "error_y": "m",
    "error_z": "m",
    "error": "m",
    "estimated_error_x": "m",
    "estimated_error_y": "m",
    "estimated_error_z": "m",
    "estimated_error": "m",
    "v_normalised": "",
}
"""Columns in their order, with their units."""


def frame_of(run: Run) -> pd.DataFrame:
    """One row per cycle and loop; units, policy, seed and scenario in `.attrs`.

    V, tr Σ and the counters are those at the start of the cycle, on which the decision was made; errors and V/V_max of
    the true errors (`v_normalised`) are those at its end. A loop without slots has no action: missing values, and 0
    slots. U is missing for policies without an allocator. In routes GCS is the ground station and a number the UAV of that loop.
    """
    log = run.log
    if log is None:
        raise SafeExplorerError(
            "This run was saved by a version of SAFE Explorer that kept no actions and certificates; fly it again: "
            f"simulate(run.scenario, {run.policy!r}, {run.seed})."
        )
    cycles, N = run.served.shape
    k, loop = np.indices((cycles, N))
    columns: dict[str, Any] = {
        "k": k.ravel(),
        "loop": loop.ravel(),
        "phase": _named(log.phase, Phase),
        "V": log.V.ravel(),
        "tr_sigma": run.tr_sigma.ravel(),
        "c": run.c.ravel(),
        "c_fail": run.c_fail.ravel(),
        "mode": _named(run.mode, Mode),
        **_actions(log, run.served.ravel()),
        "uplink": run.uplink.ravel(),
        "downlink": run.downlink.ravel(),
        "delay_ms": log.delay_ms.ravel(),
        **_vectors("gust", log.gust),
        "v_normalised": run.v_normalised.ravel(),
    }
    for name, error in (
        ("error", run.positions - run.references),
        ("estimated_error", log.estimates - run.references),
    ):
        columns |= {**_vectors(name, error), name: np.linalg.norm(error, axis=2).ravel()}
    frame = pd.DataFrame({name: columns[name] for name in UNITS})
    frame.attrs = {
        "units": dict(UNITS),
        "policy": run.policy,
        "seed": run.seed,
        "scenario": run.scenario.to_yaml(),
    }
    return frame


def write_parquet(run: Run, path: str | Path) -> Path:
    """Write the table of a run so that it is there whole or not at all; its folder is made when missing."""
    target, content = Path(path), io.BytesIO()
    frame_of(run).to_parquet(content, index=False)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content.getvalue())
    except OSError as error:
        raise SafeExplorerError(f"{target} cannot be written: {error}; choose another file.") from error
    return target


def _vectors(name: str, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return {f"{name}_{axis}": values[..., i].ravel() for i, axis in enumerate("xyz")}


def _named(codes: NDArray[np.int8], names: type[Phase] | type[Mode]) -> pd.Categorical[str]:
    return _category(codes.ravel(), [name.name.lower() for name in names])


def _category(codes: NDArray[np.integer[Any]], names: Sequence[str]) -> pd.Categorical[str]:
    """Texts by their position in `names`; missing where it is −1."""
    return pd.Categorical.from_codes(codes, pd.Index(list(names)))


def _actions(log: LoopLog, served: NDArray[np.bool_]) -> dict[str, Any]:
    """The columns of the action, missing where a loop has no slots."""
    found: dict[str, Any] = {
        "pattern": _category(np.where(served, log.pattern.ravel(), -1), SLOT_PATTERNS),
        "slots": log.slots.ravel().astype(np.int64),
        "g": _present(log.g, served),
    }
    for name in ("rho_ul", "rho_dl", "D_ul", "D_dl", "T_cert", "phi", "U"):
        found[name] = np.where(served, getattr(log, name).ravel(), np.nan)
    for side, (name, nodes) in enumerate((("ul", log.ul_nodes), ("dl", log.dl_nodes))):
        found[f"{name}_n"] = _present(log.blocklength[..., side], served)
        found[f"{name}_n_re"] = _present(log.retransmissions[..., side], served)
        found[f"{name}_route"] = _words(nodes.reshape(-1, nodes.shape[-1]), served, _route)
    # routes, then blocklengths and retransmissions of both directions, then the pattern
    parts = (log.ul_nodes, log.dl_nodes, log.blocklength, log.retransmissions, log.pattern[..., None])
    rows = np.concatenate([p.reshape(len(served), -1).astype(np.int64) for p in parts], axis=1)
    found["action"] = _words(rows, served, _action)
    return found


def _present(values: NDArray[Any], served: NDArray[np.bool_]) -> Any:
    return pd.arrays.IntegerArray(values.ravel().astype(np.int64), ~served)


def _words(
    rows: NDArray[np.integer[Any]], served: NDArray[np.bool_], spell: Callable[[NDArray[np.integer[Any]]], str]
) -> pd.Categorical[str]:
    """Every distinct row spelled once; missing without service."""
    distinct, code = np.unique(rows[served], axis=0, return_inverse=True)
    codes = np.full(len(served), -1, dtype=np.int64)
    codes[served] = code.ravel()
    return _category(codes, [spell(row) for row in distinct])


def _route(nodes: NDArray[np.integer[Any]]) -> str:
    return "→".join("GCS" if node == 0 else str(node - 1) for node in nodes if node >= 0)


def _action(row: NDArray[np.integer[Any]]) -> str:
    """Such as "up 5→3→GCS n=200 +1, down GCS→5 n=300 +0, ul-first": after n the retransmissions per hop."""
    up, down, (n_up, n_down, again_up, again_down, pattern) = row[:4], row[4:8], row[8:]
    return (
        f"up {_route(up)} n={n_up} +{again_up}, down {_route(down)} n={n_down} +{again_down}, {SLOT_PATTERNS[pattern]}"
    )
