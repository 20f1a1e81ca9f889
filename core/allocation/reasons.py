"""The sentence behind each verdict; every number in it has a name, every rival is named by slots and route."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.allocation.admission import REACH_CYCLES
from core.allocation.appraisal import Appraisal
from core.allocation.case import Case
from core.allocation.frontier import COORDINATES, SIGN, coordinates, dominates
from core.allocation.result import Allocation
from core.allocation.sentence import Sentence, listed
from core.allocation.verdict import Verdict
from core.control import DriftTerm

_SYMBOLS = ("D_ul", "D_dl", "T_cert", "ρ_ul", "ρ_dl", "slots")
_FORMS = (":.4g} ms", ":.4g} ms", ":.4g} ms", ":.4f}", ":.4f}", ":g}")
_TERMS = {
    DriftTerm.V: "tracking-error term (ᾱ−1)V",
    DriftTerm.SIGMA: "covariance term λ_Σ·Ψ_Σ",
    DriftTerm.NOISE: "process-noise term",
}
_PRINTED_V = "the printed ᾱ is never below the growth of a failed cycle, however reliable the exchange is (D8)"
"""Why the printed formula refuses by its first term, in place of the meaning in `DriftTerm`: there reliability does not help."""
MOST_NAMED = 3
"""UAVs that a sentence names before it only counts the others."""


def reason(case: Case) -> tuple[Sentence, tuple[str, ...]]:
    """Why the action has its verdict, and the keys of the actions that the sentence names."""
    return _REASONS[case.verdict](case), tuple(case.rivals)


def outside_domain(case: Case) -> Sentence:
    """That no certificate means anything here."""
    return case.say(
        "UAV {uav} has left its admissible domain (V = {v_ratio:.2f}·V_max, tr Σ = {tr_sigma:.2f} m²), where no "
        "certificate promises anything."
    )


def dominators(allocation: Allocation, own: Appraisal, row: int) -> tuple[int | None, tuple[str, ...]]:
    """A frontier row of the allocation that dominates or equals an action, and the coordinates in which it is better.

    Args:
        allocation: of all loops.
        own: the candidates that the action is one of.
        row: which.
    """
    q = allocation.candidates
    i = int(own.candidates.loop[row])
    rows = np.flatnonzero(allocation.frontier_of(i)) + q.offsets[i]
    theirs, mine = coordinates(q, rows), coordinates(own.candidates, np.array([row]))[0]
    beats = np.flatnonzero(dominates(theirs, mine))
    if beats.size == 0:
        return None, ()
    best = int(beats[0])
    better = np.flatnonzero(theirs[best] * SIGN < mine * SIGN).tolist()
    return int(rows[best]), tuple(COORDINATES[d] for d in better)


def _chosen(case: Case) -> Sentence:
    certificate = _certificate(case)
    if case.ahead is None:
        said = case.say(
            "Chosen: {slots:g} slots lower the expected W of UAV {uav} by U = {U:.4g} m² against zero allocation "
            "({U_per_slot:.3g} m² per slot); "
        )
        return said + certificate + Sentence.of(".")
    said = case.say("Chosen: {slots:g} slots are worth U = {U:.4g} m² ({U_per_slot:.3g} m² per slot).")
    return said.then(worth(case)).then(certificate.capitalised() + Sentence.of("."))


def worth(case: Case) -> Sentence:
    """What the command and the telemetry are worth, and where the UAV would be with and without them."""
    ahead = case.ahead
    assert ahead is not None
    law = "under the onboard law" if ahead.onboard else "holding its velocity"
    case.numbers.update(
        {
            "L": ahead.cycles,
            "off_without_m": ahead.off_without_m,
            "off_served_m": ahead.off_served_m,
            "G": ahead.G,
            "telemetry": ahead.telemetry,
        }
    )
    if ahead.G < 0.0:
        command = "the command would do harm, {G:.4g} m², and counts in full"
    else:
        command = "the command is worth {G:.4g} m² and arrives with ρ_dl ≥ {rho_dl:.3f↓}"
    return case.say(
        f"In {{L}} cycles the UAV would be {{off_without_m:.1f}} m from its reference {law}, {{off_served_m:.1f}} m with the "
        f"command: {command}; the telemetry is worth {{telemetry:.3g}} m², ρ_ul ≥ {{rho_ul:.3f↓}}."
    )


def _certificate(case: Case) -> Sentence:
    """What certifies an action that may be used."""
    if case.own.admission.rule == "none":
        return Sentence.of("admission is off, so nothing is certified")
    if case.own.admission.exit_cycles is None:
        return case.say("Φ = {phi:+.4g} m² ≤ 0")
    return _exit(case)


def _exit(case: Case) -> Sentence:
    """The reach certificate in words: when the loop could leave, and how long the certificate lets it be silent."""
    exits = case.own.admission.exit_cycles
    assert exits is not None
    leaves = int(exits[case.loop])
    if leaves >= REACH_CYCLES:
        when = "the loop stays in its corridor for at least {exit_cycles} cycles without a command"
    else:
        when = (
            f"the loop could leave its corridor in {{exit_cycles}} cycle{'s' if leaves != 1 else ''} without a command"
        )
    return case.say(
        f"{when}; this certificate allows {{silent_cycles:g}}", exit_cycles=leaves, silent_cycles=case.number("g") - 1
    )


def _drift(case: Case) -> Sentence:
    terms = case.own.admission.terms
    term = terms.refused_by(case.row)
    assert term is not None
    parts = f"{_TERMS[DriftTerm.V]} = {{v_term:+.4g}} (ᾱ = {{alpha_bar:.3f}}), {_TERMS[DriftTerm.SIGMA]} = {{sigma_term:+.4g}}"
    if terms.noise_term:
        parts += f", {_TERMS[DriftTerm.NOISE]} = {{noise_term:+.4g}}"
    printed = term is DriftTerm.V and not terms.noise_term
    why = _PRINTED_V if printed else term.value
    return case.say(f"Refused: Φ = {{phi:+.4g}} m² > 0, from {parts}; the {_TERMS[term]} decides: {why}.")


def _reach(case: Case) -> Sentence:
    return Sentence.of("Refused: ") + _exit(case) + Sentence.of(".")


def _gate(case: Case) -> Sentence:
    return case.say(
        "Refused by the printed gate c < g: {c_fail:g} failed attempts in a row, and the action tolerates g = {g:g}, "
        "although Φ = {phi:+.4g} m² ≤ 0."
    )


def _synchronisation(case: Case) -> Sentence:
    if case.number("g") < 1:
        why = Sentence.of("it has no certificate")
    elif case.own.admitted[case.row]:
        why = case.say("in safe mode it is worth only U = {U:+.4g} m²")
    elif case.own.admission.exit_cycles is not None:
        why = Sentence.of("it is not admitted, ") + _exit(case)
    else:
        gate = case.number("phi") <= 0
        why = (
            Sentence.of("it is not admitted, by the gate")
            if gate
            else case.say("it is not admitted, Φ = {phi:+.4g} m² > 0")
        )
    return (
        Sentence.of("Sent as uncertified synchronisation (D13): ")
        + why
        + case.say(
            "; UAV {uav} was last heard {c:g} cycles ago, with {c_fail:g} failed attempts since, and P2 passes it over; "
            "predicted delivery {delivery:.3f} in {slots:g} slots."
        )
    )


def _frontier(case: Case) -> Sentence:
    a, i = case.allocation, case.loop
    if case.number("U") <= 0.0 and case.ahead is not None:
        return case.say("On the frontier but not chosen: it is worth nothing, U = {U:+.4g} m².").then(worth(case))
    if case.number("U") <= 0.0:
        idle = "holding" if a.baseline.hold_admissible[i] else "local safe mode"
        return case.say(
            f"On the frontier but not chosen: {idle} (B = {{B:+.4g}} m²) does at least as well as Φ = {{phi:+.4g}} m², so "
            "U = {U:+.4g} m² ≤ 0."
        )
    if case.number("slots") > a.room:
        return case.say(
            "On the frontier but not chosen: its {slots:g} slots exceed the {room} that P2 may spend"
        ) + _kept(case)
    loss = float(case.others.loss(case.number("U"), int(case.number("slots"))))
    if loss <= a.rounding:
        said = Sentence.of(
            "On the frontier but not chosen: equally good, but ties go to fewer slots and earlier loops; "
        )
        return said + _instead(case) + Sentence.of(".")
    said = case.say("On the frontier but not chosen: U = {U:.4g} m² for {slots:g} slots; ")
    return said + _forced(case) + Sentence.of("; ") + _instead(case) + _kept(case)


def _kept(case: Case) -> Sentence:
    """What the reserve takes from P2, at the end of a sentence."""
    if not case.allocation.reserve:
        return Sentence.of(".")
    return case.say(" ({reserve} of the {budget} slots are reserved for synchronisation).")


def _forced(case: Case) -> Sentence:
    """What imposing the action would do to the total, exactly, and to whom."""
    others, slots = case.others, int(case.number("slots"))
    loss, out = float(others.loss(case.number("U"), slots)), others.pushed_out(slots)
    if not math.isfinite(loss):
        return case.say("it cannot be forced: its {slots:g} slots exceed the {room} that P2 may spend", loss=loss)
    case.numbers["loss"] = max(loss, 0.0)
    if loss <= case.allocation.rounding:
        return Sentence.of("forcing it would cost nothing")
    of = " of {value:.4g}" if case.allocation.value > 0.0 else ""
    said = case.say(f"forcing it would lower the total by {{loss:.4g}}{of} m²")
    if not out:
        return said
    named = [case.say(f"{{pushed.{n}}}", **{f"pushed.{n}": i + 1}) for n, i in enumerate(out[:MOST_NAMED])]
    if len(out) > MOST_NAMED:
        named.append(case.say("{pushed.more} more", **{"pushed.more": len(out) - MOST_NAMED}))
    return (
        said
        + Sentence.of(f" and leave UAV{'s' if len(out) > 1 else ''} ")
        + listed(named)
        + Sentence.of(" without slots")
    )


def _instead(case: Case) -> Sentence:
    """Who has the slots now."""
    a, i = case.allocation, case.loop
    other = int(a.choice[i])
    if other < 0:
        return Sentence.of("the slots go to other UAVs")
    how = "is served by" if not a.needy[i] else "is synchronised by"
    said = case.say(f"UAV {{uav}} {how} ") + case.rival("instead", a.candidates, other)
    return said + case.say(" (U = {instead.U:.4g} m²) instead", **{"instead.U": float(a.U[other])})


def _dominated(case: Case) -> Sentence:
    q, best = case.allocation.candidates, case.dominator
    if best is None:
        return case.say("Admitted, U = {U:.4g} m², but not among the actions that the allocator searches.")
    if not case.better_in:
        said = Sentence.of("Equal to ") + case.rival("dominator", q, best)
        return said + Sentence.of(" in all six coordinates; equal actions are kept once.")
    said = (
        Sentence.of("Dominated by ")
        + case.rival("dominator", q, best)
        + Sentence.of(", which is nowhere worse and better in ")
    )
    reasons = []
    for name in case.better_in:
        d = COORDINATES.index(name)
        scale = 1e3 if d < 3 else 1.0
        theirs, mine = (scale * float(getattr(c, name)[row]) for c, row in ((q, best), (case.own.candidates, case.row)))
        text = f"{_SYMBOLS[d]} {{dominator.{name}{_FORMS[d]} against {{own.{name}{_FORMS[d]}"
        reasons.append(case.say(text, **{f"dominator.{name}": theirs, f"own.{name}": mine}))
    for n, piece in enumerate(reasons):
        said = said + (Sentence.of(", ") if n else Sentence()) + piece
    return said + Sentence.of("; ") + _forced(case) + _kept(case)


def _no_bound(case: Case) -> Sentence:
    if math.isnan(case.number("p11")):
        return case.say(
            "No certificate: the calibration runs hold no bound on failure persistence p₁₁ for an action predicted to "
            "fail this often (μ₁ ≤ {mu1:.3f↑})."
        )
    return case.say(
        "No certificate: with μ₁ = {mu1:.3f} and p₁₁ = {p11:.3f} no finite failure run keeps the violation probability "
        "over H_T = {H_T} opportunities below δ_T = {delta_T:g}."
    )


_REASONS: dict[Verdict, Callable[[Case], Sentence]] = {
    Verdict.CHOSEN: _chosen,
    Verdict.SYNCHRONISATION: _synchronisation,
    Verdict.FRONTIER: _frontier,
    Verdict.DOMINATED: _dominated,
    Verdict.REFUSED_DRIFT: _drift,
    Verdict.REFUSED_REACH: _reach,
    Verdict.REFUSED_GATE: _gate,
    Verdict.NO_BOUND: _no_bound,
}
