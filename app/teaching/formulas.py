r"""Formulas in LaTeX with the number that the paper gives them.

They are written here and not in the notebooks' text, because `panel serve` reads a backslash in text as an escape.
"""

from __future__ import annotations

from typing import Any

import panel as pn
from bokeh.models import Div

from app.panel_fixes.figure_pane import FigurePane
from app.teaching.equations import equation_number
from core.errors import SafeExplorerError

PAPER = {
    "eq:plant-dynamics": r"p(k+1) = p(k) + T_s\,u(k) + w(k)",
    "eq:lqr-law": r"u(k) = -k\,e(k), \qquad e = \hat p - p^{\mathrm{ref}}",
    "eq:rmse": r"\mathrm{RMSE}(k) = N^{-1/2}\,\lVert P(k) - P^{\mathrm{ref}}(k)\rVert_{\mathrm F}",
    "eq:dt-confidence-set": r"\Pr\{\omega^{\mathrm{real}}(k) \in \mathcal C^{\mathrm{DT}}_k\} \ge 1-\beta",
    "eq:directional-delivery": r"\rho^{\chi}(\pi) = 1 - q^{\chi}_{\mathrm{service}}(\pi), \qquad \chi \in \{\mathrm{ul},\mathrm{dl}\}",
    "eq:markov-failure-tail": r"\Pr\{Y_1 = 1,\dots,Y_L = 1\} \le \mu_1\,p_{11}^{\,L-1}",
    "eq:markov-failure-tolerance": r"g = \min\{L \ge 1 : H_T\,\mu_1\,p_{11}^{\,L-1} \le \delta_T\}",
    "eq:tuple-interaction-cert": r"T^{\mathrm{cert}}(\pi) = g(\pi)\,T_s",
    "eq:augmented-lyapunov": r"W = V + \lambda_\Sigma \operatorname{tr}\Sigma",
    "eq:robust-alpha": r"\bar\alpha(q,c) = \max\{\bar\alpha_{\mathrm{nf}}(q),\ \alpha_{(c+1)}(q)\}",
    "eq:covariance-endpoint-envelope": r"\Psi_\Sigma = \operatorname{tr}\Sigma_{\mathrm{proc}} + "
    r"\begin{cases} \Delta_\Sigma & \Delta_\Sigma \ge 0\\ \rho^{\mathrm{ul}}\,\Delta_\Sigma & \Delta_\Sigma < 0 \end{cases}"
    r"\qquad \Delta_\Sigma = \operatorname{tr}\Sigma_{\mathrm{meas}} + h^{\mathrm{ul}}\operatorname{tr}\Sigma_{\mathrm{proc}}"
    r" - \operatorname{tr}\Sigma - \operatorname{tr}\Sigma_{\mathrm{proc}}",
    "eq:drift-bound": r"\Phi(\zeta,q) = \bigl(\bar\alpha(q,c) - 1\bigr)\,V + \lambda_\Sigma\,\Psi_\Sigma(\zeta,q)",
    "eq:safe-certificate-region": r"\mathcal Q^{\mathrm{safe}} = \{\, q : \Phi(\zeta,q) \le 0 \,\}",
    "eq:allocation-baseline": r"U(\pi) = B - \Phi(\zeta,q(\pi)), \qquad B = \begin{cases} J^0 & \text{hold admissible}\\"
    r" J^{\mathrm{safe}} & \text{otherwise} \end{cases}",
    "eq:p2-reduced": r"\max_{\pi_1,\dots,\pi_N}\ \sum_i U_i(\pi_i) \quad \text{s.t.} \quad \sum_i s_i(\pi_i) \le S",
    "eq:p2-dp-recurrence": r"F_i(b) = \max_{\pi:\ s_i(\pi) \le b} \bigl\{ F_{i-1}\bigl(b - s_i(\pi)\bigr) + U_i(\pi) \bigr\},"
    r" \qquad F_0(b) = 0",
    "eq:lmi-certificate": r"\min_X\ \operatorname{tr} X \quad \text{s.t.} \quad X \succeq \varepsilon I, \quad "
    r"M_{11}^{\mathsf T} X M_{11} - X \preceq -\varepsilon I \quad \forall\ 0 \le h^{\mathrm{ul}},h^{\mathrm{dl}} \le h_{\max}",
    "eq:alpha-raw": r"\alpha_\xi = \lambda_{\max}\bigl( X^{-1/2}\, M_\xi^{\mathsf T}\, X\, M_\xi\, X^{-1/2} \bigr)",
}
"""Equations of the paper in the course's notation, by label."""

