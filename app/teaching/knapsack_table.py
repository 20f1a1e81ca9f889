"""The table of the dynamic program filling in, row by row and slot by slot (lesson 05)."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.panel_fixes.notebook_text import LiveText
from app.teaching.explorer import Explorer, slider
from core.allocation import solve_knapsack
from core.style import FOCUS, SAFE_SIDE

CELL = "padding: 2px 5px; border: 1px solid #80808055; text-align: right; font-variant-numeric: tabular-nums; min-width: 26px"


def rows_of(values: Sequence[ArrayLike], slots: Sequence[ArrayLike], budget: int) -> NDArray[np.float64]:
    """F_i(b) for i = 0 … N, b = 0 … budget (eq:p2-dp-recurrence), shape (N+1, budget+1)."""
    curves = [solve_knapsack(values[:i], slots[:i], budget).curve for i in range(1, len(values) + 1)]
    return np.vstack([np.zeros(budget + 1), *curves])


def explore_knapsack(names: str, values: Sequence[ArrayLike], slots: Sequence[ArrayLike], budget: int) -> Explorer:
    """Fill the table: which cells of the row above one cell looks at, and which of them wins.

    Args:
        names: one letter per loop.
        values, slots: of each loop's actions.
        budget: the last column.
    """
    F = rows_of(values, slots, budget)
    text = LiveText()

    def update(row: int, b: int) -> str:
        options = {0: (b, 0.0)}
        for n, (value, cost) in enumerate(
            zip(np.atleast_1d(values[row - 1]), np.atleast_1d(slots[row - 1]), strict=True)
        ):
            if cost <= b:
                options[n + 1] = (int(b - cost), float(value))
        best = max(options, key=lambda n: F[row - 1, options[n][0]] + options[n][1])
        text.show(_table(names, F, row, b, {at for at, _ in options.values()}, options[best][0]))
        sums = ", ".join(f"{F[row - 1, at]:g} + {value:g}" for at, value in options.values())
        what = "nothing" if best == 0 else f"its action of {int(np.atleast_1d(slots[row - 1])[best - 1])} slots"
        return f"F({names[row - 1]}, {b}) = max({sums}) = {F[row, b]:g}: loop {names[row - 1]} gets {what}."

    return Explorer(
        {"row": slider("loop (row)", 1, len(values), 1, 1), "b": slider("slots b (column)", 0, budget, 1, 6)},
        [text],
        update,
    )


def _table(names: str, F: NDArray[np.float64], row: int, b: int, looked_at: set[int], winner: int) -> str:
    """The table as far as it is filled, the cell in question and those it looks at in colour."""
    head = "".join(f'<th style="{CELL}">{j}</th>' for j in range(F.shape[1]))
    lines = []
    for i in range(F.shape[0]):
        cells = []
        for j in range(F.shape[1]):
            filled = i < row or (i == row and j <= b)
            style = CELL
            if (i, j) == (row, b):
                style += f"; background: {FOCUS}; color: black"
            elif i == row - 1 and j in looked_at:
                style += f"; outline: 2px solid {SAFE_SIDE}" + ("; font-weight: bold" if j == winner else "")
            cells.append(f'<td style="{style}">{f"{F[i, j]:g}" if filled else ""}</td>')
        label = html.escape(f"after {names[i - 1]}") if i else "nobody"
        lines.append(f'<tr><th style="{CELL}">{label}</th>{"".join(cells)}</tr>')
    return f'<table style="border-collapse: collapse; font-size: 13px"><tr><th style="{CELL}">F</th>{head}</tr>{"".join(lines)}</table>'
