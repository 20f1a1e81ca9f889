"""Tabs 5 and 6 in a real browser: a small study from definition to figure, and an audit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from app.tabs.whatif.process import RESULTS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]


@pytest.fixture
def name() -> Iterator[str]:
    """A study name of this test's own, whose folder does not stay."""
    chosen = f"browser-test-{os.getpid()}"
    yield chosen
    for folder in RESULTS.glob(f"{chosen}*"):
        shutil.rmtree(folder, ignore_errors=True)


def fill(visitor: Any, label: str, text: str) -> None:
    box = visitor.page.get_by_label(label, exact=True)
    box.fill(text)
    box.press("Enter")
    box.press("Tab")


def test_a_small_study_from_definition_to_figure(visit: Any, name: str, tmp_path: Path) -> None:
    visitor = visit("?tab=whatif&uavs=4&slots=40&duration_s=2")
    visitor.page.get_by_role("button", name="Run", exact=True).wait_for()
    fill(visitor, "Values (lo:hi:step or a,b,c)", "40:20:10")
    fill(visitor, "Trials (seeds)", "2")
    fill(visitor, "Save as", name)
    visitor.page.get_by_role("button", name="Run", exact=True).click()
    visitor.page.get_by_text("reversed").first.wait_for()

    fill(visitor, "Values (lo:hi:step or a,b,c)", "20:40:10")
    visitor.page.get_by_role("button", name="Run", exact=True).click()
    visitor.page.get_by_text("12 runs done").wait_for()
    visitor.until("find('study.lines').data['xs'].length === 2")
    assert visitor.column("study.lines", "label") == ["SAFE", "VoI-Sched"]
    shown = visitor.column("study.points", "mean")
    frame = pd.read_parquet(RESULTS / name / "records")
    stored = frame.groupby(["policy", "network.slots"])["mean_rmse_m"].mean()
    assert shown == pytest.approx(stored.tolist())

    visitor.page.get_by_text("policy − SAFE").wait_for()
    for label, table in (("Summary (CSV)", "summary.csv"), ("Differences (CSV)", "differences.csv")):
        with visitor.page.expect_download() as download:
            visitor.page.get_by_text(label).first.click()
        download.value.save_as(tmp_path / table)
        assert (tmp_path / table).read_bytes() == (RESULTS / name / table).read_bytes()

    # another setting makes another study, with a name of its own; the first one is pinned and stays, in its colours
    visitor.page.get_by_text("flown at N 4 ").first.wait_for()
    visitor.page.get_by_role("button", name="Pin as baseline").click()
    visitor.until("find('study.lines').data['xs'].length === 4")
    visitor.press("snr_offset_db", "ArrowLeft", 4)
    visitor.page.get_by_text("Run: 12 runs (3 values × 2 policies × 2 trials), about ").wait_for()
    visitor.page.get_by_role("button", name="Run", exact=True).click()
    visitor.page.get_by_text(f"12 runs done, kept in {name}-2").wait_for()
    visitor.until("find('study.lines').data['xs'].length === 4")
    labels, colours = (visitor.column("study.lines", n) for n in ("label", "color"))
    assert labels == ["SAFE (pinned)", "VoI-Sched (pinned)", "SAFE", "VoI-Sched"]
    assert colours[:2] == colours[2:]
    visitor.page.get_by_text("flown at ΔSNR −").first.wait_for()
    assert len(pd.read_parquet(RESULTS / name / "records")) == len(pd.read_parquet(RESULTS / f"{name}-2" / "records"))
    visitor.page.get_by_role("button", name="Unpin").click()
    visitor.until("find('study.lines').data['xs'].length === 2")


def test_cancel_in_the_page(visit: Any, name: str) -> None:
    visitor = visit("?tab=whatif&uavs=8&slots=60&duration_s=60")
    fill(visitor, "Trials (seeds)", "20")
    fill(visitor, "Save as", name)
    visitor.page.get_by_role("button", name="Run", exact=True).click()
    visitor.page.get_by_text(" of 240 runs").wait_for()
    visitor.page.get_by_role("button", name="Cancel", exact=True).click()
    visitor.page.get_by_text("press Run to continue").wait_for()


def test_an_audit_from_the_button_to_the_verdicts(visit: Any) -> None:
    visitor = visit("?tab=claims&uavs=4&slots=40&duration_s=2")
    visitor.page.get_by_role("button", name="Audit at these settings").click()
    visitor.page.get_by_text("Measured at these settings").wait_for()
    assert "violated" in visitor.page.locator('tr[data-claim="drift-paper"]').inner_text()
    assert "holds" in visitor.page.locator('tr[data-claim="drift-repaired"]').inner_text()
    visitor.press("slots", "ArrowRight")
    visitor.page.get_by_text("Measured before the settings changed").wait_for()
