"""Study statistics against scipy, hand-made cases and their own invariances."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from study_frame import STUDY, frame

from core import Scenario
from core.errors import StudyError
from core.simulation import t_interval
from core.studies import Study, curve, mean_band, seed_range, summarise
from core.studies.statistics import summary_csv


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=30), st.floats(0.5, 0.99))
def test_mean_band_is_scipys_t_interval(values, confidence):
    x = np.array(values)
    mean, lo, hi = mean_band(x, confidence)
    assert mean == pytest.approx(x.mean())
    if x.std() > 1e-6:
        expected = stats.t.interval(confidence, x.size - 1, loc=x.mean(), scale=stats.sem(x))
        assert (lo, hi) == pytest.approx(expected)


def test_mean_band_of_little_or_nothing():
    assert np.isnan(mean_band(np.array([]))).all()
    mean, lo, hi = mean_band(np.array([3.0, np.nan]))
    assert mean == 3.0
    assert np.isnan([lo, hi]).all()


def test_band_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(7)
    hits = sum(lo <= 0 <= hi for _, lo, hi in (mean_band(rng.normal(size=5), 0.9) for _ in range(2000)))
    assert stats.binomtest(hits, 2000, 0.9).pvalue > 1e-3


def test_summary_has_one_row_per_cell_policy_and_metric():
    table = summarise(frame(), STUDY)
    assert len(table) == 4 * 2 * 2
    row = table[
        (table["network.slots"] == 100) & (table["policy"] == "SAFE") & (table["metric"] == "mean_rmse_m")
    ].iloc[0]
    data = frame()
    x = data[(data["network.slots"] == 100) & (data["twin.beta"] == row["twin.beta"]) & (data["policy"] == "SAFE")]
    assert row["mean"] == pytest.approx(x["mean_rmse_m"].mean())
    assert row["p95"] == pytest.approx(np.quantile(x["mean_rmse_m"], 0.95))
    assert (row["n"], row["unit"]) == (6, "m")


def test_spread_and_bands_divide_by_one_less_than_the_number_of_seeds():
    """2, 4, 9 around their mean 5: squares 9 + 1 + 16 = 26, s² = 26/2 = 13; t of two degrees of freedom is 4.302653."""
    study = Study(Scenario(), (), ("SAFE",), seed_range(3))
    data = pd.DataFrame({"cell": "a", "policy": "SAFE", "seed": study.seeds, "mean_rmse_m": [2.0, 4.0, 9.0]})
    half = 4.302653 * np.sqrt(13.0) / np.sqrt(3.0)
    (row,) = summarise(data, study).to_dict("records")
    assert row["std"] == pytest.approx(np.sqrt(13.0))
    assert (row["lo"], row["hi"]) == pytest.approx((5.0 - half, 5.0 + half))
    interval = t_interval([2.0, 4.0, 9.0])
    assert (interval.low, interval.high) == pytest.approx((5.0 - half, 5.0 + half))


def test_summary_bytes_do_not_depend_on_the_order_of_the_seeds():
    data = frame(noise=0.3)
    shuffled = data.sample(frac=1.0, random_state=3).sort_values(
        ["network.slots", "twin.beta", "policy"], kind="stable"
    )
    assert summary_csv(data, STUDY) == summary_csv(shuffled, STUDY)


def test_curve_over_slots_has_one_line_per_policy_and_other_value():
    table = curve(frame(), STUDY, "mean_rmse_m", "network.slots")
    assert len(table) == 2 * 2 * 2
    assert list(table.columns) == ["twin.beta", "policy", "network.slots", "mean", "lo", "hi", "n"]


def test_a_curve_counts_the_seeds_that_have_a_value():
    data = frame()
    data.loc[(data["policy"] == "SAFE") & (data["seed"] < 10002), "mean_rmse_m"] = np.nan
    table = curve(data, STUDY, "mean_rmse_m", "network.slots")
    assert set(table[table["policy"] == "SAFE"]["n"]) == {4}
    assert set(table[table["policy"] == "VoI-Sched"]["n"]) == {6}


def test_unknown_names_are_refused():
    with pytest.raises(StudyError, match="mean_rmse_m"):
        curve(frame(), STUDY, "rmse", "network.slots")
    with pytest.raises(StudyError, match="not varied"):
        curve(frame(), STUDY, "mean_rmse_m", "mission.uavs")
