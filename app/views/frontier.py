"""Tab 2, the certified frontier of the focused loop."""

from __future__ import annotations

import html
from typing import Any

import panel as pn

from app.figures.frontier import frontier_figure, update_frontier
from app.picture import Picture
from app.views.base import TabView, caption, equation

BOUNDED = r"U(\pi)=B(\zeta)-\Phi(\zeta,q(\pi))"
VALUE = {
    "predicted": r"U(\pi)=\rho_{dl}\,G+\lambda_\Sigma\,\rho_{ul}\,T",
    "repaired": BOUNDED,
    "paper": BOUNDED,
}
"""What the vertical axis shows, in each formulation."""
ADMITTED = {"drift": r"\Phi\le 0,\ ", "reach": r"g(\pi)-1<j_{exit},\ ", "none": ""}
"""What an action must pass, by rule of admission (D24)."""
FRONTIER = r"\nexists\,\pi'\ \text{with}\ q(\pi')\succeq q(\pi),\ s(\pi')\le s(\pi)\}"


class FrontierView(TabView):
    """Slot cost × value; a click on an action explains its verdict."""

    title = "Certified frontier"

    def build(self) -> pn.viewable.Viewable:
        self.figure = frontier_figure()
        self.figure.plot.update(aspect_ratio=2.2, min_height=400, max_height=640)
        for name in ("candidates", "safe", "frontier"):
            source = self.figure.sources[name]
            source.selected.on_change("indices", lambda _a, _o, new, s=source: self._set_action(s, new))
        self.explanation = caption()
        self.caption = caption()
        self.equation = equation()
        return pn.Column(
            pn.pane.Bokeh(self.figure.plot, sizing_mode="stretch_width"),
            self.explanation,
            self.caption,
            self.equation,
            caption(
                "Grey: feasible on the network. Ring: admitted at this state. Filled: nothing cheaper is at least as good in all "
                "five coordinates (a point under the upper edge survives when its certificate cannot be compared). Click an action to have it explained."
            ),
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        update_frontier(self.figure, picture)
        scenario = picture.inputs.scenario
        frontier = rf"\Pi^{{fr}}=\{{\pi:{ADMITTED[scenario.allocation.admission]}{FRONTIER}"
        self.equation.object = rf"$${VALUE[scenario.formulation]},\qquad {frontier}$$"
        a = picture.action
        if a.exists:
            c = picture.actions.candidates
            route, coding = picture.actions.route_in(c, a.index), picture.actions.coding_in(c, a.index)
            text = (
                f"<b>Focused action</b> (route {html.escape(route)}, n × attempts {html.escape(coding)}): "
                f"{html.escape(picture.chain['sentence'])}"
            )
        else:
            text = html.escape(picture.chain["sentence"])
        self.explanation.object = f"<div>{text}</div>"
        self.caption.object = f"<div><b>{html.escape(self.changed(picture))}</b></div>"

    def _set_action(self, source: Any, new: list[int]) -> None:
        if new and len(source.data["key"]) > new[0]:
            self.session.state.action = source.data["key"][new[0]]
