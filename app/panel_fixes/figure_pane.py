"""A repair of Panel 1.9: a Bokeh figure in a notebook that can also be served.

`panel serve notebook.ipynb` sets `design` on every pane, and Panel hands it on to the figure, which has no such property: the
page would end in an error.
"""

from __future__ import annotations

from typing import Any

import panel as pn


class FigurePane(pn.pane.Bokeh):
    """pn.pane.Bokeh, except that a template's design stays off the figure."""

    def _track_overrides(self, *events: Any) -> None:
        super()._track_overrides(*(e for e in events if e.name != "design"))
