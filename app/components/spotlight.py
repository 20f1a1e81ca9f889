"""One part of a tab shown alone and in large type; everything it changed is put back afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import panel as pn
from panel.layout.base import ListLike

LARGER = 1.4
"""Text of a plot on a projector, against that on a desk."""

Part = Collection[pn.viewable.Viewable]


class Spotlight:
    """Hides what stands beside a part and enlarges the lettering of its plots; the same models, no second copy."""

    def __init__(self) -> None:
        self._hidden: list[pn.viewable.Viewable] = []
        self._lettering: dict[Any, list[tuple[Any, str, str]]] = {}

    def on(self, content: pn.viewable.Viewable, part: Part) -> None:
        """Show only a part of a layout; an empty part shows all of it, in large type too."""
        hidden = list(self._beside(content, part)) if part else []
        for pane in self._hidden:
            if pane not in hidden:
                _seen(pane).visible = True
        for pane in hidden:
            _seen(pane).visible = False
        self._hidden = hidden
        lit = part or (content,)
        self._enlarge({pane.object for each in lit for pane in each.select(pn.pane.Bokeh)})

    def off(self) -> None:
        """Put everything back."""
        for pane in self._hidden:
            _seen(pane).visible = True
        self._hidden = []
        self._enlarge(set())

    def _beside(self, layout: Any, part: Part) -> Iterator[pn.viewable.Viewable]:
        for child in layout.objects:
            if child in part:
                continue
            if isinstance(child, ListLike) and any(kept in child.select() for kept in part):
                yield from self._beside(child, part)
            elif _seen(child).visible or child in self._hidden:
                yield child

    def _enlarge(self, plots: set[Any]) -> None:
        """Large lettering on these plots, the usual one on all others."""
        for plot in [plot for plot in self._lettering if plot not in plots]:
            for model, name, size in self._lettering.pop(plot):
                setattr(model, name, size)
        for plot in plots - self._lettering.keys():
            self._lettering[plot] = list(_lettering(plot))
            for model, name, size in self._lettering[plot]:
                setattr(model, name, f"{float(size[:-2]) * LARGER:.3g}{size[-2:]}")  # px or em


def _seen(pane: pn.viewable.Viewable) -> Any:
    """What says whether a pane is seen: of a plot the plot itself, since Panel lets the pane follow it."""
    return pane.object if isinstance(pane, pn.pane.Bokeh) else pane


def _lettering(plot: Any) -> Iterator[tuple[Any, str, str]]:
    """Every size of text in a plot: model, property, size."""
    for model in plot.references():
        for name in model.properties():
            if name.endswith("text_font_size"):
                size = getattr(model, name)
                if isinstance(size, str):
                    yield model, name, size
