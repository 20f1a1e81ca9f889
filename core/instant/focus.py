"""One loop in an instant: its actions, the one held, what the allocator made of them, and the sentences about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.allocation import Allocation, Explanation, Mode, Sentence
from core.control import ControlModel, LoopStates
from core.instant import words
from core.instant.action import Action
from core.instant.chain import Way, ways
from core.instant.offer import Offer
from core.instant.paths import Paths
from core.lazy import cached_property
from core.twin import Exchange

if TYPE_CHECKING:
    from core.instant.instant import Instant
    from core.instant.solve import Solution


@dataclass(frozen=True)
class LoopState:
    """Controller-side state of one loop; `c_for_drift` is what the formulation calls c (D11)."""

    V: float
    tr_sigma: float
    c: int
    c_fail: int
    c_for_drift: int


@dataclass(frozen=True, eq=False)
class Focus:
    """One loop of an instant, and one action of it to talk about. Everything comes from `instant.allocation`.

    Args:
        instant: where.
        loop: counted from 0; words count UAVs from 1.
        offer: the loop's whole set, judged by the allocation of all loops.
        wanted: key of the action to hold on to whatever the allocator prefers; "" follows the allocator.
    """

    instant: Instant
    loop: int
    offer: Offer
    wanted: str = ""

    @property
    def uav(self) -> int:
        """Number of the UAV in words."""
        return self.loop + 1

    @property
    def allocation(self) -> Allocation:
        """The one allocation of all loops."""
        return self.instant.allocation

    @property
    def model(self) -> ControlModel:
        """Control side of the scenario."""
        return self.instant.model

    @cached_property
    def chosen(self) -> Action | None:
        """What the allocator sends to the loop, None = nothing."""
        return self.offer.action(self.offer.chosen) if self.offer.chosen >= 0 else None

    @cached_property
    def held(self) -> Action | None:
        """The action in focus: the one wanted, else the allocator's, else the nearest to being served; None = there is none.

        An action that is wanted and not on offer stays missing (`missing` says why): no other takes its place.
        """
        if self.wanted:
            return self.action(self.wanted)
        if self.chosen is not None:
            return self.chosen
        return self.offer.action(self.offer.nearest) if self.offer.nearest >= 0 else None

    def action(self, key: str) -> Action | None:
        """The action with this key; None when it is not on offer to this loop here."""
        row = self.offer.row_of(Exchange.parse(key))
        return self.offer.action(row) if row >= 0 else None

    def hold(self, key: str) -> Focus:
        """The same loop with another action in focus; "" follows the allocator."""
        return Focus(self.instant, self.loop, self.offer, key)

    @cached_property
    def explanation(self) -> Explanation | None:
        """Why the action in focus was or was not used; None without one."""
        return self.offer.explain(self.held.row) if self.held is not None else None

    @cached_property
    def said(self) -> Sentence:
        """The verdict on the action in focus, or why there is none, each number with its name."""
        return words.verdict(self)

    @property
    def sentence(self) -> str:
        """The same as text."""
        return str(self.said)

    @cached_property
    def why(self) -> Sentence:
        """Why the loop is served, or is not."""
        return words.why(self)

    @property
    def missing(self) -> Sentence:
        """Why the action wanted is not on offer; empty when it is."""
        return words.missing(self) if self.wanted and self.held is None else Sentence()

    @property
    def verdict(self) -> str:
        """The verdict on the action in focus in a few words."""
        return words.short(self)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Keys of the actions that `sentence` names."""
        return self.explanation.rivals if self.explanation is not None else ()

    @cached_property
    def ways(self) -> tuple[Way, Way] | None:
        """SNR, margin, ε and ρ of the action in focus, uplink and downlink; None without one."""
        if self.held is None:
            return None
        return ways(self.instant.scenario, self.offer.whole, self.held.row)

    @property
    def mode(self) -> Mode:
        """How the loop spends the cycle."""
        return self.allocation.mode_of(self.loop)

    @property
    def served(self) -> bool:
        """Whether the loop gets slots."""
        return bool(self.allocation.choice[self.loop] >= 0)

    @cached_property
    def state(self) -> LoopState:
        """The loop's state here, replaced where the instant replaces it."""
        s, i = self.instant.states, self.loop
        drift = self.model.counter(s)
        return LoopState(*(x[i].item() for x in (s.V, s.tr_sigma, s.c, s.c_fail, drift)))

    @cached_property
    def flown(self) -> dict[str, float]:
        """What the flight itself says of the loop: V/V_max, share of the span of tr Σ, c and c_fail."""
        m, flown, i = self.model, self.instant.flown, self.loop
        return {
            "v_ratio": float(flown.V[i] / m.V_max),
            "sigma_share": float((flown.tr_sigma[i] - m.sigma_min) / (m.sigma_max - m.sigma_min)),
            "c": int(flown.c[i]),
            "c_fail": int(flown.c_fail[i]),
        }

    @property
    def counts(self) -> dict[str, int]:
        """How many actions survive each stage."""
        return self.offer.counts

    @property
    def distinct(self) -> dict[str, Any]:
        """Columns of the loop's actions, those that look alike counted once."""
        return self.offer.distinct

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Range of each column worth an axis, wide enough to draw even where there is nothing: slots, U and Φ [m²], T_cert [s]."""
        c, a, certified = self.offer.whole, self.offer.appraisal, self.offer.whole.certified
        Ts, budget = self.instant.scenario.control.Ts, self.allocation.budget
        columns = {
            "slots": (c.slots, (0.0, float(max(budget, 1)))),
            "U": (a.U[certified], (0.0, self.model.V_max)),
            "phi": (a.admission.terms.phi[certified], (-self.model.V_max, self.model.V_max)),
            "T_cert": (c.T_cert[self.offer.frontier], (Ts, 2.0 * Ts)),
        }
        return {name: _extent(np.asarray(values, dtype=float), empty) for name, (values, empty) in columns.items()}

    @cached_property
    def hold_corner(self) -> tuple[float, float]:
        """Largest V/V_max and largest tr Σ [m²] from which holding one more cycle stays admissible."""
        m, n = self.model, 1201
        v = np.linspace(0.0, 1.2, n)
        sigma = np.linspace(m.sigma_min, m.sigma_max, n)
        by_v = m.hold_admissible(self._states(v * m.V_max, np.full(n, m.sigma_min)))
        by_sigma = m.hold_admissible(self._states(np.zeros(n), sigma))
        return float(v[by_v].max(initial=0.0)), float(sigma[by_sigma].max(initial=m.sigma_min))

    def _states(self, V: Any, sigma: Any) -> LoopStates:
        c = np.full(len(V), self.state.c, dtype=np.int64)
        return LoopStates(V, sigma, c, np.full_like(c, self.state.c_fail), np.zeros(len(V), dtype=np.bool_))

    def solve(self, name: str, *, tolerance: float | None = None, most: int | None = None) -> Solution:
        """Curves over one quantity and where something changes; see `core.instant.solve.solve`.

        `flight.instant(60).on(16).solve("network.snr_offset_db").certifiable` says from which SNR UAV 17 is certifiable.
        """
        from core.instant.solve import solve  # which needs this type

        return solve(self, name, tolerance=tolerance, most=most)

    @cached_property
    def paths(self) -> Paths:
        """Where the UAV is headed with and without the exchange."""
        return self.instant.paths(self.loop)

    @cached_property
    def rank(self) -> int:
        """Place of the loop by what an exchange that surely arrives is worth, 1 = most; equals share the better place."""
        worth = self.allocation.valuation.worth
        return int((worth > worth[self.loop]).sum()) + 1


def _extent(values: Any, empty: tuple[float, float]) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return empty
    low, high = float(finite.min()), float(finite.max())
    if high > low:
        return low, high
    room = max(0.05 * abs(high), 1e-3 * (empty[1] - empty[0]))
    return low - room, high + room
