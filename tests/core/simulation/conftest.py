"""A hand-made calibration, so that these tests depend on no file."""

import numpy as np
import pytest

from core import Scenario
from core.twin import ROUTE_CLASSES, Calibration, ChainCounts, ScoreQuantiles, calibration_key
from core.twin.persistence import BIN_EDGES


@pytest.fixture(scope="session")
def calibration() -> Calibration:
    """Gaussian residuals of 2.7 dB per hop, persistence rising from 0.2 to 0.9 with the predicted failure."""
    rng = np.random.default_rng(0)
    scores = []
    for index in range(len(ROUTE_CLASSES)):
        quantiles = ScoreQuantiles.of(rng.normal(0.0, 2.7, (2000, 1 + index // 2)).max(axis=1))
        scores.append((quantiles, quantiles))
    bins = len(BIN_EDGES) + 1
    failures, successes = np.full((2, bins), 1000), np.full((2, bins), 10000)
    counts = ChainCounts(
        failures,
        (failures * np.linspace(0.2, 0.9, bins)).astype(np.int64),
        successes,
        (successes * np.linspace(0.01, 0.5, bins)).astype(np.int64),
    )
    return Calibration(calibration_key(Scenario()), "", (0, 1), (0.0,), "", (tuple(scores),), (counts,))
