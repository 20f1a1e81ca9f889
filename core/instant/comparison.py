"""Two looks at a loop side by side: before and after a move, or pinned and now; every number has a name."""

from __future__ import annotations

import math
from collections.abc import Callable

from core.allocation import Part, Sentence
from core.instant.action import SHORT, Action
from core.instant.focus import Focus
from core.instant.words import action_name, missing, named
from core.numerals import readable

_SHOWN: tuple[tuple[str, str, str, Callable[[Focus, Action], float]], ...] = (
    ("snr_ul_db", "SNR ↑", "{:.1f} dB", lambda f, a: f.ways[0].snr_db if f.ways else math.nan),
    ("snr_dl_db", "SNR ↓", "{:.1f} dB", lambda f, a: f.ways[1].snr_db if f.ways else math.nan),
    ("margin_ul_db", "margin ↑", "{:.1f} dB", lambda f, a: f.ways[0].margin_db if f.ways else math.nan),
    ("margin_dl_db", "margin ↓", "{:.1f} dB", lambda f, a: f.ways[1].margin_db if f.ways else math.nan),
    ("rho_ul", "ρ_ul", "{:.4f}", lambda f, a: a.rho_ul),
    ("rho_dl", "ρ_dl", "{:.4f}", lambda f, a: a.rho_dl),
    ("g", "g", "{:d}", lambda f, a: a.g),
    ("slots", "slots", "{:d}", lambda f, a: a.slots),
    ("alpha_bar", "ᾱ", "{:.3f}", lambda f, a: a.alpha_bar),
    ("phi", "Φ/V_max", "{:+.4f}", lambda f, a: a.phi / f.model.V_max),
    ("U", "U/V_max", "{:.4f}", lambda f, a: a.U / f.model.V_max),
)
"""What a move may change about an action: name, symbol, format, value."""


def changed(before: Focus, after: Focus) -> Sentence:
    """What a move did to the action in focus before it; then, if so, that the allocator now prefers another.

    Args:
        before: the loop before the move.
        after: the same loop after it.
    """
    said = Sentence()
    if before.held is not None:
        after = after if after.wanted == before.held.key else after.hold(before.held.key)
        said = _effects(before, before.held, after)
    return said.then(_preference(before, after))


def _effects(before: Focus, was: Action, after: Focus) -> Sentence:
    now = after.held
    if now is None:
        return missing(after)
    said = action_name("held", was).capitalised() + Sentence.of(": ")
    effects = []
    for name, symbol, form, value in _SHOWN:
        old, new = value(before, was), value(after, now)
        old_text, new_text = form.format(old), form.format(new)
        if old_text != new_text and math.isfinite(old) and math.isfinite(new):
            effects.append(arrow(symbol, name, form, old, new))
    if was.verdict is not now.verdict:
        old_text, new_text = SHORT[was.verdict], SHORT[now.verdict]
        text = (Part(old_text, old_text, "before.verdict"), Part(" → "), Part(new_text, new_text, "after.verdict"))
        effects.append(Sentence((Part("verdict "), *text)))
    if not effects:
        return said + Sentence.of("nothing about it changed.")
    return said + joined(effects)


def arrow(symbol: str, name: str, form: str, old: float, new: float) -> Sentence:
    """Such as "ρ_ul 0.9 → 0.8", both numbers with their names."""
    before, after = (
        Part(readable(form.format(x)), x, f"{side}.{name}") for side, x in (("before", old), ("after", new))
    )
    return Sentence((Part(f"{symbol} "), before, Part(" → "), after))


def joined(effects: list[Sentence]) -> Sentence:
    """One after the other, up to a full stop."""
    said = Sentence()
    for n, effect in enumerate(effects):
        said += (Sentence.of("; ") if n else Sentence()) + effect
    return said + Sentence.of(".")


def _preference(before: Focus, after: Focus) -> Sentence:
    was, now = before.chosen, after.chosen
    if (was and was.key) == (now and now.key):
        return Sentence()
    if now is None:
        return named("The allocator no longer serves UAV {uav}.", uav=after.uav)
    text = "The allocator now prefers " if was is not None else "The allocator now serves UAV {uav} with "
    return named(text, uav=after.uav) + action_name("chosen", now) + Sentence.of(".")


_STATE: tuple[tuple[str, str, str, Callable[[Focus], float]], ...] = (
    ("v_ratio", "V/V_max", "{:.3f}", lambda f: f.state.V / f.model.V_max),
    ("tr_sigma", "tr Σ", "{:.2f} m²", lambda f: f.state.tr_sigma),
    ("c", "c", "{:d}", lambda f: f.state.c),
    ("c_fail", "c_fail", "{:d}", lambda f: f.state.c_fail),
)
"""What another instant may change about a loop: name, symbol, format, value."""


def compared(pinned: Focus, now: Focus) -> Sentence:
    """How a loop stands now beside a pinned one, also where that is another UAV, another cycle or another action.

    Args:
        pinned: what is kept for comparison.
        now: what is looked at.
    """
    said = _states(pinned, now)
    if pinned.loop != now.loop:
        return said.then(_exchange("before", pinned)).then(_exchange("after", now))
    said = said.then(changed(pinned, now))
    was, held = pinned.held, now.held
    if held is not None and (was is None or held.key != was.key):
        said = said.then(Sentence.of("In focus now is another action, ") + action_name("now", held) + Sentence.of("."))
    return said


def _states(pinned: Focus, now: Focus) -> Sentence:
    """By what the states differ; of two UAVs, which they are."""
    effects = [
        arrow(symbol, name, form, value(pinned), value(now))
        for name, symbol, form, value in _STATE
        if form.format(value(pinned)) != form.format(value(now))
    ]
    if pinned.loop == now.loop:
        return named("State of UAV {uav}: ", uav=now.uav) + joined(effects) if effects else Sentence()
    two = named(
        "UAV {before.uav} was pinned, this is UAV {after.uav}", **{"before.uav": pinned.uav, "after.uav": now.uav}
    )
    return two + Sentence.of(": ") + joined(effects) if effects else two + Sentence.of(", in the same state.")


def _exchange(side: str, focus: Focus) -> Sentence:
    """What the allocator sends to one of two UAVs."""
    uav = named(f"UAV {{{side}.uav}} ", **{f"{side}.uav": focus.uav})
    if focus.chosen is None:
        return uav + Sentence.of("gets no slots.")
    values = {f"{side}.phi": focus.chosen.phi / focus.model.V_max, f"{side}.U": focus.chosen.U / focus.model.V_max}
    text = f", Φ/V_max {{{side}.phi:+.4f}}, U/V_max {{{side}.U:.4f}}."
    return uav + Sentence.of("gets ") + action_name(side, focus.chosen) + named(text, **values)
