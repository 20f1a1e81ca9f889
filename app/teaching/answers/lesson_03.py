"""Lesson 03: the LMI and the contraction factors."""

from __future__ import annotations

from app.teaching.contraction import Setting, largest_feasible_gain
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, set_of

THIRDS = (1 / 3, 1 / 3, 1 / 3)
EXAMPLE = Setting(H=3, h_max=1, a=0.35, split=THIRDS)
COUNTER = Setting()
SUSPECTS = (
    Setting(4, 1, 0.47, (0.2, 0.2, 0.6)),
    Setting(2, 2, 0.1, (0.0, 0.5, 0.5)),
    Setting(2, 2, 0.3, (0.0, 0.5, 0.5)),
    Setting(3, 1, 0.35, THIRDS),
    Setting(2, 2, 0.4, (0.2, 0.2, 0.6)),
)
"""Settings of exercise 03.2, in the order of the notebook."""

add(
    Exercise(
        "03.1",
        number(rel=2e-3),
        lambda: EXAMPLE.factors.raw[1, 1],
        hint="X = certificate_matrix(…), then contraction_factors(X, …).raw[(1, 1)] with the same H, h_max, a and split.",
        praise="A complete exchange leaves at most this share of the energy, whatever the delays up to h_max.",
        traps=(
            Trap(lambda: EXAMPLE.factors.raw[1, 0], "That is α₁₀, the uplink alone."),
            Trap(lambda: EXAMPLE.factors.raw[0, 0], "That is α₀₀, nothing delivered."),
        ),
        trains="solving an LMI and reading a generalized eigenvalue",
    ),
    Exercise(
        "03.2",
        set_of("row numbers"),
        lambda: [i for i, s in enumerate(SUSPECTS) if s.factors.closure_changed],
        hint="Look at contraction_factors(…).closure_changed of each row: True means that D6 had to raise a factor.",
        praise="All of them have h_max = H: the case that decision D4 keeps out of the allocator.",
        traps=(
            Trap(
                lambda: [i for i, s in enumerate(SUSPECTS) if not s.factors.closure_changed],
                "These are the rows where it holds.",
            ),
        ),
        trains="testing a lemma instead of believing it",
    ),
    Exercise(
        "03.3",
        number(rel=1e-3),
        lambda: COUNTER.factors.closed[1, 0],
        hint="The closure takes α̂₁₀ = max(α₁₀, α₁₁).",
        praise="Raising the smaller factor is conservative: the bound stays true and the order is restored.",
        traps=(Trap(lambda: COUNTER.factors.raw[1, 0], "That is the raw α₁₀, which here lies below α₁₁."),),
        trains="repairing a bound without breaking it",
    ),
    Exercise(
        "03.4",
        number(rel=0.0, absolute=0.0051),
        lambda: largest_feasible_gain(3, 2, (0.0, 0.5, 0.5)),
        hint="Raise a in steps of 0.01 until certificate_matrix raises InfeasibleError (it names a feasible a in its message).",
        praise="More delay, less gain: the price of late feedback is written in the LMI.",
        traps=(
            Trap(
                lambda: largest_feasible_gain(3, 1, (0.0, 0.5, 0.5)),
                "That is the limit for h_max = 1; here delays reach 2 cycles.",
            ),
        ),
        trains="delay limits gain",
    ),
)
