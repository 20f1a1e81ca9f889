"""Contraction factors of one control setting, and what they look like (lesson 03)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.teaching.charts import bar_chart
from app.teaching.explorer import Explorer, field_slider, slider
from core.control import OUTCOMES, ContractionFactors, certificate_matrix, contraction_factors, lqr_gain
from core.errors import SafeExplorerError
from core.scenario import Scenario

Floats = NDArray[np.float64]
NAMES = {(1, 1): "α₁₁", (1, 0): "α₁₀", (0, 1): "α₀₁", (0, 0): "α₀₀"}


@dataclass(frozen=True)
class Setting:
    """Arguments of the LMI; the defaults are the smallest setting in which lem:mode-order fails (D6)."""

    H: int = 2
    h_max: int = 2
    a: float = 0.2
    split: tuple[float, float, float] = (0.0, 0.5, 0.5)

    @property
    def X(self) -> Floats:
        """Certificate matrix, Eq. (eq:lmi-certificate)."""
        return certificate_matrix(H=self.H, h_max=self.h_max, a=self.a, split=self.split)

    @property
    def factors(self) -> ContractionFactors:
        """Its contraction factors."""
        return contraction_factors(self.X, H=self.H, h_max=self.h_max, a=self.a, split=self.split)


def level_set(X: Floats, M: Floats | None = None, points: int = 181) -> tuple[Floats, Floats]:
    """The curve V = 1 of a 2×2 certificate matrix, or what one cycle makes of it.

    Args:
        X: shape (2, 2).
        M: lifted matrix of one outcome, shape (2, 2).
        points: of the curve.
    """
    t = np.linspace(0.0, 2 * np.pi, points)
    z = np.linalg.inv(np.linalg.cholesky(X).T) @ np.array([np.cos(t), np.sin(t)])
    moved = z if M is None else M @ z
    return moved[0], moved[1]


def bars_of(f: ContractionFactors) -> dict[str, float]:
    """The four factors and the run factors by name."""
    return {**{NAMES[o]: f.raw[o] for o in OUTCOMES}, **{f"α_({j + 1})": float(v) for j, v in enumerate(f.run_raw)}}


def largest_feasible_gain(H: int, h_max: int, split: tuple[float, float, float], step: float = 0.01) -> float:
    """Largest loop gain a on a grid for which the LMI has a solution; feasibility is lost once and for all."""
    low, high = 0, round(2.0 / step)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            certificate_matrix(H=H, h_max=h_max, a=middle * step, split=split)
            low = middle
        except SafeExplorerError:
            high = middle
    return round(low * step, 10)


def explore_contraction(scenario: Scenario) -> Explorer:
    """Move authority between uplink and downlink, make the loop faster, deepen the buffer."""
    c = scenario.control
    start = bars_of(Setting(c.H, c.h_max, 0.4, c.split).factors)
    chart = bar_chart("Growth of V in one cycle (below 1 it falls)", "α [-]", start, level=1.0)

    def update(R: float, w_u: float, w_d: float, H: int, h_max: int) -> str:
        if w_u + w_d > 1:
            raise SafeExplorerError("w_u + w_d must not exceed 1.")
        a = c.Ts * lqr_gain(c.Ts, c.Q, R)
        f = Setting(H, h_max, a, (1 - w_u - w_d, w_u, w_d)).factors
        bars = bars_of(f)
        chart.plot.x_range.factors = list(bars)
        chart.draw({"bars": (list(bars), list(bars.values()))})
        order = (
            "the mode order of the lemma holds here"
            if not f.closure_changed
            else "the lemma FAILS here and D6 raises a factor"
        )
        return f"a = {a:.3f}: one complete exchange keeps {f.raw[1, 1]:.1%} of V, losing everything multiplies it by {f.raw[0, 0]:.2f}; {order}."

    return Explorer(
        {
            "R": field_slider("control.R", start=0.05, end=2.0),
            "w_u": field_slider("control.w_u"),
            "w_d": field_slider("control.w_d"),
            "H": slider("H [cycles]", 1, 6, 1, c.H),
            "h_max": slider("h_max [cycles]", 1, 3, 1, c.h_max),
        },
        [chart],
        update,
    )
