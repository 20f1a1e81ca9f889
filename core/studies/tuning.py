"""How the free parameters were chosen, on calibration seeds only: scarcity, the baselines' constants, SAFE's look-ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.scenario import Scenario
from core.simulation import POLICIES, Policy
from core.simulation.policies import (
    Calls,
    CertFixed,
    DynTxHLC,
    FixedService,
    NMSESched,
    Rollout,
    Safe,
    VoISched,
    WhittleAge,
)
from core.studies.axis import Axis
from core.studies.definition import Study
from core.studies.policies import spelled_policy
from core.studies.rotation import CertRotation
from core.studies.statistics import in_order
from core.studies.store import StudyStore

SCARCITY_SEEDS = tuple(range(500, 504))
TUNING_SEEDS = tuple(range(600, 608))
MARGINS_DB = (12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0)
LOOKAHEADS = (1, 2, 3, 4, 5, 6)
WEIGHTS = (0.05, 0.1, 0.2)
"""Look-aheads L and weights η tried for SAFE (D23) …"""
LOOKAHEAD_SLOTS = (160, 120)
"""… in the frame of Table I and in one where slots are very scarce, both counting the same."""
METRICS = ("mean_rmse_m", "p95_rmse_m", "p95_v", "safe_share")


@dataclass(frozen=True)
class Variant:
    """A policy with other constants.

    Args:
        base: the policy.
        words: what is different, in words.
        constants: class attributes by name.
    """

    base: type[Policy]
    words: str
    constants: Mapping[str, float]

    @property
    def policy(self) -> str:
        """Name of the registered policy that it is a variant of."""
        return next(name for c in self.base.__mro__ for name, known in POLICIES.items() if known is c)

    @property
    def shipped(self) -> bool:
        """Whether this is what is registered under the policy's name."""
        same = all(getattr(self.base, name) == value for name, value in self.constants.items())
        return same and POLICIES[self.policy] is self.base

    @property
    def spelling(self) -> str:
        """The variant as a study spells it."""
        return spelled_policy(self.base.name, self.constants)


def variants() -> tuple[Variant, ...]:
    """Every variant that was tried."""
    return (
        *(Variant(FixedService, f"usable {u}", {"usable": u}) for u in (0.3, 0.5, 0.7, 0.8, 0.9)),
        *(Variant(CertFixed, f"fixed priority, usable {u}", {"usable": u}) for u in (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)),
        *(Variant(CertRotation, f"rotation, usable {u}", {"usable": u}) for u in (0.3, 0.5, 0.7)),
        *(
            Variant(DynTxHLC, f"one more after {patience}, target {target}", {"target": target, "patience": patience})
            for patience in (1, 2, 3)
            for target in (0.7, 0.75, 0.8, 0.85)
        ),
        *(Variant(VoISched, f"(1+c)^{power}·tr Σ", {"age_power": power}) for power in (0, 1, 2)),
        *(
            Variant(
                WhittleAge,
                f"{'W, ' if error else 'tr Σ, '}{J} cycles, {'per slot' if per_slot else 'per exchange'}, usable {u}",
                {"of_error": error, "horizon": J, "per_slot": per_slot, "usable": u},
            )
            for error, J in ((False, 6), (True, 2), (True, 4), (True, 6))
            for per_slot in (False, True)
            for u in (0.5, 0.7)
        ),
        *(
            Variant(Calls, f"rate {rate}, ceiling {q}", {"rate": rate, "ceiling": q})
            for rate in (0.3, 0.5, 0.7, 0.9, 1.0)
            for q in (0.5, 0.7, 0.9)
        ),
        *(
            Variant(
                NMSESched,
                f"{'tr Σ and command' if command else 'tr Σ'}, usable {u}",
                {"command": command, "usable": u},
            )
            for command in (False, True)
            for u in (0.5, 0.7, 0.8)
        ),
        *(
            Variant(Rollout, f"{'V' if energy else '|ê|²'}, {J} cycles", {"of_energy": energy, "horizon": J})
            for energy in (False, True)
            for J in (2, 3, 4, 5, 6, 8, 12)
        ),
    )


def variants_study(scenario: Scenario | None = None, seeds: Sequence[int] = TUNING_SEEDS) -> Study:
    """Every variant on the same seeds.

    Args:
        scenario: the frozen scenario; Table I when None.
        seeds: calibration seeds, below 1000.
    """
    return Study(_given(scenario), policies=tuple(v.spelling for v in variants()), seeds=tuple(seeds))


def variant_rows(store: StudyStore, study: Study) -> pd.DataFrame:
    """One row per variant and seed, `shipped` where its constants are those that fly: what tuning.csv holds."""
    rows = in_order(store.frame_of(study), study, "policy", "seed")
    by_spelling = {v.spelling: v for v in variants()}
    flown = [by_spelling[spelling] for spelling in rows["policy"]]
    said = {
        "policy": [v.policy for v in flown],
        "variant": [v.words for v in flown],
        "shipped": [v.shipped for v in flown],
    }
    return pd.DataFrame(said).join(rows[["seed", *METRICS]])


