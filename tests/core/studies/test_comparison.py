"""Policies on matched seeds: pairs, winners, and studies whose policies do not have the same seeds."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from study_frame import STUDY, frame

from core import Scenario
from core.errors import StudyError
from core.simulation import METRICS
from core.studies import (
    NO_COMMON_SEEDS,
    NO_DIRECTION,
    NOT_SIGNIFICANT,
    Study,
    all_differences,
    paired_differences,
    seed_range,
    winners,
)
from core.studies.comparison import best_policy, differences_csv

THREE = Study(Scenario(), (), ("SAFE", "VoI-Sched", "DynTx-HLC"), seed_range(6))


def records(**values):
    """Records of one cell: {policy: {seed: RMSE}}."""
    rows = [
        {"cell": "a", "policy": p.replace("_", "-"), "seed": s, "mean_rmse_m": x}
        for p, v in values.items()
        for s, x in v.items()
    ]
    return pd.DataFrame(rows)


def test_pairing_removes_what_the_seeds_have_in_common():
    table = paired_differences(frame(effect=0.5, noise=0.01), STUDY, "mean_rmse_m", "SAFE")
    scarce = table[table["network.slots"] == 100].iloc[0]
    assert scarce["difference"] == pytest.approx(0.5)
    assert 0.48 < scarce["lo"] < scarce["hi"] < 0.52
    assert scarce["baseline_better"] == 1.0
    expected = stats.ttest_rel(
        frame(0.5, 0.01).query("policy == 'VoI-Sched'")["mean_rmse_m"][:6],
        frame(0.5, 0.01).query("policy == 'SAFE'")["mean_rmse_m"][:6],
    )
    assert scarce["p_value"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(("metric", "better"), [("mean_rmse_m", 0.75), ("delivered_share", 0.25)])
def test_the_baseline_is_better_where_its_value_lies_on_the_good_side(metric, better):
    """The baseline has the smaller value in three of four seeds: good for an error, bad for a share of service."""
    data = records(SAFE={1: 1.0, 2: 1.0, 3: 1.0, 4: 9.0}, VoI_Sched={1: 2.0, 2: 3.0, 3: 4.0, 4: 5.0})
    row = paired_differences(data.rename(columns={"mean_rmse_m": metric}), THREE, metric).iloc[0]
    assert row["baseline_better"] == better
    assert row["difference"] == pytest.approx((1 + 2 + 3 - 4) / 4)  # policy minus baseline in either case


def test_p_value_by_hand():
    """Differences 1, 2, 6: mean 3, s² = 7, t = 3/√(7/3); of two degrees of freedom p = 1 − t/√(t² + 2)."""
    row = paired_differences(
        records(SAFE={1: 0.0, 2: 0.0, 3: 0.0}, VoI_Sched={1: 1.0, 2: 2.0, 3: 6.0}), THREE, "mean_rmse_m"
    ).iloc[0]
    t = 3.0 / np.sqrt(7.0 / 3.0)
    assert row["p_value"] == pytest.approx(1.0 - t / np.sqrt(t * t + 2.0))


def test_unmatched_seeds_are_left_out_of_pairs():
    data = frame()
    data = data[~((data["policy"] == "SAFE") & (data["seed"] == 10000))]
    assert set(paired_differences(data, STUDY, "mean_rmse_m", "SAFE")["n"]) == {5}


def test_who_wins_where():
    table = winners(frame(effect=0.5, noise=0.01), STUDY, "mean_rmse_m").set_index(["network.slots", "twin.beta"])
    assert table.loc[(100, 0.05), "winner"] == "SAFE"
    assert table.loc[(140, 0.05), "winner"] == NOT_SIGNIFICANT
    assert table.loc[(100, 0.05), "margin"] == pytest.approx(0.5)
    assert set(table["n"]) == {6}


def test_a_larger_share_of_service_is_the_better_one():
    table = winners(frame(effect=0.5), STUDY, "delivered_share").set_index(["network.slots", "twin.beta"])
    assert table.loc[(100, 0.05), "best"] == "SAFE"
    assert table.loc[(100, 0.05), "winner"] == "SAFE"
    assert table.loc[(140, 0.05), "winner"] == NOT_SIGNIFICANT


@pytest.mark.parametrize("metric", ["mean_rmse_m", "delivered_share"])
def test_a_winner_beats_every_other_policy_not_just_one(metric):
    """SAFE is clearly better than DynTx-HLC; against VoI-Sched it is better on average, but not in every seed."""
    sign = 1.0 if metric == "mean_rmse_m" else -1.0
    safe = {1: 10.0, 2: 11.0, 3: 12.0, 4: 13.0}

    def cell(*over_voi):
        worse = {s: x + d for (s, x), d in zip(safe.items(), over_voi, strict=True)}
        far = {s: x + 5.0 + s / 100 for s, x in safe.items()}
        data = records(SAFE=safe, VoI_Sched=worse, DynTx_HLC=far).rename(columns={"mean_rmse_m": metric})
        return winners(data.assign(**{metric: sign * data[metric]}), THREE, metric).iloc[0]

    unclear, clear = cell(3.0, -2.5, 3.0, -2.5), cell(1.0, 1.1, 0.9, 1.0)
    assert (unclear["best"], unclear["winner"]) == ("SAFE", NOT_SIGNIFICANT)
    assert (clear["best"], clear["winner"]) == ("SAFE", "SAFE")
    assert (unclear["margin"], clear["margin"]) == pytest.approx((0.25, 1.0))  # to the nearest rival


@pytest.mark.parametrize("metric", ["hold_share", "of_a_metric_nobody_registered"])
def test_where_neither_direction_is_better_nobody_wins(metric):
    """However clear the difference, and whatever the name sounds like."""
    data = records(SAFE={1: 1.0, 2: 1.1, 3: 1.0}, VoI_Sched={1: 9.0, 2: 9.0, 3: 9.1}).rename(
        columns={"mean_rmse_m": metric}
    )
    row = winners(data, THREE, metric).iloc[0]
    assert (row["winner"], row["best"], row["n"]) == (NO_DIRECTION, "", 3)
    pair = paired_differences(data, THREE, metric).iloc[0]
    assert np.isnan(pair["baseline_better"])
    assert pair["difference"] == pytest.approx(8.0)


def test_the_table_decides_not_the_name(monkeypatch):
    data = records(SAFE={1: 1.0, 2: 1.1, 3: 1.0}, VoI_Sched={1: 9.0, 2: 9.0, 3: 9.1})
    assert winners(data, THREE, "mean_rmse_m").iloc[0]["winner"] == "SAFE"
    upside_down = dataclasses.replace(METRICS["mean_rmse_m"], direction="higher", unit="ft")
    monkeypatch.setitem(METRICS, "mean_rmse_m", upside_down)
    assert winners(data, THREE, "mean_rmse_m").iloc[0]["winner"] == "VoI-Sched"
    pair = paired_differences(data, THREE, "mean_rmse_m").iloc[0]
    assert (pair["baseline_better"], pair["unit"]) == (0.0, "ft")


def test_one_seed_is_never_significant():
    data = frame()
    assert set(winners(data[data["seed"] == 10000], STUDY, "mean_rmse_m")["winner"]) == {NOT_SIGNIFICANT}


def test_a_policy_does_not_win_by_kinder_seeds():
    """SAFE is better by 1 m on every seed both flew; VoI-Sched also flew two easy ones and has the lower mean."""
    common = {1: 10.0, 2: 11.1, 3: 12.0}
    data = records(SAFE=common, VoI_Sched={s: x + 1 + s / 1e3 for s, x in common.items()} | {4: 1.0, 5: 1.1})
    assert data.groupby("policy")["mean_rmse_m"].mean().idxmin() == "VoI-Sched"
    row = winners(data, THREE, "mean_rmse_m").iloc[0]
    assert (row["winner"], row["best"], row["n"]) == ("SAFE", "SAFE", 3)
    assert row["mean"] == pytest.approx(np.mean(list(common.values())))
    assert row["margin"] == pytest.approx(1.002)


def test_a_seed_that_one_of_three_policies_lacks_counts_for_none():
    data = records(
        SAFE={1: 5.0, 2: 6.0, 3: 50.0}, VoI_Sched={1: 7.0, 2: 8.0, 3: 9.0}, DynTx_HLC={1: 9.0, 2: 9.5, 3: np.nan}
    )
    row = winners(data, THREE, "mean_rmse_m").iloc[0]
    assert (row["best"], row["n"], row["mean"]) == ("SAFE", 2, 5.5)


def test_no_common_seeds_are_said():
    row = winners(records(SAFE={1: 5.0, 2: 6.0}, VoI_Sched={3: 7.0}), THREE, "mean_rmse_m").iloc[0]
    assert (row["winner"], row["best"], row["n"]) == (NO_COMMON_SEEDS, "", 0)
    assert np.isnan(row["mean"])


def test_every_pair_and_every_metric_once():
    """The first named policy is the baseline, whatever the order of the records."""
    data = records(VoI_Sched={1: 7.0, 2: 8.0}, DynTx_HLC={1: 9.0, 2: 9.5}, SAFE={1: 5.0, 2: 6.0, 3: 6.0})
    table = all_differences(data.assign(delivered_share=0.5), THREE)
    assert list(zip(table["baseline"], table["policy"], table["metric"], strict=True)) == [
        (base, policy, metric)
        for metric in ("mean_rmse_m", "delivered_share")
        for base, policy in (("SAFE", "VoI-Sched"), ("SAFE", "DynTx-HLC"), ("VoI-Sched", "DynTx-HLC"))
    ]
    assert table["difference"].tolist()[:3] == [2.0, 3.75, 1.75]
    assert set(table["n"]) == {2}
    pd.testing.assert_frame_equal(
        table.iloc[:2].reset_index(drop=True),
        paired_differences(data.assign(delivered_share=0.5), THREE, "mean_rmse_m"),
    )


def test_bytes_of_the_differences_do_not_depend_on_the_order_of_the_records():
    data = frame(noise=0.3)
    shuffled = data.sample(frac=1.0, random_state=3).sort_values(["network.slots", "twin.beta"], kind="stable")
    assert differences_csv(data, STUDY) == differences_csv(shuffled, STUDY)


def test_one_policy_has_no_differences_but_their_headings():
    lone = records(SAFE={1: 5.0, 2: 6.0})
    assert differences_csv(lone, THREE).decode().splitlines() == [
        "policy,baseline,metric,unit,n,difference,lo,hi,p_value,baseline_better"
    ]


def test_unknown_metrics_are_refused():
    with pytest.raises(StudyError, match="mean_rmse_m"):
        winners(frame(), STUDY, "rmse")


def test_the_best_mean_is_on_the_side_that_the_table_of_metrics_gives():
    means = pd.Series({"SAFE": 0.9, "VoI-Sched": 0.4})
    assert best_policy(means, "mean_rmse_m") == "VoI-Sched"
    assert best_policy(means, "delivered_share") == "SAFE"
