"""A study of two axes and two policies, and records of it whose truth is known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core import Scenario
from core.studies import Axis, Study, seed_range

STUDY = Study(
    Scenario(),
    (Axis("network.slots", (100, 140)), Axis("twin.beta", (0.05, 0.1))),
    ("SAFE", "VoI-Sched"),
    seed_range(6),
)


def frame(effect=1.0, noise=0.0, seed=0):
    """Records where VoI-Sched is worse than SAFE by `effect` at slots = 100 and equal on average at 140."""
    rng = np.random.default_rng(seed)
    rows = []
    for slots in (100, 140):
        for beta in (0.05, 0.1):
            common = rng.normal(size=6)
            for policy in ("SAFE", "VoI-Sched"):
                for i, s in enumerate(STUDY.seeds):
                    worse = effect if policy == "VoI-Sched" and slots == 100 else 0.0
                    wobble = noise * (-1) ** i if policy == "VoI-Sched" else 0.0
                    rows.append(
                        {
                            "cell": f"{slots}-{beta}",
                            "network.slots": slots,
                            "twin.beta": beta,
                            "policy": policy,
                            "seed": s,
                            "mean_rmse_m": 8 + common[i] + worse + wobble,
                            "delivered_share": 0.5 - 0.1 * worse,
                        }
                    )
    return pd.DataFrame(rows)
