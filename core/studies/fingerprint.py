"""What a record depends on besides the scenario: the code that ran, policies and their constants, metrics, calibration."""

from __future__ import annotations

import functools
import hashlib
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

from core.errors import StudyError
from core.scenario import Affects, Scenario, fields_affecting
from core.simulation import METRICS, Policy
from core.simulation.metric_table import Measure
from core.studies.definition import Study
from core.studies.policies import base_policy, constants_of
from core.twin import calibration_for

CORE = Path(__file__).resolve().parents[1]
NOT_PART_OF_A_RUN = ("cli", "figures", "studies", "gym", "plugins.py")
"""Layers above the simulation: import contracts keep them out of a run, so changing a table leaves records valid."""
LAYOUT = ("record.py", "samples.py")
"""The two files of this layer that shape a record."""
MEASURES = CORE / "simulation" / "metric_table.py"
"""Metrics look at a finished run, and each has a fingerprint of its own: a new one leaves records valid."""


@functools.cache
def code_fingerprint() -> str:
    """Hash of every source file of `core` that a run can execute, and of the record layout."""
    return _hash(sources_of_a_run(), CORE)


def sources_of_a_run() -> list[Path]:
    """The files of `core` on which a record depends, sorted; the metrics are known one by one (`metrics_of_runs`)."""
    sources = [p for p in sorted(CORE.rglob("*.py")) if p.relative_to(CORE).parts[0] not in NOT_PART_OF_A_RUN]
    return [*(p for p in sources if p != MEASURES), *(CORE / "studies" / name for name in LAYOUT)]


def covered_by_code(module: str) -> bool:
    """Whether `code_fingerprint` holds the source of a module."""
    package, _, rest = module.partition(".")
    return package == "core" and rest.partition(".")[0] not in NOT_PART_OF_A_RUN


def policies_of(study: Study) -> dict[str, str]:
    """`policy_fingerprint` of the study's policies that the code's fingerprint does not cover, by name."""
    found = {name: policy_fingerprint(name) for name in study.policies}
    return {name: text for name, text in found.items() if text}


def policy_fingerprint(name: str) -> str:
    """Hash of the source of a policy that `code_fingerprint` does not cover; "" for one that it does.

    Raises:
        StudyError: it has no source, so that a changed version could not be told from this one.
    """
    try:
        policy = base_policy(name)
        return _policy_hash(policy) if policy is not None else "unknown here"
    except (OSError, TypeError) as error:
        raise StudyError(
            f"The policy {name!r} has no source by which a changed version could be told from this one; "
            "define it in a file or in a notebook cell."
        ) from error


@functools.cache
def _policy_hash(policy: type[Policy]) -> str:
    # cached by class: a file edited after its import must not pass for what is running
    elsewhere = [c for c in policy.__mro__ if not (covered_by_code(c.__module__) or _of_python(c.__module__))]
    return hashlib.sha256("\n".join(map(source_of, elsewhere)).encode()).hexdigest()[:16] if elsewhere else ""


def _of_python(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def constants_of_policies(study: Study) -> dict[str, dict[str, Any]]:
    """Constants of the study's policies as they are now, by policy; those without any are left out."""
    found = {name: constants_of(name) for name in study.policies}
    return {name: constants for name, constants in found.items() if constants}


def source_of(cls: type | FunctionType) -> str:
    """The whole module of what is imported, which may lean on anything in it; of a script or notebook the class or
    function alone."""
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
    for cell in (
        itertools.islice(cells, 1) if not set(study.fields) & set(fields_affecting(Affects.CALIBRATION)) else cells
    ):
        yield study.scenario_of(cell)


def _hash(files: list[Path], root: Path) -> str:
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
