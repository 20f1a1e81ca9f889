"""The conservatism ledger: what each bound of the certificate costs in ρ, g, Φ, admitted actions and metres.

One bound at a time is replaced in the full certificate, never one after the other: bounds act on each other (a smaller μ₁
makes g small whatever the union bound does), so the parts need not add up to the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.allocation import Mode
from core.control import ControlModel, LoopStates, Plan
from core.errors import StudyError
from core.network import Topology, direction_options
from core.network.options import Options
from core.network.routes import Routes
from core.scenario import Scenario
from core.simulation import Channel, CycleRecord, Policy, Simulation, simulate
from core.simulation.coverage import realised_routes
from core.simulation.policies import Safe
from core.studies.claims.flight import Service
from core.studies.claims.interaction import windows
from core.studies.claims.intervals import mean_over_missions
from core.studies.claims.ledger_file import NUMBERS
from core.studies.claims.loosening import Bound, LoosenedSafe, Replaced, loosened_candidates, loosened_drift
from core.twin import FIRST_EVALUATION_SEED, Calibration, Candidates, calibration_for

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEDGER_SEEDS = tuple(range(300, 310))
"""Missions behind a ledger: calibration seeds, none of them used to calibrate the twin or to choose a constant."""


@dataclass(frozen=True)
class Entry:
    """One row of the ledger.

    Args:
        key: short name, stable across versions.
        title: in a few words.
        replaced: bounds that are replaced at once.
        what: what the row shows, one sentence.
    """

    key: str
    title: str
    replaced: Replaced
    what: str


def _one(key: str, title: str, bound: Bound) -> Entry:
    return Entry(key, title, frozenset({bound}), bound.value)


FULL = Entry("full", "as certified", frozenset(), "The certificate that flies, every bound in place.")
ENTRIES = (
    FULL,
    _one("beta", "conformal margin β", Bound.BETA),
    _one("frechet", "any dependence", Bound.FRECHET),
    _one("union", "union bound", Bound.UNION),
    _one("persistence", "confidence of p₁₁", Bound.PERSISTENCE),
    _one("staleness", "worst staleness c*", Bound.STALENESS),
    _one("directions", "worst direction", Bound.DIRECTIONS),
    Entry(
        "all",
        "all six at once",
        frozenset(Bound) - {Bound.PREDICTION},
        "The six replacements above together; the parts need not add up to it.",
    ),
    _one("prediction", "factors, for a prediction", Bound.PREDICTION),
    Entry(
        "nominal",
        "prediction, and no β",
        frozenset({Bound.PREDICTION, Bound.BETA}),
        "The prediction at the predicted SNR: next to no bound is left in Φ, so its mean should be near the realised one.",
    ),
)
"""Rows with a certificate of their own, in the order shown."""
NO_ADMISSION = Entry(
    "none", "no admission", frozenset(), "Every action may be used (D24): what admission costs altogether."
)
REALISED = Entry(
    "realised",
    "realised",
    frozenset(),
    "What became of the actions in use: delivery over the channel they met, longest failure run in H_T attempts plus one, change of W.",
)


def conservatism(
    scenario: Scenario,
    *,
    seeds: Sequence[int] = LEDGER_SEEDS,
    calibration: Calibration | None = None,
    on_progress: Callable[[float, str], None] = lambda _share, _what: None,
) -> pd.DataFrame:
    """The ledger of a scenario under admission by drift: one row per entry, columns key, title, NUMBERS and what.

    ρ (of both directions), g and Φ are those of the actions that SAFE flew with a certificate, the same in every row; the share
    of actions admitted, and of loops with one, is over all that was on offer. The metres are flown: SAFE with that
    bound replaced minus SAFE, mean RMSE of the same missions, with the 95 % interval (Student).

    Args:
        scenario: any formulation but "paper".
        seeds: missions, below FIRST_EVALUATION_SEED.
        calibration: of the twin; the one made for the scenario when None.
        on_progress: told the share done and what is being done.
    """
    if not seeds or min(seeds) < 0 or max(seeds) >= FIRST_EVALUATION_SEED:
        raise StudyError(
            f"A ledger is made on calibration seeds, 0 … {FIRST_EVALUATION_SEED - 1}: choose some of these."
        )
    if scenario.formulation == "paper":
        raise StudyError(
            "The ledger takes the repaired certificate apart; choose formulation 'predicted' or 'repaired'."
        )
    scenario = scenario.replace(**{"allocation.admission": "drift"})
    facts = calibration if calibration is not None else calibration_for(scenario)
    jobs = 1 + len(ENTRIES) + 1
    along = "certificates along the flight"
    on_progress(0.0, along)
    certificates = certificates_along(scenario, facts, seeds, lambda share: on_progress(share / jobs, along))
    flown: dict[str, Floats] = {}
    for i, entry in enumerate((*ENTRIES, NO_ADMISSION)):
        on_progress((1 + i) / jobs, f"flying with {entry.title}")
        flown[entry.key] = np.array([_fly(scenario, facts, entry, seed) for seed in seeds])
    on_progress(1.0, "done")
    rows = []
    for entry in (*ENTRIES, NO_ADMISSION, REALISED):
        rows.append(
            {
                "key": entry.key,
                "title": entry.title,
                **dict.fromkeys(NUMBERS, np.nan),
                **certificates[entry.key],
                **_metres(flown, entry.key),
                "what": entry.what,
            }
        )
    return pd.DataFrame(rows)


def certificates_along(
    scenario: Scenario,
    calibration: Calibration,
    seeds: Sequence[int],
    tick: Callable[[float], None] = lambda _share: None,
) -> dict[str, dict[str, float]]:
    """ρ, g, Φ and shares admitted of every entry along the missions that SAFE flies, by key: the ledger without its metres."""
    tallies = {entry.key: _Tally() for entry in (*ENTRIES, NO_ADMISSION, REALISED)}
    for i, seed in enumerate(seeds):
        _follow(scenario, calibration, seed, tallies)
        tick((i + 1) / len(seeds))
    return {key: tally.summary() for key, tally in tallies.items()}


@dataclass
class _Tally:
    """What one row counts over all missions."""

    rho: list[Floats] = field(default_factory=list)
    g: list[Floats] = field(default_factory=list)
    phi: list[Floats] = field(default_factory=list)
    admitted: int = 0
    offered: int = 0
    with_one: int = 0
    loops: int = 0

    def count(self, admitted: Bools, loop: Ints, loops: int) -> None:
        """Add the actions on offer in one cycle."""
        self.admitted += int(admitted.sum())
        self.offered += admitted.size
        self.with_one += np.unique(loop[admitted]).size
        self.loops += loops

    def summary(self) -> dict[str, float]:
        """The numbers of a row; shares are nan where nothing was offered."""
        rho, g, phi = (np.concatenate(x) if x else np.empty(0) for x in (self.rho, self.g, self.phi))
        return {
            "rho_median": _quantile(rho, 0.5),
            "rho_p5": _quantile(rho, 0.05),
            "g_median": _quantile(g, 0.5),
            "g_p95": _quantile(g, 0.95),
            "phi_mean": float(phi.mean()) if phi.size else np.nan,
            "phi_median": _quantile(phi, 0.5),
            "phi_p95": _quantile(phi, 0.95),
            "admitted": self.admitted / self.offered if self.offered else np.nan,
            "loops": self.with_one / self.loops if self.loops else np.nan,
        }


def _quantile(values: Floats, share: float) -> float:
    """A value that occurred, so that a g of "none" (inf) never mixes with its neighbour; nan of nothing."""
    return float(np.quantile(values, share, method="inverted_cdf")) if values.size else np.nan


def _follow(scenario: Scenario, calibration: Calibration, seed: int, tallies: dict[str, _Tally]) -> None:
    """Every entry's certificate along the states of one mission under SAFE, and what then happened."""
    model, simulation = ControlModel.of(scenario), Simulation(scenario, "SAFE", seed, calibration)
    channel = Channel(scenario, simulation.trace, seed)  # depends on the seed alone: the channel of the simulation
    records: list[CycleRecord] = []
    real = tallies[REALISED.key]
    for record in simulation:
        used = np.flatnonzero(record.mode == Mode.CERTIFIED)
        plan = Plan.ahead(simulation.trace.positions, record.k, 1)
        for entry in ENTRIES:
            c = loosened_candidates(scenario, calibration, record.candidates, entry.replaced)
            _note(tallies[entry.key], scenario, model, c, record.states, plan, entry.replaced, record.choice[used])
        offer = record.candidates.loop
        tallies[NO_ADMISSION.key].count(np.ones(offer.size, dtype=np.bool_), offer, len(record.states))
        if records:
            before = records[-1]
            channel.advance(scenario)
            met = channel.realised(scenario, before.positions)
            real.rho.append(delivery_over(scenario, record.candidates, record.choice[used], met))
            W, W_before = (model.W(r.states.V, r.states.tr_sigma) for r in (record, before))
            real.phi.append((W - W_before)[before.mode == Mode.CERTIFIED] / model.V_max)
        records.append(record)
    attempts = Service(
        attempted=np.array([r.served for r in records]),
        certified=np.array([r.mode == Mode.CERTIFIED for r in records]),
        delivered=np.array([r.delivered for r in records]),
        g=np.zeros((len(records), len(records[0].served)), dtype=np.int64),
        alpha_bar=np.empty(0),
    )
    real.g.append(np.array([w.longest + 1.0 for w in windows(attempts, scenario.twin.H_T)]))


