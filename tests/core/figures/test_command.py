"""`python -m core figure`: every name is drawn by something that is there, and bad input is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import core.figures
from core.__main__ import main
from core.cli.figure import KNOWN

SMALL = "mission: {uavs: 7, duration_s: 3.0}\nnetwork: {slots: 30}\n"


def test_a_figure_and_a_table_are_written_with_their_captions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "small.yaml"
    scenario.write_text(SMALL)
    common = ["--scenario", str(scenario), "--cycle", "5", "--uav", "3", "--policies", "SAFE,VoI-Sched"]
    for name, file in (("prediction", "a.svg"), ("flight-numbers", "b.tex"), ("policy-frames", "c.csv")):
        assert main(["figure", name, "--out", str(tmp_path / file), *common]) == 0
        assert (tmp_path / file).stat().st_size > 200
        said = capsys.readouterr().out
        assert "(network.slots)" in said
        assert "seed 0" in said


def test_every_public_figure_and_table_has_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figure", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == len(KNOWN)
    # one function draws three distributions, two draw a solution; Figure, Stamp and Table are types
    assert len(KNOWN) == len(core.figures.__all__) - 3 + 2 - 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["frontier", "--out", "x.pdf"], "--list names them all"),
        ([], "--list names them all"),
        (["loops", "--out", "x.pdf"], "must end in .csv, .tex"),
        (["prediction"], "such as --out prediction.pdf"),
        (["prediction", "--out", "x.pdf", "--cycle", "9999"], "no cycle 9999"),
        (["prediction", "--out", "x.pdf", "--cycle", "0", "--uav", "99"], "no UAV 99"),
        (["study-curves", "--out", "x.pdf"], "--study"),
        (["prediction", "--out", "/proc/nothing/x.pdf"], "/proc/nothing"),
    ],
)
def test_bad_input_is_a_sentence(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["figure", *words]) == 2
    assert said in capsys.readouterr().err
