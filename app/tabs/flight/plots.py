"""The plots beside the scene, empty."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bokeh.models import BoxAnnotation, ColumnDataSource, CustomJSTickFormatter, FactorRange, HoverTool, Range1d, Span
from bokeh.plotting import figure

from app.figures.plot import named, new_plot
from core.figures.arrays.flight import FLAWLESS
from core.style import INK, MODE_COLOUR, MODE_NAME, policy_colour, policy_dash

STORED = {"rmse": "rmse_m", "v": "v_normalised", "delay": "command_delay_ms"}
"""The distributions, and what a stored reproduction calls them."""
TITLE = {
    "rmse": "RMSE [m]: share ≤ x",
    "v": "V/V_max: share ≥ x",
    "delay": "Delay [ms]: share ≤ x",
}
"""What each says; in the place of labels at the axes, which would take the room of the curves."""
PINNED = ("xs", "ys", "colour", "policy")
"""Columns of the faint lines of pinned flights."""
THICK, THIN = 3.0, 1.6
"""Lines of the policy inspected, and of the others."""


@dataclass(eq=False)
class FlightFigure:
    """All plots of the tab; `plots` by name: series, focus, rmse, v, delay, modes, coverage."""

    plots: dict[str, figure]
    sources: dict[str, ColumnDataSource]
    cursors: list[Span]
    ahead: list[BoxAnnotation]
    lines: dict[str, list[Any]]
    changes: list[tuple[Span, Span]] = field(default_factory=list)


def flight_figure(policies: tuple[str, ...], height: int = 200) -> FlightFigure:
    """Empty plots for these policies (every known one, so that the choice may change).

    Args:
        policies: names.
        height: of each plot [px]; the page stretches them.
    """
    s = {
        "series": ColumnDataSource({n: [] for n in ("cycle", *policies, FLAWLESS, "lag")}),
        "focus": ColumnDataSource({n: [] for n in ("cycle", *policies)}),
        "coverage": ColumnDataSource({n: [] for n in ("cycle", "covered", "so_far", "promised")}),
        "service": ColumnDataSource({n: [] for n in ("cycle", "V", "kind", "colour", "marker")}),
        "modes": ColumnDataSource({n: [] for n in ("policy", *_columns())}),
        **{
            name: ColumnDataSource({n: [] for n in ("xs", "ys", "colour", "dash", "width", "policy")})
            for name in STORED
        },
        **{f"pinned_{name}": ColumnDataSource({n: [] for n in PINNED}) for name in ("series", "focus", *STORED)},
    }
    series = _over_time("RMSE of the swarm by cycle [m]", height)
    focus = _over_time("V/V_max of the UAV in focus by cycle", height, series.x_range)
    lines: dict[str, list[Any]] = {}
    for p, plot, source in ((series, "series", s["series"]), (focus, "focus", s["focus"])):
        for name in policies:
            found = p.line(
                "cycle", name, source=source, color=policy_colour(name), line_dash=policy_dash(name),
                width=THIN, name=name,
            )  # fmt: skip
            lines.setdefault(name, []).append(found)
        what = "RMSE" if plot == "series" else "V/V_max"
        p.add_tools(
            HoverTool(
                renderers=[of[-1] for of in lines.values()],
                tooltips=[("policy", "$name"), ("cycle", "@cycle"), (what, "$y{0.000}")],
            )
        )
    series.line("cycle", FLAWLESS, source=s["series"], color=INK, width=1.6, line_dash="dashed", name=FLAWLESS)
    series.line("cycle", "lag", source=s["series"], color=INK, width=1.2, name="lag v/k")
    focus.scatter("cycle", "V", source=s["service"], marker="marker", size=7, color="colour", line_width=1.8)
    plots = {"series": series, "focus": focus, **{n: _distribution(n, s[n], height) for n in STORED}}
    for name, p in plots.items():
        faint = p.multi_line(
            "xs", "ys", source=s[f"pinned_{name}"], color="colour", alpha=0.55, line_dash=[6, 4], width=2
        )
        p.add_tools(HoverTool(renderers=[faint], tooltips=[("", "@policy"), ("x", "$x{0.00}"), ("y", "$y{0.000}")]))
    plots["modes"] = _modes(s["modes"], height)
    plots["coverage"] = _coverage(s["coverage"], height, series.x_range)
    for name, p in plots.items():
        p.css_classes = [name]  # the page's style sheet places it by this name
    cursors = [Span(dimension="height", line_color=INK, line_width=2) for _ in range(2)]
    ahead = [BoxAnnotation(fill_color=INK, fill_alpha=0.08, line_alpha=0.0) for _ in range(2)]
    for p, cursor, later in zip((series, focus), cursors, ahead, strict=True):
        p.add_layout(later)
        p.add_layout(cursor)
    return FlightFigure(plots, named("flight", s), cursors, ahead, lines)


def _columns() -> list[str]:
    return [f"{side}{mode}" for mode in MODE_NAME for side in ("left", "right", "share")]


def _over_time(title: str, height: int, x_range: Range1d | None = None) -> figure:
    p = new_plot(
        height=height,
        tools="xbox_zoom,xpan,reset,save",
        title=title,
        x_range=x_range if x_range is not None else Range1d(0, 1),
        y_range=Range1d(0, 1),
    )
    return _dressed(p)


def _distribution(name: str, source: ColumnDataSource, height: int) -> figure:
    log = name == "v"
    p = new_plot(
        height=height,
        tools="box_zoom,pan,reset,save",
        title=TITLE[name],
        y_axis_type="log" if log else "linear",
        y_range=Range1d(1e-2, 1.2) if log else Range1d(0, 1.02),
        x_range=Range1d(0, 1),
    )
    lines = p.multi_line("xs", "ys", source=source, color="colour", line_dash="dash", line_width="width")
    p.add_tools(
        HoverTool(renderers=[lines], tooltips=[("policy", "@policy"), ("x", "$x{0.000}"), ("share", "$y{0.000}")])
    )
    return _dressed(p)


def _modes(source: ColumnDataSource, height: int) -> figure:
    p = new_plot(
        height=height,
        tools="save",
        title="Modes: share of UAV-cycles",
        x_range=Range1d(0, 1),
        y_range=FactorRange(),
    )
    for mode, name in MODE_NAME.items():
        bars = p.hbar(
            y="policy",
            left=f"left{mode}",
            right=f"right{mode}",
            height=0.7,
            source=source,
            color=MODE_COLOUR[mode],
            name=name,
        )
        p.add_tools(HoverTool(renderers=[bars], tooltips=[("policy", "@policy"), (name, f"@share{mode}{{0.0%}}")]))
    p.below[0].formatter = CustomJSTickFormatter(code="return `${Math.round(100 * tick)} %`")
    return _dressed(p)


def _coverage(source: ColumnDataSource, height: int, x_range: Range1d) -> figure:
    """How often the twin's set held, cycle by cycle and so far, beside what it promises (D26)."""
    p = _over_time("Links within the twin's set", height, x_range)
    p.line("cycle", "covered", source=source, color=INK, width=1.0, alpha=0.45, name="this cycle")
    p.line("cycle", "promised", source=source, color=INK, width=1.6, line_dash="dashed", name="promised 1 − β")
    p.line("cycle", "so_far", source=source, color=policy_colour("SAFE"), width=THICK, name="so far")
    columns = [("cycle", "@cycle"), ("this cycle", "@covered{0.000}"), ("so far", "@so_far{0.000}")]
    p.add_tools(HoverTool(mode="vline", tooltips=[*columns, ("promised 1 − β", "@promised{0.000}")]))
    return p


def _dressed(p: figure) -> figure:
    """Type that can be read on a projector, and little room around it."""
    p.title.text_font_size = "14px"
    for axis in (*p.below, *p.left):
        axis.major_label_text_font_size = "13px"
    p.frame_align = False  # each plot as wide as its own labels allow
    p.min_border_left = 40
    p.min_border_top = 2
    return p
