"""The calibration file: round trip, checks, and errors that tell the user what to do."""

import dataclasses
import hashlib
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from core import Scenario
from core.errors import CalibrationError
from core.folders import DATA
from core.twin import (
    Calibration,
    calibration_key,
    default_calibration,
    link_budget_db,
    load_calibration,
    save_calibration,
)
from core.twin.calibration import MIN_SCORES
from core.twin.calibration_file import check_target
from core.twin.calibration_library import DEFAULT_PATH
from core.twin.persistence import BIN_EDGES, ChainCounts, clopper_pearson_upper, effective_trials
from core.twin.scores import ROUTE_CLASSES, ScoreQuantiles


def made(budgets: tuple[float, ...] = (105.0,)) -> Calibration:
    rng = np.random.default_rng(0)
    scores = tuple(
        tuple(
            (ScoreQuantiles.of(rng.normal(0, 6, 3000)), ScoreQuantiles.of(rng.normal(4, 6, 600 + 1000 * c)))
            for c in range(len(ROUTE_CLASSES))
        )
        for _ in range(len(budgets) + 1)
    )
    failures = rng.integers(0, 1000, (len(budgets), 3, BIN_EDGES.size + 1))
    counts = tuple(ChainCounts(f, f // 3, f + 5, f // 7) for f in failures)
    scenario = Scenario()
    return Calibration(calibration_key(scenario), scenario.digest(), (0, 1, 2), budgets, "2026-01-01", scores, counts)


def test_round_trip_keeps_every_answer(tmp_path: Path) -> None:
    a = made((95.0, 105.0))
    save_calibration(a, tmp_path / "sub" / "mine")
    b = load_calibration(tmp_path / "sub" / "mine.npz")
    for beta in (0.01, 0.05, 0.3):
        assert np.array_equal(a.margins(beta), b.margins(beta))
    f = np.logspace(-8, 0, 50)
    assert np.array_equal(a.p11(f), b.p11(f), equal_nan=True)
    assert np.array_equal(a.p01(f), b.p01(f), equal_nan=True)
    assert (b.seeds, b.made, b.scenario_digest) == (a.seeds, a.made, a.scenario_digest)
    assert b.mismatches(Scenario()) == []


def test_margins_after_a_failure_are_never_smaller_and_budgets_take_the_worst() -> None:
    two = made((95.0, 105.0))
    for beta in (0.05, 0.2):
        m = two.margins(beta)
        assert np.all(m[:, 1] >= m[:, 0])
        for stratum in two.scores:
            assert np.all(m[:, 0] >= [calm.margin(beta) for calm, _ in stratum])
            assert np.all(m[:, 1] >= [failed.margin(beta) for _, failed in stratum])
    assert np.all(two.margins(0.1) >= two.margins(0.2))


def test_a_thin_class_of_one_budget_leaves_the_word_to_the_pool_and_a_thin_pool_to_nobody() -> None:
    wild, calm = ScoreQuantiles.of(np.full(MIN_SCORES - 1, 99.0)), ScoreQuantiles.of(np.zeros(MIN_SCORES))
    one = made()
    scores = (((wild, wild),) * 6, ((calm, calm),) * 5 + ((wild, calm),))
    margins = dataclasses.replace(one, scores=scores).margins(0.1)
    assert np.all(margins[:5] == 0.0)
    assert np.isinf(margins[5]).all()


def chain(failures: dict[int, tuple[int, int]]) -> ChainCounts:
    """Counts by bin (failures, repeats), the same for each of three seeds."""
    f, r = np.zeros((3, BIN_EDGES.size + 1), np.int64), np.zeros((3, BIN_EDGES.size + 1), np.int64)
    for b, (n, x) in failures.items():
        f[:, b], r[:, b] = n, x
    return ChainCounts(f, r, f, r)


def test_a_thin_bin_inherits_the_next_worse_bin_of_its_own_budget() -> None:
    """Not the same bin of another budget, which knows nothing of how failures persist at this one."""
    counts = (chain({5: (2, 2), 9: (1000, 500)}), chain({5: (1000, 100), 9: (1000, 300)}))
    two = dataclasses.replace(made((95.0, 105.0)), counts=counts)
    low, high = two.persistence(budget_db=95.0), two.persistence(budget_db=105.0)
    assert low[5] == low[9] == pytest.approx(0.5, abs=0.05)
    assert high[5] == pytest.approx(0.1, abs=0.05)


def test_persistence_never_rises_with_the_link_budget() -> None:
    """A budget takes the worst of its own bound and those of all better ones; where it has none, it gets none."""
    counts = (chain({5: (1000, 200)}), chain({5: (1000, 400), 9: (1000, 600)}), chain({5: (1000, 300), 9: (1000, 500)}))
    three = dataclasses.replace(made((95.0, 100.0, 105.0)), counts=counts)
    low, middle, high = (three.persistence(budget_db=b) for b in three.budgets_db)
    assert low[5] == middle[5] == pytest.approx(0.4, abs=0.05)
    assert high[5] == pytest.approx(0.3, abs=0.05)
    assert np.isnan(low[6:]).all()
    assert middle[9] > high[9]


def test_between_two_budgets_the_larger_bound_counts() -> None:
    two = made((95.0, 105.0))
    low, high = two.persistence(budget_db=95.0), two.persistence(budget_db=105.0)
    for between in (95.1, 97.5, 104.9):
        assert np.array_equal(two.persistence(budget_db=between), np.maximum(low, high), equal_nan=True)
    for at, nearest in ((95.0 - 1e-9, low), (95.0 + 1e-9, low), (105.0 - 1e-9, high), (150.0, high)):
        assert np.array_equal(two.persistence(budget_db=at), nearest, equal_nan=True)
    assert np.isnan(two.persistence(budget_db=94.9)).all()  # as bins worse than every populated one
    assert np.array_equal(two.persistence(), np.maximum(low, high), equal_nan=True)
    assert np.all(np.diff(low[~np.isnan(low)]) >= 0)


def test_the_link_budget_counts_every_common_term() -> None:
    base = link_budget_db(Scenario())
    for name, change, effect in (
        ("network.snr_offset_db", 5.0, 5.0),
        ("network.tx_power_dbm", 3.0, 3.0),
        ("network.extra_margin_db", 4.0, -4.0),
        ("network.noise_figure_db", 2.0, -2.0),
    ):
        moved = Scenario().replace(**{name: Scenario().value(name) + change})
        assert link_budget_db(moved) == pytest.approx(base + effect)


def test_key_ignores_what_only_enters_online_and_names_what_matters() -> None:
    a = made()
    online = {
        "twin.beta": 0.2,
        "twin.delta_T": 0.2,
        "twin.H_T": 5,
        "network.snr_offset_db": -7.0,
        "network.tx_power_dbm": 20.0,
        "network.slots": 80,
        "formulation": "paper",
    }
    assert a.mismatches(Scenario().replace(**online)) == []
    other = Scenario().replace(**{"mission.building_height_m": 40.0, "network.shadow_corr_los_m": 80.0})
    assert set(a.mismatches(other)) == {"mission.building_height_m", "network.shadow_corr_los_m"}


def signed(npz: Path, header: Path, body: bytes) -> Path:
    """Write a header with the right checksum, whatever it says."""
    header.write_bytes(f"sha256: {hashlib.sha256(body + npz.read_bytes()).hexdigest()}\n".encode() + body)
    return npz


def broken(tmp_path: Path, **change: object) -> Path:
    """A saved calibration with some arrays or header lines replaced (None removes), checksum kept right."""
    npz, header = save_calibration(made(), tmp_path / "c")
    text = yaml.safe_load(header.read_text())
    del text["sha256"]
    with np.load(npz) as file:
        arrays = dict(file)
    for name, value in change.items():
        target = text if name in text else arrays
        if value is None:
            del target[name]
        else:
            target[name] = value
    np.savez_compressed(npz, **arrays)
    return signed(npz, header, yaml.safe_dump(text).encode())


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"key": [1, 2]},
        {"key": {"mission.uavs": {"a": 1}}},
        {"made": None},
        {"key": None},
        {"seeds": [10_000]},
        {"seeds": "0:30"},
        {"seeds": []},
        {"route_classes": ["one"]},
        {"budgets_db": ["x"]},
        {"budgets_db": []},
        {"budgets_db": [float("nan")]},
        {"budgets_db": [0.0, 1.0]},
        {"score_n": None},
        {"score_n": np.zeros(24, np.int64)},
        {"score_n": np.full(24, -5)},
        {"score_n": np.full(24, 1e300)},
        {"score_steps": np.array([1.5])},
        {"score_steps": np.arange(10, dtype=np.int32)},
        {"repeats": np.full((1, 3, BIN_EDGES.size + 1), 10**6)},
        {"failures": np.zeros((1, 3, BIN_EDGES.size + 1), np.int64)},
        {"failures": np.full((1, 2, BIN_EDGES.size + 1), 10**7)},
        {"seeds": [0, 1]},
        {"bin_edges": BIN_EDGES * 2},
    ],
)
def test_malformed_files_are_refused_with_advice(tmp_path: Path, change: dict[str, object]) -> None:
    with pytest.raises(CalibrationError, match="python -m core calibrate --out"):
        load_calibration(broken(tmp_path, **change))


