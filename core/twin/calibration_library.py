"""Which calibration belongs to a scenario: one of those shipped, or one the user made."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
from pathlib import Path

from core.errors import CalibrationError
from core.folders import DATA, RESULTS
from core.scenario import Scenario, TwinFields
from core.twin.calibration import Calibration, calibration_key
from core.twin.calibration_file import load_calibration

log = logging.getLogger("core")

DEFAULT_PATH = DATA / "calibration" / "default"
"""Made for the default scenario."""
OWN_FOLDER = RESULTS / "calibration"
"""Where `python -m core calibrate` writes unless told otherwise, and where it is found again."""


def calibration_for(scenario: Scenario) -> Calibration:
    """The calibration made with this scenario's geometry, channel and estimator, shipped ones first.

    One that certifies nothing, made of too few or too short runs, is passed over. Where there is none, the default one: `Calibration.notice` then says in what it does not fit.
    """
    fallback = default_calibration()
    if not fallback.mismatches(scenario):
        return fallback
    for path in (*sorted(DEFAULT_PATH.parent.glob("*.yaml")), *sorted(OWN_FOLDER.glob("*.yaml"))):
        found = _readable(path, path.stat().st_mtime_ns)
        if found is not None and not found.mismatches(scenario):
            return found
    return fallback


def own_path(scenario: Scenario) -> Path:
    """Where a calibration made for this scenario is kept, without suffix: one place for all scenarios it fits."""
    text = json.dumps(calibration_key(scenario), sort_keys=True)
    return OWN_FOLDER / hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def default_calibration() -> Calibration:
    """The calibration that ships with the project, made for the default scenario."""
    return load_calibration(DEFAULT_PATH)


@functools.lru_cache(maxsize=64)
def _readable(path: Path, _stamp: int) -> Calibration | None:
    """A calibration on disk, read once per version of the file; None, with a line in the log, when it cannot be used."""
    try:
        found = load_calibration(path)
    except CalibrationError as error:
        log.warning("%s", error)
        return None
    if found.empty:
        log.warning("%s certifies nothing and is not used. %s", path, found.gaps(TwinFields().beta))
        return None
    return found
