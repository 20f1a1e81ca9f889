"""Calibration files, damaged, or forged with a checksum that fits: the very calibration, a sound one, or a sentence."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from fuzzing import Fuzz, budget
from mutation import bombs, mutated_bytes, mutated_plain, mutated_text

from core.twin import calibration_file, load_calibration
from core.twin.calibration import Calibration
from core.twin.calibration_library import DEFAULT_PATH

NPZ, HEADER = (DEFAULT_PATH.with_name(DEFAULT_PATH.name + suffix) for suffix in (".npz", ".yaml"))


@pytest.fixture(autouse=True)
def _no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_file, "_LOOK_AGAIN_S", ())  # nobody writes these files meanwhile


def sound(path: Path) -> Calibration:
    """What was read answers, and every answer is a probability or a margin."""
    found = load_calibration(path)
    for beta in (0.01, 0.3):
        assert not np.isnan(found.margins(beta)).any()
    p11 = found.p11(np.logspace(-8, 0, 20))
    assert ((p11 >= 0) & (p11 <= 1) | np.isnan(p11)).all()
    assert isinstance(found.made, str)
    assert len(found.made) < 1000
    return found


def put(path: Path, body: bytes, packed: bytes, signed: bool = True) -> None:
    """Write a pair of files; signed, its checksum fits."""
    digest = hashlib.sha256(body.replace(b"\r\n", b"\n") + packed).hexdigest()
    path.with_suffix(".yaml").write_bytes((f"sha256: {digest}\n".encode() if signed else b"") + body)
    path.with_suffix(".npz").write_bytes(packed)


def test_damaged_files(tmp_path: Path) -> None:
    """Without the checksum's blessing nothing that changed is ever taken."""
    header, packed, path = HEADER.read_bytes(), NPZ.read_bytes(), tmp_path / "c"
    body = header.partition(b"\n")[2]
    with Fuzz("calibration files", least_taken=0.0) as fuzz:
        for i in range(budget(300)):
            rng = np.random.default_rng((41, i))
            bad = (mutated_bytes(rng, header), packed) if i % 2 else (header, mutated_bytes(rng, packed))
            put(path, *bad, signed=False)

            def refused() -> None:
                sound(path)
                assert bad[0].partition(b"\n")[2].replace(b"\r\n", b"\n") + bad[1] == body + packed  # noqa: B023

            fuzz.attempt(bad[i % 2][:200], refused)


def test_forged_headers(tmp_path: Path) -> None:
    body, packed, path = HEADER.read_bytes().partition(b"\n")[2], NPZ.read_bytes(), tmp_path / "c"
    with Fuzz("calibration headers with a good checksum") as fuzz:
        for i in range(budget(200)):
            rng = np.random.default_rng((42, i))
            bad = mutated_text(rng, body.decode()).encode("utf-8", "replace") if i % 2 else _replaced(rng, body)
            put(path, bad, packed)
            fuzz.attempt(bad, lambda: sound(path))


def _replaced(rng: np.random.Generator, body: bytes) -> bytes:
    try:
        return yaml.safe_dump(mutated_plain(rng, yaml.safe_load(body))).encode()
    except (yaml.YAMLError, UnicodeError):
        return b"version: 3\n"


def test_bombs_in_headers(tmp_path: Path) -> None:
    """In place of the header, and of each of its entries."""
    body, packed, path = HEADER.read_bytes().partition(b"\n")[2], NPZ.read_bytes(), tmp_path / "c"
    entries = yaml.safe_load(body)
    with Fuzz("bombs for a calibration", least_taken=0.0) as fuzz:
        for name, text in bombs().items():
            put(path, text.encode("utf-8", "replace"), packed)
            fuzz.attempt(name, lambda: sound(path))
        for entry in entries:
            rest = yaml.safe_dump({k: v for k, v in entries.items() if k != entry})
            put(path, f"{bombs()['aliases']}{rest}{entry}: *z\n".encode(), packed)
            fuzz.attempt(entry, lambda: sound(path))


def test_forged_arrays(tmp_path: Path) -> None:
    body, path = HEADER.read_bytes().partition(b"\n")[2], tmp_path / "c"
    with np.load(NPZ) as file:
        good = dict(file)
    with Fuzz("calibration arrays with a good checksum") as fuzz:
        for i in range(budget(60)):
            rng = np.random.default_rng((43, i))
            packed = io.BytesIO()
            np.savez_compressed(packed, **_changed(rng, good))
            put(path, body, packed.getvalue())
            fuzz.attempt(i, lambda: sound(path))


def _changed(rng: np.random.Generator, good: dict[str, Any]) -> dict[str, Any]:
    name = str(rng.choice(list(good)))
    array = good[name].copy()
    way = int(rng.integers(7))
    flat = array.reshape(-1)
    at = int(rng.integers(flat.size))
    if way == 0:
        flat[at] = -1
    elif way == 1:
        flat[at] = np.iinfo(np.int32).max
    elif way == 2:
        array = flat[:at]
    elif way == 3:
        array = array.astype(rng.choice(["float64", "int8", "U5", "bool", "complex64"]))
    elif way == 4:
        return {k: v for k, v in good.items() if k != name}
    elif way == 5:
        array = np.array(7) if rng.uniform() < 0.5 else array[None]
    else:
        flat[at] = flat[at] + (flat[at] > 0)
    return {**good, name: array}
