"""The shipped reproduction is what today's code flies, and its tables are made from its own rows."""

import pandas as pd
import pytest

from core import Scenario
from core.simulation import POLICIES, Reproduction, simulate
from core.simulation.paper_table import grid_markdown, paper_markdown
from core.simulation.reproduction import EVALUATION_SEED, FOLDER

FOLDERS = {True: FOLDER, False: FOLDER / "supervisor-off"}


@pytest.mark.parametrize("supervisor", FOLDERS)
def test_tables_follow_from_the_rows_and_the_scenario_is_the_default(supervisor):
    folder = FOLDERS[supervisor]
    result = Reproduction.load(folder)
    assert result.scenario == Scenario().replace(**{"control.supervisor": supervisor})
    assert (folder / "table.md").read_text(encoding="utf-8") == paper_markdown(result)
    assert result.policies == list(POLICIES)
    assert min(result.seeds) >= EVALUATION_SEED
    assert len(result.seeds) >= 30


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
    [("SAFE", 0, True), ("VoI-Sched", 7, True), ("Cert-Fixed", 3, True), ("DynTx-HLC", 11, True), ("Fixed-Service", 5, False)],
)  # fmt: skip
def test_a_stored_mission_flies_again_to_the_same_numbers(policy, trial, supervisor):
    """Fails when code, calibration or a default changed what is flown: make the reproduction again (docs/REPRODUCTION.md)."""
    result = Reproduction.load(FOLDERS[supervisor])
    seed = result.seeds[trial]
    row = result.trials[(result.trials["policy"] == policy) & (result.trials["seed"] == seed)].iloc[0]
    for name, value in simulate(result.scenario, policy, seed).summary().items():
        assert row[name] == pytest.approx(value, rel=2e-5, nan_ok=True), name
