"""Tab 7: every decision and every policy, with or without the shipped result."""

from __future__ import annotations

from pathlib import Path

import pytest
from opened import shown

from app.session import Session
from app.shipped import shipped
from app.tabs.reproduction.tables import ablation_html, decisions, headline, numbers_html
from app.tabs.reproduction.view import ReproductionView
from core.scenario import Scenario
from core.simulation import RANKED
from core.studies.reproduction import Reproduction


def test_decisions_are_all_listed() -> None:
    numbers = [number for number, *_ in decisions()]
    assert numbers[:20] == [f"D{i}" for i in range(1, 21)]


@pytest.mark.slow
def test_reproduction_view_builds_with_or_without_the_shipped_result(
    small: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.tabs.reproduction import view as reproduction
    from core.errors import SafeExplorerError

    assert shown(ReproductionView, small).content is not None

    def missing() -> None:
        raise SafeExplorerError("No reproduction; make one with `python -m core reproduce`.")

    monkeypatch.setattr(reproduction, "shipped", missing)
    view = ReproductionView(small)
    assert "python -m core reproduce" in view.content[0].object


@pytest.mark.slow
def test_reproduction_table_has_every_policy_once(tmp_path: Path) -> None:
    from core.studies import run_study
    from core.studies.reproduction import reproduction_study

    scenario = Scenario().replace(**{"mission.uavs": 3, "network.slots": 30, "mission.duration_s": 1.0})
    study = reproduction_study(scenario, trials=2, first_seed=0)
    result = Reproduction.of(run_study(study, tmp_path / "missions", workers=0).store, study)
    numbers, parts = numbers_html(result), ablation_html(result)
    for policy in result.policies:
        assert (numbers + parts).count(f">{policy}<") == 1
    assert all(f">{policy}<" in numbers for policy in RANKED)


def test_the_headline_is_what_was_flown() -> None:
    result = shipped()
    text = headline(result)
    means = {p: result.metric(p, "mean_rmse_m").mean() for p in result.ranked}
    ahead = sorted((p for p in means if means[p] < means["SAFE"]), key=means.__getitem__)
    assert f"SAFE flies {means['SAFE']:.2f} m: first of 5" in text
    assert f"{('first', 'second', 'third', 'fourth')[len(ahead)]} of {len(means)}" in text
    assert [w for w in ahead if f"{w} by {means['SAFE'] - means[w]:.2f} m" in text] == ahead
    worse = result.trials.copy()
    worse.loc[worse["policy"] == "CALLS", "mean_rmse_m"] += 9.0
    assert "CALLS" not in headline(Reproduction(result.scenario, worse, result.curves))
