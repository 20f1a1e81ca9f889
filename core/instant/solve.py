"""Curves of one loop and one action over one quantity, and the values at which something changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode, Sentence
from core.errors import ScenarioError
from core.instant import solve_words
from core.instant.flight import Floats
from core.instant.spans import Spans, changed_between
from core.instant.sweep import Reading, Sweep
from core.instant.vary import MOST_VALUES, Variable
from core.lazy import cached_property
from core.twin import Exchange
from core.wanted import check

if TYPE_CHECKING:
    from core.instant.focus import Focus

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

FEWER_VALUES = 201
"""Values of a curve along which each takes longer (`Sweep.light`)."""


@dataclass(frozen=True, eq=False)
class Curves:
    """What is read of one loop and its held action at K values; everything has the shape (K,).

    Attributes:
        x: the values, rising.
        asked: whether a value can be asked for; where it cannot, counts are 0, flags False and numbers nan.
        actions, certified, admitted, certifiable: how many actions are on offer, have a certificate, are admitted, both.
        cheapest: slots of the cheapest admitted action, nan = none [slots].
        on_offer: whether the held action is on offer; where it is not, its numbers are nan.
        slots: its cost [slots].
        phi: its drift bound Φ [m²].
        g: its failure tolerance, 0 = no certificate.
        rho_ul, rho_dl: its certified deliveries [-].
        U: its value [m²].
        passes: whether it is admitted.
        chosen: whether the allocator of all loops sends it.
        served: whether the loop gets slots.
        mode: how the loop spends the cycle, core.allocation.Mode; −1 where the value cannot be asked for.
        V_max: edge of the admissible domain [m²].
    """

    x: Floats
    asked: Bools
    actions: Ints
    certified: Ints
    admitted: Ints
    certifiable: Ints
    cheapest: Floats
    on_offer: Bools
    slots: Floats
    phi: Floats
    g: Floats
    rho_ul: Floats
    rho_dl: Floats
    U: Floats
    passes: Bools
    chosen: Bools
    served: Bools
    mode: Ints
    V_max: Floats

    @classmethod
    def of(cls, read: dict[float, Reading]) -> Curves:
        """From the readings by value."""
        x = sorted(read)
        rows = [read[value] for value in x]
        columns = {
            f.name: np.array([getattr(r, f.name) for r in rows]) for f in fields(cls) if f.name in Reading._fields
        }
        return cls(x=np.array(x), asked=np.array([not r.refused for r in rows]), **columns)

    @property
    def states(self) -> dict[str, Bools]:
        """What holds at each value, by name."""
        return {
            "certifiable": self.certifiable > 0,
            "on_offer": self.on_offer,
            "admitted": self.passes,
            "chosen": self.chosen,
            "served": self.served,
            "uncertified": self.served & (self.mode == Mode.SYNCHRONISATION),
        }


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer to "for which values of this quantity …?" for one loop of an instant.

    Attributes:
        focus: the loop.
        variable: what was varied.
        held: the action that is read; None = there is none.
        curves: the readings.
        tolerance: largest distance of values between which something changes.
        spacing: largest distance of neighbouring values; where it is more than the step, ranges narrower than that may
            have been missed.
        reason: why the values that cannot be asked for are refused, one of them; "" = all can be.
    """

    focus: Focus
    variable: Variable
    held: Exchange | None
    curves: Curves
    tolerance: float
    spacing: float
    reason: str = ""

    @cached_property
    def spans(self) -> dict[str, Spans]:
        """Where each of `curves.states` holds."""
        c = self.curves
        return {n: Spans.of(n, self.variable, c.x, holds, c.asked) for n, holds in c.states.items()}

    @property
    def certifiable(self) -> Spans:
        """Where the loop has an action with a certificate that is admitted."""
        return self.spans["certifiable"]

    @property
    def on_offer(self) -> Spans:
        """Where the network offers the held action."""
        return self.spans["on_offer"]

    @property
    def admitted(self) -> Spans:
        """Where the held action is admitted."""
        return self.spans["admitted"]

    @property
    def chosen(self) -> Spans:
        """Where the allocator sends the held action."""
        return self.spans["chosen"]

    @property
    def served(self) -> Spans:
        """Where the loop gets slots, by whatever action."""
        return self.spans["served"]

    @property
    def uncertified(self) -> Spans:
        """Where it gets them without a certificate."""
        return self.spans["uncertified"]

    @cached_property
    def refused(self) -> Spans:
        """Values that the scenario refuses."""
        c = self.curves
        return Spans.of("refused", self.variable, c.x, ~c.asked, np.ones_like(c.asked))

    @cached_property
    def said(self) -> Sentence:
        """The thresholds in words, each number with its name."""
        return solve_words.said(self)

    def at(self, x: float) -> int:
        """Row of the curves that is nearest to a value."""
        return int(np.argmin(np.abs(self.curves.x - x)))


def solve(
    focus: Focus,
    name: str,
    *,
    tolerance: float | None = None,
    most: int | None = None,
) -> Solution:
    """Curves over one quantity, everything else as in the instant, and the values at which something changes.

    Every value on the quantity's slider is looked at, or as many as allowed; then each change between two neighbours is
    bisected until they are at most `tolerance` apart.

    Args:
        focus: the loop; its action in focus is held along the curves, whatever the allocator prefers, also one that is
            not on offer here.
        name: out of `core.instant.varied()`: a field by dotted name, or v_ratio, sigma_share, c, c_fail.
        tolerance: the slider's step when None, in units of the quantity.
        most: values to look at before bisection, about; by what a value costs when None.
    """
    variable = Variable(name, focus.instant, focus.loop)
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance > 0.0):
        raise ScenarioError(f"tolerance = {tolerance} must be a positive number, such as {variable.step:g}.")
    if most is not None and most < 2:
        raise ScenarioError(f"most = {most} must be at least 2: a curve has two ends.")
    held = focus.held.exchange if focus.held is not None else Exchange.parse(focus.wanted)
    sweep = Sweep(variable, held)
    read: dict[float, Reading] = {}

    def look(x: float) -> None:
        check()
        read[x] = sweep.at(x)

    if most is None:
        most = MOST_VALUES if sweep.light else FEWER_VALUES
    for x in variable.values(most):
        look(float(x))
    values = np.array(sorted(read))
    spacing = float(np.diff(values).max(initial=0.0))
    fine = variable.step if tolerance is None else max(tolerance, 1.0) if variable.whole else tolerance
    while halves := _halves(Curves.of(read), variable, fine):
        for x in halves:
            look(x)
    curves = Curves.of(read)
    reason = next((read[x].refused for x in sorted(read) if read[x].refused), "")
    return Solution(focus, variable, held, curves, fine, spacing, reason)


def _halves(curves: Curves, variable: Variable, fine: float) -> list[float]:
    """Values halfway between neighbours that differ and are more than `fine` apart; on a step while steps are wide enough."""
    found, x = [], curves.x
    for i in changed_between([curves.asked, *curves.states.values()]):
        low, high = float(x[i]), float(x[i + 1])
        if high - low <= fine * (1.0 + 1e-9):
            continue
        middle = 0.5 * (low + high)
        on_step = round(round(middle / variable.step) * variable.step, variable.meta.digits)
        if low < on_step < high:
            middle = on_step
        elif variable.whole:
            continue
        found.append(middle)
    return found
