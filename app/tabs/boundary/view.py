"""Tab 1, the safety boundary: which certificates are safe for this state, and which states for this certificate."""

from __future__ import annotations

import html

import panel as pn
from bokeh.events import Tap

from app.components.tab_view import TabView, caption, equation
from app.figures.key import key_html
from app.figures.plot import as_high, at_least
from app.handbook.documents import decisions_linked
from app.moves import ghost_name
from app.picture import Picture
from app.tabs.boundary.figure import boundary_figure, update_boundary
from core.figures.arrays.boundary import share
from core.figures.arrays.fields import STATES, Certificate
from core.instant import Focus

TALL = "min(max(420px, 100vh - 380px), 60vw)"
"""Of the maps together: the page's height, less what stands above them; not much higher than wide."""
LEAST_PX = 420
"""Width that a map needs; where there is less for two, they stand one under the other."""

EQUATION = {
    "repaired": r"\Phi(\zeta,q)=\bigl(\bar\alpha(q,c^\star)-1\bigr)V+\lambda_\Sigma\Psi_\Sigma(\zeta,q)+X_{00}\,\mathrm{tr}\,\Sigma_{proc}"
    r"\;\le\;0,\qquad c^\star=\max(c,\,g-1)",
    "paper": r"\Phi(\zeta,q)=\bigl(\max\{\bar\alpha_{nf}(q),\,\alpha_{(c+1)}(q)\}-1\bigr)V+\lambda_\Sigma\Psi_\Sigma(\zeta,q)"
    r"\;\le\;0\quad\text{and}\quad c<g,\qquad c=c_{fail}",
}
EQUATION["predicted"] = EQUATION["repaired"]  # the prediction decides what an action is worth, not whether it is safe
"""What is computed, in each formulation."""

COLUMN = {
    "repaired": "taken at the staleness c* = max(c, g−1) that it allows (D11)",
    "paper": "taken at the failed run c; the printed gate refuses g ≤ c whatever Φ says (D11)",
}
COLUMN["predicted"] = COLUMN["repaired"]
"""What a column of the first map stands for, in each formulation."""

BESIDE = {
    "drift": "",
    "reach": "<b>Admission is by reach (D24)</b>: Φ is shown, but whether the UAV could leave its corridor decides. ",
    "none": "<b>Admission is off (D24)</b>: Φ is shown, but refuses nothing. ",
}
"""What Φ means where another rule admits."""

KEY = (
    ("line", "Φ = 0"),
    ("circle", "admitted"),
    ("x", "refused"),
    ("triangle", "admitted against the colour"),
    ("inverted_triangle", "refused against the colour (hover says why)"),
    ("ring", "action in focus"),
    ("square", "allocator's choice"),
    ("hatch", "refused whatever Φ says"),
    ("domain", "admissible domain"),
    ("dotted", "hold-admissible"),
    ("cross", "this loop"),
    ("other", "other loops"),
)
"""Legend of the three maps."""
OF_PART = {
    "certificate": ("line", "circle", "x", "triangle", "inverted_triangle", "ring", "square"),
    "ways": ("line", "circle", "x", "ring", "square"),
    "plane": ("line", "domain", "dotted", "cross", "other"),
}
"""What of it belongs to a map that stands alone."""


class BoundaryView(TabView):
    """Φ over (g, ρ_ul) and over (ρ_ul, ρ_dl) with the actions on it, and over the state plane; a click sets the state."""

    title = "Safety boundary"
    name_in_link = "boundary"
    of_a_flight = True
    parts = ("certificate", "ways", "plane")

    def build(self) -> pn.viewable.Viewable:
        self.figure = boundary_figure()
        self.figure.plane.on_event(Tap, self._set_state)
        for name in ("candidates", "pairs"):
            self.figure.sources[name].selected.on_change(
                "indices", lambda _a, _o, new, n=name: self._set_action(n, new)
            )
        at_least(as_high(self.figure.certificate, TALL, stacked=False), LEAST_PX)
        for plot in (self.figure.ways, self.figure.plane):
            as_high(plot, f"{TALL} / 2")
        self.maps = {
            name: pn.pane.Bokeh(getattr(self.figure, name), sizing_mode="stretch_width", margin=2)
            for name in self.parts
        }
        left, *right = self.maps.values()
        self._alone, self._entries = "", list(KEY)
        self.key = caption()
        self.legend = caption()
        self.equation = equation()
        return pn.Column(
            pn.Row(
                left,
                pn.Column(*right, sizing_mode="stretch_width", styles={"min-width": f"{LEAST_PX}px"}, margin=0),
                sizing_mode="stretch_width",
                styles={"flex-wrap": "wrap"},
            ),
            self.key,
            self.legend,
            self.equation,
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        focus, before = picture.focus, picture.ghost.focus if picture.ghost is not None else None
        update_boundary(self.figure, focus, before)
        ghost = [("ghost", f"Φ = 0 {ghost_name(picture)}")] if before is not None else []
        self._entries = [KEY[0], *ghost, *KEY[1:]]
        self._show_key()
        self.equation.object = f"$${EQUATION[focus.model.formulation]}$$"
        self.legend.object = f"<div>{boundary_words(focus)}</div>"

    def present(self, part: str) -> None:
        super().present(part)
        self._alone = part
        self._show_key()

    def unpresent(self) -> None:
        super().unpresent()
        self._alone = ""
        self._show_key()

    def _show_key(self) -> None:
        wanted = OF_PART.get(self._alone)
        self.key.object = key_html(
            [entry for entry in self._entries if wanted is None or entry[0] in (*wanted, "ghost")]
        )

    def part(self, name: str) -> tuple[pn.viewable.Viewable, ...]:
        return self.maps[name], self.key

    def _set_state(self, event: Tap) -> None:
        picture = self.shown
        if picture is None or event.x is None or event.y is None:
            return
        m = picture.focus.model
        part = (event.y - m.sigma_min) / (m.sigma_max - m.sigma_min)
        self.session.state.move({"v_ratio": _clipped(event.x), "sigma_share": _clipped(part)})

    def _set_action(self, name: str, new: list[int]) -> None:
        keys = self.figure.keys.get(name, [])
        if new and new[0] < len(keys):
            self.session.state.param.update(action=keys[new[0]], hold=True)


def boundary_words(focus: Focus) -> str:
    """What the maps are drawn for, as HTML."""
    c = Certificate.of(focus)
    g = f"g = {c.g}" if c.g else "no certificate"
    drawn = f"ρ_ul = {share(c.rho_ul)}, ρ_dl = {share(c.rho_dl)}, {g}"
    return decisions_linked(
        f"{BESIDE[focus.allocation.admission.rule]}All three maps show {html.escape(c.name)} ({drawn}) with two of its numbers "
        f"varied. Left: each column is one g, {COLUMN[focus.model.formulation]}. Right: actions of the same g, then other states; "
        "click the state plane to move the loop there, click a mark to put its action in focus."
    )


def _clipped(value: float) -> float:
    """Into the bounds of the plane."""
    return min(max(float(value), 0.0), STATES)
