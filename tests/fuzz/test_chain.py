"""Random valid scenarios from the prediction to the exported text: a valid result or a sentence, at every stage."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fuzzing import FACTOR, Fuzz, budget
from whole_chain import journey

LARGEST = int(os.environ.get("SAFE_EXPLORER_LARGEST", "60"))
"""Swarm of the random scenarios; `python -m tools.reliability 15` goes up to 1,000."""
TIMES = os.environ.get("SAFE_EXPLORER_CHAIN_TIMES", "")
"""File to which every scenario adds one line of JSON with the processor time of its stages; "" = none."""


def test_random_scenarios() -> None:
    journey(0, LARGEST).run()  # compiles, which takes longer than any scenario
    with Fuzz("scenarios through the whole chain", least_taken=0.3, least_refused=0.0) as fuzz:
        for seed in range(budget(40)):
            way = journey(seed, LARGEST, 40.0 if LARGEST < 1000 else None)
            fuzz.attempt((seed, way.scenario.differences()), way.run)
            if TIMES:
                row = {
                    "seed": seed,
                    "uavs": way.scenario.mission.uavs,
                    "seconds": way.seconds,
                    "announced": way.announced,
                }
                with Path(TIMES).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
    assert fuzz.tried == round(40 * FACTOR) or FACTOR < 0.1
