"""Tab 3, the allocation: who gets which slots, what a slot is worth, and what other policies would do."""

from __future__ import annotations

import html
import math
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import panel as pn

from app.components.tab_view import TabView, caption, equation
from app.components.table import SortableTable
from app.figures.key import key_html
from app.figures.plot import as_high
from app.jobs.debounced import Debounced
from app.jobs.prices import benchmark_price, rivals_price
from app.moves import ghost_name
from app.picture import Picture
from app.tabs.allocation.figure import BEFORE, PINNED, allocation_figure, update_allocation
from app.tabs.allocation.policies import await_policies, policies_figure, update_policies
from app.tabs.allocation.words import allocation_words, regret_words
from core.allocation import Benchmark
from core.errors import PolicyError
from core.figures.tables.loops import COLUMNS
from core.instant import PolicyFrame
from core.wanted import Superseded, while_wanted

FRAME_KEY = (
    ("focus_block", "UAV in focus"),
    ("other_block", "other UAVs"),
    ("uncertified", "sent without a certificate"),
    ("pale", "reserved for a retransmission"),
)
CURVE_KEY = (("budget", "the frame's S slots"), ("reserve", "reserve"), ("value", "what P2 may spend, and its value"))
"""Legends of the frames and of the value of slots."""
Answer = tuple[Picture, tuple[PolicyFrame, ...], dict[str, str]]
"""Whose instant, what each policy would send, and by name what is wrong with those that cannot say."""
WAITING = "<div>P1, the benchmark over every unpruned action, is being solved …</div>"


