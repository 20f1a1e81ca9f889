"""What a record depends on besides the scenario: the code that ran, policies from elsewhere, the calibration it used."""

from __future__ import annotations

import functools
import hashlib
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from core.errors import StudyError
from core.scenario import Scenario
from core.simulation import METRICS, POLICIES, Policy
from core.simulation.metric_table import Measure
from core.studies.definition import Study
from core.twin import calibration_for
from core.twin.calibration import ONLINE_FIELDS

CORE = Path(__file__).resolve().parents[1]
NOT_PART_OF_A_RUN = ("cli", "studies")
"""Layers above the simulation: import contracts keep them out of a run, so changing a table leaves records valid."""
MEASURES = CORE / "simulation" / "metric_table.py"
"""Metrics look at a finished run, and each has a fingerprint of its own: a new one leaves records valid."""


@functools.cache
def code_fingerprint() -> str:
    """Hash of every source file of `core` that a run can execute, and of the record layout."""
    return _hash(sources_of_a_run(), CORE)


def sources_of_a_run() -> list[Path]:
    """The files of `core` on which a record depends, sorted; the metrics are known one by one (`metrics_of_runs`)."""
    sources = [p for p in sorted(CORE.rglob("*.py")) if p.relative_to(CORE).parts[0] not in NOT_PART_OF_A_RUN]
    return [*(p for p in sources if p != MEASURES), CORE / "studies" / "record.py"]


def policies_of(study: Study) -> dict[str, str]:
    """`policy_fingerprint` of the study's policies that are defined outside `core`, by name."""
    found = {name: policy_fingerprint(name) for name in study.policies}
    return {name: text for name, text in found.items() if text}


def policy_fingerprint(name: str) -> str:
    """Hash of the source of a policy defined outside `core`; "" for one of core's own, which `code_fingerprint` covers.

    Raises:
        StudyError: it has no source, so that a changed version could not be told from this one.
    """
    try:
        return _policy_hash(POLICIES[name]) if name in POLICIES else "unknown here"
    except (OSError, TypeError) as error:
        raise StudyError(
            f"The policy {name!r} has no source by which a changed version could be told from this one; "
            "define it in a file or in a notebook cell."
        ) from error


@functools.cache
def _policy_hash(policy: type[Policy]) -> str:
    # cached by class: a file edited after its import must not pass for what is running
    elsewhere = [c for c in policy.__mro__ if c.__module__.partition(".")[0] not in {"core", *sys.stdlib_module_names}]
    return hashlib.sha256("\n".join(map(_source, elsewhere)).encode()).hexdigest()[:16] if elsewhere else ""


def _source(cls: type) -> str:
    """The whole module of an imported class, which may lean on anything in it; of a script or notebook the class alone."""
    if cls.__module__ != "__main__" and cls.__module__ in sys.modules:
        return inspect.getsource(sys.modules[cls.__module__])
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):  # Python finds the functions of a notebook's cells, but not their classes
        members = {n: v for n, v in vars(cls).items() if n != "_abc_impl" and not n.startswith("__")}
        return "\n".join(inspect.getsource(v) if inspect.isfunction(v) else f"{n} = {v!r}" for n, v in members.items())


def metrics_of_runs() -> dict[str, str]:
    """Hash of the source of every metric by name: of its function, and of those of the same module that it calls.

    Raises:
        StudyError: one has no source, so that a changed version could not be told from this one.
    """
    found = {}
    for name, metric in METRICS.items():
        try:
            found[name] = _measure_hash(metric.measure)
        except (OSError, TypeError) as error:
            raise StudyError(
                f"The metric {name!r} has no source by which a changed version could be told from this one; "
                "define it in a file or in a notebook cell."
            ) from error
    return found


@functools.cache
def _measure_hash(measure: Measure) -> str:
    # cached by function: a file edited after its import must not pass for what is running
    return hashlib.sha256("\n".join(map(inspect.getsource, called_by(measure))).encode()).hexdigest()[:16]


def called_by(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """A function, and those of its own module that it calls, directly or not."""
    found = [function]
    for f in found:  # grows on the way
        code, known = getattr(f, "__code__", None), getattr(f, "__globals__", {})
        called = [known.get(name) for name in code.co_names] if code is not None else []
        here = [c for c in called if inspect.isfunction(c) and c.__module__ == function.__module__]
        found += [c for c in dict.fromkeys(here) if c not in found]
    return found


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
