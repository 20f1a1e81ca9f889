"""The calibration file: round trip, checks, and errors that tell the user what to do."""

import dataclasses
import hashlib
from pathlib import Path

import numpy as np
import pytest
import yaml

from core import Scenario
from core.errors import CalibrationError
from core.twin import (
    Calibration,
    calibration_key,
    default_calibration,
    link_budget_db,
    load_calibration,
    save_calibration,
)
from core.twin.calibration import MIN_SCORES
from core.twin.calibration_library import DEFAULT_PATH
from core.twin.persistence import BIN_EDGES, ChainCounts
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
    assert b.matches(Scenario()) == []


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


def test_persistence_follows_the_link_budget() -> None:
    two = made((95.0, 105.0))
    low, high, between = (two.persistence(budget_db=b) for b in (95.0, 105.0, 97.5))
    assert np.allclose(between, 0.75 * low + 0.25 * high, equal_nan=True)
    assert np.array_equal(two.persistence(budget_db=-50.0), low, equal_nan=True)
    assert np.array_equal(two.persistence(), np.maximum(low, high), equal_nan=True)
    assert np.all(np.diff(between[~np.isnan(between)]) >= 0)


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
    online = {"twin.beta": 0.2, "twin.delta_T": 0.2, "twin.H_T": 5, "network.snr_offset_db": -7.0, "network.tx_power_dbm": 20.0,
              "network.slots": 80, "formulation": "paper"}  # fmt: skip
    assert a.matches(Scenario().replace(**online)) == []
    other = Scenario().replace(**{"mission.building_height_m": 40.0, "network.shadow_corr_los_m": 80.0})
    assert set(a.matches(other)) == {"mission.building_height_m", "network.shadow_corr_los_m"}


def broken(tmp_path: Path, **change: object) -> Path:
    """A saved calibration with some arrays or header lines replaced (None removes), checksum kept right."""
    npz, header = save_calibration(made(), tmp_path / "c")
    text = yaml.safe_load(header.read_text())
    with np.load(npz) as file:
        arrays = dict(file)
    for name, value in change.items():
        target = text if name in text else arrays
        if value is None:
            del target[name]
        else:
            target[name] = value
    np.savez_compressed(npz, **arrays)
    if "sha256" in text and "sha256" not in change:
        text["sha256"] = hashlib.sha256(npz.read_bytes()).hexdigest()
    header.write_text(yaml.safe_dump(text))
    return npz


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"sha256": "0" * 64},
        {"sha256": None},
        {"key": [1, 2]},
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


def test_the_shipped_file_fits_the_default_scenario_and_is_small() -> None:
    calibration = default_calibration()
    assert calibration.matches(Scenario()) == []
    assert max(calibration.seeds) < 1000
    assert DEFAULT_PATH.with_suffix(".npz").stat().st_size < 1_000_000
