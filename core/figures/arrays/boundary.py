"""The three maps of Φ of one loop: fields, boundaries, levels with their names, and where the loop's actions stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures.arrays.contour import crossings, signed
from core.figures.arrays.fields import (
    FAILURE,
    Certificate,
    columns,
    exponents,
    over_g,
    over_states,
    over_ways,
    place,
    plane_axes,
    refused_columns,
)
from core.figures.arrays.marks import LANES, failure, kinds
from core.instant import Action, Focus


def share(rho: float) -> str:
    """A certified delivery as it is written; close to 1 by its distance from 1."""
    return f"{rho:.4f}" if rho < 0.99995 else f"1 − {1 - rho:.0e}".replace("e-0", "e-") if rho < 1 else "1"


def maps(
    focus: Focus, certificate: Certificate, g: NDArray[np.int64] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Φ/V_max of the three maps, the first with these columns (its own when None), rows upwards in the axis's own direction."""
    rho = 1.0 - 10.0 ** exponents()
    v, sigma = plane_axes(focus)
    return (
        over_g(focus, certificate, (columns(focus) if g is None else g)[None, :], rho[:, None]),
        over_ways(focus, certificate, rho[None, :], rho[:, None]),
        over_states(focus, certificate, v[None, :], sigma[:, None]),
    )


def colour_span(phi_g: np.ndarray, phi_ways: np.ndarray) -> float:
    """Φ/V_max at which the colours are full: they saturate where a map leaves the range that matters for the decision."""
    return max(float(np.quantile(np.abs(np.concatenate([phi_g.ravel(), phi_ways.ravel()])), 0.7)), 1e-6)


def steps(phi: np.ndarray, level: float) -> dict[str, Any]:
    """A stepped line: g is a whole number, so the boundary jumps between columns."""
    return _stepped(10.0 ** crossings(exponents(), phi, level))


def _stepped(at: np.ndarray) -> dict[str, Any]:
    edges = np.column_stack([np.arange(len(at)) + 0.5, np.arange(len(at)) + 1.5])
    return {"x": edges.ravel().astype(np.float32), "y": np.repeat(at, 2).astype(np.float32)}


def level_lines(phi: np.ndarray, levels: list[float]) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """The stepped lines of several levels, and each one's label (x, y, text), near the right end, neighbours in turn."""
    drawn, labels = [], []
    for i, level in enumerate(levels):
        at = 10.0 ** crossings(exponents(), phi, level)
        drawn.append(_stepped(at))
        seen = np.flatnonzero(np.isfinite(at))
        if seen.size:
            column = seen[max(seen.size - 2 - i % 2, 0)]
            labels.append((float(column + 1), float(at[column]), signed(level)))
    return {"xs": [line["x"] for line in drawn], "ys": [line["y"] for line in drawn]}, labels


def hatched(focus: Focus) -> dict[str, Any]:
    """The columns of the first map that are refused whatever Φ says."""
    at = np.flatnonzero(refused_columns(focus)) + 1
    return {
        "left": at - 0.5,
        "right": at + 0.5,
        "bottom": np.full(len(at), FAILURE[0]),
        "top": np.full(len(at), FAILURE[1]),
    }


def other_choice(focus: Focus) -> Action | None:
    """The allocator's choice where it is not the action in focus."""
    return focus.chosen if focus.held is None or focus.chosen is None or focus.chosen.key != focus.held.key else None


def same_g(action: Action | None, certificate: Certificate) -> Action | None:
    """An action that belongs on the second map."""
    return action if action is not None and action.g == certificate.g else None


def at_column(focus: Focus, certificate: Certificate, action: Action | None) -> dict[str, Any]:
    """Where an action stands on the first map."""
    if action is None:
        return {"x": [], "y": []}
    one = {"admitted": np.array([action.admitted]), "phi": np.array([action.phi])}
    kind, _ = kinds(one, over_g(focus, certificate, np.array([action.g]), np.array([action.rho_ul])))
    x = place(focus, np.array([action.g]))[0] + LANES[int(kind[0])]
    return {"x": [float(x)], "y": [float(failure(action.rho_ul))]}


def at_pair(action: Action | None) -> dict[str, Any]:
    """Where an action stands on the second map."""
    if action is None:
        return {"x": [], "y": []}
    return {"x": [float(failure(action.rho_ul))], "y": [float(failure(action.rho_dl))]}
