"""The look-ahead of one loop (D23): energy and distance with and without the exchange, and what it says."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.allocation import Sentence
from core.instant import Focus


def prediction_data(focus: Focus) -> dict[str, Any]:
    """V/V_max and distance from the reference [m] over the look-ahead, row 0 is now."""
    ahead, unit = focus.paths, focus.model.V_max
    return {
        "cycle": np.arange(ahead.cycles + 1, dtype=np.int32),
        "V_without": (ahead.V_without / unit).astype(np.float32),
        "V_served": (ahead.V_served / unit).astype(np.float32),
        "off_without": ahead.off(ahead.without).astype(np.float32),
        "off_at_once": ahead.off(ahead.at_once).astype(np.float32),
        "off_at_end": ahead.off(ahead.at_end).astype(np.float32),
    }


def prediction_words(focus: Focus) -> Sentence:
    """What the look-ahead says, each number with its name."""
    ahead = focus.paths
    idle = "the onboard law flies it" if ahead.onboard else "it holds its velocity"
    said = Sentence.of(
        f"Without service {idle} and is {{off_without_m:.3g}} m from its reference after {{L}} cycles; with the command, "
        "{off_served_m:.3g} m. Over these cycles the command is worth G = {G:.4g} m², the telemetry {telemetry:.3g} m².",
        {
            "L": ahead.cycles,
            "off_without_m": float(ahead.off(ahead.without)[-1]),
            "off_served_m": float(ahead.off(ahead.at_end)[-1]),
            "G": ahead.G,
            "telemetry": ahead.telemetry,
        },
    )
    if ahead.counts:
        return said
    return said.then(Sentence.of("This formulation allocates by the certificates alone and does not use it."))
