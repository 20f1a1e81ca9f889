"""Tab 1, the safety boundary: which certificates are safe for this state, and which states for this certificate."""

from __future__ import annotations

import html
from typing import Any

import panel as pn
from bokeh.events import Tap

from app.figures.boundary import boundary_figure, update_boundary
from app.picture import Picture
from app.views.base import TabView, caption, equation

KEY = (
    "<b>━</b> Φ = 0 &nbsp; ○ refused candidate &nbsp; ● admitted one &nbsp; <span style='color:#E69F00'>◯</span> focused action"
    " &nbsp;|&nbsp; ▭ admissible domain &nbsp; ┄ hold-admissible &nbsp; <span style='opacity:.6'>●</span> other loops &nbsp;"
    " <span style='color:#E69F00'>✚</span> this loop"
)
"""Legend of both plots."""

EQUATION = {
    "repaired": r"\Phi(\zeta,q)=\bigl(\bar\alpha(q,c^\star)-1\bigr)V+\lambda_\Sigma\Psi_\Sigma(\zeta,q)+X_{00}\,\mathrm{tr}\,\Sigma_{proc}"
    r"\;\le\;0,\qquad c^\star=\max(c,\,g-1)",
    "paper": r"\Phi(\zeta,q)=\bigl(\max\{\bar\alpha_{nf}(q),\,\alpha_{(c+1)}(q)\}-1\bigr)V+\lambda_\Sigma\Psi_\Sigma(\zeta,q)"
    r"\;\le\;0\quad\text{and}\quad c<g,\qquad c=c_{fail}",
}
EQUATION["predicted"] = EQUATION["repaired"]  # the prediction decides what an action is worth, not whether it is safe
"""What is computed, in each formulation."""

COLUMN = {
    "repaired": "evaluated at the staleness c* = max(c, g−1) that it allows (D11)",
    "paper": "evaluated at the failed run c; the printed gate refuses the hatched columns g ≤ c whatever Φ says (D11)",
}
COLUMN["predicted"] = COLUMN["repaired"]
"""What a column of the left map stands for, in each formulation."""


BESIDE = {
    "drift": "",
    "reach": "<b>Admission is by reach (D24)</b>: Φ is shown, but whether the UAV could leave its corridor decides. ",
    "none": "<b>Admission is off (D24)</b>: Φ is shown, but refuses nothing. ",
}
"""What Φ means where another rule admits."""


class BoundaryView(TabView):
    """Φ over (g, ρ_ul) with the candidates on it, and Φ over the state plane; a click sets the state."""

    title = "Safety boundary"

    def build(self) -> pn.viewable.Viewable:
        self.figure = boundary_figure(legend=False)  # the line under the plots says it in the theme's colours
        for plot in (self.figure.certificate, self.figure.plane):
            plot.update(aspect_ratio=1.18, min_height=380, max_height=640)
        self.figure.plane.on_event(Tap, self._set_state)
        self.figure.sources["candidates"].selected.on_change("indices", self._set_action)
        self.caption = caption()
        self.key = caption(KEY)
        self.equation = equation()
        self.legend = caption()
        return pn.Column(
            pn.Row(
                pn.pane.Bokeh(self.figure.certificate, sizing_mode="stretch_width"),
                pn.pane.Bokeh(self.figure.plane, sizing_mode="stretch_width"),
                sizing_mode="stretch_width",
            ),
            self.key,
            self.caption,
            self.equation,
            self.legend,
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        update_boundary(self.figure, picture)
        formulation = picture.inputs.scenario.formulation
        self.equation.object = f"$${EQUATION[formulation]}$$"
        self.legend.object = (
            f"<div>{BESIDE[picture.inputs.scenario.allocation.admission]}Left: each column is one interaction index g, {COLUMN[formulation]}; inside a column, dots run from cheap to dear. Colours are "
            "drawn for ρ_dl = ρ_ul (the control ρ_dl switches to the focused action's own), so a dot with another ρ_dl may differ: its fill tells "
            "the truth. Right: click anywhere to move the loop there. All loops stand where the flight has them at this cycle; what you move acts on "
            "top of it.</div>"
        )
        self.caption.object = f"<div><b>{html.escape(self.changed(picture))}</b></div>"

    def _set_state(self, event: Tap) -> None:
        picture = self.shown
        if picture is None or event.x is None or event.y is None:
            return
        m = picture.model
        share = (event.y - m.sigma_min) / (m.sigma_max - m.sigma_min)
        clip = lambda value: min(max(float(value), 0.0), 1.2)  # noqa: E731
        self.session.state.apply({"v_ratio": clip(event.x), "sigma_share": clip(share)})

    def _set_action(self, _attr: str, _old: Any, new: list[int]) -> None:
        if new:
            self.session.state.action = self.figure.sources["candidates"].data["key"][new[0]]
