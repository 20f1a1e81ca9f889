"""The three empty plots of the safety boundary."""

from __future__ import annotations

from typing import Any

from bokeh.models import (
    ColorBar,
    ColumnDataSource,
    CustomJSHover,
    FixedTicker,
    GlyphRenderer,
    HoverTool,
    LinearColorMapper,
    NumeralTickFormatter,
    Range1d,
)
from bokeh.plotting import figure

from app.figures.plot import TOOLS, empty, new_plot
from core.figures.arrays.fields import FAILURE, G_SHOWN, STATES
from core.figures.arrays.marks import COLUMNS, EDGE, FILL, REASONS, VERDICT_WORDS

Sources = dict[str, ColumnDataSource]
IMAGE = ("image", "x", "y", "dw", "dh")
BLACK, WHITE = "#111111", "#ffffff"
"""What stands on a map; its colours are the same in both themes."""


def certificate_plot(shades: LinearColorMapper, scale: LinearColorMapper, height: int) -> tuple[figure, Sources]:
    """Φ over (g, 1 − ρ_ul)."""
    p = _map("certificate", height, Range1d(0.5, G_SHOWN + 1.5), y_axis_type="log")
    p.y_range = Range1d(FAILURE[1], FAILURE[0])
    p.below[0].axis_label = "interaction index g [opportunities]"
    p.left[0].axis_label = "uplink may fail: 1 − ρ_ul"
    s = {
        "map": empty(*IMAGE),
        "gate": empty("left", "right", "bottom", "top"),
        "levels": empty("xs", "ys"),
        "level_names": empty("x", "y", "text"),
        "ghost": empty("x", "y"),
        "line": empty("x", "y"),
        "candidates": empty(*COLUMNS),
        "chosen": empty("x", "y"),
        "held": empty("x", "y"),
    }
    p.image(*IMAGE, source=s["map"], color_mapper=shades)
    hatch: dict[str, Any] = {"hatch_pattern": "/", "hatch_color": BLACK, "hatch_alpha": 0.45, "hatch_scale": 12}
    p.quad("left", "right", "top", "bottom", source=s["gate"], fill_alpha=0, line_color=None, **hatch)
    _lines(p, s["levels"], s["level_names"])
    p.line("x", "y", source=s["ghost"], **GHOST)
    p.line("x", "y", source=s["line"], color=BLACK, width=3.5)
    _marks(p, s["candidates"])
    _rings(p, s["chosen"], s["held"])
    _colour_bar(p, scale)
    return p, s


def ways_plot(shades: LinearColorMapper, height: int) -> tuple[figure, Sources]:
    """Φ over (1 − ρ_ul, 1 − ρ_dl)."""
    p = _map("ways", height, Range1d(FAILURE[1], FAILURE[0]), x_axis_type="log", y_axis_type="log")
    p.y_range = Range1d(FAILURE[1], FAILURE[0])
    p.below[0].axis_label = "uplink may fail: 1 − ρ_ul"
    p.left[0].axis_label = "downlink: 1 − ρ_dl"
    s = _field(p, shades, "ways", "ways_zero") | {
        "pairs": empty(*COLUMNS),
        "pair_chosen": empty("x", "y"),
        "pair_held": empty("x", "y"),
    }
    _marks(p, s["pairs"])
    _rings(p, s["pair_chosen"], s["pair_held"])
    return p, s


def plane_plot(shades: LinearColorMapper, height: int) -> tuple[figure, Sources]:
    """Φ over (V/V_max, tr Σ)."""
    p = _map("plane", height, Range1d(0, STATES))
    p.y_range = Range1d(0, 3)
    p.below[0].axis_label = "tracking energy V / V_max"
    p.left[0].axis_label = "uncertainty tr Σ [m²]"
    s = _field(p, shades, "plane", "zero") | {
        "domain": empty("left", "right", "bottom", "top"),
        "hold": empty("left", "right", "bottom", "top"),
        "others": empty("x", "y", "uav"),
        "state": empty("x", "y"),
    }
    edge: dict[str, Any] = {"fill_color": None, "line_color": BLACK, "line_width": 1.5}
    p.quad("left", "right", "top", "bottom", source=s["domain"], **edge)
    p.quad("left", "right", "top", "bottom", source=s["hold"], line_dash="dotted", **edge)
    others = p.scatter(
        "x",
        "y",
        source=s["others"],
        size=6,
        fill_color=WHITE,
        line_color=BLACK,
        fill_alpha=0.6,
        line_alpha=0.8,
    )
    _halo(p, s["state"], 17, "cross")
    mark = p.scatter("x", "y", source=s["state"], size=17, marker="cross", line_color=BLACK, line_width=3)
    p.add_tools(
        HoverTool(
            renderers=[others], tooltips=[("UAV", "@uav"), ("V / V_max", "@x{0.000}"), ("tr Σ [m²]", "@y{0.000}")]
        ),
        HoverTool(renderers=[mark], tooltips=[("V / V_max", "@x{0.000}"), ("tr Σ [m²]", "@y{0.000}")]),
    )
    return p, s


