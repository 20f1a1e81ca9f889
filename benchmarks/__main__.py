"""All benchmarks, one after the other, and their figures in one table: benchmarks/RESULTS.md.

Run: python benchmarks [NAME ...]      (`make bench` runs all; a name is that of a script, as in `python benchmarks knapsack lmi`;
the figures of the others stay as they were)
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

from results import COLLECT, Figure, processor

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
KEPT = HERE / "results.jsonl"
"""The figures behind the table, one per line."""
PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "cvxpy-base",
    "clarabel",
    "ortools",
    "moocore",
    "paretoset",
    "panel",
    "bokeh",
    "holoviews",
)
COLUMNS = ("benchmark", "work", "size", "here", "peer", "peer / here")


def run(script: Path, on: str) -> list[dict[str, object]]:
    """One script in a process of its own (some peers cannot share one); what it found."""
    print(f"== {script.name}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        collect = Path(folder) / "figures"
        collect.touch()
        paths = os.pathsep.join([str(HERE.parent / "tests" / "support"), str(HERE)])
        environment = {**os.environ, COLLECT: str(collect), "PYTHONPATH": paths}
        subprocess.run([sys.executable, script], env=environment, check=True)
        return [json.loads(line) | {"on": on} for line in collect.read_text(encoding="utf-8").splitlines()]


def machine() -> str:
    """Where, when and with what."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    return (
        f"{date.today():%-d %B %Y}, {processor()}, {os.cpu_count()} cores, load {load}; "
        f"{platform.system()}, Python {platform.python_version()}, {packages}"
    )


def table(rows: list[dict[str, object]]) -> Iterator[str]:
    """The page, line by line."""
    yield from (
        "# What it costs, beside named peers",
        "",
        "Written by `make bench`. The machines are noisy: read the ratios, each made in one run, in turns, the best of some rounds.",
        "A ratio above one: the peer takes that many times as long (or as much). Where the peer is a goal or a period, it says how much room is left.",
    )
    for on in dict.fromkeys(str(row["on"]) for row in rows):
        scripts = ", ".join(dict.fromkeys(name_of(row) for row in rows if row["on"] == on))
        yield from ("", f"*{scripts}: {on}.*")
    yield from ("", "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS))
    for row in rows:
        cells = Figure(**{k: v for k, v in row.items() if k not in ("script", "on")}).cells
        yield "| " + " | ".join((f"[{name_of(row)}]({row['script']})", *cells)) + " |"


def name_of(row: dict[str, object]) -> str:
    """What a benchmark is called on the command line."""
    return str(row["script"]).removeprefix("bench_").removesuffix(".py")


def main(names: list[str]) -> None:
    scripts = sorted(HERE.glob("bench_*.py"))
    unknown = set(names) - {path.stem.removeprefix("bench_") for path in scripts}
    if unknown:
        raise SystemExit(f"There is no benchmark {', '.join(sorted(unknown))}; see {HERE}.")
    kept = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()] if KEPT.exists() else []
    on = machine()
    for script in scripts:
        if names and script.stem.removeprefix("bench_") not in names:
            continue
        found = run(script, on)
        kept = sorted([row for row in kept if row["script"] != script.name] + found, key=lambda row: row["script"])
        KEPT.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept), encoding="utf-8")
        RESULTS.write_text("\n".join(table(kept)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
