"""Command lines with odd values, through the real entry: done, or exit code 2 and a sentence on stderr."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzzing import Fuzz, budget
from mutation import ATOMS, NUMBERS

from core.__main__ import main
from core.cli.figure import KNOWN
from core.errors import SafeExplorerError
from core.scenario.scenario import field_names

TINY = "control: {H: 4}\nmission: {uavs: 2, duration_s: 1}\nnetwork: {slots: 20, blocklengths: [600], retransmissions: [0, 1]}\n"
COUNTS = ("1", "2", "0", "-1", "x", "1e3", "3_0", "٣", "9" * 40, "", " 1", "1.0", "--")
NAMES = (
    "SAFE",
    "VoI-Sched",
    "CALLS",
    "SAFER",
    "SAFE,",
    "SAFE(lookahead_cycles=2)",
    "SAFE(",
    "SAFE(x=1)",
    "SAFE(a=1e999)",
    "",
    "(",
    "safe",
)
SCENARIOS = ("tiny.yaml", "no.yaml", ".", "table-1", "table-9", "x" * 5000, "", "bad.yaml", "/dev/null", "binary.yaml")
FILES = ("blocked", "blocked/x", "new/run", ".", "..", "/proc/no/x", "x" * 300, "", "out.npz", "out.parquet", "out.csv")
SEEDS = (
    "0:2",
    "0,1",
    "5",
    "0:",
    ":",
    "0:1000",
    "1000",
    "-1:2",
    "2:0",
    "a,b",
    "0:1e9",
    "0:99999999999999999999",
    ",",
    "0,0",
    "٣",
    "",
)
VARIES = [f"{name}={value}" for name in field_names() for value in ("1", "0:1", "0:1:0", "nan", "")]
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "simulate": {
        "--policy": NAMES,
        "--seed": COUNTS,
        "--scenario": SCENARIOS,
        "--out": FILES,
        "--save-mission": FILES,
        "--save-links": FILES,
        "--mission": FILES,
        "--buildings": FILES,
        "--links": FILES,
        "--plugins": FILES,
    },
    "links": {"--scenario": SCENARIOS, "--seeds": COUNTS, "--every": COUNTS},
    "study": {
        "--vary": tuple(VARIES) + ATOMS,
        "--policies": NAMES,
        "--trials": COUNTS,
        "--seed-start": COUNTS,
        "--scenario": SCENARIOS,
        "--workers": ("0", "-1", "x"),
        "--scheduler": ("tcp://127.0.0.1:9", "x", "", "http://[", "tcp://"),
    },
    "sensitivity": {
        "--vary": tuple(VARIES) + ATOMS,
        "--method": ("oat", "sobol", "x"),
        "--metric": ("mean_rmse_m", "speed", ""),
        "--policy": NAMES,
        "--trials": COUNTS,
        "--samples": ("8", "7", "0", "x", "9" * 30),
        "--seed-start": COUNTS,
    },
    "calibrate": {"--seeds": SEEDS, "--first": NUMBERS, "--scenario": SCENARIOS, "--workers": COUNTS},
    "reproduce": {"--trials": COUNTS, "--first-seed": COUNTS, "--policies": NAMES, "--grid-trials": COUNTS},
    "standing": {"--trials": COUNTS, "--first-seed": COUNTS},
    "tune": {"--scarcity-of": SCENARIOS},
    "schema": {"--out": FILES},
    "figure": {
        "--policy": NAMES,
        "--seed": COUNTS,
        "--cycle": COUNTS,
        "--uav": COUNTS,
        "--over": ("network.slots", "c", "v_ratio", "x", ""),
        "--policies": NAMES,
        "--study": FILES,
        "--metric": ("mean_rmse_m", "x"),
    },
}
"""What is tried per command (no word holds a NUL, which no system hands over); the values that would make it long are left out, for nothing is gained by waiting."""
BLOCKED = {
    "study": "blocked",
    "sensitivity": "blocked",
    "calibrate": "blocked/x",
    "reproduce": "blocked",
    "standing": "blocked",
    "tune": "blocked",
}
"""Commands whose work takes long are given a place where nothing can be written: everything else is checked before."""


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, with files to name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("core.studies.backends.CONNECT_S", 0.05)
    Path("tiny.yaml").write_text(TINY, encoding="utf-8")
    Path("bad.yaml").write_text("network: {slots: many}\n", encoding="utf-8")
    Path("binary.yaml").write_bytes(bytes(range(256)))
    Path("blocked").write_bytes(b"")


def words_of(rng: np.random.Generator, command: str) -> list[str]:
    """One command line; its scenario is tiny unless it is odd itself."""
    options = OPTIONS[command]
    names = rng.choice(list(options), size=min(len(options), int(rng.integers(1, 4))), replace=False)
    found = {str(name): options[name][int(rng.integers(len(options[name])))] for name in names}
    if "--scenario" in options or command in ("study", "sensitivity", "figure"):
        found.setdefault("--scenario", "tiny.yaml")
        found["--scenario"] = (
            "tiny.yaml" if found["--scenario"] == "table-1" and command not in BLOCKED else found["--scenario"]
        )
    if command in BLOCKED:
        found["--out"] = BLOCKED[command]
    words = [command]
    if command == "schema":
        words.append(str(rng.choice(["scenario", "study", "x", ""])))
    if command == "figure":
        name = str(rng.choice([n for n in KNOWN if n != "ledger"]))
        words.append(name if rng.uniform() < 0.9 else ATOMS[int(rng.integers(len(ATOMS)))])
        found["--out"] = str(rng.choice(["f.csv", "f.tex", "f.svg", "blocked/f.csv"]))
        found.setdefault("--cycle", "2")
    return words + [f"{name}={value}" if rng.uniform() < 0.9 else name for name, value in found.items()]


def ran(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Run it; SafeExplorerError when it was refused in a sentence, AssertionError when it was not one."""
    try:
        code = main(words)
    except SystemExit as stopped:  # argparse: usage and a sentence
        code = stopped.code
    said = capsys.readouterr().err
    assert "Traceback" not in said
    if code == 2:
        last = [line for line in said.splitlines() if line.strip()][-1]
        assert "error: " in said, said[:300]
        raise SafeExplorerError(last)
    assert code == 0, f"exit code {code}: {said[:300]}"


