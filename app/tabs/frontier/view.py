"""Tab 2, the certified frontier of the loop in focus, and what the next cycles bring with and without an exchange."""

from __future__ import annotations

import html

import panel as pn

from app.components.tab_view import TabView, caption, equation
from app.figures.key import key_html
from app.figures.plot import as_high
from app.handbook.documents import decisions_linked
from app.moves import ghost_name
from app.picture import Picture
from app.tabs.frontier.figure import frontier_figure, update_frontier
from app.tabs.frontier.prediction import prediction_figure, update_prediction
from core.figures.arrays.prediction import prediction_words
from core.instant import Focus

HEIGHT = "max(400px, 100vh - 620px)"
"""Of the frontier: the page's, less what stands above it and the prediction below."""
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

KEY = (
    ("action", "action"),
    ("admitted", "admitted"),
    ("frontier", "frontier (colour: T_cert)"),
    ("best", "best value for at most s slots"),
    ("focus", "in focus"),
    ("choice", "allocator's choice"),
    ("rival", "named in the sentence"),
)
"""Legend of the frontier."""


class FrontierView(TabView):
    """Slot cost × value; a click on an action explains its verdict; below it the prediction behind the value."""

    title = "Certified frontier"
    name_in_link = "frontier"
    of_a_flight = True
    parts = ("actions", "prediction")

    def build(self) -> pn.viewable.Viewable:
        self.figure = frontier_figure(legend=False)  # the line under the plot says it even where there is nothing
        self.prediction = prediction_figure()
        self.figure.sources["actions"].selected.on_change("indices", lambda _a, _o, new: self._set_action(new))
        self.explanation = caption()
        self.ghost = caption()
        self.ahead = caption()
        self.equation = equation()
        self.plot = pn.pane.Bokeh(as_high(self.figure.plot, HEIGHT), sizing_mode="stretch_width")
        self.key = caption(key_html(KEY, ground=""))
        self.curves = pn.Row(
            *(
                pn.pane.Bokeh(as_high(plot, f"{plot.height}px", stacked=False), sizing_mode="stretch_width")
                for plot in (self.prediction.energy, self.prediction.distance)
            ),
            sizing_mode="stretch_width",
            styles={"flex-wrap": "wrap"},
        )
        return pn.Column(
            self.plot,
            self.key,
            self.ghost,
            self.explanation,
            self.curves,
            self.ahead,
            self.equation,
            caption(
                "Dot: feasible on the network. Ring: admitted at this state. Diamond: nothing cheaper is at least as good in all "
                "five coordinates (one under the upper edge survives when its certificate cannot be compared). Click an action to "
                "have it explained."
            ),
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        focus, before = picture.focus, picture.ghost.focus if picture.ghost is not None else None
        update_frontier(self.figure, focus, before)
        update_prediction(self.prediction, focus, before)
        frontier = rf"\Pi^{{fr}}=\{{\pi:{ADMITTED[focus.allocation.admission.rule]}{FRONTIER}"
        self.equation.object = rf"$${VALUE[focus.model.formulation]},\qquad {frontier}$$"
        self.explanation.object = f"<div>{frontier_words(focus)}</div>"
        self.ahead.object = f"<div>{html.escape(str(prediction_words(focus)))}</div>"
        ghost = f"Dashed lines and hollow diamonds: {html.escape(ghost_name(picture))}." if before is not None else ""
        self.ghost.param.update(object=f"<div>{ghost}</div>", visible=bool(ghost))

    def part(self, name: str) -> tuple[pn.viewable.Viewable, ...]:
        return {"actions": (self.plot, self.key), "prediction": (self.curves,)}[name] + (self.ghost,)

    def _set_action(self, new: list[int]) -> None:
        if new and new[0] < len(self.figure.keys):
            self.session.state.param.update(action=self.figure.keys[new[0]], hold=True)


def frontier_words(focus: Focus) -> str:
    """Which action is in focus and why the loop is served or not, as HTML; the verdict itself stands in the strip."""
    why = decisions_linked(html.escape(str(focus.why)))
    if focus.held is None:
        return why
    return (
        f"<b>In focus</b>: {html.escape(focus.held.exchange.route)}, {html.escape(focus.held.exchange.coding)}. {why}"
    )
