"""Tables that look the same in a notebook and in a served page, without any component that asks for more scripts."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import panel as pn

CELL = "padding: 3px 12px; border-bottom: 1px solid #80808055; text-align: right; font-variant-numeric: tabular-nums"

WORDS = "; text-align: left; white-space: normal"
LONG = 30
"""Characters from which a cell is a text that may take several lines."""


def say(text: str) -> pn.pane.HTML:
    """A line of text as a cell's output: printed text would be lost in a served page."""
    return pn.pane.HTML(
        f'<p style="font-size: 15px; margin: 4px 0">{html.escape(text)}</p>', sizing_mode="stretch_width"
    )


def table(columns: Mapping[str, Sequence[Any]], caption: str = "", digits: int = 3) -> pn.pane.HTML:
    """Columns side by side.

    Args:
        columns: heading → values, all of one length.
        caption: one line above.
        digits: significant digits of the numbers.
    """
    return pn.pane.HTML(table_html(columns, caption, digits), sizing_mode="stretch_width")


def matrix(values: Any, digits: int = 3) -> pn.pane.HTML:
    """A matrix, row by row.

    Args:
        values: shape (rows, columns).
        digits: significant digits.
    """
    rows = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{_text(v, digits)}</td>' for v in row) + "</tr>" for row in values
    )
    edge = "border-left: 2px solid #808080; border-right: 2px solid #808080; border-collapse: collapse"
    return pn.pane.HTML(f'<table style="{edge}"><tbody>{rows}</tbody></table>', sizing_mode="stretch_width")


def table_html(columns: Mapping[str, Sequence[Any]], caption: str = "", digits: int = 3) -> str:
    """The table as HTML, for panes that are redrawn in place."""
    head = "".join(f'<th style="{CELL}">{html.escape(str(c))}</th>' for c in columns)
    rows = "".join(
        "<tr>" + "".join(f'<td style="{CELL}{WORDS * _is_long(v)}">{_text(v, digits)}</td>' for v in row) + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    title = f'<p style="margin: 4px 0">{html.escape(caption)}</p>' if caption else ""
    return (
        f'{title}<table style="border-collapse: collapse"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > LONG


def _text(value: Any, digits: int) -> str:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return html.escape({True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value))
    number = float(value)
    if math.isnan(number):
        return "–"
    if number == int(number) if abs(number) < 1e15 else False:
        return str(int(number))
    return f"{number:.{digits}g}"
