"""What a move changed, or what differs from a pinned loop, against the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from read_number import read_number
from truth import check, recomputed, value_of
from truth_maps import phi, row_of

from core.allocation import Sentence
from core.instant import SHORT, Focus
from core.twin import Exchange


def check_changed(before: Focus, after: Focus, said: Sentence) -> None:
    """Every "old → new" belongs to the action that was in focus before the move, whatever the allocator prefers now."""
    if before.held is None:
        return
    held = after.hold(before.held.key)
    sides = {"before": before, "after": held}
    for part in said:
        name, _, what = part.source.partition(".")
        if name not in sides or held.held is None:
            continue
        expected = _value(sides[name], before.held.key, what)
        if isinstance(expected, str):
            assert part.text == expected, part
        else:
            assert part.value == pytest.approx(expected, rel=1e-9, abs=1e-9), part
            assert read_number(part.text.split()[0]) == pytest.approx(expected, abs=0.06), part
    if held.held is None:
        route = next(part for part in said if part.source == "route")
        assert route.text == recomputed(held, "route")
    chosen = Sentence(tuple(p for p in said if p.source.startswith("chosen.")))
    check(after.hold(""), chosen)
    rows = [f.allocation.choice[f.loop] >= 0 and f.chosen.key for f in (before, after)]
    assert (rows[0] != rows[1]) == ("The allocator n" in str(said))


def check_compared(pinned: Focus, now: Focus, said: Sentence) -> None:
    """Two loops side by side: each number belongs to its own side, and the words say which UAVs and actions they are."""
    text = str(said)
    sides = {"before": pinned, "after": now}
    if pinned.loop == now.loop:
        states = Sentence(tuple(p for p in said if p.source.partition(".")[2] in STATE_NUMBERS))
        others = Sentence(tuple(p for p in said if p not in states.parts and not p.source.startswith("now.")))
        check_changed(pinned, now, others)
        was, held = (f.held.key if f.held is not None else None for f in (pinned, now))
        assert ("In focus now is another action" in text) == (held is not None and held != was)
        check_held(now, said, "now")
    else:
        states = said
        assert text.startswith(f"UAV {pinned.loop + 1} was pinned, this is UAV {now.loop + 1}")
        for side, focus in sides.items():
            served = focus.allocation.choice[focus.loop] >= 0
            assert (f"UAV {focus.loop + 1} gets no slots." in text) == (not served)
            check_chosen(focus, said, side)
    for part in states:
        side, _, what = part.source.partition(".")
        if side in sides and what in STATE_NUMBERS:
            expected = float(STATE_NUMBERS[what](sides[side]))
            assert part.value == pytest.approx(expected, rel=1e-9), part
            assert read_number(part.text.split()[0]) == pytest.approx(expected, abs=0.006), part
    for what, value in STATE_NUMBERS.items():
        if what != "uav" and abs(value(pinned) - value(now)) > 0.011:
            assert any(part.source == f"after.{what}" for part in said), what


STATE_NUMBERS: dict[str, Callable[[Focus], float]] = {
    "v_ratio": lambda f: f.instant.states.V[f.loop] / f.model.V_max,
    "tr_sigma": lambda f: f.instant.states.tr_sigma[f.loop],
    "c": lambda f: f.instant.states.c[f.loop],
    "c_fail": lambda f: f.instant.states.c_fail[f.loop],
    "uav": lambda f: f.loop + 1,
}


def check_held(focus: Focus, said: Sentence, name: str) -> None:
    """The action in focus is named by its own slots and route."""
    for part in said:
        if part.source == f"{name}.slots":
            assert part.value == focus.instant.whole_set(focus.loop).slots[row_of(focus, focus.held.key)]
        if part.source == f"{name}.route":
            assert part.text == focus.held.exchange.route


def check_chosen(focus: Focus, said: Sentence, side: str) -> None:
    """What the allocator sends to one of two loops, from the allocation."""
    row = int(focus.allocation.choice[focus.loop])
    if row < 0:
        assert not any(part.source in (f"{side}.slots", f"{side}.phi", f"{side}.U") for part in said)
        return
    q, unit = focus.instant.candidates, focus.model.V_max
    at = {n: getattr(q, n)[row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")}
    expected = {"slots": q.slots[row], "phi": float(phi(focus, **at)), "U": focus.allocation.U[row] / unit}
    found = {part.source: part.value for part in said}
    for what, value in expected.items():
        assert found[f"{side}.{what}"] == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert found[f"{side}.route"] == Exchange.of(q, row).route


def _value(focus: Focus, key: str, what: str) -> Any:
    row, whole, unit = row_of(focus, key), focus.instant.whole_set(focus.loop), focus.model.V_max
    if what == "verdict":
        return SHORT[focus.offer.action(row).verdict]
    at = {n: getattr(whole, n)[row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")}
    if what in ("phi", "U"):
        return float(phi(focus, **at)) if what == "phi" else value_of(focus, row) / unit
    if what == "alpha_bar":
        states, i = focus.instant.states, focus.loop
        drift = focus.model.drift(states.V[i], states.tr_sigma[i], focus.model.counter(states)[i], **at)
        return float(drift.alpha_bar)
    held = focus.hold(key)
    links = {
        f"{n}_{way}_db": getattr(held.ways[k], f"{n}_db")
        for n in ("snr", "margin")
        for k, way in enumerate(("ul", "dl"))
    }
    return links[what] if what in links else float(getattr(whole, what)[row])
