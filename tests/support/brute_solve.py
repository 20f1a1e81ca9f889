"""The slow way to a curve: a whole instant for every value, made from scratch and read through `Instant.on`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
import pytest
from read_number import read_number

from core.allocation import Mode
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.instant import Focus, Instant, Solution
from core.twin import Exchange

NUMBERS = ("cheapest", "slots", "phi", "g", "rho_ul", "rho_dl", "U", "V_max")
COUNTS = ("actions", "certified", "admitted", "certifiable", "mode")
FLAGS = ("on_offer", "passes", "chosen", "served")
WHOLE = ("c", "c_fail", "network.slots", "network.processing_gap_slots", "network.symbols_per_slot", "twin.H_T",
         "twin.min_failures", "control.h_max", "control.sigma_span_cycles", "allocation.lookahead_cycles",
         "allocation.sync_exchanges")  # fmt: skip


def at(focus: Focus, name: str, x: float) -> Instant:
    """The instant with one value replaced; a replaced state stays at its share of the domain."""
    now, m = focus.instant, focus.instant.model
    value = int(x) if name in WHOLE else float(x)
    if name == "v_ratio":
        return now.replace(focus=focus.loop, V=value * m.V_max)
    if name == "sigma_share":
        return now.replace(focus=focus.loop, tr_sigma=m.sigma_min + value * (m.sigma_max - m.sigma_min))
    if name in ("c", "c_fail"):
        return now.replace(focus=focus.loop, **{name: value})
    there = now.replace(scenario=now.scenario.replace(**{name: value}))
    changes, then = {}, ControlModel.of(there.scenario)
    if now.V is not None and then.V_max != m.V_max:
        changes["V"] = now.V / m.V_max * then.V_max
    if now.tr_sigma is not None and then.sigma_max != m.sigma_max:
        share = (now.tr_sigma - m.sigma_min) / (m.sigma_max - m.sigma_min)
        changes["tr_sigma"] = then.sigma_min + share * (then.sigma_max - then.sigma_min)
    return there.replace(**changes)


def reading(focus: Focus, name: str, x: float) -> dict[str, float] | None:
    """Everything that a curve shows at one value; None where the scenario refuses it."""
    key = focus.held.key if focus.held is not None else focus.wanted
    try:
        here = at(focus, name, x) if x != present(focus, name) else focus.instant
        there = here.on(focus.loop, key)
        _ = there.allocation
    except SafeExplorerError:
        return None
    c, admitted = there.offer.whole, there.offer.appraisal.admitted
    found: dict[str, float] = dict.fromkeys(NUMBERS, math.nan) | dict.fromkeys(FLAGS, False)
    found |= {
        "actions": there.counts["candidates"],
        "certified": there.counts["certified"],
        "admitted": there.counts["admitted"],
        "certifiable": sum(bool(a and b) for a, b in zip(admitted, c.certified, strict=True)),
        "mode": int(there.mode),
        "served": there.served,
        "V_max": there.model.V_max,
    }
    if admitted.any():
        found["cheapest"] = min(s for s, a in zip(c.slots.tolist(), admitted.tolist(), strict=True) if a)
    action = there.action(key) if key else None
    if action is not None:
        found |= {n: getattr(action, n) for n in ("slots", "phi", "g", "rho_ul", "rho_dl", "U", "chosen")}
        found |= {"on_offer": True, "passes": action.admitted}
    return found


def present(focus: Focus, name: str) -> float:
    """The present value."""
    state, m = focus.state, focus.model
    if name == "v_ratio":
        return state.V / m.V_max
    if name == "sigma_share":
        return (state.tr_sigma - m.sigma_min) / (m.sigma_max - m.sigma_min)
    return float(getattr(state, name) if name in ("c", "c_fail") else focus.instant.scenario.value(name))


def check_curves(solution: Solution, rows: Iterable[int]) -> None:
    """Compare rows of the curves with the slow way, bit for bit."""
    curves, name = solution.curves, solution.variable.name
    for row in rows:
        x = float(curves.x[row])
        slow = reading(solution.focus, name, x)
        assert bool(curves.asked[row]) == (slow is not None), (name, x)
        if slow is None:
            continue
        fast = {n: getattr(curves, n)[row].item() for n in (*NUMBERS, *COUNTS, *FLAGS)}
        assert fast == pytest.approx(slow, nan_ok=True, rel=0.0, abs=0.0), (name, x)


def ranges(x: np.ndarray, holds: np.ndarray) -> tuple[tuple[float, float], ...]:
    """First and last value of every run of True."""
    found = []
    for true, run in itertools.groupby(zip(x.tolist(), holds.tolist(), strict=True), key=lambda pair: pair[1]):
        values = [value for value, _ in run]
        if true:
            found.append((values[0], values[-1]))
    return tuple(found)


def check_said(solution: Solution) -> set[str]:
    """Every number of the sentence again, from the curves and the focus; returns the names seen."""
    c, focus, seen = solution.curves, solution.focus, set()
    holds = {
        "certifiable": (c.certifiable > 0) & c.asked,
        "on_offer": c.on_offer & c.asked,
        "admitted": c.passes & c.asked,
        "chosen": c.chosen & c.asked,
        "served": c.served & c.asked,
        "uncertified": c.served & c.asked & (c.mode == Mode.SYNCHRONISATION),
        "refused": ~c.asked,
    }
    for part in solution.said.numbers:
        seen.add(part.source)
        name, _, what = part.source.rpartition(".")
        if name == "":
            expected = {
                "uav": focus.loop + 1,
                "here": present(focus, solution.variable.name),
                "spacing": solution.spacing,
                "reason": solution.reason,
            }[what]
        elif name == "held":
            held = focus.held.exchange if focus.held is not None else Exchange.parse(focus.wanted)
            expected = held.route if what == "route" else focus.held.slots
        elif what == "many":
            expected = len(ranges(c.x, holds[name]))
        else:
            state, _, i = name.partition(".")
            expected = ranges(c.x, holds[state])[int(i)][("first", "last").index(what)]
        assert part.value == expected, (part, expected)
        if not isinstance(part.value, str):
            digits = len(part.text.partition(".")[2])
            assert read_number(part.text) == pytest.approx(part.value, abs=0.5 * 10.0**-digits + 1e-12)
    check_words(solution, holds)
    return seen


def check_words(solution: Solution, holds: dict[str, np.ndarray]) -> None:
    """The words between the numbers: "from" never crosses a gap, "every" and "no" mean it."""
    c, text = solution.curves, str(solution.said)
    asked = c.x[c.asked]
    for name, phrase in (
        ("certifiable", " is certifiable"),
        ("served", " gets slots"),
        ("chosen", "sent "),
        ("uncertified", "without a certificate "),
    ):
        if phrase not in text:
            assert solution.held is None if name == "chosen" else not holds["uncertified"].any()
            continue
        rest = text.partition(phrase)[2]
        here = ranges(c.x, holds[name])
        if len(here) == 0:
            assert "at no value" in rest
        elif here == ((asked[0], asked[-1]),):
            assert "at every value" in rest
        elif len(here) == 1 and here[0][1] == asked[-1] and here[0][0] != here[0][1]:
            assert f"from {solution.variable.text(here[0][0])}" in rest
        elif len(here) > 3:
            assert f"in {len(here)} separate ranges" in rest
