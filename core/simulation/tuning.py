"""How the free parameters were chosen, on calibration seeds only: scarcity, the baselines' constants, SAFE's look-ahead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from core.scenario import Scenario
from core.simulation.loop import simulate
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
from core.simulation.policies.service import Ints, Rotation
from core.simulation.policy import POLICIES, Policy
from core.simulation.pool import in_processes

SCARCITY_SEEDS = tuple(range(500, 504))
TUNING_SEEDS = tuple(range(600, 608))
MARGINS_DB = (12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0)
LOOKAHEADS = (1, 2, 3, 4, 5, 6)
WEIGHTS = (0.05, 0.1, 0.2)
"""Look-aheads L and weights η tried for SAFE (D23) …"""
LOOKAHEAD_SLOTS = (160, 120)
"""… in the frame of Table I and in one where slots are very scarce, both counting the same."""
METRICS = ("mean_rmse_m", "p95_rmse_m", "p95_v", "safe_share")


class CertRotation(CertFixed):
    """Cert-Fixed in the cyclic order of Fixed-Service: no loop is last for ever."""

    def __init__(self) -> None:
        self._rotation = Rotation()

    def serve(self, pick: Ints, slots: Ints, budget: int) -> Ints:
        """Serve the next loops of the rotation."""
        return self._rotation.serve(pick, slots, budget)


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
    def shipped(self) -> bool:
        """Whether this is what is registered under the policy's name."""
        same = all(getattr(self.base, name) == value for name, value in self.constants.items())
        return same and POLICIES[self.base.name] is self.base

    def policy(self) -> type[Policy]:
        """The class that flies."""
        return type(self.base.__name__, (self.base,), dict(self.constants))


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


def try_variants(
    scenario: Scenario | None = None,
    *,
    seeds: Sequence[int] = TUNING_SEEDS,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Every variant on the same seeds; one row per variant and seed, `shipped` where its constants are those that fly.

    Args:
        scenario: the frozen scenario; Table I when None.
        seeds: calibration seeds, below 1000.
        workers: processes.
        progress: called with (missions flown, missions in all).
    """
    scenario = scenario if scenario is not None else Scenario()
    jobs = [(scenario, variant, seed) for variant in variants() for seed in seeds]
    flown = in_processes(_fly_variant, jobs, workers, progress)
    rows = [
        {"policy": v.base.name, "variant": v.words, "shipped": v.shipped, "seed": seed, **row}
        for (_, v, seed), row in zip(jobs, flown, strict=True)
    ]
    return pd.DataFrame(rows)


def try_margins(
    scenario: Scenario | None = None,
    *,
    seeds: Sequence[int] = SCARCITY_SEEDS,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """What a state-blind rotation gets out of the frame, by extra margin; one row per margin and seed.

    `cycles_between` is how long a loop waits for a bidirectional success on average, N / (served × delivered) [cycles].
    """
    scenario = scenario if scenario is not None else Scenario()
    jobs = [(scenario.replace(**{"network.extra_margin_db": m}), seed) for m in MARGINS_DB for seed in seeds]
    flown = in_processes(_fly_margin, jobs, workers, progress)
    rows = [
        {"extra_margin_db": s.network.extra_margin_db, "seed": seed, **row}
        for (s, seed), row in zip(jobs, flown, strict=True)
    ]
    return pd.DataFrame(rows)


def try_lookaheads(
    scenario: Scenario | None = None,
    *,
    seeds: Sequence[int] = TUNING_SEEDS,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """SAFE by look-ahead L and weight η in two frames; one row per combination and seed."""
    scenario = scenario if scenario is not None else Scenario()
    jobs = [
        (scenario.replace(**{"allocation.lookahead_cycles": L, "control.eta": eta, "network.slots": S}), seed)
        for L in LOOKAHEADS
        for eta in WEIGHTS
        for S in LOOKAHEAD_SLOTS
        for seed in seeds
    ]
    flown = in_processes(_fly_lookahead, jobs, workers, progress)
    return pd.DataFrame(
        {
            "lookahead_cycles": s.allocation.lookahead_cycles,
            "eta": s.control.eta,
            "slots": s.network.slots,
            "seed": seed,
            **row,
        }
        for (s, seed), row in zip(jobs, flown, strict=True)
    )


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


def _fly_lookahead(job: tuple[Scenario, int]) -> dict[str, float]:
    scenario, seed = job
    summary = simulate(scenario, Safe, seed).summary()
    return {name: summary[name] for name in (*METRICS, "longest_silence_cycles")}


def _fly_variant(job: tuple[Scenario, Variant, int]) -> dict[str, float]:
    scenario, variant, seed = job
    summary = simulate(scenario, variant.policy(), seed).summary()
    return {name: summary[name] for name in METRICS}


def _fly_margin(job: tuple[Scenario, int]) -> dict[str, float]:
    scenario, seed = job
    s = simulate(scenario, FixedService, seed).summary()
    heard = s["served_per_cycle"] * s["delivered_share"]
    between = scenario.mission.uavs / heard if heard else float("inf")
    names = ("served_per_cycle", "delivered_share", "hold_share", "mean_rmse_m")
    return {"cycles_between": between, **{name: s[name] for name in names}}