def test_unchanged_copy_is_accepted(tmp_path: Path) -> None:
    assert load_calibration(broken(tmp_path)).seeds == (0, 1, 2)


def test_garbage_truncation_and_pickles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="No calibration file"):
        load_calibration(tmp_path / "nothing")
    npz, header = save_calibration(made(), tmp_path / "c")
    whole = npz.read_bytes()
    for content in (b"", b"garbage", whole[: len(whole) // 2]):
        npz.write_bytes(content)
        with pytest.raises(CalibrationError, match="calibrate"):
            load_calibration(npz)
    with pytest.raises(CalibrationError, match="calibrate"):
        load_calibration(broken(tmp_path, score_n=np.array([{"a": 1}], dtype=object)))
    header.write_text("{unclosed: [")
    with pytest.raises(CalibrationError, match="calibrate"):
        load_calibration(npz)


@pytest.mark.parametrize("line", ["sha256: 0000\n", "", "sha256: \n", "version: 2\n"])
def test_a_header_without_its_checksum_is_refused(tmp_path: Path, line: str) -> None:
    npz, header = save_calibration(made(), tmp_path / "c")
    header.write_text(line + header.read_text().partition("\n")[2])
    with pytest.raises(CalibrationError, match=r"checksum.*python -m core calibrate --out"):
        load_calibration(npz)


@pytest.mark.parametrize("what", ["seeds:\n- 0", "- 105.0", "mission.speed_mps"])
def test_seeds_budgets_and_key_are_under_the_checksum(tmp_path: Path, what: str) -> None:
    npz, header = save_calibration(made(), tmp_path / "c")
    text = header.read_text()
    assert what in text
    header.write_text(text.replace(what, what.replace("0", "7").replace("speed", "spree"), 1))
    with pytest.raises(CalibrationError, match="checksum"):
        load_calibration(npz)


def test_line_ends_of_the_header_do_not_matter(tmp_path: Path) -> None:
    npz, header = save_calibration(made(), tmp_path / "c")
    header.write_bytes(header.read_bytes().replace(b"\n", b"\r\n"))
    assert load_calibration(npz).seeds == (0, 1, 2)


def bomb() -> bytes:
    """A few lines of YAML whose text would fill any memory."""
    rows = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    return "\n".join(["version: 3", "a0: &a0 [1]", *rows, "seeds: *a11", "key: *a11", "route_classes: *a11"]).encode()


CRAFTED = {
    "deep": b"[" * 100_000,
    "object": b"!!python/object:os.system {}",
    "bytes": b"\xff\xfe",
    "empty": b"",
    "bomb": bomb(),
}


@pytest.mark.parametrize("body", CRAFTED.values(), ids=CRAFTED)
def test_crafted_headers_are_refused(tmp_path: Path, body: bytes) -> None:
    npz, header = save_calibration(made(), tmp_path / "c")
    with pytest.raises(CalibrationError, match="calibrate"):
        load_calibration(signed(npz, header, body))


@pytest.mark.parametrize(
    "array_header", ["{'descr': '<i8', 'fortran_order': False, 'shape': (9" + "9" * 30 + ",)}", "((((((", "{'descr"]
)
def test_crafted_arrays_are_refused(tmp_path: Path, array_header: str) -> None:
    npz, header = save_calibration(made(), tmp_path / "c")
    body = header.read_bytes().partition(b"\n")[2]
    with zipfile.ZipFile(npz, "w") as archive:
        text = array_header.encode().ljust(118) + b"\n"
        archive.writestr("score_n.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
    with pytest.raises(CalibrationError, match="calibrate"):
        load_calibration(signed(npz, header, body))


def test_a_reader_between_the_two_files_of_a_writer_looks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds the new npz beside the old header; by its second look the header is there too."""
    npz, header = save_calibration(made(), tmp_path / "c")
    _, other = save_calibration(dataclasses.replace(made((95.0, 105.0)), made="2027-01-01"), tmp_path / "new")
    os.replace(other.with_suffix(".npz"), npz)
    monkeypatch.setattr("core.twin.calibration_file.time.sleep", lambda _: other.exists() and os.replace(other, header))
    assert load_calibration(npz).made == "2027-01-01"


@pytest.mark.parametrize("out", ["", ".", "file/under", "folder", "taken", "a\0b", "/proc/none/x"])
def test_places_that_cannot_be_written_are_refused_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "taken.yaml").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for refuse in (lambda: check_target(out), lambda: save_calibration(made(), out)):
        with pytest.raises(CalibrationError, match="--out"):
            refuse()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_that_fills_up_leaves_the_old_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npz, _ = save_calibration(made(), tmp_path / "c")

    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CalibrationError, match="No space left"):
        save_calibration(made((95.0,)), tmp_path / "c")
    monkeypatch.undo()
    assert load_calibration(npz).budgets_db == (105.0,)
    assert {p.suffix for p in tmp_path.iterdir()} == {".npz", ".yaml"}


def test_the_shipped_file_fits_the_default_scenario_and_is_small() -> None:
    calibration = default_calibration()
    assert calibration.mismatches(Scenario()) == []
    assert max(calibration.seeds) < 1000
    assert DEFAULT_PATH.with_suffix(".npz").stat().st_size < 1_000_000


def test_the_numbers_in_the_documentation_are_those_of_the_shipped_file() -> None:
    """docs/CALIBRATION.md: how far the two sets of margins are apart, and what counting seeds instead of pairs does to p₁₁."""
    shipped, text = default_calibration(), (DATA.parent / "docs" / "CALIBRATION.md").read_text(encoding="utf-8")
    apart = np.array([np.diff(shipped.margins(beta), axis=1)[:, 0] for beta in np.linspace(0.01, 0.3, 30)])
    assert f"at most {apart[np.isfinite(apart)].max():.2f} dB apart" in text
    assert np.array_equal(np.isinf(apart).any(axis=0), [False, False, False, True, False, True])
    shares, rises = [], []
    for c in shipped.counts:
        n, x = c.failures.sum(axis=0), c.repeats.sum(axis=0)
        effective = effective_trials(c.repeats, c.failures, 0.95)
        rows = (n >= 30) & (effective > 0)
        n, x, effective = n[rows], x[rows], effective[rows]
        shares.append(effective / n)
        rises.append(clopper_pearson_upper(x / n * effective, effective, 0.95) - clopper_pearson_upper(x, n, 0.95))
    share, rise = np.concatenate(shares), np.concatenate(rises)
    assert f"between {100 * share.min():.0f} % and {100 * share.max():.0f} % of the pairs" in text
    assert f"by up to {rise.max():.3f} (" in text
    assert f"in half of the bins by less than {np.median(rise):.3f})" in text
