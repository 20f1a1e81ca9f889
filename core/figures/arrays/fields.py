"""Φ as fields: over certificates at the loop's state, and over states at one certificate."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.instant import Focus

Floats = NDArray[np.float64]

FAILURE = (5e-7, 1.0)
"""Ends of the axes of 1 − ρ; certified ρ end at 1 − 10⁻⁶."""
G_SHOWN = 10
"""Columns of the first map; the last holds every longer run, for which Φ is the same once the buffer depth is exceeded."""
ROWS, COLUMNS = 101, 101
STATES = 1.2
"""The state plane reaches this far beyond the admissible domain."""


@dataclass(frozen=True)
class Certificate:
    """What the maps are drawn for.

    Args:
        g: failure tolerance, 0 = no certificate.
        rho_ul, rho_dl: lower bounds on directional delivery [-].
        h_ul, h_dl: delay indices [cycles].
        name: whose it is, in words.
    """

    g: int
    rho_ul: float
    rho_dl: float
    h_ul: int
    h_dl: int
    name: str

    @classmethod
    def of(cls, focus: Focus) -> Certificate:
        """The action in focus; else the allocator's or the nearest to being served; else a flawless exchange."""
        action, name = focus.held, "the action in focus"
        if action is None:
            other = focus.hold("").held
            if other is None:
                h = focus.model.h_max
                return cls(1, 1.0, 1.0, h, h, "a flawless exchange, as there is no action")
            action, name = other, f"{other.name} (the one held is not on offer)"
        return cls(action.g, action.rho_ul, action.rho_dl, action.h_ul, action.h_dl, name)


@functools.cache
def exponents() -> Floats:
    """Decimal exponents of 1 − ρ at the centres of equal cells of the axis, from the best to the worst, shape (ROWS,)."""
    low, high = np.log10(FAILURE)
    found = np.asarray(low + (np.arange(ROWS) + 0.5) * (high - low) / ROWS)
    found.setflags(write=False)  # everybody gets the same
    return found


def columns(focus: Focus) -> NDArray[np.int64]:
    """g of each column of the first map: 1 … the last, which stands for every longer run, then 0 = no certificate."""
    last = max(G_SHOWN, focus.instant.scenario.control.H)
    return np.array([*range(1, last + 1), 0], dtype=np.int64)


def place(focus: Focus, g: NDArray[np.int64]) -> NDArray[np.int64]:
    """Column of each g on the first map, counted from 1."""
    last = len(columns(focus)) - 1
    return np.where(g > 0, np.minimum(g, last), last + 1)


def over_g(focus: Focus, certificate: Certificate, g: NDArray[np.int64], rho_ul: Floats) -> Floats:
    """Φ/V_max at the loop's state for other g and ρ_ul, which broadcast, with the certificate's ρ_dl and delays."""
    s, c = focus.state, certificate
    found = focus.model.drift(s.V, s.tr_sigma, s.c_for_drift, rho_ul, c.rho_dl, g, c.h_ul, c.h_dl)
    return np.asarray(found.phi / focus.model.V_max)


def over_ways(focus: Focus, certificate: Certificate, rho_ul: Floats, rho_dl: Floats) -> Floats:
    """Φ/V_max at the loop's state for other ρ_ul and ρ_dl, which broadcast, with the certificate's g and delays."""
    s, c = focus.state, certificate
    found = focus.model.drift(s.V, s.tr_sigma, s.c_for_drift, rho_ul, rho_dl, c.g, c.h_ul, c.h_dl)
    return np.asarray(found.phi / focus.model.V_max)


def over_states(focus: Focus, certificate: Certificate, v: Floats, tr_sigma: Floats) -> Floats:
    """Φ/V_max of the certificate in other states: V/V_max and tr Σ [m²], which broadcast."""
    m, c = focus.model, certificate
    found = m.drift(v * m.V_max, tr_sigma, focus.state.c_for_drift, c.rho_ul, c.rho_dl, c.g, c.h_ul, c.h_dl)
    return np.asarray(found.phi / m.V_max)


def plane_ends(focus: Focus) -> tuple[float, float, float]:
    """Largest V/V_max of the state plane, least and most tr Σ [m²]; it holds the loop wherever that is."""
    m, s = focus.model, focus.state
    top = m.sigma_min + STATES * (m.sigma_max - m.sigma_min)
    return max(STATES, 1.05 * s.V / m.V_max), min(m.sigma_min, s.tr_sigma), max(top, 1.05 * s.tr_sigma)


def plane_axes(focus: Focus) -> tuple[Floats, Floats]:
    """V/V_max and tr Σ [m²] at the centres of the cells of the state plane."""
    right, low, high = plane_ends(focus)
    across, up = (np.arange(COLUMNS) + 0.5) / COLUMNS, (np.arange(ROWS) + 0.5) / ROWS
    return right * across, low + up * (high - low)


def refused_columns(focus: Focus) -> NDArray[np.bool_]:
    """Columns of the first map that admission refuses whatever Φ says: no certificate, the printed gate, or reach (D11, D24)."""
    g, found = columns(focus), focus.allocation.admission
    if found.rule == "none":
        return np.zeros(len(g), dtype=np.bool_)
    refused = g == 0
    if found.rule == "reach" and found.exit_cycles is not None:
        return np.asarray(refused | (g - 1 >= found.exit_cycles[focus.loop]))
    if focus.model.formulation == "paper":
        refused |= g <= focus.state.c_fail
        # the last column stands for longer runs too, some of which the gate may let pass
        refused[-2] &= not (focus.offer.whole.g > focus.state.c_fail).any()
    return np.asarray(refused)
