"""The shipped reproduction is what today's code flies, and its tables are made from its own rows."""

from dataclasses import replace

import pandas as pd
import pytest

from core import Scenario
from core.simulation import REPRODUCED, simulate
from core.studies import Axis, run_study
from core.studies.paper_table import grid_markdown, paper_markdown
from core.studies.policies import policy_to_fly
from core.studies.reproduction import FOLDER, REPRODUCTION_SEED, Reproduction
from core.studies.tuning import SCARCITY_SEEDS, TUNING_SEEDS, margin_rows, margins_study, tuning_markdown, variants
from core.twin import default_calibration

FOLDERS = {True: FOLDER, False: FOLDER / "supervisor-off"}


@pytest.mark.parametrize("supervisor", FOLDERS)
def test_tables_follow_from_the_rows_and_the_scenario_is_the_default(supervisor):
    folder = FOLDERS[supervisor]
    result = Reproduction.load(folder)
    assert result.scenario == Scenario().replace(**{"control.supervisor": supervisor})
    assert (folder / "table.md").read_text(encoding="utf-8") == paper_markdown(result)
    assert tuple(result.policies) == REPRODUCED
    assert result.seeds == list(range(REPRODUCTION_SEED, REPRODUCTION_SEED + 30))


def test_the_grid_follows_from_its_rows_and_shares_the_headline():
    grid = pd.read_csv(FOLDER / "grid.csv")
    assert (FOLDER / "grid.md").read_text(encoding="utf-8") == grid_markdown(grid)
    s = Scenario()
    cell = grid[(grid["corridor_radius_m"] == s.control.corridor_radius_m) & (grid["slots"] == s.network.slots)]
    both = cell.merge(Reproduction.load().trials, on=["policy", "seed"])
    assert len(both) == len(cell) > 0
    assert (both["mean_rmse_m_x"] == both["mean_rmse_m_y"]).all()


@pytest.mark.parametrize(
    ("policy", "trial", "supervisor"),
    [
        ("SAFE", 0, True),
        ("VoI-Sched", 7, True),
        ("Cert-Fixed", 3, True),
        ("DynTx-HLC", 11, True),
        ("CALLS", 2, True),
        ("Rollout", 19, True),
        ("SAFE-reach", 28, True),
        ("Whittle-Age", 14, False),
        ("Fixed-Service", 5, False),
    ],
)
@pytest.mark.slow
def test_a_stored_mission_flies_again_to_the_same_numbers(policy, trial, supervisor):
    """Fails when code, calibration or a default changed what is flown: make the reproduction again (docs/REPRODUCTION.md)."""
    result = Reproduction.load(FOLDERS[supervisor])
    seed = result.seeds[trial]
    row = result.trials[(result.trials["policy"] == policy) & (result.trials["seed"] == seed)].iloc[0]
    flown = simulate(result.scenario, policy, seed).summary()
    stored = [name for name in row.index if name not in ("policy", "seed")]
    assert {"mean_rmse_m", "p95_v", "mean_delay_ms"} <= set(stored) <= flown.keys()
    for name in stored:  # a metric added since then asks for no new flight
        assert row[name] == pytest.approx(flown[name], rel=2e-5, nan_ok=True), name


def test_choices_follow_from_their_rows_and_no_seed_serves_twice():
    tried, margins, ahead = (pd.read_csv(FOLDER / f"{name}.csv") for name in ("tuning", "scarcity", "lookahead"))
    assert (FOLDER / "tuning.md").read_text(encoding="utf-8") == tuning_markdown(tried, margins, ahead)
    used = [set(default_calibration().seeds), set(SCARCITY_SEEDS), set(TUNING_SEEDS), set(Reproduction.load().seeds)]
    assert sum(map(len, used)) == len(set.union(*used))
    assert (set(margins["seed"]), set(tried["seed"])) == (set(SCARCITY_SEEDS), set(TUNING_SEEDS))
    assert set(ahead["seed"]) == set(TUNING_SEEDS)


def test_every_baseline_flies_with_the_constants_of_its_smallest_error():
    tried = pd.read_csv(FOLDER / "tuning.csv")
    for policy, part in tried.groupby("policy"):
        mean = part.groupby(["variant", "shipped"])["mean_rmse_m"].mean().reset_index()
        assert mean["shipped"].sum() == 1, policy
        assert [v.words for v in variants() if v.policy == policy and v.shipped] == list(
            mean.loc[mean["shipped"], "variant"]
        )
        assert mean.loc[mean["shipped"], "mean_rmse_m"].iloc[0] <= mean["mean_rmse_m"].min() + 0.005, policy


def test_safe_looks_ahead_as_far_as_it_pays():
    """At the weight that flies, L has the smallest mean RMSE over both frames."""
    ahead, s = pd.read_csv(FOLDER / "lookahead.csv"), Scenario()
    at = ahead[ahead["eta"] == s.control.eta].groupby("lookahead_cycles")["mean_rmse_m"].mean()
    assert at.idxmin() == s.allocation.lookahead_cycles
    row = ahead[(ahead["lookahead_cycles"] == 2) & (ahead["eta"] == 0.05) & (ahead["slots"] == 120)].iloc[3]
    changes = {"allocation.lookahead_cycles": 2, "control.eta": 0.05, "network.slots": 120}
    flown = simulate(s.replace(**changes), "SAFE", int(row["seed"])).summary()
    assert row["mean_rmse_m"] == pytest.approx(flown["mean_rmse_m"], rel=2e-5)


def test_the_margin_is_the_first_at_which_a_rotation_loses_touch():
    between = pd.read_csv(FOLDER / "scarcity.csv").groupby("extra_margin_db")["cycles_between"].mean()
    s = Scenario()
    assert between[between > s.control.H].index.min() == s.network.extra_margin_db


def test_a_tried_variant_flies_again_to_the_same_numbers(tmp_path):
    tried, margins = pd.read_csv(FOLDER / "tuning.csv"), pd.read_csv(FOLDER / "scarcity.csv")
    row = tried[(tried["variant"] == "rotation, usable 0.5") & (tried["seed"] == TUNING_SEEDS[1])].iloc[0]
    (rotation,) = (v for v in variants() if v.words == "rotation, usable 0.5")
    assert (rotation.policy, rotation.spelling) == ("Cert-Fixed", "Cert-Rotation(usable=0.5)")
    flown = simulate(Scenario(), policy_to_fly(rotation.spelling), TUNING_SEEDS[1]).summary()
    assert row["mean_rmse_m"] == pytest.approx(flown["mean_rmse_m"], rel=2e-5)
    asked = replace(margins_study(seeds=SCARCITY_SEEDS[:1]), axes=(Axis("network.extra_margin_db", (17.0,)),))
    again = margin_rows(run_study(asked, tmp_path / "margin", workers=0).store, asked).iloc[0]
    assert again["extra_margin_db"] == Scenario().network.extra_margin_db
    stored = margins[(margins["extra_margin_db"] == 17.0) & (margins["seed"] == SCARCITY_SEEDS[0])].iloc[0]
    assert stored["cycles_between"] == pytest.approx(again["cycles_between"], rel=2e-5)
