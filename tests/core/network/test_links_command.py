"""`python -m core links`: what it prints."""

import argparse
from pathlib import Path

import pytest

from core.__main__ import main
from core.cli import links


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    parser = argparse.ArgumentParser()
    links.add_parser(parser.add_subparsers())
    args = parser.parse_args(["links", *words])
    assert args.run(args) == 0
    return capsys.readouterr().out


def test_table_of_the_default_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--seeds", "1", "--every", "60")
    assert "50 UAVs, 2 instants of 1 missions" in text
    for row in ("GCS-UAV LOS", "GCS-UAV NLOS", "GCS-UAV blocked", "UAV-UAV LOS", "UAV-UAV NLOS", "UAV-UAV blocked"):
        assert row in text
    counts = [int(line.split()[2]) for line in text.splitlines() if line.startswith(("GCS-UAV", "UAV-UAV"))]
    assert sum(counts[:3]) == 2 * 50
    assert sum(counts[3:]) == 2 * 50 * 49 // 2
    assert "frame of 160 slots" in text


def test_it_says_that_links_are_predicted_and_with_what_clearance(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "near.yaml"
    path.write_text("twin: {clearance_m: 4.5, link_quality: false}\nmission: {uavs: 3}\n")
    text = printed(capsys, "--scenario", str(path), "--seeds", "1", "--every", "120")
    assert "as the twin predicts them; one that passes the building closer than 4.5 m counts as blocked" in text


@pytest.mark.parametrize("words", [("--seeds", "-3"), ("--seeds", "0"), ("--every", "0"), ("--seeds", "2000000000")])
def test_numbers_that_make_no_sense_are_refused(words: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", *words]) == 2
    assert f"error: {words[0]} {words[1]}:" in capsys.readouterr().err


def test_swarm_out_of_reach(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "deaf.yaml"
    path.write_text("network: {snr_offset_db: -20.0, extra_margin_db: 40.0}\nmission: {uavs: 3}\n")
    text = printed(capsys, "--scenario", str(path), "--seeds", "1", "--every", "120")
    assert "without a usable exchange: 100.0%" in text
    assert "mean 0.0, 0 to 0" in text
