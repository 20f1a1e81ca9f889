"""How the free parameters were chosen, on calibration seeds only: the scarcity of slots, then each baseline's own constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from core.scenario import Scenario
from core.simulation.loop import simulate
from core.simulation.policies import CertFixed, DynTxHLC, FixedService, Safe, VoISched
from core.simulation.policies.service import Ints, Rotation
from core.simulation.policy import Policy
from core.simulation.pool import in_processes

SCARCITY_SEEDS = tuple(range(500, 504))
TUNING_SEEDS = tuple(range(600, 608))
MARGINS_DB = (12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0)
METRICS = ("mean_rmse_m", "p95_rmse_m", "p95_v", "safe_share")


class CertRotation(CertFixed):
    """Cert-Fixed in the cyclic order of Fixed-Service: no loop is last for ever."""

    def __init__(self) -> None:
        self._rotation = Rotation()

    def serve(self, pick: Ints, slots: Ints, budget: int) -> Ints:
        """Serve the next loops of the rotation."""
        return self._rotation.serve(pick, slots, budget)


def variants() -> dict[str, tuple[type[Policy], str]]:
    """Every variant that was tried: label → (class, name of the policy it may become)."""
    found: dict[str, tuple[type[Policy], str]] = {}

    def add(base: type[Policy], words: str, **constants: float) -> None:
        found[f"{base.name}: {words}"] = (type(base.__name__, (base,), constants), base.name)

    for usable in (0.3, 0.5, 0.7, 0.8, 0.9):
        add(FixedService, f"usable {usable}", usable=usable)
    for usable in (0.1, 0.3, 0.5, 0.7, 0.8, 0.9):
        add(CertFixed, f"fixed priority, usable {usable}", usable=usable)
    for usable in (0.3, 0.5, 0.7):
        add(CertRotation, f"rotation, usable {usable}", usable=usable)
    for patience in (1, 2, 3):
        for target in (0.7, 0.75, 0.8, 0.85):
            add(DynTxHLC, f"one more after {patience}, target {target}", target=target, patience=patience)
    for age_power in (0, 1, 2):
        add(VoISched, f"(1+c)^{age_power}·tr Σ", age_power=age_power)
    add(Safe, "nothing to tune")
    return found


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
    tried = variants()
    jobs = [(scenario, label, seed) for label in tried for seed in seeds]
    rows = []
    for job, row in zip(jobs, in_processes(_fly_variant, jobs, workers, progress), strict=True):
        cls, policy = tried[job[1]]
        rows.append(
            {"policy": policy, "variant": job[1].partition(": ")[2], "shipped": _is_shipped(cls), "seed": job[2], **row}
        )
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
    rows = []
    for job, row in zip(jobs, in_processes(_fly_margin, jobs, workers, progress), strict=True):
        rows.append({"extra_margin_db": job[0].network.extra_margin_db, "seed": job[1], **row})
    return pd.DataFrame(rows)


def tuning_markdown(tried: pd.DataFrame, margins: pd.DataFrame, scenario: Scenario | None = None) -> str:
    """Both tables as Markdown; bold is what flies."""
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
    return "\n".join(lines) + "\n"


def _is_shipped(cls: type[Policy]) -> bool:
    """Whether a variant has just the constants of the registered policy."""
    base = cls.__mro__[1]
    return base is not CertRotation and all(
        getattr(base, name) == value
        for name, value in vars(cls).items()
        if not name.startswith("__") and name != "_abc_impl"
    )


def _fly_variant(job: tuple[Scenario, str, int]) -> dict[str, float]:
    scenario, label, seed = job
    summary = simulate(scenario, variants()[label][0], seed).summary()
    return {name: summary[name] for name in METRICS}


def _fly_margin(job: tuple[Scenario, int]) -> dict[str, float]:
    scenario, seed = job
    s = simulate(scenario, FixedService, seed).summary()
    heard = s["served_per_cycle"] * s["delivered_share"]
    between = scenario.mission.uavs / heard if heard else float("inf")
    names = ("served_per_cycle", "delivered_share", "hold_share", "mean_rmse_m")
    return {"cycles_between": between, **{name: s[name] for name in names}}
