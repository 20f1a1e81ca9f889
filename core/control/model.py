"""ControlModel: everything the allocator needs from the control side, computed once per control setting."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from core.control.corridor import check_corridor
from core.control.domain import AdmissibleDomain
from core.control.drift import DriftConstants, drift_bound
from core.control.factors import ContractionFactors, factor_library
from core.control.gain import certified_gain
from core.control.hold import hold_factor, hold_map
from core.control.lifted import FloatArray
from core.control.prediction import Law
from core.control.safe_mode import SafeMode
from core.control.states import BoolArray, IntArray, LoopStates
from core.control.tables import FactorTables
from core.control.terms import DriftTerms
from core.scenario import ControlFields, Scenario


@dataclass(frozen=True, eq=False)
class Baseline:
    """What becomes of each loop without service, Eq. (eq:allocation-baseline); shape (N,), energies in [m²].

    Args:
        B: the drift that an action is compared with: J_hold where hold is admissible, J_safe elsewhere.
        J_hold: change of W under the hold map.
        J_safe: change of W under the local safe map, Eq. (eq:local-safe-drift).
        hold_admissible: whether the hold map stays in the admissible domain.
    """

    B: FloatArray
    J_hold: FloatArray
    J_safe: FloatArray
    hold_admissible: BoolArray


@dataclass(frozen=True, eq=False, kw_only=True)
class ControlModel:
    """Gain, certificate matrix, factors, domain and maps of one control setting, under one formulation.

    Args:
        k: LQR gain [1/s].
        a: loop gain T_s·k [-].
        H: depth of the delay buffer [cycles].
        h_max: largest delay index with factors, below H (D4) [cycles].
        X: certificate matrix of one axis, shape (H+1, H+1).
        factors: contraction factors by delay indices (h_ul, h_dl), each 0…h_max.
        domain: admissible Lyapunov domain [m²].
        safe_mode: the onboard law and its surrogate map.
        tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
        lam: weight λ_Σ = η·V_max/σ_max of uncertainty in W [-].
        noise_term: X_s[0,0]·tr Σ_proc (D9); 0 in the printed formulas [m²].
        formulation: "paper" for the formulas as printed; all others share the repaired ones.
        law: commands, onboard law and period, as the prediction flies them (D23).
        supervisor: whether loops that may not hold are handed to the onboard law (D12).
    """

    k: float
    a: float
    H: int
    h_max: int
    X: FloatArray
    factors: dict[tuple[int, int], ContractionFactors]
    domain: AdmissibleDomain
    safe_mode: SafeMode
    tr_meas: float
    tr_proc: float
    lam: float
    noise_term: float
    formulation: str
    law: Law
    supervisor: bool
    _constants: DriftConstants = field(repr=False)
    _root: FloatArray = field(repr=False)

    @classmethod
    def of(cls, scenario: Scenario) -> ControlModel:
        """The model of a scenario; cached by its control fields, formulation and reference speed.

        Raises:
            InfeasibleError: no certificate matrix exists for this setting.
            ScenarioError: local safe mode cannot keep the loop in the admissible domain (D12).
        """
        return _model(scenario.control, scenario.formulation, scenario.mission.speed_mps)

    @property
    def V_max(self) -> float:
        """Largest admissible tracking-error energy, r_c²·1ᵀX1 [m²]."""
        return self.domain.V_max

    @property
    def sigma_min(self) -> float:
        """Measurement-noise floor of tr Σ [m²]."""
        return self.domain.sigma_min

    @property
    def sigma_max(self) -> float:
        """Largest admissible tr Σ [m²]."""
        return self.domain.sigma_max

    @property
    def V_eq(self) -> float:
        """Energy towards which local safe mode relaxes [m²]."""
        return self.safe_mode.V_eq

    @property
    def closure_changed(self) -> bool:
        """Whether lem:mode-order fails for some certificate, so that D6 raised a factor."""
        return any(f.closure_changed for f in self.factors.values())

    def lyapunov(self, z: ArrayLike) -> FloatArray:
        """V = zᵀ(X_s ⊗ I₃)z.

        Args:
            z: tracking errors, current first, shape (..., H+1, 3) [m].

        Returns:
            V, shape (...) [m²].
        """
        y = self._root @ np.asarray(z, float)
        V: FloatArray = np.einsum("...ij,...ij->...", y, y)
        return V

    def W(self, V: ArrayLike, tr_sigma: ArrayLike) -> FloatArray:
        """Augmented Lyapunov function V + λ_Σ·tr Σ, Eq. (eq:augmented-lyapunov), broadcast [m²]."""
        return np.asarray(V, float) + self.lam * np.asarray(tr_sigma, float)

    def counter(self, states: LoopStates) -> IntArray:
        """The counter that Φ reads: staleness c (D11), or failed attempts c_fail in "paper"; shape (N,)."""
        return states.c_fail if self.formulation == "paper" else states.c

    def drift(
        self,
        V: ArrayLike,
        tr_sigma: ArrayLike,
        c: ArrayLike,
        rho_ul: ArrayLike,
        rho_dl: ArrayLike,
        g: ArrayLike,
        h_ul: ArrayLike = 1,
        h_dl: ArrayLike = 1,
    ) -> DriftTerms:
        """Φ and its terms, Eq. (eq:drift-bound), for states and certificates that broadcast together.

        Expected envelope (D8) at c* = max(c, g−1) (D11), with the process noise (D9); in "paper" the printed envelope
        at c, on raw factors, without noise.

        Args:
            V: tracking-error energy [m²].
            tr_sigma: trace of the position covariance [m²].
            c: counter of the formulation (see `counter`) [cycles].
            rho_ul, rho_dl: lower bounds on directional delivery [-].
            g: failure tolerance T_cert/T_s; below 1 stands for "none exists" [cycles].
            h_ul, h_dl: delay indices, 0…h_max [cycles].
        """
        return DriftTerms.of(self._constants, V, tr_sigma, c, rho_ul, rho_dl, g, h_ul, h_dl)

    def admitted(self, terms: DriftTerms, c_fail: ArrayLike, g: ArrayLike) -> BoolArray:
        """Whether each action may be used, Eq. (eq:safe-certificate-region); the printed gate c < g only in "paper" (D11).

        Args:
            terms: drift of the actions.
            c_fail: failed attempts in a row of each action's loop, broadcast.
            g: failure tolerance of each action; below 1 there is no certificate, broadcast [cycles].
        """
        ok: BoolArray = (terms.phi <= 0) & (np.asarray(g) >= 1)
        return ok & (np.asarray(c_fail) < np.asarray(g)) if self.formulation == "paper" else ok

    def alpha_hold(self, c: ArrayLike) -> FloatArray:
        """Growth factor of V while holding after staleness c, Eq. (eq:hold-v), D10, broadcast [-]."""
        return hold_factor(self.factors[self.h_max, self.h_max], c, formulation=self.formulation)

    def hold_map(self, V: ArrayLike, tr_sigma: ArrayLike, c: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """(V, tr Σ) after one cycle without service, Eqs. (eq:hold-v, eq:hold-sigma), broadcast [m²]."""
        return hold_map(V, tr_sigma, self.alpha_hold(c), tr_proc=self.tr_proc, noise_term=self.noise_term)

    def safe_map(self, V: ArrayLike, tr_sigma: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """(V, tr Σ) after one cycle in local safe mode: the surrogate of D12, broadcast [m²]."""
        return self.safe_mode.map(V, tr_sigma, tr_proc=self.tr_proc, sigma_max=self.sigma_max)

    def hold_admissible(self, states: LoopStates) -> BoolArray:
        """Whether holding for one cycle keeps each loop in the admissible domain, shape (N,)."""
        V, tr_sigma = self.hold_map(states.V, states.tr_sigma, states.c)
        return self.domain.below_top(V, tr_sigma)

    def baseline(self, states: LoopStates) -> Baseline:
        """The zero-allocation baseline B of every loop, Eqs. (eq:allocation-baseline, eq:local-safe-drift)."""
        # J_hold = W(hold) − W is Φ with α_hold and tr Σ_proc: the same sum, to the last bit, as for an action with ρ = 0
        # at the same c, which is therefore worth exactly zero (D10).
        _, _, J_hold = drift_bound(states.V, self.alpha_hold(states.c), self.tr_proc, self.lam, self.noise_term)
        V, tr_sigma = self.safe_map(states.V, states.tr_sigma)
        J_safe = (V - states.V) + self.lam * (tr_sigma - states.tr_sigma)
        admissible = self.hold_admissible(states)
        return Baseline(np.where(admissible, J_hold, J_safe), J_hold, J_safe, admissible)


@functools.lru_cache(maxsize=256)
def _model(control: ControlFields, formulation: str, speed_mps: float) -> ControlModel:
    k, X = certified_gain(control)
    a, H, h_max, split = control.Ts * k, control.H, control.h_max, control.split
    factors = factor_library(X, H=H, h_max=h_max, a=a, split=split)
    tr_meas, tr_proc = 3 * control.sigma_meas_m**2, 3 * control.sigma_proc_m**2
    noise_term = 0.0 if formulation == "paper" else float(X[0, 0]) * tr_proc
    domain = AdmissibleDomain.of(
        X,
        corridor_radius_m=control.corridor_radius_m,
        tr_meas=tr_meas,
        tr_proc=tr_proc,
        span_cycles=control.sigma_span_cycles,
    )
    make_safe_mode = functools.partial(
        SafeMode.of,
        X,
        k=k,
        Ts=control.Ts,
        kappa=control.kappa,
        speed_mps=speed_mps,
        feed_forward=control.feed_forward,
        contraction=control.safe_contraction,
        alpha_hold=float(hold_factor(factors[h_max, h_max], H, formulation=formulation)),
        noise_term=noise_term,
    )
    safe_mode = check_corridor(make_safe_mode, control.corridor_radius_m, speed_mps)
    lam = control.eta * domain.V_max / domain.sigma_max
    constants = DriftConstants(
        tables=FactorTables.of(factors, formulation=formulation),
        at_worst_staleness=formulation != "paper",
        tr_meas=tr_meas,
        tr_proc=tr_proc,
        lam=lam,
        noise_term=noise_term,
    )
    X.setflags(write=False)
    return ControlModel(
        k=k,
        a=a,
        H=H,
        h_max=h_max,
        X=X,
        factors=factors,
        domain=domain,
        safe_mode=safe_mode,
        tr_meas=tr_meas,
        tr_proc=tr_proc,
        lam=lam,
        noise_term=noise_term,
        formulation=formulation,
        law=Law(k, safe_mode.gain, control.Ts, control.feed_forward),
        supervisor=control.supervisor,
        _constants=constants,
        _root=np.asarray(np.linalg.cholesky(X).T, dtype=np.float64),
    )
