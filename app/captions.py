"""Captions that tell a student what just changed: two pictures in, sentences out."""

from __future__ import annotations

import math

from app.picture import Inputs, Picture
from app.state import FIELDS, VIEW, metadata_of


def what_changed(before: Picture | None, after: Picture) -> str:
    """Cause and effect in one paragraph: which control moved, and what that did along the chain."""
    if before is None:
        return "Move a slider: this line says what it did."
    causes = list(moved(before, after).values())
    if not causes:
        return "Nothing moved."
    cause = ", ".join(causes[:3]) + (f" and {len(causes) - 3} more" if len(causes) > 3 else "")
    effects = _effects(before, after)
    if before.focus != after.focus:
        cause += f"; now looking at UAV {after.focus + 1}"
    return f"{cause}: " + ("; ".join(effects) if effects else "nothing on this page depends on it at this state") + "."


def moved(before: Picture, after: Picture) -> dict[str, str]:
    """Controls that differ, by name, as "symbol old → new"."""
    found = {}
    fields = FIELDS if before.inputs.scenario != after.inputs.scenario else ()
    for name in (*fields, *VIEW):
        old, new = _value(before.inputs, name), _value(after.inputs, name)
        if old != new:
            found[name] = f"{metadata_of(name).symbol} {_shown(before, name, old)} → {_shown(after, name, new)}"
    if before.inputs.action != after.inputs.action:
        found["action"] = "another action in focus"
    return found


def same_drag(start: Picture, last: Picture, now: Picture) -> bool:
    """Whether the newest move goes on with the controls that were moved since the start, and with no other."""
    return moved(last, now).keys() <= moved(start, last).keys()


def _value(inputs: Inputs, name: str) -> object:
    return inputs.scenario.value(FIELDS[name]) if name in FIELDS else getattr(inputs, name, None)


def _shown(picture: Picture, name: str, value: object) -> str:
    return f"{picture.flown[name]:.3g} (as flown)" if value is None and name in picture.flown else _plain(value)


def _effects(before: Picture, after: Picture) -> list[str]:
    old, new = before.chain, after.chain
    unit = after.model.V_max
    effects = []
    if "snr" in old and "snr" in new:
        for key, name, form in (
            ("snr", "SNR of the weakest uplink hop", "{:.1f} dB"),
            ("margin", "the twin's margin", "{:.1f} dB"),
            ("rho_ul", "ρ_ul", "{:.4f}"),
            ("g", "g", "{}"),
            ("alpha_bar", "ᾱ", "{:.3f}"),
        ):
            a, b = form.format(old[key]), form.format(new[key])
            if a != b:
                effects.append(f"{name} {a} → {b}")
        a, b = old["phi"] / before.model.V_max, new["phi"] / unit
        if math.isfinite(a) and math.isfinite(b) and f"{a:+.4f}" != f"{b:+.4f}":
            effects.append(f"Φ {a:+.4f} → {b:+.4f} V_max, the drift bound {'falls' if b < a else 'rises'}")
        if old["verdict"] != new["verdict"]:
            effects.append(f"verdict {old['verdict']} → {new['verdict']}")
    for key, name in (("admitted", "admitted actions"), ("frontier", "frontier points")):
        if before.counts[key] != after.counts[key]:
            effects.append(f"{name} {before.counts[key]} → {after.counts[key]}")
    served = [int((p.allocation.choice >= 0).sum()) for p in (before, after)]
    if served[0] != served[1]:
        effects.append(f"served loops {served[0]} → {served[1]}")
    return effects


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
