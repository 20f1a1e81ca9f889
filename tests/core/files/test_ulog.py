"""PX4 logs, written here byte by byte: the format is self-describing."""

import struct
import sys

import numpy as np
import pytest
from own_data import HOME

from core import Scenario
from core.errors import OwnFileError
from core.files.mission import kept_mission

FIELDS = "uint64_t timestamp;double ref_lat;double ref_lon;float x;float y;float z;"


def message(kind: bytes, body: bytes) -> bytes:
    return struct.pack("<HB", len(body), kind[0]) + body


def ulog(north, east, up, lat=HOME[0], lon=HOME[1], name="vehicle_local_position") -> bytes:
    out = b"ULog\x01\x12\x35\x01" + struct.pack("<Q", 1_000_000)
    out += message(b"B", bytes(40))
    out += message(b"F", f"{name}:{FIELDS}".encode())
    out += message(b"A", struct.pack("<BH", 0, 0) + name.encode())
    for i, (x, y, z) in enumerate(zip(north, east, up, strict=True)):
        out += message(b"D", struct.pack("<H", 0) + struct.pack("<Qddfff", 1_000_000 + 100_000 * i, lat, lon, x, y, -z))
    return out


def test_a_flight_is_flown_again(tmp_path):
    pytest.importorskip("pyulog")
    t = np.arange(0, 5.01, 0.1)
    for i in (1, 2):  # the second took off 0.0003° further north and logs around its own start
        (tmp_path / f"uav{i}.ulg").write_bytes(ulog(6 * t, 0 * t, 40 + t, lat=HOME[0] + 0.0003 * (i - 1)))
    s = Scenario().with_own(mission=tmp_path)
    first, second = kept_mission(s.mission.file).tracks
    gcs = s.network.gcs
    np.testing.assert_allclose(first.places[0], [gcs[0], gcs[1], 40], atol=1e-3)
    np.testing.assert_allclose(first.places[-1], [gcs[0], gcs[1] + 30, 45], atol=1e-3)
    np.testing.assert_allclose((second.places - first.places)[0], [0, 33.36, 0], atol=0.05)
    assert (s.mission.uavs, s.mission.duration_s, s.mission.speed_mps) == (2, 5.0, 6.5)


def test_a_log_without_positions_and_one_with_a_reset(tmp_path):
    pytest.importorskip("pyulog")
    t = np.arange(0, 5.01, 0.1)
    path = tmp_path / "a.ulg"
    path.write_bytes(ulog(t, t, 40 + t, name="vehicle_attitude"))
    with pytest.raises(OwnFileError, match="has no vehicle_local_position"):
        Scenario().with_own(mission=path)
    path.write_bytes(ulog(t + 300 * (t > 2), t, 40 + t))
    with pytest.raises(OwnFileError, match=r"jumps at 2\.0 s"):
        Scenario().with_own(mission=path)


def test_without_pyulog_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyulog", None)
    path = tmp_path / "a.ulg"
    path.write_bytes(b"ULog")
    with pytest.raises(OwnFileError, match="pip install pyulog"):
        Scenario().with_own(mission=path)
