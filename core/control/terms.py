"""Φ and the terms it is made of, for many states and certificates at once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.control.drift import CertificateRows, DriftConstants, StateRows, drift_kernel
from core.control.lifted import FloatArray
from core.control.states import IntArray
from core.errors import ScenarioError


class DriftTerm(Enum):
    """The terms of Φ; each value says in words what it means when this term refuses an action."""

    V = "the tracking-error energy is expected to grow: delivery is too unreliable for an error this large"
    SIGMA = "the estimate is expected to lose more certainty than this uplink gives back"
    NOISE = "the error is already so small that process noise alone outweighs what the exchange can gain"


@dataclass(frozen=True, eq=False)
class DriftTerms:
    """Φ and what it is made of; arrays of one broadcast shape, energies in [m²].

    Args:
        alpha_bar: envelope ᾱ [-].
        c_star: staleness at which ᾱ was taken [cycles].
        v_term: (ᾱ − 1)·V.
        sigma_term: λ_Σ·Ψ_Σ.
        noise_term: X_s[0,0]·tr Σ_proc, the same for every action (D9); 0 in the printed formula.
        phi: Φ, their sum, Eq. (eq:drift-bound).
    """

    alpha_bar: FloatArray
    c_star: IntArray
    v_term: FloatArray
    sigma_term: FloatArray
    noise_term: float
    phi: FloatArray

    @classmethod
    def of(
        cls,
        constants: DriftConstants,
        V: ArrayLike,
        tr_sigma: ArrayLike,
        c: ArrayLike,
        rho_ul: ArrayLike,
        rho_dl: ArrayLike,
        g: ArrayLike,
        h_ul: ArrayLike,
        h_dl: ArrayLike,
    ) -> DriftTerms:
        """The compiled loop `drift_kernel` over states and certificates that broadcast together.

        Args:
            constants: factors and constants of the model.
            V, tr_sigma, c: states, as in `StateRows`.
            rho_ul, rho_dl, g, h_ul, h_dl: certificates, as in `CertificateRows`.

        Raises:
            ScenarioError: a delay index has no factors.
        """
        shape = np.broadcast(V, tr_sigma, c, rho_ul, rho_dl, g, h_ul, h_dl).shape
        _check_delays(h_ul, h_dl, shape, h_max=len(constants.tables.success) - 1)
        energy, trace, ul, dl = (_flat(x, np.float64, shape) for x in (V, tr_sigma, rho_ul, rho_dl))
        count, tolerance, u, d = (_flat(x, np.int64, shape) for x in (c, g, h_ul, h_dl))
        states, certificates = StateRows(energy, trace, count), CertificateRows(ul, dl, tolerance, u, d)
        alpha_bar, c_star, v_term, sigma_term, phi = (
            x.reshape(shape) for x in drift_kernel(states, certificates, constants)
        )
        return cls(alpha_bar, c_star, v_term, sigma_term, constants.noise_term, phi)

    def __getitem__(self, index: Any) -> DriftTerms:
        """The terms of some of the actions."""
        return DriftTerms(
            self.alpha_bar[index],
            self.c_star[index],
            self.v_term[index],
            self.sigma_term[index],
            self.noise_term,
            self.phi[index],
        )

    def largest(self) -> NDArray[np.int8]:
        """Index into `tuple(DriftTerm)` of the largest term: where Φ > 0, the one that refuses the action."""
        noise = np.full_like(self.phi, self.noise_term)
        return np.asarray(np.stack([self.v_term, self.sigma_term, noise]).argmax(axis=0), dtype=np.int8)

    def refused_by(self, index: Any) -> DriftTerm | None:
        """The term that makes Φ positive for one action; None when Φ ≤ 0."""
        one = self[index]
        return tuple(DriftTerm)[int(one.largest())] if one.phi > 0 else None


def _flat(x: ArrayLike, kind: type[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """A contiguous, writeable vector: numba would compile the kernel anew for any other kind of array."""
    if isinstance(x, np.ndarray) and x.shape == shape:
        return np.require(x, kind, ["C", "W"]).reshape(-1)
    found = np.empty(shape, kind)
    found[...] = x
    return found.reshape(-1)


def _check_delays(h_ul: ArrayLike, h_dl: ArrayLike, shape: tuple[int, ...], *, h_max: int) -> None:
    if 0 in shape:
        return
    u, d = np.asarray(h_ul, dtype=np.int64), np.asarray(h_dl, dtype=np.int64)
    low, high = min(u.min(), d.min()), max(u.max(), d.max())
    if low < 0 or high > h_max:
        raise ScenarioError(
            f"A certificate has delay index {high if low >= 0 else low}, outside 0…{h_max}; "
            "raise control.h_max (and control.H above it)."
        )
