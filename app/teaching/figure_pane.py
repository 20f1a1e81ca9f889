"""A Bokeh figure in a notebook that can also be served."""

from __future__ import annotations

from typing import Any

import panel as pn


class FigurePane(pn.pane.Bokeh):
    """pn.pane.Bokeh, except that a template's design stays off the figure.

    `panel serve notebook.ipynb` sets `design` on every pane, and Panel 1.9 hands it on to the figure, which has no such
    property: the page would end in an error.
    """

    def _track_overrides(self, *events: Any) -> None:
        super()._track_overrides(*(e for e in events if e.name != "design"))