OURS = {
    "margin": (r"m_\beta = s_{(\lceil (n+1)(1-\beta) \rceil)}", "split conformal"),
    "packet-error": (
        r"\varepsilon = Q\!\left(\frac{nC - k + \tfrac12\log_2 n}{\sqrt{nV}}\right), \qquad C = \log_2(1+\gamma)",
        "normal approximation",
    ),
    "link-budget": (
        r"\gamma = P_{\mathrm{tx}} - L(d,h) - N - M_x + \Delta_{\mathrm{SNR}} \quad [\mathrm{dB}]",
        "link budget",
    ),
    "energy": (r"V = z^{\mathsf T} X z, \qquad z = \bigl(e(k), e(k-1), \dots, e(k-H)\bigr)", "Section II"),
    "repaired-drift": (
        r"\Phi = (\bar\alpha(q,c^\ast) - 1)\,V + \lambda_\Sigma\,\Psi_\Sigma + X_{00}\operatorname{tr}\Sigma_{\mathrm{proc}},"
        r" \qquad c^\ast = \max(c, g-1)",
        "D8, D9, D11",
    ),
    "dominance": (
        r"\pi' \triangleright \pi \iff q(\pi') \succeq q(\pi),\ \ s(\pi') \le s(\pi),\ \ \text{one of them strictly}",
        "dominance",
    ),
    "path": (
        r"\hat e(j+1) = \hat e(j) + T_s\,u - (r_{k+j+1} - r_{k+j}), \qquad "
        r"u = \begin{cases} \hat u & \text{without the command}\\ -k\,\hat e(0) & \text{with it} \end{cases}",
        "D23",
    ),
    "predicted-value": (
        r"G = \frac1L \sum_{j=1}^{L} \bigl(V^0_j - V^1_j\bigr), \qquad U = \lambda_\Sigma\,\rho^{\mathrm{ul}}\,T + "
        r"\begin{cases} \rho^{\mathrm{dl}}\,G & G \ge 0\\ G & G < 0 \end{cases}",
        "D23",
    ),
    "paired": (
        r"\bar d \pm t_{n-1,\,0.975}\ \frac{s_d}{\sqrt n}, \qquad d_i = x_i - y_i",
        "Student",
    ),
    "lag": (r"v = k\,e \quad\Longrightarrow\quad e = v/k", "D20"),
}
"""Formulas that the paper does not number, or that a decision changes: LaTeX and where it comes from."""


class Formula(pn.viewable.Viewer):
    """One formula: JupyterLab typesets it itself, a served page does it with the MathJax that comes with Bokeh.

    Args:
        tex: LaTeX.
        tag: number or source, in parentheses at its side.
    """

    def __init__(self, tex: str, tag: str) -> None:
        super().__init__()
        self.tex, self.tag = tex, tag

    @property
    def latex(self) -> str:
        """The formula as display mathematics."""
        return f"$${self.tex} \\qquad (\\text{{{self.tag}}})$$"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/latex": self.latex, "text/plain": f"({self.tag})"}

    def __panel__(self) -> pn.viewable.Viewable:
        return FigurePane(Div(text=self.latex, sizing_mode="stretch_width"))


def formula(name: str) -> Formula:
    """A formula of the course.

    Args:
        name: label of the paper's equation, such as "eq:drift-bound", or one of OURS.
    """
    if name in PAPER:
        return Formula(PAPER[name], str(equation_number(name)))
    if name in OURS:
        return Formula(*OURS[name])
    raise SafeExplorerError(f"The course has no formula {name!r}; it has {', '.join((*PAPER, *OURS))}.")