def column_ticks(p: figure, last: int) -> None:
    """Name the columns of the first map: 1 … last+, none."""
    axis, ticks = p.below[0], list(range(1, last + 2))
    if list(getattr(axis.ticker, "ticks", ())) != ticks:
        axis.update(ticker=FixedTicker(ticks=ticks), major_label_overrides={last: f"{last}+", last + 1: "none"})


GHOST: dict[str, Any] = {"color": BLACK, "alpha": 0.55, "width": 2, "line_dash": "dashed"}
"""What was there before the last move."""


def _map(name: str, height: int, x_range: Range1d, **axes: str) -> figure:
    return new_plot(grid=False, name=name, height=height, tools=TOOLS + ",tap", title=" ", x_range=x_range, **axes)


def _field(p: figure, shades: LinearColorMapper, name: str, zero: str) -> Sources:
    """Shades of Φ with labelled lines of equal value, the line Φ = 0 and its ghost; their sources by name."""
    s = {
        name: empty(*IMAGE),
        f"{name}_levels": empty("xs", "ys"),
        f"{name}_names": empty("x", "y", "text"),
        f"{name}_ghost": empty("xs", "ys"),
        zero: empty("xs", "ys"),
    }
    p.image(*IMAGE, source=s[name], color_mapper=shades)
    _lines(p, s[f"{name}_levels"], s[f"{name}_names"])
    p.multi_line("xs", "ys", source=s[f"{name}_ghost"], **GHOST)
    p.multi_line("xs", "ys", source=s[zero], color=BLACK, width=3.5)
    return s


def _lines(p: figure, source: ColumnDataSource, names: ColumnDataSource) -> None:
    p.multi_line("xs", "ys", source=source, color=BLACK, alpha=0.4, width=1)
    p.text(
        "x",
        "y",
        "text",
        source=names,
        text_font_size="11px",
        text_align="center",
        text_baseline="middle",
        text_color=BLACK,
        background_fill_color=WHITE,
        background_fill_alpha=0.65,
        padding=1,
        border_radius=2,
    )


def _marks(p: figure, source: ColumnDataSource) -> GlyphRenderer:
    ends = {"low": 0, "high": len(FILL) - 1}
    dots = p.scatter(
        "x",
        "y",
        source=source,
        marker="marker",
        size=7,
        line_width=1.2,
        fill_color={"field": "kind", "transform": LinearColorMapper(palette=list(FILL), **ends)},
        line_color={"field": "kind", "transform": LinearColorMapper(palette=list(EDGE), **ends)},
    )
    words = {
        "@verdict": CustomJSHover(args={"words": list(VERDICT_WORDS)}, code="return words[value]"),
        "@reason": CustomJSHover(args={"words": list(REASONS)}, code="return words[value]"),
    }
    tips = [
        ("verdict", "@verdict{custom}"),
        ("Φ / V_max", "@phi{+0.0000}"),
        ("g", "@g"),
        ("ρ_ul, ρ_dl", "@rho_ul{0.000000}, @rho_dl{0.000000}"),
        ("slots", "@slots"),
        ("mark", "@reason{custom}"),
        ("actions here", "@many"),
    ]
    p.add_tools(HoverTool(renderers=[dots], tooltips=tips, formatters=words, limit=1))
    return dots


def _halo(p: figure, source: ColumnDataSource, size: int, marker: str) -> None:
    p.scatter("x", "y", source=source, size=size, marker=marker, fill_color=None, line_color=WHITE, line_width=6)


def _rings(p: figure, chosen: ColumnDataSource, held: ColumnDataSource) -> None:
    for source, size, marker in ((chosen, 19, "square"), (held, 18, "circle")):
        _halo(p, source, size, marker)
        p.scatter("x", "y", source=source, size=size, marker=marker, fill_color=None, line_color=BLACK, line_width=2.5)


def _colour_bar(p: figure, mapper: LinearColorMapper) -> None:
    bar = ColorBar(
        color_mapper=mapper,
        width=9,
        title="Φ / V_max",
        formatter=NumeralTickFormatter(format="0.[0000]"),
        background_fill_alpha=0,
        label_standoff=4,
        padding=4,
        title_text_font_size="13px",
        major_label_text_font_size="12px",
    )
    p.add_layout(bar, "right")
