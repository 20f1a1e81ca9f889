"""The homogeneous jump system that Φ certifies: lifted error, four outcomes, process noise (Appendices A–C)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel, covariance_step, mode_matrix, run_matrix
from core.scenario import Scenario

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JumpSystem:
    """Lifted matrices of one control setting, at the delays h_ul = h_dl = h_max.

    Args:
        model: the control model whose Φ is audited.
        modes: M₁₁, M₁₀, M₀₁, shape (3, H+1, H+1).
        runs: M₀₀^(1) … M₀₀^(H), shape (H, H+1, H+1).
        h: delay index of both directions [cycles].
        sigma_proc_m: process noise per axis [m].
    """

    model: ControlModel
    modes: Floats
    runs: Floats
    h: int
    sigma_proc_m: float

    @classmethod
    def of(cls, scenario: Scenario) -> JumpSystem:
        """The jump system of a scenario."""
        model = ControlModel.of(scenario)
        h, H, a, split = model.h_max, model.H, model.a, scenario.control.split
        modes = [mode_matrix(outcome, h, h, H=H, a=a, split=split) for outcome in ((1, 1), (1, 0), (0, 1))]
        runs = [run_matrix(j, h, h, H=H, a=a) for j in range(1, H + 1)]
        return cls(model, np.array(modes), np.array(runs), h, scenario.control.sigma_proc_m)

    def matrices(self, c: Ints) -> Floats:
        """M₁₁, M₁₀, M₀₁ and M₀₀^(c+1) of each state, shape (n, 4, H+1, H+1)."""
        n = len(c)
        lost = self.runs[np.minimum(c, len(self.runs) - 1)]
        return np.concatenate([np.broadcast_to(self.modes, (n, *self.modes.shape)), lost[:, None]], axis=1)

    def random_states(self, n: int, rng: np.random.Generator) -> Floats:
        """Lifted errors with V spread over the admissible domain: random directions and worst ones of the modes.

        Returns:
            z, shape (n, H+1, 3) [m].
        """
        H = self.model.H
        z = rng.normal(size=(n, H + 1, 3))
        all_modes = np.concatenate([self.modes, self.runs])
        worst = np.array([worst_direction(self.model.X, M) for M in all_modes])
        axis = rng.normal(size=(n, 1, 3))
        pick = worst[rng.integers(len(worst), size=n)]
        z = np.where((rng.random(n) < 0.5)[:, None, None], z, pick[:, :, None] * axis)
        # V spans decades, because the noise that the printed Φ omits (D9) matters only near the reference.
        V = self.model.V_max * 10.0 ** rng.uniform(-5, 0, size=n)
        scaled: Floats = z * np.sqrt(V / self.model.lyapunov(z))[:, None, None]
        return scaled

    def expected_change(self, z: Floats, tr_sigma: Floats, c: Ints, law: Floats) -> Floats:
        """E[ΔW | z, Σ, c] exactly: mean over the four outcomes and the process noise, (n,) [m²].

        Args:
            z: lifted errors, (n, H+1, 3) [m].
            tr_sigma: (n,) [m²].
            c: staleness, (n,) [cycles].
            law: probabilities of (1,1), (1,0), (0,1), (0,0), (n, 4).
        """
        m = self.model
        V_next = m.lyapunov(np.einsum("nkij,njl->nkil", self.matrices(c), z)) + float(m.X[0, 0]) * m.tr_proc
        uplink = np.array([True, True, False, False])
        sigma = covariance_step(tr_sigma[:, None], uplink, self.h, tr_meas=m.tr_meas, tr_proc=m.tr_proc)
        change: Floats = (law * m.W(V_next, sigma)).sum(axis=1) - m.W(m.lyapunov(z), tr_sigma)
        return change

    def step(
        self, z: Floats, tr_sigma: Floats, c: Ints, law: Floats, rng: np.random.Generator
    ) -> tuple[Floats, Floats, Ints]:
        """One cycle of n independent systems: outcome drawn from the law, noise added, staleness counted."""
        m, n = self.model, len(c)
        outcome = (rng.random(n)[:, None] > np.cumsum(law, axis=1)[:, :3]).sum(axis=1)
        z_next = np.einsum("nij,njl->nil", self.matrices(c)[np.arange(n), outcome], z)
        z_next[:, 0] += self.sigma_proc_m * rng.normal(size=(n, 3))
        sigma = covariance_step(tr_sigma, outcome <= 1, self.h, tr_meas=m.tr_meas, tr_proc=m.tr_proc)
        return z_next, sigma, np.where(outcome == 0, 0, c + 1)


def joint_law(rho_ul: Floats, rho_dl: Floats, mix: Floats) -> Floats:
    """Probabilities of the four outcomes with given marginals; `mix` in [0, 1] moves between the Fréchet ends, (n, 4)."""
    low, high = np.maximum(0.0, rho_ul + rho_dl - 1.0), np.minimum(rho_ul, rho_dl)
    both = low + mix * (high - low)
    return np.stack([both, rho_ul - both, rho_dl - both, 1.0 - rho_ul - rho_dl + both], axis=1).clip(0.0, 1.0)


def worst_direction(X: Floats, M: Floats) -> Floats:
    """The direction in which V grows most under M, Eq. (eq:alpha-raw), scaled to V = 1."""
    root = np.linalg.cholesky(X).T
    inverse = np.linalg.inv(root)
    _, _, right = np.linalg.svd(root @ M @ inverse)
    direction: Floats = inverse @ right[0]
    return direction
