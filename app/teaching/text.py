"""Text that changes in place."""

from __future__ import annotations

import panel as pn
from bokeh.models import Div

from app.teaching.figure_pane import FigurePane


class LiveText(pn.viewable.Viewer):
    """HTML whose text can be replaced.

    A Bokeh Div, because a Panel pane that changes in a notebook sends its style sheets again, by their address on a
    content network.
    """

    def __init__(self, html: str = "") -> None:
        super().__init__()
        self._div = Div(text=html, sizing_mode="stretch_width")
        self._pane = FigurePane(self._div)

    @property
    def html(self) -> str:
        """What is shown."""
        return self._div.text

    def show(self, html: str) -> None:
        """Show something else, in a notebook's page too."""
        self._div.text = html
        pn.io.push_notebook(self._pane)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane
