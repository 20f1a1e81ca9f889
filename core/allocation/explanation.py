"""Why an action was or was not used, in one sentence with the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.allocation.admission import REACH_CYCLES
from core.allocation.algorithm1 import coordinates
from core.allocation.frontier import COORDINATES, SIGN, dominates
from core.allocation.knapsack import solve_knapsack_csr
from core.allocation.outlook import Outlook, outlook
from core.allocation.result import Allocation
from core.allocation.verdict import Mode, Verdict
from core.control import DriftTerm

_SYMBOLS = ("D_ul", "D_dl", "T_cert", "ρ_ul", "ρ_dl", "slots")
_TERMS = {
    DriftTerm.V: "tracking-error term (ᾱ−1)V",
    DriftTerm.SIGMA: "covariance term λ_Σ·Ψ_Σ",
    DriftTerm.NOISE: "process-noise term",
}


@dataclass(frozen=True)
class Explanation:
    """The reason for a verdict.

    Attributes:
        verdict: what became of the action.
        sentence: the reason, with numbers.
        numbers: the same numbers by name; delays in [s], energies in [m²].
        dominator: the frontier action that dominates it or equals it, None unless DOMINATED.
        better_in: coordinates (of COORDINATES) in which the dominator is strictly better; empty when equal.
        term: the term of Φ that refuses it, None unless Φ > 0.
        outside: whether the loop's state has left the admissible domain, where no certificate promises anything.
        outlook: the loop's predicted paths with and without the exchange (D23), None unless the value is predicted.
    """

    verdict: Verdict
    sentence: str
    numbers: Mapping[str, float]
    dominator: int | None = None
    better_in: tuple[str, ...] = ()
    term: DriftTerm | None = None
    outside: bool = False
    outlook: Outlook | None = None


def explain(allocation: Allocation, index: int) -> Explanation:
    """Explain the verdict on one candidate.

    Args:
        allocation: the allocation.
        index: row of its candidates.
    """
    size = allocation.U.size
    if not 0 <= index < size:
        raise IndexError(f"There is no candidate {index}; the allocation has {size}.")
    verdict = allocation.verdict_of(index)
    numbers = _numbers(allocation, index)
    ahead = outlook(allocation, int(numbers["loop"]))
    dominator: int | None = None
    better_in: tuple[str, ...] = ()
    if verdict is Verdict.CHOSEN:
        sentence = _chosen(allocation, numbers, ahead)
    elif verdict is Verdict.SYNCHRONISATION:
        sentence = _synchronisation(allocation, index, numbers)
    elif verdict is Verdict.FRONTIER:
        sentence = _frontier(allocation, index, numbers, ahead)
    elif verdict is Verdict.DOMINATED:
        dominator, better_in, sentence = _dominated(allocation, index)
    elif verdict is Verdict.REFUSED_DRIFT:
        sentence = "Refused: " + _drift(allocation, index, numbers)
    elif verdict is Verdict.REFUSED_REACH:
        sentence = _reach(allocation, numbers)
    elif verdict is Verdict.REFUSED_GATE:
        sentence = (
            f"Refused by the printed gate c < g: {numbers['c_fail']:g} failed attempts in a row, and the action "
            f"tolerates g = {numbers['g']:g}, although Φ = {_signed(numbers['phi'])} m² ≤ 0."
        )
    else:
        sentence = _no_bound(allocation, numbers)
    outside = not bool(allocation.model.domain.contains(numbers["V"], numbers["tr_sigma"]))
    if outside:
        sentence += (
            f" The loop has left its admissible domain (V = {numbers['V'] / allocation.model.V_max:.2f}·V_max, "
            f"tr Σ = {numbers['tr_sigma']:.2f} m²), where no certificate promises anything."
        )
    judged = numbers["g"] >= 1 and allocation.admission.rule == "drift"
    term = allocation.terms.refused_by(index) if judged else None
    return Explanation(verdict, sentence, numbers, dominator, better_in, term, outside, ahead)


def _numbers(allocation: Allocation, index: int) -> dict[str, float]:
    q, terms, states = allocation.candidates, allocation.terms, allocation.states
    i = int(q.loop[index])
    return {
        **{name: float(getattr(q, name)[index]) for name in COORDINATES},
        "loop": i,
        "g": int(q.g[index]),
        "mu1": float(q.mu1[index]),
        "p11": float(q.p11[index]),
        "V": float(states.V[i]),
        "tr_sigma": float(states.tr_sigma[i]),
        "c": int(states.c[i]),
        "c_fail": int(states.c_fail[i]),
        "c_star": int(terms.c_star[index]),
        "alpha_bar": float(terms.alpha_bar[index]),
        "v_term": float(terms.v_term[index]),
        "sigma_term": float(terms.sigma_term[index]),
        "noise_term": float(terms.noise_term),
        "phi": float(terms.phi[index]),
        "B": float(allocation.valuation.B[i]),
        "U": float(allocation.U[index]),
    }


def _chosen(allocation: Allocation, n: Mapping[str, float], ahead: Outlook | None) -> str:
    rate = n["U"] / max(n["slots"], 1)
    certificate = _certificate(allocation, n)
    if ahead is None:
        return (
            f"Chosen: {n['slots']:g} slots lower the expected W of loop {n['loop']:g} by U = {n['U']:.4g} m² against zero "
            f"allocation ({rate:.3g} m² per slot); {certificate}."
        )
    return (
        f"Chosen: {n['slots']:g} slots are worth U = {n['U']:.4g} m² ({rate:.3g} m² per slot). {_worth(ahead, n)} "
        f"{certificate[0].upper()}{certificate[1:]}."
    )


def _worth(ahead: Outlook, n: Mapping[str, float]) -> str:
    """What the command and the telemetry are worth, and where the UAV would be with and without them."""
    law = "under the onboard law" if ahead.onboard else "holding its velocity"
    way = (
        f"In {ahead.cycles} cycles the UAV would be {ahead.off_without_m:.1f} m from its reference {law}, "
        f"{ahead.off_served_m:.1f} m with the command"
    )
    if ahead.G < 0.0:
        worth = f"the command would do harm, {ahead.G:.4g} m², and counts in full"
    else:
        worth = f"the command is worth {ahead.G:.4g} m² and arrives with ρ_dl ≥ {n['rho_dl']:.3f}"
    return f"{way}: {worth}; the telemetry is worth {ahead.telemetry:.3g} m², ρ_ul ≥ {n['rho_ul']:.3f}."


def _certificate(allocation: Allocation, n: Mapping[str, float]) -> str:
    """What certifies an action that may be used."""
    if allocation.admission.rule == "none":
        return "admission is off, so nothing is certified"
    if allocation.admission.exit_cycles is None:
        return f"Φ = {_signed(n['phi'])} m² ≤ 0"
    return _exit(allocation, n)


def _exit(allocation: Allocation, n: Mapping[str, float]) -> str:
    """The reach certificate in words: when the loop could leave, and how long the certificate lets it be silent."""
    exits = allocation.admission.exit_cycles
    assert exits is not None
    leaves = int(exits[int(n["loop"])])
    if leaves >= REACH_CYCLES:
        when = f"the loop stays in its corridor for at least {REACH_CYCLES} cycles without a command"
    else:
        when = f"the loop could leave its corridor in {leaves} cycle{'s' if leaves != 1 else ''} without a command"
    return f"{when}; this certificate allows {n['g'] - 1:g}"


def _reach(allocation: Allocation, n: Mapping[str, float]) -> str:
    return f"Refused: {_exit(allocation, n)}."


def _drift(allocation: Allocation, index: int, n: Mapping[str, float]) -> str:
    term = allocation.terms.refused_by(index)
    assert term is not None
    parts = f"{_TERMS[DriftTerm.V]} = {_signed(n['v_term'])} (ᾱ = {n['alpha_bar']:.3f}), "
    parts += f"{_TERMS[DriftTerm.SIGMA]} = {_signed(n['sigma_term'])}"
    if allocation.terms.noise_term:
        parts += f", {_TERMS[DriftTerm.NOISE]} = {_signed(n['noise_term'])}"
    return f"Φ = {_signed(n['phi'])} m² > 0, from {parts}; the {_TERMS[term]} decides: {term.value}."


def _synchronisation(allocation: Allocation, index: int, n: dict[str, float]) -> str:
    i = int(n["loop"])
    n["delivery"] = float(allocation.candidates.delivery(np.array([index]))[0])
    n["priority"] = float(allocation.priority[i])
    if n["g"] < 1:
        why = "it has no certificate"
    elif not allocation.admitted[index]:
        if allocation.admission.exit_cycles is not None:
            refusal = _exit(allocation, n)
        else:
            refusal = "by the gate" if n["phi"] <= 0 else f"Φ = {_signed(n['phi'])} m² > 0"
        why = f"it is not admitted, {refusal}"
    else:
        why = f"in safe mode it is worth only U = {_signed(n['U'])} m²"
    return (
        f"Sent as uncertified synchronisation (D13): {why}; loop {i} was last heard {n['c']:g} cycles ago, with "
        f"{n['c_fail']:g} failed attempts since, and P2 passes it over; predicted delivery {n['delivery']:.3f} in "
        f"{n['slots']:g} slots."
    )


def _frontier(allocation: Allocation, index: int, n: dict[str, float], ahead: Outlook | None) -> str:
    i = int(n["loop"])
    if n["U"] <= 0.0 and ahead is not None:
        return f"On the frontier but not chosen: it is worth nothing, U = {_signed(n['U'])} m². {_worth(ahead, n)}"
    if n["U"] <= 0.0:
        idle = "holding" if allocation.baseline.hold_admissible[i] else "local safe mode"
        return (
            f"On the frontier but not chosen: {idle} (B = {_signed(n['B'])} m²) does at least as well as "
            f"Φ = {_signed(n['phi'])} m², so U = {_signed(n['U'])} m² ≤ 0."
        )
    room = allocation.budget - allocation.reserve
    if n["slots"] > room:
        return f"On the frontier but not chosen: its {n['slots']:g} slots exceed the {room} that P2 may spend."
    n["loss"] = loss_if_forced(allocation, index)
    other = int(allocation.choice[i])
    if allocation.mode_of(i) is Mode.CERTIFIED:
        instead = f"the loop is served by action {other} ({int(allocation.candidates.slots[other])} slots, "
        instead += f"U = {allocation.U[other]:.4g} m²) instead"
    else:
        instead = "the slots go to other loops"
    if n["loss"] <= allocation.rounding:
        return f"On the frontier but not chosen: equally good, but ties go to fewer slots and earlier loops; {instead}."
    return (
        f"On the frontier but not chosen: U = {n['U']:.4g} m² for {n['slots']:g} slots; forcing it would lower the total "
        f"by {n['loss']:.4g} of {allocation.value:.4g} m²; {instead}."
    )


def loss_if_forced(allocation: Allocation, index: int) -> float:
    """How much P2's value would fall if this action were imposed on its loop, ≥ 0, inf when it does not fit [m²].

    Args:
        allocation: the allocation.
        index: row of its candidates.
    """
    q = allocation.candidates
    values = np.where(allocation.frontier & (q.loop != q.loop[index]), allocation.U, -np.inf)
    left = allocation.budget - allocation.reserve - int(q.slots[index])
    if left < 0:
        return math.inf
    others = solve_knapsack_csr(values, q.slots, q.offsets, left, curve=False)
    return max(0.0, allocation.value - float(allocation.U[index]) - others.value)


def _dominated(allocation: Allocation, index: int) -> tuple[int, tuple[str, ...], str]:
    q = allocation.candidates
    i = int(q.loop[index])
    rows = np.arange(q.offsets[i], q.offsets[i + 1])
    rows = rows[allocation.frontier[rows]]
    coords = coordinates(q)
    mine = coords[index]
    dominator = int(rows[np.argmax(dominates(coords[rows], mine))])
    best = coords[dominator]
    better = np.flatnonzero(best * SIGN < mine * SIGN).tolist()
    if not better:
        return dominator, (), f"Equal to action {dominator} in all six coordinates; equal actions are kept once."
    reasons = ", ".join(f"{_SYMBOLS[d]} {_coordinate(d, best[d])} against {_coordinate(d, mine[d])}" for d in better)
    sentence = f"Dominated by action {dominator}, which is nowhere worse and better in {reasons}."
    return dominator, tuple(COORDINATES[d] for d in better), sentence


def _no_bound(allocation: Allocation, n: Mapping[str, float]) -> str:
    if math.isnan(n["p11"]):
        return (
            "No certificate: the calibration runs hold no bound on failure persistence p₁₁ for an action predicted to "
            f"fail this often (μ₁ ≤ {n['mu1']:.3f})."
        )
    twin = allocation.scenario.twin
    return (
        f"No certificate: with μ₁ = {n['mu1']:.3f} and p₁₁ = {n['p11']:.3f} no finite failure run keeps the violation "
        f"probability over H_T = {twin.H_T} opportunities below δ_T = {twin.delta_T:g}."
    )


def _signed(x: float) -> str:
    return f"{x:+.4g}"


def _coordinate(d: int, x: float) -> str:
    if d < 3:
        return f"{x * 1e3:.4g} ms"
    return f"{x:.4f}" if d < 5 else f"{x:g}"
