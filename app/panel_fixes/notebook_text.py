"""A repair of Panel 1.9: text that changes in a notebook asks nobody outside.

A Panel pane that changes sends its style sheets again, by their address on a content network, although they were inline when
the cell was drawn. A Bokeh Div sends its text alone.
"""

from __future__ import annotations

import panel as pn
from bokeh.models import Div

from app.panel_fixes.figure_pane import FigurePane


class LiveText(pn.viewable.Viewer):
    """HTML whose text can be replaced."""

    def __init__(self, html: str = "") -> None:
        super().__init__()
        self._div = Div(text=html, sizing_mode="stretch_width")
        self._pane = FigurePane(self._div)

    @property
    def html(self) -> str:
        """What is shown."""
        return str(self._div.text)

    def show(self, html: str) -> None:
        """Show something else, in a notebook's page too."""
        self._div.text = html
        pn.io.push_notebook(self._pane)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
