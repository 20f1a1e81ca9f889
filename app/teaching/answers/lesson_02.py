"""Lesson 02: from SNR to a certificate."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.teaching.closed_loop import CORNER, lesson_flight
from app.teaching.coding import function
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import whole
from core.network import packet_error
from core.scenario import preset
from core.twin import Candidates, calibration_for, certify, conformal_margin, failure_tolerance

SWARM = preset("teaching-swarm")
CHAIN = (0.1, 0.3, 20, 0.05)
"""μ₁, p₁₁, H_T, δ_T of exercise 02.3."""


def _fewest_symbols() -> int:
    return next(n for n in range(100, 5001) if packet_error(5.0, n, SWARM.network.bits_ul) <= 1e-3)


def _chain_without_first() -> int:
    mu1, p11, H_T, delta_T = CHAIN
    return math.ceil(math.log(delta_T / (H_T * mu1)) / math.log(p11))


@functools.cache
def _margins() -> Sequence[tuple[Any, ...]]:
    """Scores and β; the rank (n + 1)(1 − β) is never within rounding of a whole number, except where it is one exactly."""
    draw = np.random.default_rng(202)
    cases = [(np.round(draw.normal(1.0, 2.0, n), 1), beta) for n, beta in ((20, 0.1), (6, 0.08), (9, 0.04))]
    while len(cases) < 24:
        n, beta = int(draw.integers(5, 60)), float(np.round(draw.uniform(0.03, 0.5), 2))
        rank = (n + 1) * (1.0 - beta)
        if 1e-6 < rank - math.floor(rank) < 1.0 - 1e-6:
            cases.append((np.round(draw.gumbel(0.0, 2.0, n), 2), beta))
    return cases


def margin(scores: Any, beta: float) -> float:
    """What exercise 02.2 asks for."""
    return conformal_margin(scores, beta)


def _rank_of(scores: Any, rank: float) -> float:
    s, at = np.sort(scores), math.ceil(rank)
    return float(s[at - 1]) if at <= len(s) else math.inf


def _without_plus_one(scores: Any, beta: float) -> float:
    return _rank_of(scores, len(scores) * (1.0 - beta))


def _one_too_high(scores: Any, beta: float) -> float:
    return _rank_of(scores, (len(scores) + 1) * (1.0 - beta) + 1.0)


def _never_infinite(scores: Any, beta: float) -> float:
    return min(conformal_margin(scores, beta), float(np.max(scores)))


def _interpolated(scores: Any, beta: float) -> float:
    return float(np.quantile(scores, 1.0 - beta))


def _certified(beta: float) -> Candidates:
    now = lesson_flight().instant(CORNER.cycle)
    s = now.scenario.replace(**{"twin.beta": beta})
    return certify(s, now.topology, calibration_for(s), now.states.c_fail)


def _quick(beta: float, g: int) -> int:
    q = _certified(beta)
    return int((q.certified & (q.g <= g)).sum())


add(
    Exercise(
        "02.1",
        whole("symbols"),
        _fewest_symbols,
        hints=(
            "The error falls as n grows; look for the first n that is good enough.",
            "packet_error(5.0, n, scenario.network.bits_ul) is the error at 5 dB; try n = 100, 101, 102, …",
            "next(n for n in range(100, 5001) if packet_error(5.0, n, scenario.network.bits_ul) <= …).",
        ),
        praise="Capacity alone would need fewer: the square root of n·V is the price of short packets.",
        traps=(
            Trap(
                lambda: math.ceil(SWARM.network.bits_ul / math.log2(1 + 10**0.5)),
                "That is what capacity alone asks for; at that length half of the packets fail.",
            ),
        ),
        trains="the finite-blocklength penalty",
    ),
    Exercise(
        "02.2",
        function(
            "margin(scores, beta)",
            "the conformal margin [dB]",
            _margins,
            shipped=("conformal_margin", "conformal_rank"),
        ),
        lambda: margin,
        hints=(
            "Sort the scores; the margin is one of them. Which rank, and what if there is no such score?",
            "Rank ⌈(n + 1)(1 − β)⌉, counted from 1; with few scores and a small β it is n + 1, and then no score is large enough.",
            "rank = math.ceil((len(scores) + 1) * (1 - beta)); sorted(scores)[rank - 1] if rank <= len(scores), else math.inf.",
        ),
        praise="The +1 pays for the fresh score itself: coverage holds for every sample size, not only in the limit.",
        traps=(
            Trap(lambda: _without_plus_one, "One rank too low for some samples: the fresh score counts too, n + 1."),
            Trap(lambda: _one_too_high, "One rank too high: ranks count from 1, Python's lists from 0."),
            Trap(
                lambda: _never_infinite,
                "With too few scores for this β nothing finite is safe: the margin is math.inf.",
            ),
            Trap(
                lambda: _interpolated,
                "numpy.quantile interpolates between scores and forgets the +1; take one of the scores.",
            ),
        ),
        trains="split-conformal quantiles",
    ),
    Exercise(
        "02.3",
        whole("failures"),
        lambda: failure_tolerance(*CHAIN),
        hints=(
            "Try L = 1, 2, 3, … in the bound until it is small enough.",
            "Smallest L ≥ 1 with H_T · μ₁ · p₁₁^(L−1) ≤ δ_T.",
            "20 · 0.1 · 0.3^(L−1) ≤ 0.05, so 0.3^(L−1) ≤ 0.025; or failure_tolerance(0.1, 0.3, H_T=20, delta_T=0.05).",
        ),
        praise="g failures in a row are so unlikely within the horizon that T_cert = g · T_s may be certified.",
        traps=(
            Trap(
                _chain_without_first, "The first failure costs μ₁, only the following ones p₁₁: the exponent is L − 1."
            ),
        ),
        trains="from a Markov chain to an interaction bound",
    ),
    Exercise(
        "02.4",
        whole("actions"),
        lambda: _quick(0.2, 2),
        hints=(
            "certify again, with another β; then count.",
            'riskier = scenario.replace(**{"twin.beta": 0.2}); q = certify(riskier, now.topology, calibration_for(riskier), now.states.c_fail).',
            "(q.certified & (q.g <= 2)).sum() counts over all UAVs.",
        ),
        praise="A larger β lowers the margin, so more actions promise a short interval; that promise is now broken more often.",
        traps=(
            Trap(lambda: _quick(SWARM.twin.beta, 2), "That is the count at the scenario's own β."),
            Trap(lambda: _quick(0.2, 10**9), "These are all certified actions; only g ≤ 2 is asked for."),
        ),
        trains="certifying a swarm",
    ),
)
