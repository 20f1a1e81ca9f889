"""Tab 3, the allocation: who gets which slots, what a slot is worth, and what the reduction to the frontier costs."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np
import panel as pn

from app.figures.allocation import allocation_figure, update_allocation
from app.later import Later
from app.picture import Picture, benchmark
from app.table import SortableTable
from app.views.base import TabView, caption, equation
from core.allocation import Benchmark

COLUMNS = (
    ("uav", "UAV", 0),
    ("v", "V / V_max", 3),
    ("sigma", "tr Σ [m²]", 2),
    ("c", "c", 0),
    ("mode", "mode", None),
    ("slots", "slots", 0),
    ("U", "U / V_max", 4),
    ("phi", "Φ / V_max", 4),
    ("route", "route ↑ ↓", None),
    ("action", "n × attempts, pattern", None),
)
"""Column of the table's data, head, digits (None = text)."""


class AllocationView(TabView):
    """The frame, the value curve, the loops in a sortable table, and P1's regret."""

    title = "Allocation"

    def build(self) -> pn.viewable.Viewable:
        self.figure = allocation_figure()
        self.table = SortableTable(
            columns=[{"title": t, "digits": d} for _, t, d in COLUMNS], sizing_mode="stretch_width", margin=(2, 10)
        )
        self.table.param.watch(self._focus, "picked")
        self.caption = caption()
        self.next = caption()
        self.regret = caption("P1 is being solved …")
        self.later = Later(lambda picture: (picture, benchmark(picture)), self._show_regret)
        return pn.Column(
            pn.pane.Bokeh(self.figure.frame, sizing_mode="stretch_width"),
            self.next,
            pn.Row(
                pn.pane.Bokeh(self.figure.curve, sizing_mode="stretch_width"),
                pn.pane.Bokeh(self.figure.marginal, sizing_mode="stretch_width"),
                sizing_mode="stretch_width",
            ),
            self.caption,
            self.regret,
            self.table,
            equation(r"F_i(b)=\max_{\pi\in\bar\Pi_i,\ s_i(\pi)\le b}\bigl\{F_{i-1}(b-s_i(\pi))+U_i(\pi)\bigr\}"),
            caption("Click a row to focus its loop; click a column's head to sort."),
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        data = update_allocation(self.figure, picture)
        self.table.param.update(rows=table_rows(data["table"]), marked=picture.focus)
        self.caption.object = f"<div><b>{html.escape(self.changed(picture))}</b></div>"
        more, s = picture.next_useful, picture.inputs.scenario.network.slots
        if more is None:
            text = "Every loop has the action that is worth most to it: a longer frame would not raise the value."
        elif more.slots == s + 1:
            text = f"Slot {s + 1} would go to {more.who} and raise the value by {more.gain / picture.model.V_max:.4f} V_max."
        else:
            text = (
                f"Slot {s + 1} alone buys nothing: the next useful frame has {more.slots} slots, serves {more.who} better and raises the "
                f"value by {more.gain / picture.model.V_max:.4f} V_max."
            )
        self.next.object = f"<div>{html.escape(text)}</div>"

        self.regret.object = "<div>P1, the benchmark over every unpruned action, is being solved …</div>"
        self.later.request(picture)

    def _show_regret(self, result: tuple[Picture, Benchmark] | Exception) -> None:
        if isinstance(result, Exception):
            self.regret.object = f"<div>P1 could not be solved: {html.escape(str(result))}</div>"
            return
        picture, found = result
        unit = picture.model.V_max
        lost = found.regret(picture.allocation)
        refused = int((~found.admitted).sum())
        self.regret.object = (
            f"<div>P1 over every unpruned action reaches {found.value / unit:.4f} V_max; P2 on the certified frontier reaches "
            f"{picture.allocation.value / unit:.4f}: regret {lost / unit:.4f} V_max ({100 * lost / max(found.value, 1e-12):.2f} %). "
            f"P1 would send {refused} action{'s' if refused != 1 else ''} that admission refuses{_reserve(picture)}.</div>"
        )

    def close(self) -> None:
        if "content" in self.__dict__:
            self.later.close()

    def _focus(self, event: Any) -> None:
        if 0 <= event.new < len(self.table.rows):
            self.session.state.apply({"focus": int(self.table.rows[event.new][0])})


def _reserve(picture: Picture) -> str:
    """What else the regret is made of."""
    slots = picture.allocation.reserve
    return f"; the rest of the regret is the reserve of {slots} slots for synchronisation" if slots else ""


def table_rows(columns: dict[str, Any]) -> list[list[Any]]:
    """Rows of plain values for the table; what is not a number is None."""
    lists = [np.asarray(columns[name]).tolist() for name, _, _ in COLUMNS]
    return [
        [None if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in zip(*lists, strict=True)
    ]
