"""What each part of SAFE buys: one part exchanged at a time, flown beside it on the same missions."""

from __future__ import annotations

from dataclasses import dataclass

from core.studies.reproduction import Reproduction
from core.studies.statistics import Interval, paired_difference

PARTS = {
    "SAFE-repaired": "prediction (D23): the value from worst-case factors of V instead",
    "SAFE-L1": "look-ahead: one cycle instead of several",
    "SAFE-no-plan": "plan: references extrapolated straight",
    "SAFE-greedy": "exact knapsack, and admission with it: largest predicted worth first, cheapest usable exchange",
    "SAFE-nominal": "certified ρ: the nominal prediction instead",
    "SAFE-no-sync": "synchronisation pass (D13): off",
    "SAFE-reach": "drift test (D24): staying in the corridor instead",
    "SAFE-no-admission": "admission (D24): no certificate at all",
    "SAFE-paper": "every repair: the formulas as printed",
}
"""The ablations in the order of the table: policy → the part that is exchanged, and for what."""
COMPARED = {"mean_rmse_m": ("mean RMSE [m]", 2), "p95_rmse_m": ("P95 RMSE [m]", 2), "p95_v": ("P95 V/V_max", 3)}
"""Metrics of the table: title and digits."""


@dataclass(frozen=True)
class Part:
    """One part of SAFE exchanged.

    Args:
        policy: the ablation.
        words: what is exchanged, and for what.
        change: ablation − SAFE on the same seeds, by metric; above zero the part pays.
        mean: of the ablation, by metric.
    """

    policy: str
    words: str
    change: dict[str, Interval]
    mean: dict[str, float]


def ablation(result: Reproduction, ours: str = "SAFE") -> list[Part]:
    """The ablations that were flown, each against SAFE on the same seeds.

    Args:
        result: a reproduction with SAFE and at least one of PARTS.
        ours: the whole.
    """
    found = []
    for policy, words in PARTS.items():
        if policy not in result.policies:
            continue
        values = {name: (result.metric(policy, name), result.metric(ours, name)) for name in COMPARED}
        found.append(
            Part(
                policy,
                words,
                {name: paired_difference(theirs, mine) for name, (theirs, mine) in values.items()},
                {name: float(theirs.mean()) for name, (theirs, _) in values.items()},
            )
        )
    return found


def ablation_markdown(result: Reproduction, ours: str = "SAFE") -> str:
    """The table as Markdown: a positive change says what the part is worth."""
    whole = ", ".join(
        f"{title} {result.metric(ours, name).mean():.{digits}f}" for name, (title, digits) in COMPARED.items()
    )
    seeds = result.seeds
    lines = [
        f"{ours}: {whole}; {len(seeds)} missions, seeds {seeds[0]}–{seeds[-1]}. Each row exchanges one part; the change is paired by mission, "
        "with its 95 % interval. Above zero the part pays, below zero it costs.",
        "",
        "| policy | part exchanged |" + "".join(f" {title} | change |" for title, _ in COMPARED.values()),
        "|---" * (2 + 2 * len(COMPARED)) + "|",
    ]
    for part in ablation(result, ours):
        cells = "".join(
            f" {part.mean[name]:.{d}f} | {c.mean:+.{d}f} [{c.low:+.{d}f}, {c.high:+.{d}f}] |"
            for (name, (_, d)), c in zip(COMPARED.items(), part.change.values(), strict=True)
        )
        lines.append(f"| {part.policy} | {part.words} |{cells}")
    return "\n".join(lines) + "\n"
