"""One action of a loop: its certificate, its drift, its value, its verdict."""

from __future__ import annotations

from dataclasses import dataclass

from core.allocation import Verdict
from core.twin import Exchange


@dataclass(frozen=True)
class Action:
    """An action on offer to a loop in one instant.

    Args:
        row: row of the loop's whole set.
        exchange: routes, blocklengths, retransmissions, pattern; `key` names it in any cycle.
        slots: cost [slots].
        rho_ul, rho_dl: lower bounds on directional delivery [-].
        mu1, p11: bounds on bidirectional failure and on its persistence, nan = none [-].
        g: failure tolerance, 0 = no certificate.
        T_cert, D_ul, D_dl: interaction and delay bounds [s].
        h_ul, h_dl: delay indices [cycles].
        beyond_horizon: whether g exceeds H_T, so that the interval promise is empty (D19).
        alpha_bar: envelope ᾱ at staleness c_star [-].
        phi, v_term, sigma_term, noise_term: drift bound Φ and its terms [m²].
        U: value against zero allocation [m²].
        loss: how much the total of P2 falls when it is imposed, inf when it does not fit [m²].
        certified, admitted, frontier: how far it gets.
        searched: whether the allocator searches it: one compact pattern over undominated options, unless told otherwise.
        chosen: whether the allocator sends it.
        verdict: what became of it.
    """

    row: int
    exchange: Exchange
    slots: int
    rho_ul: float
    rho_dl: float
    mu1: float
    p11: float
    g: int
    T_cert: float
    D_ul: float
    D_dl: float
    h_ul: int
    h_dl: int
    beyond_horizon: bool
    alpha_bar: float
    c_star: int
    phi: float
    v_term: float
    sigma_term: float
    noise_term: float
    U: float
    loss: float
    certified: bool
    admitted: bool
    frontier: bool
    searched: bool
    chosen: bool
    verdict: Verdict

    @property
    def key(self) -> str:
        """What names the action in any cycle and under any scenario."""
        return self.exchange.key

    @property
    def name(self) -> str:
        """Such as "the 14-slot exchange 17–G ↑ G–17 ↓"."""
        return f"the {self.slots}-slot exchange {self.exchange.route}"


SHORT = {
    Verdict.CHOSEN: "chosen",
    Verdict.SYNCHRONISATION: "synchronisation",
    Verdict.FRONTIER: "frontier, not chosen",
    Verdict.DOMINATED: "dominated",
    Verdict.REFUSED_DRIFT: "refused: Φ > 0",
    Verdict.REFUSED_REACH: "refused: could leave",
    Verdict.REFUSED_GATE: "refused by the gate",
    Verdict.NO_BOUND: "no calibrated bound",
}
"""The verdicts in a few words."""
