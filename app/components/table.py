"""A small sortable table: one light component, rows as plain data, a click on a row is an event."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import param
from panel.custom import JSComponent


class SortableTable(JSComponent):
    """Columns are {title, digits | None}; a click on a head sorts in the browser, a click on a row sets `picked`."""

    columns = param.List(doc="Title and digits (None for text) of each column.")
    rows = param.List(doc="One list of values per row; None is drawn as a dash.")
    picked = param.Integer(-1, bounds=(-1, None), doc="Index in `rows` of the last clicked row.")
    marked = param.Integer(-1, bounds=(-1, None), doc="Index in `rows` of the row to mark.")

    _esm = Path(__file__).with_name("table.js")
    _stylesheets: ClassVar[list[str]] = [Path(__file__).with_name("table.css").read_text()]
