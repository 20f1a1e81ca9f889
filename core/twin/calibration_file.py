"""Calibration on disk: numbers in <name>.npz, provenance in <name>.yaml, never a pickle."""

from __future__ import annotations

import hashlib
import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from core.errors import CalibrationError
from core.scenario.loader import PlainLoader
from core.twin.calibration import FIRST_EVALUATION_SEED, Calibration
from core.twin.persistence import BIN_EDGES, ChainCounts
from core.twin.scores import ROUTE_CLASSES, SCORE_STEP_DB, ScoreQuantiles, kept_ranks

FORMAT_VERSION = 3
MAX_BYTES = 16_000_000
"""Packed or unpacked size at which a file is refused; a calibration is well below a megabyte."""
MAX_WORDS = 200
"""Characters of the texts that say when and for what it was made."""
_CHECKSUM = "sha256: "
"""First line of the header, before the checksum of all the rest of it and of the npz."""
_LOOK_AGAIN_S = (0.02, 0.1, 0.4)
"""Pauses of a reader that finds the two files not to belong together [s]."""
_COUNTS = ("failures", "repeats", "successes", "breaks")
_INFINITE = np.iinfo(np.int32).max
"""Stored in place of an infinite score."""


def save_calibration(calibration: Calibration, path: str | Path) -> tuple[Path, Path]:
    """Write <path>.npz and <path>.yaml; returns both paths. Whatever goes wrong, nothing half-written is left."""
    npz, header = check_target(path)
    cells = [s for stratum in calibration.scores for pair in stratum for s in pair]
    steps = np.concatenate([s.values for s in cells]) / SCORE_STEP_DB
    arrays: dict[str, Any] = {
        "score_n": np.array([s.n for s in cells], dtype=np.int64),
        "score_steps": np.where(np.isfinite(steps), np.round(steps), _INFINITE).astype(np.int32),
        "bin_edges": BIN_EDGES,
        **{name: np.array([getattr(c, name) for c in calibration.counts]) for name in _COUNTS},
    }
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    text = {
        "version": FORMAT_VERSION,
        "made": calibration.made,
        "scenario_digest": calibration.scenario_digest,
        "seeds": list(calibration.seeds),
        "budgets_db": list(calibration.budgets_db),
        "route_classes": list(ROUTE_CLASSES),
        "counts": {
            "scores": int(sum(s.n for s, _ in calibration.scores[-1])),
            "scores_after_failure": int(sum(s.n for _, s in calibration.scores[-1])),
            **{name: int(sum(getattr(c, name).sum() for c in calibration.counts)) for name in _COUNTS},
        },
        "key": dict(calibration.key),
    }
    body = yaml.safe_dump(text, sort_keys=False, allow_unicode=True).encode()
    first = f"{_CHECKSUM}{_checksum(body, packed.getvalue())}\n".encode()
    parts = {npz: packed.getvalue(), header: first + body}
    try:
        for part, content in parts.items():
            _new(part).write_bytes(content)
        for (
            part
        ) in parts:  # the header last: until then a reader sees that the two do not belong together, and looks again
            os.replace(_new(part), part)
    except OSError as error:
        raise CalibrationError(f"{npz.with_suffix('')} cannot be written: {error}; choose another --out.") from error
    finally:
        for part in parts:
            _new(part).unlink(missing_ok=True)
    return npz, header


def check_target(path: str | Path) -> tuple[Path, Path]:
    """The two files of a calibration, or a CalibrationError when they cannot be written there; makes the folder."""
    try:
        npz, header = _paths(path)
        for taken in (npz, header, npz.with_suffix("")):
            if taken.is_dir():
                raise CalibrationError(f"{taken} is a folder; give --out the name of a file in it, without suffix.")
        npz.parent.mkdir(parents=True, exist_ok=True)
        _new(npz).touch()
        _new(npz).unlink()
    except (OSError, ValueError) as error:
        raise CalibrationError(f"--out {str(path)!r} cannot be written: {error}; choose another.") from error
    return npz, header


def load_calibration(path: str | Path) -> Calibration:
    """Read and check a calibration; anything missing, malformed or inconsistent is a CalibrationError with advice."""
    npz, header = _paths(path)
    advice = f"make it again with `python -m core calibrate --out {npz.with_suffix('')}`"
    for part in (npz, header):
        if not part.is_file():
            raise CalibrationError(f"No calibration file at {part}; {advice}.")
        if part.stat().st_size > MAX_BYTES:
            raise CalibrationError(f"{part} is larger than {MAX_BYTES} bytes, which no calibration is; {advice}.")
    try:
        body, packed = _pair(npz, header)
        return _calibration(_header(header.name, body), _arrays(npz.name, packed))
    except (
        Exception
    ) as error:  # whatever damage or malice makes the parsers raise, RecursionError and MemoryError included
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else error
        raise CalibrationError(f"{npz.with_suffix('')} is not a calibration: {reason!s:.300}; {advice}.") from error


