"""The thresholds of a solution in plain sentences; every number in them has a name and comes from the curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.allocation import Part, Sentence
from core.instant.words import action_name, named

if TYPE_CHECKING:
    from core.instant.solve import Solution

MEANS = {
    "drift": " (some action has Φ ≤ 0)",
    "reach": " (some action keeps it in its corridor)",
    "none": " (some action has a certificate; none is asked for)",
}
"""What certifiable means under each rule of admission (D24)."""


def said(s: Solution) -> Sentence:
    """The quantity, named once with its present value; what the curves show of it, and what was not looked at.

    What the curves show: where the loop is certifiable, its action admitted and sent, and the loop served.
    """
    rule = s.focus.instant.scenario.allocation.admission
    certifiable = named("UAV {uav} is certifiable", uav=s.focus.uav) + Sentence.of(MEANS[rule] + " ")
    found = _now(s).then(certifiable + s.certifiable.said + Sentence.of("."))
    found = found.then(_held(s, rule))
    found = found.then(named("UAV {uav} gets slots ", uav=s.focus.uav) + s.served.said)
    if not s.uncertified.never:
        found += Sentence.of(", without a certificate ") + s.uncertified.said
    found += Sentence.of(".")
    if s.reason:
        found = found.then(Sentence.of("Refused ") + s.refused.said + Sentence.of(": ") + _reason(s))
    if s.spacing > s.variable.step * (1.0 + 1e-9):
        spacing = Part(f"{s.spacing:.6g}", s.spacing, "spacing")
        rest = Part(f"{_unit(s)}, then halved where something changes: what is narrower may be missed.")
        found = found.then(Sentence((Part("Looked at every "), spacing, rest)))
    return found


def _held(s: Solution, rule: str) -> Sentence:
    """What becomes of the held action."""
    if s.held is None:
        return s.focus.missing if s.focus.wanted else Sentence.of("It has no action to follow here.")
    if s.focus.held is not None:
        found = action_name("held", s.focus.held).capitalised()
    else:
        found = named("The exchange {held.route}", **{"held.route": s.held.route})
    found += Sentence.of(" is ")
    if not s.on_offer.always:
        found += Sentence.of("on offer ") + s.on_offer.said + Sentence.of(", ")
    if rule != "none":
        found += Sentence.of("admitted ") + s.admitted.said + Sentence.of(" and ")
    return found + Sentence.of("sent ") + s.chosen.said + Sentence.of(".")


def _now(s: Solution) -> Sentence:
    v = s.variable
    here = Part(v.text(v.here), v.here, "here")
    return Sentence((Part(f"Now {v.meta.symbol} = "), here, Part(f"{_unit(s)}.")))


def _unit(s: Solution) -> str:
    return f" {s.variable.meta.unit}" if s.variable.meta.unit else ""


def _reason(s: Solution) -> Sentence:
    return Sentence((Part(s.reason, s.reason, "reason"),))
