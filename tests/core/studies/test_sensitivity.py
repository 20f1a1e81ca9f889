"""Sensitivity: designs inside the bounds, and indices of functions whose indices are known."""

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.errors import StudyError
from core.studies import Axis, run_study
from core.studies.sensitivity import effects, one_at_a_time, parse_slider, sobol, sobol_indices

AXES = (Axis("network.snr_offset_db", (-1.0, 1.0)), Axis("control.eta", (0.0, 2.0)), Axis("network.slots", (0, 450)))


class Linear:
    """rmse = 3·(SNR offset) + (η − 1) + a wobble per seed; the slots do nothing."""

    def __init__(self, scenario, policy, seed):
        self.value = 3 * scenario.network.snr_offset_db + (scenario.control.eta - 1) + (seed - 10000)

    def summary(self):
        return {"mean_rmse_m": self.value}


def test_one_at_a_time_effects_of_a_linear_function(tmp_path):
    study = one_at_a_time(Scenario(), AXES, ("SAFE",), (10000, 10001))
    assert len(list(study.cells())) == 1 + 2 * 3
    outcome = run_study(study, tmp_path / "s", workers=0, run=Linear)
    table = effects(outcome.store.frame(), study, "mean_rmse_m", "SAFE").set_index("slider")
    assert table["effect"].to_dict() == pytest.approx(
        {"network.snr_offset_db": 6, "control.eta": 2, "network.slots": 0}
    )
    assert table.loc["control.eta", "n"] == 2


@pytest.mark.slow
def test_sobol_indices_of_a_linear_function(tmp_path):
    axes = AXES[:2]
    study = sobol(Scenario(), axes, ("SAFE",), (10000,), samples=64)
    assert len(list(study.cells())) == 64 * (2 + 2)
    outcome = run_study(study, tmp_path / "s", workers=0, run=Linear)
    table = sobol_indices(outcome.store.frame(), study, "mean_rmse_m", "SAFE", samples=64).set_index("slider")
    # Var = (9 + 1)/3: nine tenths from the SNR offset, one tenth from η, no interaction.
    assert table.loc["network.snr_offset_db", "first_order"] == pytest.approx(0.9, abs=0.05)
    assert table.loc["control.eta", "total"] == pytest.approx(0.1, abs=0.05)


def test_whole_numbers_stay_whole_and_points_inside_bounds():
    study = sobol(Scenario(), AXES, ("SAFE",), (10000,), samples=8)
    for cell in study.cells():
        values = dict(cell.values)
        assert type(values["network.slots"]) is int
        assert 0 <= values["network.slots"] <= 450
        assert -1 <= values["network.snr_offset_db"] <= 1


def test_the_design_is_repeatable():
    one, two = (sobol(Scenario(), AXES, ("SAFE",), (10000,), samples=8, seed=5) for _ in range(2))
    assert one == two


def test_sliders_on_the_command_line():
    assert parse_slider(Scenario(), "twin.beta=0.01:0.2").values == (0.01, 0.2)
    assert parse_slider(Scenario(), "network.slots=100,120,140").values == (100, 120, 140)
    lo, hi = parse_slider(Scenario(), "network.slots").values
    assert lo < 160 < hi
    assert all(type(v) is int for v in (lo, hi))
    low, high = parse_slider(Scenario(), "twin.beta").values
    assert low == 0.005
    assert np.isclose(high, 0.05 + 0.0495)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("twin.beta=0.2:0.01", "reversed"),
        ("twin.beta=0.1:0.1", "empty"),
        ("formulation", "not a number"),
        ("beta", "twin.beta"),
    ],
)
def test_bad_sliders(text, advice):
    with pytest.raises(StudyError, match=advice):
        parse_slider(Scenario(), text)


def test_bad_designs(tmp_path):
    with pytest.raises(StudyError, match="power of two"):
        sobol(Scenario(), AXES, ("SAFE",), (10000,), samples=12)
    with pytest.raises(StudyError, match="at least one slider"):
        one_at_a_time(Scenario(), (), ("SAFE",), (10000,))
    with pytest.raises(StudyError, match="two different numbers"):
        one_at_a_time(Scenario(), (Axis("twin.beta", (0.1,)),), ("SAFE",), (10000,))


def test_constant_response_is_said_in_words(tmp_path):
    class Constant(Linear):
        def summary(self):
            return {"mean_rmse_m": 1.0}

    study = sobol(Scenario(), AXES[:2], ("SAFE",), (10000,), samples=2)
    outcome = run_study(study, tmp_path / "s", workers=0, run=Constant)
    with pytest.raises(StudyError, match="same at every point"):
        sobol_indices(outcome.store.frame(), study, "mean_rmse_m", "SAFE", samples=2)


def linear(study, seeds_at, wobble=100.0):
    """Records of the linear function plus `wobble` per seed; `seeds_at(cell number)` says which seeds a point has."""
    rows = []
    for i, cell in enumerate(study.cells()):
        values = dict(cell.values)
        for seed in seeds_at(i):
            response = 3 * values["network.snr_offset_db"] + values["control.eta"] - 1 + wobble * (seed - 700)
            rows.append({"cell": cell.id, **values, "policy": "SAFE", "seed": seed, "mean_rmse_m": response})
    return pd.DataFrame(rows)


def test_effects_count_the_seeds_that_both_ends_have():
    """Ends with seeds {700 … 703} and {702 … 705}, one of them without a value: one pair is left, and says so."""
    study = one_at_a_time(Scenario(), AXES[:2], ("SAFE",), tuple(range(700, 706)))
    cells = list(study.cells())
    ends = {dict(c.values)["network.snr_offset_db"]: i for i, c in enumerate(cells) if abs(c.values[0][1]) == 1.0}
    seeds = {ends[-1.0]: range(700, 704), ends[1.0]: range(702, 706)}
    frame = linear(study, lambda i: seeds.get(i, range(700, 706)))
    frame.loc[(frame["network.snr_offset_db"] == 1.0) & (frame["seed"] == 703), "mean_rmse_m"] = np.nan
    table = effects(frame, study, "mean_rmse_m", "SAFE").set_index("slider")
    assert table["n"].to_dict() == {"network.snr_offset_db": 1, "control.eta": 6}
    assert table["effect"].to_dict() == pytest.approx({"network.snr_offset_db": 6.0, "control.eta": 2.0})
    assert np.isnan(table.loc["network.snr_offset_db", "lo"])  # one pair has no band


def test_sobol_indices_rest_on_the_seeds_that_every_point_has():
    """Every third point lacks the hardest seed: its mean would be 50 lower, far more than any slider does."""
    axes = AXES[:2]
    study = sobol(Scenario(), axes, ("SAFE",), (700, 701, 702), samples=64)
    whole = sobol_indices(linear(study, lambda i: (700, 701)), study, "mean_rmse_m", "SAFE", samples=64)
    torn = linear(study, lambda i: (700, 701, 702) if i % 3 else (700, 701))
    pd.testing.assert_frame_equal(sobol_indices(torn, study, "mean_rmse_m", "SAFE", samples=64), whole)
    assert set(whole["n"]) == {2}
    nowhere = linear(study, lambda i: (700,) if i % 2 else (701,))
    with pytest.raises(StudyError, match="No seed has mean_rmse_m at every point"):
        sobol_indices(nowhere, study, "mean_rmse_m", "SAFE", samples=64)
    missing = linear(study, lambda i: (700, 701) if i else ())
    with pytest.raises(StudyError, match="1 of 256 points have no mean_rmse_m"):
        sobol_indices(missing, study, "mean_rmse_m", "SAFE", samples=64)