def _paths(path: str | Path) -> tuple[Path, Path]:
    base = Path(path)
    if base.suffix in {".npz", ".yaml"}:
        base = base.with_suffix("")
    return base.with_name(base.name + ".npz"), base.with_name(base.name + ".yaml")


def _new(part: Path) -> Path:
    return part.with_name(part.name + ".new")


def _checksum(body: bytes, packed: bytes) -> str:
    """Over everything both files say, whatever the line ends of the header."""
    return hashlib.sha256(body.replace(b"\r\n", b"\n") + packed).hexdigest()


def _pair(npz: Path, header: Path) -> tuple[bytes, bytes]:
    """Header without its first line, and npz, which together have the checksum of that line.

    A writer replaces one file after the other: a reader that came in between looks again.
    """
    for pause in (*_LOOK_AGAIN_S, None):
        first, _, body = header.read_bytes().partition(b"\n")
        packed = npz.read_bytes()
        if first.decode().strip() == _CHECKSUM + _checksum(body, packed):
            return body, packed
        if not first.startswith(_CHECKSUM.encode()):
            raise ValueError(f"{header.name} does not begin with a checksum: damaged, or of another format version")
        if pause is not None:
            time.sleep(pause)
    raise ValueError(f"{npz.name} and {header.name} do not belong together (checksum differs)")


def _header(name: str, body: bytes) -> dict[str, Any]:
    text = yaml.load(body.decode("utf-8"), Loader=PlainLoader)
    if not isinstance(text, dict):
        raise ValueError(f"{name} is not a mapping")
    if text.get("version") != FORMAT_VERSION:
        raise ValueError(f"{name} has format version {text.get('version')}, this program reads {FORMAT_VERSION}")
    if list(text["route_classes"]) != list(ROUTE_CLASSES):
        raise ValueError("its route classes are not those of this program")
    key = text["key"]
    if not isinstance(key, dict) or not all(_plain(x) for v in key.values() for x in (v if type(v) is list else [v])):
        raise ValueError("its key is not a mapping of scenario fields")
    if not all(isinstance(text[name], str) and len(text[name]) <= MAX_WORDS for name in ("scenario_digest", "made")):
        raise ValueError("its scenario_digest and made are not short texts")
    seeds = text["seeds"]
    if not isinstance(seeds, list) or not seeds or not all(type(s) is int for s in seeds):
        raise ValueError("its seeds are not a list of whole numbers")
    if min(seeds) < 0 or max(seeds) >= FIRST_EVALUATION_SEED:
        raise ValueError(f"it was made with evaluation seeds ({FIRST_EVALUATION_SEED} and up)")
    return text


def _plain(value: object) -> bool:
    return value is None or isinstance(value, (str, bool, int, float))


def _arrays(name: str, packed: bytes) -> dict[str, npt.NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
            raise ValueError(f"{name} unpacks to more than {MAX_BYTES} bytes")
    with np.load(io.BytesIO(packed), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _calibration(text: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Calibration:
    budgets = tuple(float(x) for x in text["budgets_db"])
    if not budgets or not np.isfinite(budgets).all() or np.any(np.diff(budgets) <= 0.0):
        raise ValueError("budgets_db must be increasing numbers")
    if not np.array_equal(arrays["bin_edges"], BIN_EDGES):
        raise ValueError("its bins of predicted failure are not those of this program")
    n = _whole(arrays, "score_n", ((len(budgets) + 1) * len(ROUTE_CLASSES) * 2,))
    ends = np.cumsum([kept_ranks(int(x)).size for x in n])
    steps = arrays["score_steps"]
    if steps.dtype != np.int32 or steps.shape != (ends[-1],):
        raise ValueError(f"score_steps must be {ends[-1]} whole numbers of 32 bit")
    cells = []
    for size, part in zip(n, np.split(steps, ends[:-1]), strict=True):
        if np.any(np.diff(part.astype(np.int64)) < 0):
            raise ValueError("score_steps are not sorted")
        cells.append(ScoreQuantiles(int(size), np.where(part == _INFINITE, np.inf, part * SCORE_STEP_DB)))
    table = {name: _whole(arrays, name, (len(budgets), len(text["seeds"]), BIN_EDGES.size + 1)) for name in _COUNTS}
    if np.any(table["repeats"] > table["failures"]) or np.any(table["breaks"] > table["successes"]):
        raise ValueError("its failure counts contradict each other")
    cell = iter(cells)
    scores = tuple(tuple((next(cell), next(cell)) for _ in ROUTE_CLASSES) for _ in range(len(budgets) + 1))
    counts = tuple(ChainCounts(*(table[name][j] for name in _COUNTS)) for j in range(len(budgets)))
    return Calibration(
        text["key"], text["scenario_digest"], tuple(text["seeds"]), budgets, text["made"], scores, counts
    )


def _whole(arrays: dict[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
    found = arrays[name]
    if found.shape != shape or not np.issubdtype(found.dtype, np.integer) or np.any(found < 0):
        raise ValueError(f"{name} must be nonnegative whole numbers of shape {shape}, not {found.dtype} {found.shape}")
    return found.astype(np.int64)
