"""A live explorer: controls above, charts below, one sentence that says what is seen."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn

from app.panel_fixes.notebook_text import LiveText
from core.errors import SafeExplorerError
from core.scenario import Scenario, quantity_of

READABLE = (
    "label, .bk-slider-title, .bk-slider-value, .bk-input { color: var(--jp-ui-font-color1, inherit); } "
    "option { color: initial; background: initial; }"
)
"""Text of a control in JupyterLab's own colour: Panel's is black in its dark theme too."""


class Explorer(pn.viewable.Viewer):
    """Controls that redraw charts in place, the same in JupyterLab and in a served page.

    Args:
        controls: widgets by the name of the argument they feed.
        charts: viewables shown below the controls; a nested list stands side by side.
        update: called with all values after every change; returns the sentence below the charts.
    """

    def __init__(
        self,
        controls: Mapping[str, pn.widgets.Widget],
        charts: Sequence[Any],
        update: Callable[..., str],
    ) -> None:
        super().__init__()
        self.controls, self.charts = dict(controls), tuple(charts)
        self._update = update
        self.says = LiveText()
        rows = [pn.Row(*c, sizing_mode="stretch_width") if isinstance(c, (list, tuple)) else c for c in charts]
        widgets = pn.FlexBox(*self.controls.values(), sizing_mode="stretch_width")
        self.view = pn.Column(widgets, *rows, self.says, sizing_mode="stretch_width")
        for control in self.controls.values():
            control.stylesheets = [READABLE]
            control.param.watch(lambda _: self.refresh(), "value")
        self.refresh()

    def refresh(self) -> None:
        """Redraw from the current values; an impossible setting is explained and the charts stay."""
        try:
            text = self._update(**{name: control.value for name, control in self.controls.items()})
        except SafeExplorerError as error:
            text = f"Not possible: {error}"
        self.says.show(f'<p style="font-size: 15px; margin: 4px 8px">{html.escape(text)}</p>')
        # Bokeh models patched by hand do not reach a notebook's page by themselves; on a server this does nothing.
        pn.io.push_notebook(self.view)

    def __panel__(self) -> pn.viewable.Viewable:
        return self.view


def field_slider(name: str, **changes: Any) -> pn.widgets.Widget:
    """A slider of a scenario field with its own symbol, unit, bounds and step.

    Args:
        name: dotted field, such as "twin.beta".
        changes: value, start, end, step in place of the field's own.
    """
    q = quantity_of(name)
    default = Scenario().value(name)
    kind = pn.widgets.IntSlider if isinstance(default, int) else pn.widgets.FloatSlider
    settings = {"start": q.lo, "end": q.hi, "step": q.step, "value": default, **changes}
    return kind(name=f"{q.symbol} [{q.unit}]" if q.unit else q.symbol, width=250, **settings)


def slider(label: str, start: float, end: float, step: float, value: float) -> pn.widgets.Widget:
    """A slider of a quantity that is no scenario field; whole when all its numbers are."""
    whole = all(isinstance(x, int) for x in (start, end, step, value))
    kind = pn.widgets.IntSlider if whole else pn.widgets.FloatSlider
    return kind(name=label, start=start, end=end, step=step, value=value, width=250)


def choice(label: str, options: Sequence[Any] | Mapping[str, Any], value: Any) -> pn.widgets.Widget:
    """A choice among a few values."""
    return pn.widgets.Select(
        name=label, options=dict(options) if isinstance(options, Mapping) else list(options), value=value, width=250
    )
