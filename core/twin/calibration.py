"""The calibrated part of the twin: conformal margins and failure persistence, keyed by what shapes them."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.lazy import cached_property
from core.network import link_budget_db
from core.scenario import Affects, Scenario, TwinFields, fields_affecting, quantity_of
from core.twin.online import ALPHA_STEPS
from core.twin.persistence import ChainCounts, failure_bin
from core.twin.scores import ROUTE_CLASSES, ScoreQuantiles

FIRST_EVALUATION_SEED = 1000
"""Seeds below it are for calibration and its checks; certificates never see the others."""
MIN_SCORES = 500
"""Scores that make a class: one budget's count on their own from here on, and the pool of all budgets at all."""

UNKNOWN = "unknown"
"""What a calibration says of a field it does not name."""
RARE = 1e-3
"""A class that a smaller share of the candidate routes belongs to may lack a margin without a word about it."""
MOST_TOLD = 60
"""Characters of a value that a notice repeats: buildings may be many."""
SAME_BUDGET_DB = 1e-6
"""Link budgets closer than this are one: sums of the same terms differ in their last digits [dB]."""

_DEFAULTS = TwinFields()
Floats = npt.NDArray[np.float64]


def calibration_key(scenario: Scenario) -> dict[str, Any]:
    """The fields a calibration depends on (geometry, mission, shadowing, estimator, service model), by dotted name."""
    return {name: _plain(scenario.value(name)) for name in fields_affecting(Affects.CALIBRATION)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _recorded(key: Mapping[str, Any], name: str) -> Any:
    """What a calibration was made with; a field it was made before counts as having its default if that is neutral."""
    if name not in key and quantity_of(name).neutral:
        return _plain(_default().value(name))
    return key.get(name, UNKNOWN)


@functools.cache
def _default() -> Scenario:
    return Scenario()  # made once: every move of a slider asks which calibration fits


def _told(value: Any) -> str:
    text = str(value) or "none"
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]}…"


@dataclass(frozen=True, eq=False)
class Calibration:
    """What the calibration runs taught the twin; β, δ_T, H_T and the link budget are applied when it is read.

    Args:
        key: `calibration_key` of the scenario it was made with.
        scenario_digest: fingerprint of that scenario.
        seeds: calibration seeds, all below FIRST_EVALUATION_SEED.
        budgets_db: `link_budget_db` of the runs, increasing, (J,) [dB].
        made: ISO date.
        scores: conformal scores by [budget, the pool of all budgets last][route class][0: all, 1: the loop's latest
            attempt had failed].
        counts: failure-chain transitions by [budget], rows by seed.
    """

    key: Mapping[str, Any]
    scenario_digest: str
    seeds: tuple[int, ...]
    budgets_db: tuple[float, ...]
    made: str
    scores: tuple[tuple[tuple[ScoreQuantiles, ScoreQuantiles], ...], ...]
    counts: tuple[ChainCounts, ...]

    def margin_db(
        self, beta: float, route_class: npt.NDArray[np.int64], recent_failure: npt.NDArray[np.bool_]
    ) -> Floats:
        """Conformal margin of each route, the size of the set of Eq. (eq:dt-confidence-set).

        The same at every link budget, so that a better budget never weakens ρ: the worst over those calibrated.

        Args:
            beta: probability that the set may miss [-].
            route_class: index into ROUTE_CLASSES, (R,).
            recent_failure: whether the loop's latest attempt failed, (R,).

        Returns:
            Margins, (R,), nonincreasing in β, +inf where the class has too few scores [dB].
        """
        return self.margins(beta)[route_class, recent_failure.astype(np.int64)]

    def margins(self, beta: float) -> Floats:
        """Margins by [route class, recent failure], (6, 2) [dB]."""
        return _margins(self, float(beta))

    def margins_at(self, alpha: Floats) -> Floats:
        """Margins at a level of its own for every route class (D26), by [route class, recent failure], (6, 2) [dB].

        Clipped to the calibrated scores: where α asks for more than the largest finite one, that one is all there is.

        Args:
            alpha: probability that the set of a class may miss, rounded down to 1/ALPHA_STEPS, (6,) [-].
        """
        levels = np.floor(alpha * ALPHA_STEPS + 1e-9) / ALPHA_STEPS
        return np.array([_margins(self, float(level), True)[c] for c, level in enumerate(levels)])

    def persistence(
        self,
        confidence: float = _DEFAULTS.chain_confidence,
        min_failures: int = _DEFAULTS.min_failures,
        budget_db: float | None = None,
    ) -> Floats:
        """p₁₁ by bin of nominal predicted failure, nan where no bound exists, (bins,) [-].

        Args:
            confidence: of the one-sided Clopper–Pearson bound over seeds [-].
            min_failures: failures that populate a bin.
            budget_db: link budget; between two calibrated ones the larger bound of both, above all of them that of the
                highest, below all of them none; None = the largest of all [dB].
        """
        return _persistence(self, float(confidence), int(min_failures), budget_db)

    def p11(
        self,
        failure_nominal: npt.ArrayLike,
        confidence: float = _DEFAULTS.chain_confidence,
        min_failures: int = _DEFAULTS.min_failures,
        budget_db: float | None = None,
    ) -> Floats:
        """Upper bound on failure persistence for Eq. (eq:markov-failure-tail), nan where there is none [-].

        Args:
            failure_nominal: predicted bidirectional failure without the β margin, (M,) [-].
            confidence, min_failures, budget_db: as for `persistence`.
        """
        return self.persistence(confidence, min_failures, budget_db)[failure_bin(failure_nominal)]

    def p01(
        self,
        failure_nominal: npt.ArrayLike,
        confidence: float = _DEFAULTS.chain_confidence,
        min_failures: int = _DEFAULTS.min_failures,
    ) -> Floats:
        """Upper bound on the onset of failures, the p₀₁ of Eq. (eq:failure-transition), for the exact law (D18) [-]."""
        return _onset(self, float(confidence), int(min_failures))[failure_bin(failure_nominal)]

    def mismatches(self, scenario: Scenario) -> list[str]:
        """Names of the fields in which the scenario differs from the calibrated one; empty when it is the right file."""
        return [name for name, value in calibration_key(scenario).items() if _recorded(self.key, name) != value]

    def notice(self, scenario: Scenario) -> str:
        """Empty, or what the calibration cannot promise the scenario and what to do about it."""
        told = self._misfit(scenario), self._too_weak(scenario), self.gaps(scenario.twin.beta)
        return " ".join(text for text in told if text)

    def _misfit(self, scenario: Scenario) -> str:
        differs = self.mismatches(scenario)
        if not differs:
            return ""
        what = ", ".join(f"{n} = {_told(_recorded(self.key, n))} (now {_told(scenario.value(n))})" for n in differs[:3])
        more = f" and {len(differs) - 3} more" if len(differs) > 3 else ""
        return (
            f"The twin was calibrated with {what}{more}: its margins and p₁₁ promise nothing here until it is calibrated "
            "for this scenario (python -m core calibrate, with the same scenario and files)."
        )

    def _too_weak(self, scenario: Scenario) -> str:
        short = self.budgets_db[0] - link_budget_db(scenario)
        if short <= SAME_BUDGET_DB:
            return ""
        return (
            f"The link budget is {short:.1f} dB below the lowest one calibrated: no p₁₁ is known there, hence no action has a "
            "certificate. Raise the SNR offset or the transmit power."
        )

    def gaps(self, beta: float) -> str:
        """Empty, or a sentence on the routes and actions that get no certificate because the runs showed too few of them.

        Classes of fewer than RARE of the routes are passed over: hardly any route is one of theirs.
        """
        routes = np.array([calm.n for calm, _ in self.scores[-1]])
        calm, failed = (np.isinf(self.margins(beta)) & (routes >= RARE * routes.sum())[:, None]).T
        found = [ROUTE_CLASSES[c] + ("" if calm[c] else " after a failure") for c in np.flatnonzero(failed)]
        what = [f"no margin for routes of {' or '.join(found)}"] if found else []
        if not self._has_p11:
            what.append("no p₁₁ for any action")
        if not what:
            return ""
        return (
            f"The calibration has {' and '.join(what)}, hence no certificate for them: its runs were too few or too short. "
            "Calibrate again with more seeds, a longer mission (mission.duration_s) or more UAVs (mission.uavs)."
        )

    @property
    def empty(self) -> bool:
        """Whether no action whatever can get a certificate from it."""
        return all(calm.n < MIN_SCORES for calm, _ in self.scores[-1]) or not self._has_p11

    @cached_property
    def _has_p11(self) -> bool:
        least = _DEFAULTS.min_failures
        return any(not np.isnan(c.persistence(_DEFAULTS.chain_confidence, least)).all() for c in self.counts)

    @cached_property
    def digest(self) -> str:
        """A short fingerprint of everything a certificate can depend on."""
        found = hashlib.sha256(json.dumps([dict(self.key), self.seeds, self.budgets_db], sort_keys=True).encode())
        for stratum in self.scores:
            for quantiles in (q for pair in stratum for q in pair):
                found.update(f"{quantiles.n} ".encode() + quantiles.values.tobytes())
        for c in self.counts:
            for table in (c.failures, c.repeats, c.successes, c.breaks):
                found.update(table.tobytes())
        return found.hexdigest()[:16]


