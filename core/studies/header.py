"""The header of a study folder: its definition, and everything else that shapes a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import StudyError
from core.studies.axis import Axis
from core.studies.definition import Study
from core.studies.fingerprint import (
    calibrations_of,
    code_fingerprint,
    constants_of_policies,
    metrics_of_runs,
    policies_of,
)
from core.studies.hook import hook_fingerprint
from core.studies.record import RunFunction
from core.studies.setting import Setting

ENTRIES: dict[str, type] = {
    "study": dict,
    "code": str,
    "calibration": list,
    "run": str,
    "policies": dict,
    "constants": dict,
    "metrics": dict,
}
"""What a header holds and of which type; all but the first may be missing."""
WHAT_TO_DO = "Choose another --out, or give --fresh to delete these records and start again."


def header_of(study: Study, run: RunFunction) -> dict[str, Any]:
    """The definition, and fingerprints of the code, hook, policies, metrics and calibrations that its records depend on."""
    header = {"study": study.to_dict(), "code": code_fingerprint(), "calibration": calibrations_of(study)}
    optional = {
        "run": hook_fingerprint(run),
        "policies": policies_of(study),
        "constants": constants_of_policies(study),
        "metrics": metrics_of_runs(),
    }
    return header | {name: value for name, value in optional.items() if value}


def grown(header: Mapping[str, Any], study: Study, run: RunFunction, where: str) -> dict[str, Any]:
    """The header of the union of what is stored and what is asked for.

    Args:
        header: as it is stored.
        study: what is asked for.
        run: the simulator or the hook in its place.
        where: how a refusal begins, "… holds 24 records made with".

    Raises:
        StudyError: the new records would have been made otherwise than those that are there.
    """
    for words in differences(header, study, run):
        raise StudyError(f"{where} {words} {WHAT_TO_DO}")
    found = header_of(_union(Study.from_dict(header["study"]), study), run)
    return found | {"metrics": {**(header.get("metrics") or {}), **found["metrics"]}}


def differences(header: Mapping[str, Any], study: Study, run: RunFunction) -> list[str]:
    """What the records that are there were made with and new ones would not be, in words; empty = they go together.

    Args:
        header: as it is stored.
        study: what is asked for.
        run: the simulator or the hook in its place.
    """
    old = Study.from_dict(header["study"])
    found = _in_definition(old, study)
    if header.get("code") != code_fingerprint():
        found.append(f"another version of the code ({header.get('code')}).")
    if header.get("calibration") != calibrations_of(old):
        found.append(f"another calibration ({header.get('calibration')}).")
    stored, now = header.get("run") or "", hook_fingerprint(run)
    if stored != now:
        names = [f"a run function of its own ({text})" if text else "the simulator" for text in (stored, now)]
        found.append(f"{names[0]}, not with {names[1]}: another mission or model.")
    made_by, by_now = header.get("policies") or {}, policies_of(old)
    if other := [name for name in old.policies if made_by.get(name) != by_now.get(name)]:
        found.append(f"another version of the policy {', '.join(other)}.")
    stored_constants, constants = header.get("constants"), constants_of_policies(old)
    if stored_constants is not None:
        for name in (n for n in old.policies if stored_constants.get(n) != constants.get(n)):
            found.append(
                f"other constants of the policy {name}, {stored_constants.get(name)} (now {constants.get(name)})."
            )
    measured, measures = header.get("metrics") or {}, metrics_of_runs()
    if other := [name for name, text in measured.items() if measures.get(name, text) != text]:
        found.append(f"another version of the metric {', '.join(other)}.")
    return found


def _in_definition(old: Study, study: Study) -> list[str]:
    if set(old.names) != set(study.names):
        return [f"{', '.join(old.names) or 'nothing'} varied; a study grows by values, policies and trials."]
    found = []
    if (old.points is None) != (study.points is None):
        found.append("another kind of design (a grid is not a sensitivity sample).")
    if old.samples != study.samples:
        found.append(f"{', '.join(old.samples) or 'no'} samples kept (now {', '.join(study.samples) or 'none'}).")
    before = {s.name: s for s in old.settings}
    if other := [s.name for s in study.settings if before.get(s.name, s) != s]:
        found.append(f"another setting {other[0]!r}.")
    changed = [name for name in old.scenario.differences(study.scenario) if name not in study.names]
    if changed:
        what = ", ".join(f"{n} = {old.scenario.value(n)} (now {study.scenario.value(n)})" for n in changed[:3])
        found.append(f"{what}.")
    return found


def _union(old: Study, new: Study) -> Study:
    by_name = {a.name: a for a in new.axes}
    axes = tuple(Axis(a.name, tuple(dict.fromkeys((*a.values, *by_name[a.name].values)))) for a in old.axes)
    points = None
    if old.points is not None and new.points is not None:
        order = [[a.name for a in new.axes].index(a.name) for a in old.axes]
        points = tuple(dict.fromkeys((*old.points, *(tuple(p[i] for i in order) for p in new.points))))
    settings: tuple[Setting, ...] = tuple(dict.fromkeys((*old.settings, *new.settings)))
    return Study(
        scenario=old.scenario,
        axes=axes,
        policies=tuple(dict.fromkeys((*old.policies, *new.policies))),
        seeds=(*old.seeds, *new.seeds),
        points=points,
        settings=settings,
        samples=old.samples,
    )
