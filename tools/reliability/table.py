"""The tables of docs/RELIABILITY.md, made from the runs that are kept and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tools.reliability.check import Check
from tools.reliability.measurement import Measurement
from tools.reliability.runs import Run, runs_of, shown

HEADS = ("#", "check", "to reach", "before", "after", "reached", "in CI")
EVERY_HEADS = ("#", "run", "tree", "commit", "figure", "reached")
MOST_RUNS = 10
"""Runs of a check that the second table lists; it counts those before them."""


def section(figures: Sequence[Measurement], checks: Sequence[Check]) -> str:
    """What stands between the marks: one run, and every run of the checks that have more than one."""
    runs = runs_of(figures)
    again = every_run(runs, checks)
    return one_run(runs, checks) + (f"\n\n## Every run of a figure\n\n{again}" if again else "")


def one_run(runs: Sequence[Run], checks: Sequence[Check]) -> str:
    """The table of one run, and where it was made; of several where none has every check, which it says.

    Args:
        runs: the newest first.
        checks: all that a whole run has.
    """
    rows = shown(runs, [check.name for check in checks])
    used = {run.name: (run, [name for name in rows if rows[name] is run]) for run in rows.values()}
    if len(rows) == len(checks) and len(used) == 1:
        about = "".join(f"Measured in one go: {_about(*one)}." for one in used.values())
    else:
        about = "**Not measured in one go**: no run has every check yet. Each row is the newest run of its check; before and after are always of the same run.\n"
        about += "".join(f"\n- {', '.join(names)}: {_about(run, names)}." for run, names in used.values())
    lines = [_row(check, rows[check.name]) for check in checks if check.name in rows]
    return f"{about}\n\n{_table(HEADS, lines)}"


def every_run(runs: Sequence[Run], checks: Sequence[Check]) -> str:
    """All figures of the checks that were measured in more than one run, the newest first; "" = there are none."""
    lines = []
    for check in checks:
        having = [(run, [f for f in run.figures if f.check == check.name]) for run in runs]
        having = [(run, figures) for run, figures in having if figures]
        if len(having) < 2:
            continue
        for run, figures in having[:MOST_RUNS]:
            lines += [(check.name, run.name, f.tree, f.commit or "not known", f.told, f.reached) for f in figures]
        if older := [f for _, figures in having[MOST_RUNS:] for f in figures if f.tree == "after"]:
            reached = f"{sum(f.passed is True for f in older)} of {len(older)}"
            lines.append((check.name, "older, in tools/reliability/runs.jsonl", "after", "", "", reached))
    return _table(EVERY_HEADS, lines) if lines else ""


def _row(check: Check, run: Run) -> Sequence[str]:
    before, after = run.of(check.name, "before"), run.of(check.name)
    assert after is not None
    told = before.told if before is not None else ""
    return check.name, check.what, check.goal, told, after.told, after.reached, check.in_ci


def _about(run: Run, names: Sequence[str]) -> str:
    """Which trees, when and where, for some checks of a run."""
    figures = [f for f in run.figures if f.check in names]
    said = [f"run {run.name}"]
    said += [f"{side} {commits}" for side in ("before", "after") if (commits := _commits(figures, side))]
    said += [f"on {machine}" for machine in dict.fromkeys(str(f.machine) for f in figures if f.machine is not None)]
    if loads := [f.load[0] for f in figures if f.load]:
        said.append(f"load before the checks {min(loads):.1f} to {max(loads):.1f}")
    return "; ".join(said)


def _commits(figures: Iterable[Measurement], side: str) -> str:
    """Commits of a tree; more than one where it changed during the run."""
    found = list(dict.fromkeys(f.commit or "not known" for f in figures if f.tree == side))
    return ", then ".join(found) + (" (the tree changed during the run)" if len(found) > 1 else "")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (heads, ["---"] * len(heads), *rows)
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in lines)
