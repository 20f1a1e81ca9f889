"""The loop's actions as marks on a map of Φ: what became of each, and why it may differ from the colour under it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import VERDICTS
from core.figures.arrays.fields import FAILURE, Certificate, over_g, over_ways, place
from core.instant import SHORT, Focus

KINDS = ("circle", "x", "triangle", "inverted_triangle")
"""Admitted and refused as the colour says; admitted, refused against it."""
FILL = ("#111111", "#111111", "#111111", "#ffffff")
EDGE = ("#ffffff", "#111111", "#ffffff", "#111111")
"""Colours of the marks by kind; the map under them is blue to vermillion in both themes."""
LANES = (-0.12, 0.12, -0.36, 0.36)
"""Where each kind stands within its column of the first map."""
REASONS = (
    "as the colour says",
    "its own ρ or delay differs from the map's, so its own Φ has the other sign",
    "another rule than Φ ≤ 0 decides",
)
"""Why a mark may differ from the colour under it."""
VERDICT_WORDS = tuple(SHORT[verdict] for verdict in VERDICTS)
CELL = 0.12
"""Marks of a kind that are closer than this share of a decade are drawn as one."""
COLUMNS = ("x", "y", "kind", "marker", "reason", "g", "rho_ul", "rho_dl", "slots", "phi", "verdict", "many")


def failure(rho: Any) -> Any:
    """1 − ρ within the ends of its axis."""
    return np.clip(1.0 - np.asarray(rho, dtype=float), *FAILURE)


def marks_over_g(focus: Focus, certificate: Certificate) -> tuple[dict[str, Any], list[str]]:
    """Marks of the first map, column by column, and their keys."""
    d = focus.distinct
    under = over_g(focus, certificate, d["g"], d["rho_ul"])
    kind, reason = kinds(d, under)
    column = place(focus, d["g"])
    return _thinned(d, column + np.array(LANES)[kind], failure(d["rho_ul"]), kind, reason, focus, column * 4 + kind)


def marks_over_ways(focus: Focus, certificate: Certificate) -> tuple[dict[str, Any], list[str]]:
    """Marks of the second map, those with the certificate's own g, and their keys."""
    here = focus.distinct["g"] == certificate.g
    d = {name: values[here] for name, values in focus.distinct.items()}
    kind, reason = kinds(d, over_ways(focus, certificate, d["rho_ul"], d["rho_dl"]))
    x, y = failure(d["rho_ul"]), failure(d["rho_dl"])
    return _thinned(d, x, y, kind, reason, focus, np.round(np.log10(x) / CELL).astype(np.int64) * 4 + kind)


def kinds(d: dict[str, Any], under: NDArray[np.float64]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Kind of each mark, and why it is one that differs from the colour.

    Args:
        d: columns of the actions.
        under: Φ/V_max of the map under each.
    """
    admitted, says = np.asarray(d["admitted"]), under <= 0.0
    kind = np.where(admitted, np.where(says, 0, 2), np.where(says, 3, 1)).astype(np.uint8)
    own = np.asarray(d["phi"]) <= 0.0
    reason = np.where(admitted == says, 0, np.where(own != says, 1, 2)).astype(np.uint8)
    # its own Φ may agree with the verdict only by another rule: then the rule is the reason
    return kind, np.where((reason == 1) & (own != admitted), 2, reason).astype(np.uint8)


def _thinned(
    d: dict[str, Any], x: Any, y: Any, kind: Any, reason: Any, focus: Focus, group: Any
) -> tuple[dict[str, Any], list[str]]:
    """One mark, the cheapest action's, for those of a group that are as good as on top of each other."""
    order = np.lexsort((d["slots"], ~d["frontier"]))
    cell = np.round(np.log10(y) / CELL).astype(np.int64)
    code = (group - group.min(initial=0)) * 4096 + (cell - cell.min(initial=0))
    _, first, inverse = np.unique(code[order], return_index=True, return_inverse=True)
    many = np.bincount(inverse, weights=d["many"][order], minlength=len(first)).astype(np.int32)
    keep = order[first]
    columns: dict[str, Any] = {
        "x": np.asarray(x)[keep].astype(np.float32),
        "y": np.asarray(y)[keep].astype(np.float32),
        "kind": kind[keep],
        "marker": [KINDS[k] for k in kind[keep].tolist()],
        "reason": reason[keep],
        "g": d["g"][keep].astype(np.int32),
        "rho_ul": d["rho_ul"][keep],
        "rho_dl": d["rho_dl"][keep],
        "slots": d["slots"][keep].astype(np.int32),
        "phi": (d["phi"][keep] / focus.model.V_max).astype(np.float32),
        "verdict": d["verdict"][keep].astype(np.uint8),
        "many": many,
    }
    return columns, d["key"][keep].tolist()