def margins_study(scenario: Scenario | None = None, seeds: Sequence[int] = SCARCITY_SEEDS) -> Study:
    """What a state-blind rotation gets out of the frame, by extra margin."""
    margins = Axis("network.extra_margin_db", MARGINS_DB)
    return Study(_given(scenario), (margins,), (FixedService.name,), tuple(seeds))


def margin_rows(store: StudyStore, study: Study) -> pd.DataFrame:
    """One row per margin and seed: what scarcity.csv holds.

    `cycles_between` is how long a loop waits for a bidirectional success on average, N / (served × delivered) [cycles].
    """
    rows = in_order(store.frame_of(study), study, "seed")
    heard = rows["served_per_cycle"] * rows["delivered_share"]
    between = (study.scenario.mission.uavs / heard.where(heard > 0)).fillna(np.inf)
    keys = pd.DataFrame({"extra_margin_db": rows["network.extra_margin_db"], "seed": rows["seed"]})
    metrics = ["served_per_cycle", "delivered_share", "hold_share", "mean_rmse_m"]
    return keys.assign(cycles_between=between).join(rows[metrics])


def lookaheads_study(scenario: Scenario | None = None, seeds: Sequence[int] = TUNING_SEEDS) -> Study:
    """SAFE by look-ahead L and weight η in two frames."""
    axes = (
        Axis("allocation.lookahead_cycles", LOOKAHEADS),
        Axis("control.eta", WEIGHTS),
        Axis("network.slots", LOOKAHEAD_SLOTS),
    )
    return Study(_given(scenario), axes, (Safe.name,), tuple(seeds))


def lookahead_rows(store: StudyStore, study: Study) -> pd.DataFrame:
    """One row per combination and seed: what lookahead.csv holds."""
    rows = in_order(store.frame_of(study), study, "seed")
    rows = rows.rename(columns={name: name.partition(".")[2] for name in study.names})
    return rows[["lookahead_cycles", "eta", "slots", "seed", *METRICS, "longest_silence_cycles"]]


def tuning_markdown(
    tried: pd.DataFrame, margins: pd.DataFrame, lookaheads: pd.DataFrame, scenario: Scenario | None = None
) -> str:
    """The tables as Markdown; bold is what flies."""
    scenario = scenario if scenario is not None else Scenario()
    lines = [
        "| extra margin [dB] | loops served per frame | delivered | cycles between successes | held | mean RMSE [m] |",
        "|---" * 6 + "|",
    ]
    for margin, part in margins.groupby("extra_margin_db"):
        mean = part.mean(numeric_only=True)
        mark = "**" if margin == scenario.network.extra_margin_db else ""
        lines.append(
            f"| {mark}{margin:g}{mark} | {mean['served_per_cycle']:.1f} | {mean['delivered_share']:.2f} | {mark}{mean['cycles_between']:.2f}{mark} "
            f"| {mean['hold_share']:.0%} | {mean['mean_rmse_m']:.2f} |"
        )
    lines += ["", "| policy | variant | mean RMSE [m] | P95 RMSE [m] | P95 V/V_max | in safe mode |", "|---" * 6 + "|"]
    for (policy, variant, shipped), part in tried.groupby(["policy", "variant", "shipped"], sort=False):
        mean = part[list(METRICS)].mean()
        mark = "**" if shipped else ""
        lines.append(
            f"| {policy} | {mark}{variant}{mark} | {mark}{mean['mean_rmse_m']:.2f}{mark} | {mean['p95_rmse_m']:.2f} | {mean['p95_v']:.3f} "
            f"| {mean['safe_share']:.1%} |"
        )
    head = "| mean RMSE [m] | P95 RMSE [m] | P95 V/V_max | in safe mode | longest silence [cycles] "
    frames = " | ".join(f"RMSE at S = {S} [m]" for S in LOOKAHEAD_SLOTS)
    lines += ["", f"| SAFE: L | η {head}| {frames} |", "|---" * (7 + len(LOOKAHEAD_SLOTS)) + "|"]
    for (L, eta), part in lookaheads.groupby(["lookahead_cycles", "eta"], sort=False):
        mean, by_frame = part.mean(numeric_only=True), part.groupby("slots")["mean_rmse_m"].mean()
        flies = (L, eta) == (scenario.allocation.lookahead_cycles, scenario.control.eta)
        mark = "**" if flies else ""
        lines.append(
            f"| {mark}{L:g}{mark} | {mark}{eta:g}{mark} | {mark}{mean['mean_rmse_m']:.2f}{mark} | {mean['p95_rmse_m']:.2f} "
            f"| {mean['p95_v']:.3f} | {mean['safe_share']:.1%} | {mean['longest_silence_cycles']:.0f} | "
            + " | ".join(f"{by_frame[S]:.2f}" for S in LOOKAHEAD_SLOTS)
            + " |"
        )
    return "\n".join(lines) + "\n"


def _given(scenario: Scenario | None) -> Scenario:
    return scenario if scenario is not None else Scenario()