class AllocationView(TabView):
    """The frame, what other policies would send, the value curve, the loops in a sortable table, and P1's regret."""

    title = "Allocation"
    name_in_link = "allocation"
    of_a_flight = True
    parts = ("frame", "policies")

    def build(self) -> pn.viewable.Viewable:
        self.figure, self.policies = allocation_figure(), policies_figure()
        for source in (self.figure.sources["frame"], self.policies.sources["blocks"]):
            source.selected.on_change("indices", lambda _a, _o, new, s=source: self._focus_block(s, new))
        self.table = SortableTable(
            columns=[{"title": t, "digits": d} for _, t, d in COLUMNS], sizing_mode="stretch_width", margin=(2, 10)
        )
        self.table.param.watch(self._focus_row, "picked")
        self.next = caption()
        self.regret = caption("P1 is being solved …")
        self.trouble = caption()
        work = self.session.work
        self.solver = Debounced(work, self._benchmark, self._show_regret, price=benchmark_price)
        self.rivals = Debounced(work, self._ask_policies, self._show_policies, price=lambda asked: rivals_price(*asked))
        self._asked: Picture | None = None
        self.session.state.param.watch(lambda *_: self._request_policies(), "policies")
        for plot, of_stage in ((self.figure.frame, 0.4), (self.figure.curve, 0.5), (self.figure.marginal, 0.5)):
            as_high(plot, f"{plot.height}px", stacked=plot is self.figure.frame, of_stage=of_stage)
        self.frame = pn.pane.Bokeh(self.figure.frame, sizing_mode="stretch_width")
        self.others = pn.pane.Bokeh(self.policies.plot, sizing_mode="stretch_width")
        self.frame_key, self.curve_key = (caption(key_html(key, ground="")) for key in (FRAME_KEY, CURVE_KEY))
        self.curves = pn.Row(
            pn.pane.Bokeh(self.figure.curve, sizing_mode="stretch_width"),
            pn.pane.Bokeh(self.figure.marginal, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
            styles={"flex-wrap": "wrap"},
        )
        return pn.Column(
            self.frame,
            self.others,
            self.trouble,
            self.frame_key,
            caption(
                "ΔW: expected change of W = V + λ·tr Σ summed over the swarm, in V_max, by this page's own values; less is better. "
                "Click a block to put its UAV in focus."
            ),
            self.curves,
            self.curve_key,
            self.next,
            self.regret,
            self.table,
            caption("Click a row to put its UAV in focus; click a column's head to sort."),
            equation(r"F_i(b)=\max_{\pi\in\bar\Pi_i,\ s_i(\pi)\le b}\bigl\{F_{i-1}(b-s_i(\pi))+U_i(\pi)\bigr\}"),
            sizing_mode="stretch_width",
        )

    def show(self, picture: Picture) -> None:
        focus, before = picture.focus, picture.ghost.focus if picture.ghost is not None else None
        data = update_allocation(self.figure, focus, before, PINNED if picture.pinned is not None else BEFORE)
        self.table.param.update(rows=table_rows(data["table"]), marked=focus.loop)
        ghost = (
            f"<br>Dashed: frame and value of slots {html.escape(ghost_name(picture))}." if before is not None else ""
        )
        self.next.object = f"<div>{html.escape(str(allocation_words(focus)))}{ghost}</div>"
        self.regret.object = WAITING
        self._asked = picture
        self.solver.request(picture)
        self._request_policies()

    def part(self, name: str) -> tuple[pn.viewable.Viewable, ...]:
        return {"frame": (self.frame, self.curves, self.curve_key), "policies": (self.others, self.frame_key)}[name] + (
            self.trouble,
        )

    def _request_policies(self) -> None:
        if self._asked is not None:
            await_policies(self.policies)
            state = self.session.state
            self.rivals.request((self._asked, tuple(dict.fromkeys((*state.policies, state.policy)))))

    def _ask_policies(self, asked: tuple[Picture, tuple[str, ...]]) -> Answer:
        picture, names = asked
        failed: dict[str, str] = {}
        while True:
            able = [name for name in names if name not in failed]
            try:
                with self._wanted(picture):
                    return picture, picture.instant.other_policies(able), failed
            except PolicyError as error:  # one that breaks does not silence the others
                if error.policy not in able:
                    raise
                failed[error.policy] = str(error)

    def _benchmark(self, picture: Picture) -> tuple[Picture, Benchmark]:
        with self._wanted(picture):
            return picture, picture.instant.benchmark()

    def _wanted(self, picture: Picture) -> AbstractContextManager[None]:
        return while_wanted(lambda: self._asked is picture)

    def _show_policies(self, result: Answer | Exception | Superseded) -> None:
        if isinstance(result, Superseded) or (isinstance(result, tuple) and result[0] is not self._asked):
            return  # a newer picture asks again
        said = [str(result)] if isinstance(result, Exception) else list(result[2].values())
        text = f"{'Other' if isinstance(result, Exception) else 'Some'} policies could not be asked: {' '.join(said)}"
        self.trouble.param.update(object=f"<div>{html.escape(text)}</div>", visible=bool(said))
        if not isinstance(result, Exception):
            with pn.io.hold():
                update_policies(self.policies, result[0].focus, result[1])

    def _show_regret(self, result: tuple[Picture, Benchmark] | Exception | Superseded) -> None:
        if isinstance(result, Superseded):
            return
        if isinstance(result, Exception):
            self.regret.object = f"<div>P1 could not be solved: {html.escape(str(result))}</div>"
            return
        picture, found = result
        self.regret.object = f"<div>{html.escape(str(regret_words(picture.focus, found)))}</div>"

    def close(self) -> None:
        if "content" in self.__dict__:
            self._asked = None
            self.solver.close()
            self.rivals.close()

    def _focus_row(self, event: Any) -> None:
        if 0 <= event.new < len(self.table.rows):
            self.session.state.apply({"focus": int(self.table.rows[event.new][0])})

    def _focus_block(self, source: Any, new: list[int]) -> None:
        if new and new[0] < len(source.data["uav"]):
            self.session.state.apply({"focus": int(source.data["uav"][new[0]])})


def table_rows(columns: dict[str, Any]) -> list[list[Any]]:
    """Rows of plain values for the table; what is not a number is None."""
    lists = [np.asarray(columns[name]).tolist() for name, _, _ in COLUMNS]
    return [
        [None if isinstance(v, float) and not math.isfinite(v) else v for v in row] for row in zip(*lists, strict=True)
    ]