@functools.lru_cache(maxsize=1024)
def _margins(calibration: Calibration, beta: float, clipped: bool = False) -> Floats:
    def margin(scores: ScoreQuantiles) -> float:
        return scores.clipped_margin(beta) if clipped else scores.margin(beta)

    *single, pool = calibration.scores
    worst = np.array([[margin(s) if s.n >= MIN_SCORES else np.inf for s in pair] for pair in pool])
    for budget in single:
        own = np.array([[margin(s) if s.n >= MIN_SCORES else -np.inf for s in pair] for pair in budget])
        worst = np.maximum(worst, own)
    # A recent failure can only be bad news: never less margin than without it.
    worst[:, 1] = worst.max(axis=1)
    return _frozen(worst)


@functools.lru_cache(maxsize=128)
def _persistence(calibration: Calibration, confidence: float, least: int, budget_db: float | None) -> Floats:
    own = np.array([c.persistence(confidence, least) for c in calibration.counts])
    # More SNR must never mean more persistence: every budget takes the worst of its own bound and of all better budgets'.
    table = np.where(np.isnan(own), np.nan, np.fmax.accumulate(own[::-1], axis=0)[::-1])
    if budget_db is None:
        return _frozen(table.max(axis=0))
    above = int(np.searchsorted(calibration.budgets_db, budget_db - SAME_BUDGET_DB))
    below = int(np.searchsorted(calibration.budgets_db, budget_db + SAME_BUDGET_DB, side="right")) - 1
    if below < 0:
        return _frozen(np.full(table.shape[1], np.nan))  # worse than every budget that was flown: nobody knows
    return _frozen(np.maximum(table[below], table[min(above, len(table) - 1)]))


@functools.lru_cache(maxsize=32)
def _onset(calibration: Calibration, confidence: float, least: int) -> Floats:
    return _frozen(functools.reduce(ChainCounts.__add__, calibration.counts).onset(confidence, least))


def _frozen(values: Floats) -> Floats:
    values.setflags(write=False)
    return values
