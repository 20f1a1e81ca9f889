"""The numbers that a sentence of a tour may name, each read off the picture that stands beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from app.moves import text_of
from app.picture import Picture
from app.state import CONTROLS, FIELDS, STATE
from core.allocation import Mode
from core.control import DriftTerm
from core.instant import Action, Focus
from core.numerals import numeral, readable

NAME = re.compile(r"\{([^{}]*)\}")
WAITING = "…"
"""What stands for a number that is still being computed."""
TERM = {
    DriftTerm.V: "the tracking error",
    DriftTerm.SIGMA: "the uncertainty",
    DriftTerm.NOISE: "the process noise",
}


class Named(NamedTuple):
    """What a name means, and how it is read off a picture."""

    meaning: str
    read: Callable[[Picture], str]


def _held(read: Callable[[Focus, Action], str]) -> Callable[[Picture], str]:
    """Of the action in focus; a dash where there is none."""
    return lambda p: read(p.focus, p.focus.held) if p.focus.held is not None else "–"


def _share(value: float) -> str:
    """A probability in percent, never rounded up to certainty."""
    return f"{math.floor(1000 * value) / 10:.1f} %"


def _chosen(read: Callable[[Action], str]) -> Callable[[Picture], str]:
    """Of what the allocator sends to the UAV in focus; a dash where that is nothing."""
    return lambda p: read(p.focus.chosen) if p.focus.chosen is not None else "–"


def _term(focus: Focus, _: Action) -> str:
    found = focus.explanation.term if focus.explanation is not None else None
    return TERM[found] if found is not None else "nothing"


def _cheapest(p: Picture) -> str:
    offer = p.focus.offer
    slots = offer.whole.slots[offer.appraisal.admission.admitted]
    return str(int(slots.min())) if len(slots) else "no number of"


def _cycles(count: int) -> str:
    return f"{count} cycle" if count == 1 else f"{count} cycles"


def _off(p: Picture, way: str) -> str:
    paths = p.focus.paths
    return f"{paths.off(getattr(paths, way))[-1]:.1f}"


NUMBERS: dict[str, Named] = {
    "uav": Named("the UAV in focus", lambda p: str(p.focus.uav)),
    "uavs": Named("UAVs of the swarm", lambda p: str(len(p.instant.allocation.states))),
    "cost": Named("slots that the action in focus takes", _held(lambda f, a: str(a.slots))),
    "route": Named("route of the action in focus", _held(lambda f, a: a.exchange.route)),
    "verdict": Named("what became of the action in focus", lambda p: p.focus.verdict),
    "admitted_or_refused": Named(
        "“admitted” or “refused”", _held(lambda f, a: "admitted" if a.admitted else "refused")
    ),
    "term": Named("what makes Φ refuse the action in focus, or “nothing”", _held(_term)),
    "phi": Named("Φ / V_max of the action in focus", _held(lambda f, a: f"{a.phi / f.model.V_max:+.3f}")),
    "energy": Named("V / V_max of the UAV in focus", lambda p: f"{p.focus.state.V / p.focus.model.V_max:.2f}"),
    "staleness": Named("cycles since its last exchange", lambda p: str(p.focus.state.c)),
    "alpha": Named("ᾱ of the action in focus", _held(lambda f, a: f"{a.alpha_bar:.2f}")),
    "up": Named("ρ_ul of the action in focus, in percent", _held(lambda f, a: _share(a.rho_ul))),
    "down": Named("ρ_dl of the action in focus, in percent", _held(lambda f, a: _share(a.rho_dl))),
    "g": Named("its interaction index g", _held(lambda f, a: str(a.g) if a.g else "none")),
    "chosen_cost": Named("slots that the allocator gives the UAV in focus", _chosen(lambda a: str(a.slots))),
    "chosen_up": Named("ρ_ul of what it sends, in percent", _chosen(lambda a: _share(a.rho_ul))),
    "chosen_down": Named("ρ_dl of what it sends, in percent", _chosen(lambda a: _share(a.rho_dl))),
    "margin": Named(
        "by how many dB the twin lowers its SNR", _held(lambda f, a: f"{f.ways[0].margin_db:.1f}" if f.ways else "–")
    ),
    "actions": Named("actions on offer to the UAV in focus", lambda p: f"{p.focus.counts['candidates']:,}"),
    "admitted": Named("how many of them are admitted", lambda p: f"{p.focus.counts['admitted']:,}"),
    "frontier": Named("how many of those are on the frontier", lambda p: str(p.focus.counts["frontier"])),
    "cheapest": Named("slots of its cheapest admitted action", _cheapest),
    "served": Named("UAVs that get slots", lambda p: str(int((p.instant.allocation.choice >= 0).sum()))),
    "used": Named("slots that are used", lambda p: str(p.instant.allocation.slots_used)),
    "holding": Named(
        "UAVs that hold their last command", lambda p: str(int((p.instant.allocation.mode == Mode.HOLD).sum()))
    ),
    "rank": Named("its place by what an exchange is worth", lambda p: str(p.focus.rank)),
    "off_without": Named("predicted distance without service [m]", lambda p: _off(p, "without")),
    "off_with": Named("predicted distance with the command [m]", lambda p: _off(p, "at_end")),
    "look_ahead": Named("how far the prediction looks, such as “4 cycles”", lambda p: _cycles(p.focus.paths.cycles)),
    "gain": Named("what the command is worth, G / V_max", lambda p: f"{p.focus.paths.G / p.focus.model.V_max:.3f}"),
    "policy": Named("policy of the flight", lambda p: p.inputs.policy),
    "cycle": Named("cycle shown", lambda p: str(p.instant.cycle)),
}
"""Every name that belongs to no tab; besides them, any control stands for its value."""


def known(extra: Mapping[str, Any] = {}) -> set[str]:
    """Names that a sentence may use, those of one tab among them."""
    return {*NUMBERS, *CONTROLS, *extra}


def names_in(text: str) -> list[str]:
    """Names that a sentence uses."""
    return NAME.findall(text)


def filled(text: str, picture: Picture | None, extra: Mapping[str, str]) -> str:
    """A sentence with its numbers; what is still being computed is a row of dots.

    Args:
        text: of a step.
        picture: beside it.
        extra: what only the visible tab knows.
    """
    return NAME.sub(lambda found: _value(found[1], picture, extra), text)


def _value(name: str, picture: Picture | None, extra: Mapping[str, str]) -> str:
    if name in extra:
        return extra[name]
    if picture is None:
        return WAITING
    if name in NUMBERS:
        return readable(NUMBERS[name].read(picture))
    return _control(name, picture)


def _control(name: str, picture: Picture) -> str:
    inputs = picture.inputs
    if name in FIELDS:
        return text_of(inputs.scenario.value(FIELDS[name]))
    given = getattr(inputs, name, None)
    if given is None and name in STATE:
        return numeral(picture.focus.flown[name], ".2g")
    return WAITING if given is None else text_of(given)