def _note(
    tally: _Tally,
    scenario: Scenario,
    model: ControlModel,
    candidates: Candidates,
    states: LoopStates,
    plan: Plan,
    replaced: Replaced,
    rows: Ints,
) -> None:
    phi = loosened_drift(scenario, model, candidates, states, plan, replaced).phi
    g = np.where(candidates.certified, candidates.g.astype(float), np.inf)
    tally.rho.append(1.0 - candidates.mu1[rows])
    tally.g.append(g[rows])
    tally.phi.append(phi[rows] / model.V_max)
    tally.count((phi <= 0.0) & candidates.certified, candidates.loop, len(states))


def delivery_over(scenario: Scenario, candidates: Candidates, rows: Ints, met: Topology) -> Floats:
    """Chance that both directions of some actions arrive over the channel they really met, attempts independent (D16) [-].

    Args:
        scenario: payloads and options.
        candidates: the actions.
        rows: which of them, (n,).
        met: the realised topology.
    """
    c = candidates
    up = _failure_over(scenario, c.ul_routes, c.ul_options, c.actions.ul[rows], met)
    down = _failure_over(scenario, c.dl_routes, c.dl_options, c.actions.dl[rows], met)
    return (1.0 - up) * (1.0 - down)


def _failure_over(scenario: Scenario, routes: Routes, options: Options, rows: Ints, met: Topology) -> Floats:
    """Path failure of some options of one direction over the realised channel, (n,) [-]."""
    every = direction_options(scenario, realised_routes(routes, met), np.zeros(routes.hops.size))
    names = zip(every.route.tolist(), every.n.tolist(), every.n_re.tolist(), strict=True)
    failure = dict(zip(names, every.failure_nominal, strict=True))
    wanted = zip(options.route[rows].tolist(), options.n[rows].tolist(), options.n_re[rows].tolist(), strict=True)
    return np.array([failure[name] for name in wanted])


def _fly(scenario: Scenario, calibration: Calibration, entry: Entry, seed: int) -> float:
    """Mean RMSE of one mission with the bounds of an entry replaced [m]."""
    policy: Policy = LoosenedSafe(entry.replaced, calibration) if entry.replaced else Safe()
    if entry is NO_ADMISSION:
        scenario = scenario.replace(**{"allocation.admission": "none"})
    return float(simulate(scenario, policy, seed, calibration).summary()["mean_rmse_m"])


def _metres(flown: dict[str, Floats], key: str) -> dict[str, float]:
    if key not in flown:
        return {}
    found = {"rmse_m": float(flown[key].mean())}
    if key != FULL.key:
        gap = mean_over_missions([np.array([d]) for d in flown[key] - flown[FULL.key]])
        found |= {"difference_m": gap.value, "low_m": gap.low, "high_m": gap.high}
    return found