@pytest.mark.usefixtures("_here")
@pytest.mark.parametrize("command", OPTIONS)
def test_values(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with Fuzz(f"command {command}", least_taken=0.0) as fuzz:
        for i in range(budget({"simulate": 80, "study": 120, "figure": 30, "calibrate": 60}.get(command, 40))):
            words = words_of(np.random.default_rng((61, i, sum(map(ord, command)))), command)
            fuzz.attempt(words, lambda words=words: ran(words, capsys))


@pytest.mark.usefixtures("_here")
def test_anything(capsys: pytest.CaptureFixture[str]) -> None:
    """Words in any order, known and unknown; nothing of it may start a server."""
    known = [
        "simulate",
        "study",
        "links",
        "schema",
        "figure",
        "--out",
        "--seed",
        "--vary",
        "--help",
        "--version",
        "--",
        "-",
        "--plugins",
    ]
    with Fuzz("command lines of any words", least_taken=0.0) as fuzz:
        for i in range(budget(120)):
            rng = np.random.default_rng((62, i))
            words = [
                str(rng.choice(known)) if rng.uniform() < 0.5 else ATOMS[int(rng.integers(len(ATOMS)))]
                for _ in range(int(rng.integers(0, 6)))
            ]
            if words[:1] not in (["simulate"], ["links"], ["study"]):  # which fly the whole default mission
                fuzz.attempt(words, lambda words=words: ran(words, capsys))
