"""Lesson 02: from SNR to a certificate."""

from __future__ import annotations

import math

from app.teaching.exercise import Exercise, Trap, add
from app.teaching.link import hop_certificate
from app.teaching.matching import number, whole
from core.network import packet_error
from core.scenario import preset
from core.twin import conformal_margin, failure_tolerance

SWARM = preset("teaching-swarm")
SCORES = (0.4, 1.9, -0.6, 3.2, 0.8, 2.4, -1.1, 5.6, 1.2, 0.1, 2.9, -0.3, 1.5, 4.1, 0.6, 2.2, 1.0, -0.8, 3.7)
"""Nineteen scores in dB, as printed in the notebook."""
CHAIN = (0.1, 0.3, 20, 0.05)
"""μ₁, p₁₁, H_T, δ_T of exercise 02.3."""


def _fewest_symbols() -> int:
    return next(n for n in range(100, 5001) if packet_error(5.0, n, SWARM.network.bits_ul) <= 1e-3)


def _chain_without_first() -> int:
    mu1, p11, H_T, delta_T = CHAIN
    return math.ceil(math.log(delta_T / (H_T * mu1)) / math.log(p11))


def _farthest(g: int) -> int:
    return max(d for d in range(50, 801, 10) if (q := hop_certificate(SWARM, d)).g is not None and q.g <= g)


add(
    Exercise(
        "02.1",
        whole("symbols"),
        _fewest_symbols,
        hint="Try growing n in packet_error(5.0, n, scenario.network.bits_ul) until the error falls to 1e-3 or below.",
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
        number("dB", rel=1e-6, absolute=1e-6),
        lambda: conformal_margin(SCORES, 0.1),
        hint="Sort the 19 scores and take the one of rank ceil((19 + 1)·(1 − 0.1)), counting from 1.",
        praise="The +1 pays for the fresh score itself: coverage holds for every sample size, not only in the limit.",
        traps=(
            Trap(lambda: sorted(SCORES)[math.ceil(len(SCORES) * 0.9) - 2], "One rank too low: mind the n + 1."),
            Trap(lambda: sorted(SCORES)[-1], "That is the largest score; β = 0.1 leaves room for one miss in ten."),
        ),
        trains="split-conformal quantiles",
    ),
    Exercise(
        "02.3",
        whole("failures"),
        lambda: failure_tolerance(*CHAIN),
        hint="Smallest L ≥ 1 with H_T · μ₁ · p₁₁^(L−1) ≤ δ_T.",
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
        whole("m"),
        lambda: _farthest(2),
        hint="Scan hop_certificate(scenario, d) over d = 50, 60, …, 800 and keep the distances with g not None and g ≤ 2.",
        praise="Beyond it the guarantee does not vanish, it gets slower: g grows, and lesson 04 says who can live with that.",
        traps=(
            Trap(lambda: _farthest(1), "That is where g = 1 ends; g = 2 reaches further."),
            Trap(lambda: _farthest(10**9), "There g is far larger; it must not exceed 2."),
        ),
        trains="reading the whole chain at once",
    ),
)
