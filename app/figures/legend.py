"""A legend that never hides data."""

from __future__ import annotations

from collections.abc import Mapping

from bokeh.models import GlyphRenderer, Legend, LegendItem
from bokeh.plotting import figure


def legend_below(p: figure, entries: Mapping[str, GlyphRenderer], columns: int | str = "auto") -> None:
    """Put a legend under the plot's axis, in rows; a click hides a layer.

    Made by hand: `legend_label` searches the whole plot for a legend once per layer, which a new page would wait for.
    """
    items = [LegendItem(label=label, renderers=[layer]) for label, layer in entries.items()]
    p.add_layout(
        Legend(
            items=items,
            orientation="horizontal",
            ncols=columns,
            click_policy="hide",
            background_fill_alpha=0.0,
            border_line_alpha=0.0,
            padding=0,
            margin=2,
            spacing=10,
            glyph_width=14,
            glyph_height=14,
            label_standoff=3,
            label_text_font_size="11px",
            location="left",
        ),
        "below",
    )
