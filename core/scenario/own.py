"""Fields that stand for a file of the user's own: what they accept, what follows from them, what must fit (D27)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import OwnFileError, ScenarioError
from core.files.bring import bring_buildings, bring_links, bring_mission
from core.files.buildings import Boxes, boxes_of, buildings_text
from core.files.links import WHAT as LINKS
from core.files.links import kept_links
from core.files.mission import MAX_DISTANCE_M, MAX_DURATION_S, MAX_SPEED_MPS, MissionReport, kept_mission, report_of
from core.files.mission import WHAT as MISSION
from core.files.store import check_kept, is_stored_name
from core.scenario.quantity import shown

if TYPE_CHECKING:
    from core.scenario.scenario import Scenario

MISSION_FIELD, BUILDINGS_FIELD, LINKS_FIELD = "mission.file", "mission.buildings", "network.link_trace"
_NUMBERS = re.compile(r"[-+0-9.eE;,\s]*")
"""Buildings as text, and not the path of a file."""
NO_MISSION = " The built-in mission is another one for every seed, and a trace belongs to one flight: bring its mission as a file too."
FOLLOWING = ("mission.uavs", "mission.duration_s", "mission.speed_mps")
"""Fields that a mission file decides where nothing else is said."""


def stored_mission(name: str, value: Any) -> str:
    """The name of a kept mission, or nothing."""
    return _stored(name, value, MISSION)


def stored_links(name: str, value: Any) -> str:
    """The name of a kept link trace, or nothing."""
    return _stored(name, value, LINKS)


def _stored(name: str, value: Any, what: str) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not is_stored_name(value):
        raise OwnFileError(
            f"{name} = {shown(value)} is not the name of a kept {what}. A path is read where a scenario file names it, "
            "by --mission, --buildings and --links on the command line, and by Scenario.with_own in Python."
        )
    check_kept(value, what)
    return value


def own_buildings(name: str, value: Any) -> str:
    """Boxes as text, from text or from a list of five numbers each."""
    if value is None:
        return ""
    try:
        return buildings_text(boxes_of(value)) if isinstance(value, str) else buildings_text(Boxes.of_lists(value))
    except OwnFileError as error:
        raise OwnFileError(f"{name}: {error}") from error


def with_files(changes: Mapping[str, Any], folder: Path, gcs: tuple[float, float]) -> dict[str, Any]:
    """The same changes with every path read and kept: what a scenario file or a study file names.

    Args:
        changes: by dotted name.
        folder: where relative paths begin.
        gcs: where the ground station stands when the changes do not say, east and north [m].
    """
    home = (_metres(changes, "network.gcs_x_m", gcs[0]), _metres(changes, "network.gcs_y_m", gcs[1]))
    found = dict(changes)
    for name, bring in ((MISSION_FIELD, bring_mission), (LINKS_FIELD, bring_links), (BUILDINGS_FIELD, bring_buildings)):
        value = changes.get(name)
        if not isinstance(value, str) or not value or is_stored_name(value):
            continue
        if name == BUILDINGS_FIELD and _NUMBERS.fullmatch(value):
            continue
        found[name] = bring(folder / value, home)
    return found


def _metres(changes: Mapping[str, Any], name: str, default: float) -> float:
    """A coordinate; what is no coordinate is left to the field's own check, which says so."""
    value = changes.get(name, default)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= MAX_DISTANCE_M
    return float(value) if fits else default


def following(changes: Mapping[str, Any], Ts: float) -> dict[str, Any]:
    """Swarm size, duration and speed of a mission file, where the changes do not give them."""
    file = changes.get(MISSION_FIELD)
    if not isinstance(file, str) or not is_stored_name(file):
        return {}
    Ts = changes.get("control.Ts", Ts)
    return {name: value for name, value in fitting(file, Ts).items() if name not in changes}


def fitting(file: str, Ts: float) -> dict[str, Any]:
    """Swarm size, duration and speed with which a kept mission can be flown, by dotted name.

    Args:
        file: name of the kept mission.
        Ts: control period [s].
    """
    if not isinstance(Ts, (int, float)) or isinstance(Ts, bool) or not Ts > 0:
        return {}
    found = report_of(file, float(Ts))
    return {
        "mission.uavs": found.uavs,
        "mission.duration_s": _seconds(found),
        "mission.speed_mps": min(max(math.ceil(2 * found.top_speed_mps - 1e-6) / 2, 1.0), MAX_SPEED_MPS),
    }


def _seconds(report: MissionReport) -> float:
    """Whole seconds that hold the mission, as many as a scenario may have."""
    return float(min(max(math.ceil(report.duration_s - 1e-9), 1), MAX_DURATION_S))


