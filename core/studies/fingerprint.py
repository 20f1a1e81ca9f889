"""What a record depends on besides the scenario: the code that ran and the calibration it used."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from core.scenario import Scenario
from core.studies.definition import Study
from core.twin import calibration_for
from core.twin.calibration import ONLINE_FIELDS

CORE = Path(__file__).resolve().parents[1]
NOT_PART_OF_A_RUN = ("cli", "studies")
"""Layers above the simulation: import contracts keep them out of a run, so changing a table leaves records valid."""


@functools.cache
def code_fingerprint() -> str:
    """Hash of every source file of `core` that a run can execute, and of the record layout."""
    sources = [p for p in sorted(CORE.rglob("*.py")) if p.relative_to(CORE).parts[0] not in NOT_PART_OF_A_RUN]
    return _hash([*sources, CORE / "studies" / "record.py"], CORE)


def calibrations_of(study: Study) -> list[str]:
    """Fingerprints of the calibrations that the runs of a study use, sorted."""
    return sorted({calibration_for(scenario).digest for scenario in _geometries(study)})


def calibration_notice(study: Study) -> str:
    """Empty, or what to say of cells for which the twin was never calibrated."""
    notices = [text for s in _geometries(study) if (text := calibration_for(s).notice(s))]
    more = f" ({len(notices)} cells are concerned.)" if len(notices) > 1 else ""
    return notices[0] + more if notices else ""


def _geometries(study: Study) -> Iterator[Scenario]:
    """Scenarios of the cells; of one cell where only fields vary that no calibration depends on."""
    cells = study.cells()
    for cell in itertools.islice(cells, 1) if ONLINE_FIELDS.issuperset(study.names) else cells:
        yield study.scenario_of(cell)


def _hash(files: list[Path], root: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
