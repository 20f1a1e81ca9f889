"""What is said about the frame as a whole, each number with its name."""

from __future__ import annotations

from core.allocation import Benchmark, Sentence
from core.instant import Focus, longer_frame


def allocation_words(focus: Focus) -> Sentence:
    """What the frame is worth and what the reserve costs, then what a longer frame would be worth."""
    a, unit = focus.allocation, focus.model.V_max
    values = {
        "room": a.room,
        "budget": a.budget,
        "reserve": a.reserve,
        "value/V_max": a.value / unit,
        "price_of_reserve/V_max": a.price_of_reserve / unit,
    }
    slots = "slot" if a.room == 1 else "slots"
    said = Sentence.of(
        f"P2 may spend {{room}} {slots}, worth F_N({{room}}) = {{value/V_max:.4f}} V_max (the dot).", values
    )
    if a.reserve:
        kept = (
            "{reserve} of the {budget} slots are reserved for synchronisation (shaded), which costs "
            "{price_of_reserve/V_max:.4f} V_max."
        )
        said = Sentence.of(kept, values).then(said)
    return said.then(longer_frame(focus.instant))


def regret_words(focus: Focus, found: Benchmark) -> Sentence:
    """What admission, frontier and reserve cost against P1."""
    a, unit = focus.allocation, focus.model.V_max
    lost = found.regret(a)
    values = {
        "p1/V_max": found.value / unit,
        "value/V_max": a.value / unit,
        "regret/V_max": lost / unit,
        "regret_percent": 100.0 * lost / found.value if found.value > 0.0 else 0.0,
        "reserve": a.reserve,
        "refused": int((~found.admitted).sum()),
    }
    said = Sentence.of(
        "P1 over every unpruned action reaches {p1/V_max:.4f} V_max; P2 on the certified frontier reaches {value/V_max:.4f}: "
        "regret {regret/V_max:.4f} V_max",
        values,
    )
    if found.value > 0.0:
        said += Sentence.of(" ({regret_percent:.2f} %)", values)
    if a.reserve:
        said += Sentence.of("; {reserve} slots reserved for synchronisation are part of it", values)
    many = "" if values["refused"] == 1 else "s"
    return said + Sentence.of(f". P1 would send {{refused}} action{many} that admission refuses.", values)
