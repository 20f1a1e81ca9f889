"""Missions, buildings and links that users bring, damaged: numbers that can be flown, or a sentence."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from fuzzing import Fuzz, budget
from mutation import atom, mutated_bytes, mutated_plain, mutated_text
from own_data import HOME, footprint, geojson, mission_csv, plan

from core import Scenario
from core.files.bring import keep_links_upload, keep_uploads, read_buildings
from core.files.buildings import boxes_of
from core.files.links import kept_links
from core.files.mission import kept_mission, report_of

SQUARE = [(0.001, 0), (0.0012, 0), (0.0012, 0.0002), (0.001, 0.0002)]
LINKS = b"t,from,to,snr_db\n0,gcs,1,12.5\n0,1,2,8\n0.5,gcs,1,11\n1,2,gcs,-3.25\n"
BUILDINGS = b"west,south,east,north,height\n-30,-30,30,30,90\n60,-20,90,20,40\n"
JSON = {
    "a.plan": plan(),
    "b.geojson": geojson(footprint(SQUARE, height=10), footprint(SQUARE, **{"building:levels": 3})),
}
TABLES = {"m.csv": mission_csv(), "gusty.csv": mission_csv(2, extra=",0,0.5,0,0"), "l.csv": LINKS, "b.csv": BUILDINGS}


def bring(name: str, content: bytes) -> None:
    """Bring a file as an upload does, and look at what is kept of it."""
    if name.startswith("l."):
        trace = kept_links(keep_links_upload(name, content))
        levels = [x for x in (trace.snr_db, trace.path_loss_db) if x is not None]
        assert all(np.isfinite(x).all() for x in (trace.t, *levels))
    elif name.startswith("b."):
        for _, box in boxes_of(read_buildings(name, content, (0.0, 0.0))).numbered():
            assert np.isfinite(box).all()
            assert box[0] < box[2]
            assert box[1] < box[3]
    else:
        kept = keep_uploads([(name, content)], (0.0, 0.0))
        assert all(
            np.isfinite(track.places).all() and np.isfinite(track.t).all() for track in kept_mission(kept).tracks
        )
        report_of(kept, 0.25)


def test_tables() -> None:
    with Fuzz("own tables") as fuzz:
        for i in range(budget(400)):
            rng = np.random.default_rng((31, i))
            name, good = list(TABLES.items())[i % len(TABLES)]
            text = i // len(TABLES) % 2
            content = mutated_text(rng, good.decode()).encode("utf-8", "replace") if text else mutated_bytes(rng, good)
            fuzz.attempt((name, content), lambda name=name, content=content: bring(name, content))


def test_json() -> None:
    with Fuzz("own plans and footprints") as fuzz:
        for i in range(budget(400)):
            rng = np.random.default_rng((32, i))
            name, good = list(JSON.items())[i % 2]
            content = (
                json.dumps(mutated_plain(rng, json.loads(good))).encode(),
                mutated_text(rng, good.decode()).encode("utf-8", "replace"),
                mutated_bytes(rng, good),
            )[i // 2 % 3]
            fuzz.attempt((name, content), lambda name=name, content=content: bring(name, content))


def ulog() -> bytes:
    """A small PX4 log with positions."""
    fields = "uint64_t timestamp;double ref_lat;double ref_lon;float x;float y;float z;"
    name = b"vehicle_local_position"

    def message(kind: bytes, body: bytes) -> bytes:
        return struct.pack("<HB", len(body), kind[0]) + body

    out = b"ULog\x01\x12\x35\x01" + struct.pack("<Q", 1_000_000) + message(b"B", bytes(40))
    out += message(b"F", name + b":" + fields.encode()) + message(b"A", struct.pack("<BH", 0, 0) + name)
    for i in range(30):
        place = struct.pack("<Qddfff", 1_000_000 + 100_000 * i, *HOME[:2], 0.5 * i, 0.0, -40.0)
        out += message(b"D", struct.pack("<H", 0) + place)
    return out


def test_flight_logs() -> None:
    pytest.importorskip("pyulog")
    good = ulog()
    with Fuzz("own flight logs") as fuzz:
        for i in range(budget(150)):
            content = mutated_bytes(np.random.default_rng((33, i)), good)
            fuzz.attempt(content, lambda content=content: bring("a.ulg", content))


def test_paths_in_scenario_files(tmp_path: Path) -> None:
    """A scenario file may name own files by path: whatever path, and wherever the ground station is said to stand."""
    (tmp_path / "m.csv").write_bytes(mission_csv())
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "a.plan").write_bytes(plan())
    (tmp_path / "l.csv").write_bytes(LINKS)
    (tmp_path / "b.csv").write_bytes(BUILDINGS)
    path = tmp_path / "scenario.yaml"
    paths = (
        "m.csv",
        "plans",
        "l.csv",
        "b.csv",
        ".",
        "nothing.csv",
        "/dev/null",
        "/proc/self/mem",
        "/root",
        "m.csv/x",
        "\\0.csv",
    )
    places = ("0", "-330", "", "north", ".nan", ".inf", "[1]", "true", "1e9")
    with Fuzz("paths in scenario files") as fuzz:
        for i in range(budget(200)):
            rng = np.random.default_rng((34, i))
            named = [str(rng.choice(paths)) if rng.uniform() < 0.8 else json.dumps(atom(rng)) for _ in range(3)]
            if i % 2:
                named = ["m.csv" if i % 4 == 1 else "plans", "l.csv", "b.csv"]
            gcs = str(rng.choice(places))
            text = f"mission: {{file: {named[0]}, buildings: {named[2]}}}\nnetwork: {{link_trace: {named[1]}, gcs_x_m: {gcs}}}\n"
            path.write_text(text, encoding="utf-8", errors="replace")
            fuzz.attempt(text, lambda: Scenario.from_yaml(path))