def check_own(s: Scenario) -> None:
    """What own files and the rest of a scenario must have in common; each message says what to change."""
    m = s.mission
    if m.file:
        _check_mission(s, report_of(m.file, s.control.Ts, s.cycles))
    if s.network.link_trace:
        _check_links(s)
    if m.buildings:
        x, y, z = s.network.gcs
        for number, (x0, y0, x1, y1, height) in boxes_of(m.buildings).numbered():
            if x0 <= x <= x1 and y0 <= y <= y1 and z <= height:
                raise ScenarioError(
                    f"The ground station at ({x:g}, {y:g}) m stands inside building {number}; move network.gcs_x_m or "
                    "network.gcs_y_m, or leave that building out of mission.buildings."
                )


def _check_mission(s: Scenario, found: MissionReport) -> None:
    m, whole = s.mission, report_of(s.mission.file, s.control.Ts)
    if m.uavs != found.uavs:
        raise ScenarioError(
            f"mission.uavs = {m.uavs}, and the mission file has {found.uavs} UAVs; set mission.uavs to {found.uavs}."
        )
    if m.duration_s > _seconds(whole):
        raise ScenarioError(
            f"mission.duration_s = {m.duration_s:g} s, and the mission file ends after {whole.duration_s:.4g} s; set "
            f"mission.duration_s to {_seconds(whole):g} or less."
        )
    if found.top_speed_mps > m.speed_mps + 1e-6:
        raise ScenarioError(
            f"mission.speed_mps = {m.speed_mps:g} m/s must be at least the top speed of the mission file, "
            f"{found.top_speed_mps:.2f} m/s: the onboard law is certified for it (D12). Set mission.speed_mps to "
            f"{fitting(m.file, s.control.Ts)['mission.speed_mps']:g}."
        )
    if found.closest is not None and found.closest_m < m.safety_distance_m - 1e-9:
        a, b, when = found.closest
        raise ScenarioError(
            f"UAVs {a} and {b} of the mission file come within {found.closest_m:.1f} m of each other at {when:.4g} s, and "
            f"mission.safety_distance_m = {m.safety_distance_m:g} m; separate them in the file or lower "
            f"mission.safety_distance_m to {math.floor(found.closest_m):g}."
        )


def _check_links(s: Scenario) -> None:
    trace = kept_links(s.network.link_trace)
    if trace.uavs > s.mission.uavs:
        raise ScenarioError(
            f"The link trace names UAV {trace.uavs}, and mission.uavs = {s.mission.uavs}; set mission.uavs to at least "
            f"{trace.uavs}, or leave those rows out."
        )
    if not trace.share(s.control.Ts, s.cycles, s.mission.uavs + 1):
        raise ScenarioError(
            f"No record of the link trace lies within the mission: it begins at {trace.t.min():g} s, and the mission lasts "
            f"{s.mission.duration_s:g} s; t counts from the start of the mission."
        )


def _part_flown(s: Scenario) -> str:
    """Empty, or how much of a longer mission file is flown, and why."""
    flown = s.mission.duration_s
    if flown >= kept_mission(s.mission.file).duration_s - 1e-9:
        return ""
    why = "the longest that a mission may last" if flown >= MAX_DURATION_S else "as mission.duration_s says"
    return f" Only its first {flown:g} s are flown, {why}."


def _through_buildings(s: Scenario) -> str:
    """Empty, or which UAV is planned to be inside a building first, and when."""
    side, height = s.mission.building_side_m / 2, s.mission.building_height_m
    boxes = [box for _, box in boxes_of(s.mission.buildings).numbered()]
    if not s.mission.buildings and height > 0:
        boxes = [(-side, -side, side, side, height)]
    places = kept_mission(s.mission.file).sampled(s.control.Ts * np.arange(s.cycles + 1, dtype=np.float64))
    x, y, z = np.moveaxis(places, -1, 0)
    inside = np.zeros(x.shape, dtype=np.bool_)
    for x0, y0, x1, y1, top in boxes:
        inside |= (x0 < x) & (x < x1) & (y0 < y) & (y < y1) & (z < top)
    if not inside.any():
        return ""
    k, uav = np.argwhere(inside)[0]
    return (
        f" UAV {uav + 1} is planned to be inside a building at {k * s.control.Ts:.4g} s: move it, or bring your own buildings "
        "(or set mission.building_height_m to 0)."
    )


def own_words(s: Scenario) -> dict[str, str]:
    """What each of a scenario's own files has in it, by dotted name; nothing of those it does not have."""
    found, nodes = {}, s.mission.uavs + 1
    if file := s.mission.file:
        found[MISSION_FIELD] = report_of(file, s.control.Ts, s.cycles).words + _part_flown(s) + _through_buildings(s)
    if s.mission.buildings:
        boxes = boxes_of(s.mission.buildings)
        highest = max(box[4] for _, box in boxes.numbered())
        count = len(boxes.buildings)
        found[BUILDINGS_FIELD] = f"{count} building{'s' if count > 1 else ''}, the highest {highest:g} m."
    if links := s.network.link_trace:
        words = kept_links(links).words(s.control.Ts, s.cycles, nodes)
        found[LINKS_FIELD] = words if file else words + NO_MISSION
    return found
