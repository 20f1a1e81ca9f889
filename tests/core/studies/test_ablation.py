"""What each part of SAFE buys: the shipped table follows from its rows, and a change is paired by mission."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core import Scenario
from core.figures import reproduction_ablation
from core.simulation import POLICIES, simulate
from core.studies.ablation import COMPARED, PARTS, ablation, ablation_markdown
from core.studies.reproduction import FOLDER, Reproduction

STAMP = re.compile(rb"<dc:description>.*?</dc:description>", re.S)
"""Version and digests: a new field of the scenario changes them and no line of the picture."""


@pytest.fixture(scope="module")
def shipped():
    return Reproduction.load()


def test_table_and_picture_follow_from_the_rows(shipped):
    assert (FOLDER / "ablation.md").read_text(encoding="utf-8") == ablation_markdown(shipped)
    drawn, kept = reproduction_ablation(shipped).render("svg", "page"), (FOLDER / "ablation.svg").read_bytes()
    assert STAMP.sub(b"", drawn) == STAMP.sub(b"", kept)
    assert shipped.scenario == Scenario()
    assert set(shipped.policies) == set(POLICIES)
    assert set(PARTS) <= set(POLICIES)


def test_a_stored_mission_flies_again_to_the_same_numbers(shipped):
    row = shipped.trials[(shipped.trials["policy"] == "SAFE-nominal")].iloc[6]
    flown = simulate(shipped.scenario, "SAFE-nominal", int(row["seed"])).summary()
    for name in COMPARED:
        assert row[name] == pytest.approx(flown[name], rel=2e-5)


def test_a_change_is_the_mean_difference_over_the_same_missions(shipped):
    for part in ablation(shipped):
        for name, change in part.change.items():
            theirs, ours = (
                shipped.trials[shipped.trials["policy"] == p].set_index("seed")[name] for p in (part.policy, "SAFE")
            )
            expected = stats.ttest_rel(theirs.sort_index(), ours.sort_index())
            low, high = expected.confidence_interval(0.95)
            assert (change.low, change.high) == pytest.approx((low, high))
            assert change.mean == pytest.approx(np.mean(theirs - ours))


def test_only_what_flew_is_tabled(shipped):
    some = shipped.trials[shipped.trials["policy"].isin(["SAFE", "SAFE-L1", "CALLS"])]
    few = Reproduction(shipped.scenario, some, pd.DataFrame())
    assert [p.policy for p in ablation(few)] == ["SAFE-L1"]
    assert "CALLS" not in ablation_markdown(few)
    none = Reproduction(shipped.scenario, some[some["policy"] != "SAFE-L1"], pd.DataFrame())
    assert ablation(none) == []
