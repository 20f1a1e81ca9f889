"""docs/STUDIES.md is true: its Python runs on a study its own command makes, its commands define studies that may run."""

import argparse
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from core import Scenario
from core.__main__ import main, parser
from core.cli import sensitivity, study

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "STUDIES.md").read_text(encoding="utf-8")
SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0})


def commands(text):
    """Words of every whole `python -m core …` line."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    found = [
        line.strip().removeprefix("python -m core ") for line in lines if line.strip().startswith("python -m core ")
    ]
    return [shlex.split(re.sub(r"\s{2,}\(.*\)$", "", line)) for line in found]


DOCUMENTED = [
    words
    for text in (TEXT, study.EXAMPLE, sensitivity.EXAMPLE)
    for words in commands(text)
    if words[1] != "my-study.yaml"
]


def test_there_are_commands_to_check():
    assert sum(words[0] == "study" for words in DOCUMENTED) >= 5
    assert sum(words[0] == "sensitivity" for words in DOCUMENTED) >= 4


@pytest.mark.parametrize("words", DOCUMENTED, ids=" ".join)
def test_a_documented_command_defines_a_study_that_may_run(words, monkeypatch):
    monkeypatch.chdir(ROOT)
    args: argparse.Namespace = parser([words[0]]).parse_args(words)
    if words[0] == "sensitivity":
        defined = sensitivity.design_from(args)
        assert sensitivity.metric_from(args)
    else:
        defined = study.study_from(args)
    defined.check()
    assert defined.axes


def test_the_python_of_the_document_runs(tmp_path, monkeypatch, capsys):
    """On the study of its first command, with fewer trials of a smaller mission."""
    monkeypatch.chdir(tmp_path)
    SMALL.to_yaml(tmp_path / "small.yaml")
    words = commands(TEXT)[0]
    assert words[-2:] == ["--out", "results/slots-beta"]
    smaller = [w.replace("100:200:10", "20:40:20").replace("0.01,0.05,0.2", "0.01,0.2") for w in words]
    smaller[smaller.index("--trials") + 1] = "3"
    assert main([*smaller, "--scenario", "small.yaml", "--workers", "0"]) == 0
    assert "difference from SAFE on matched seeds" in capsys.readouterr().out
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    assert len(blocks) == 2
    names: dict = {}
    for block in blocks:
        names |= _values(block, names)
    assert names['records.attrs["units"]["mean_rmse_m"]'] == "m"
    assert "uavs: 4" in names['records.attrs["scenario"]']
    tables = [value for value in names.values() if isinstance(value, pd.DataFrame)]
    assert len(tables) >= 4
    assert all(len(table) for table in tables)


def _values(block, names):
    """Run a block line by line; an expression's value is kept under its own text."""
    for line in (raw.split("  #")[0].strip() for raw in block.splitlines()):
        if not line or line.startswith("#"):
            continue
        try:
            code = compile(line, "docs/STUDIES.md", "eval")
        except SyntaxError:
            exec(line, names)
        else:
            names[line] = eval(code, names)
    return names


@pytest.mark.parametrize(
    "name", ["summary.csv", "differences.csv", "study.yaml", "records/<policy>/<cell>-<seed>.parquet"]
)
def test_every_file_of_a_study_is_named(name):
    assert name in TEXT
