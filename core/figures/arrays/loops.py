"""All loops of an instant, one row each: state, mode, and what is sent."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.instant import Focus
from core.style import MODE_NAME
from core.twin import Exchange


def loops_table(focus: Focus) -> dict[str, Any]:
    """Columns of the table of all loops; nan where a loop is not served."""
    a, states, unit = focus.allocation, focus.instant.states, focus.model.V_max
    served = np.flatnonzero(a.choice >= 0)
    rows = a.choice[served]
    U, phi = (np.full(len(states), np.nan) for _ in range(2))
    U[served], phi[served] = a.U[rows] / unit, a.phi[rows] / unit
    sent = {int(i): Exchange.of(a.candidates, int(row)) for i, row in zip(served, rows, strict=True)}
    return {
        "uav": np.arange(1, len(states) + 1),
        "v": states.V / unit,
        "sigma": states.tr_sigma,
        "c": states.c,
        "mode": [MODE_NAME[int(m)] for m in a.mode],
        "slots": a.slots,
        "U": U,
        "phi": phi,
        "route": [sent[i].route if i in sent else "–" for i in range(len(states))],
        "action": [sent[i].coding if i in sent else "–" for i in range(len(states))],
    }
