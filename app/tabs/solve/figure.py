"""Small multiples over one quantity: admitted actions, cheapest slots, Φ and U of the action held, and what the loop gets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Range1d, Span
from bokeh.plotting import figure
from numpy.typing import NDArray

from app.figures.plot import TOOLS, Steady, empty, fit, named, new_plot, put
from core.allocation import Mode
from core.instant import Solution, Spans
from core.style import ACCENT, FOCUS, INK, MODE_COLOUR, NEUTRAL

PLOTS = {
    "admitted": ("actions", "certifiable"),
    "phi": ("Φ / V_max", "admitted"),
    "cheapest": ("slots", "certifiable"),
    "U": ("U / V_max", "chosen"),
    "service": ("", "served"),
}
"""Each plot: label of its axis, and what its thresholds are about."""
COLUMNS = ("x", "admitted", "certified", "cheapest", "phi", "U", "g", "rho_ul", "rho_dl", "slots", "service")
HELD, OTHER, HELD_UNCERTIFIED, OTHER_UNCERTIFIED = (
    "this action",
    "another action",
    "this action, without a certificate",
    "another action, without a certificate",
)
SERVICE = {
    HELD: (ACCENT, 1.0),
    OTHER: (NEUTRAL[0], 1.0),
    HELD_UNCERTIFIED: (MODE_COLOUR[1], 1.0),
    OTHER_UNCERTIFIED: (MODE_COLOUR[1], 0.4),
}
"""What the loop is sent at a value, its colour and how much of it."""
NOTHING, REFUSED = "no slots", "refused"
"""What has no band."""
HEIGHT = {"admitted": 122, "phi": 122, "cheapest": 148, "U": 148, "service": 84}
"""Of each plot, before it grows with the page; those at the bottom have the label of the shared axis [px]."""
CHIP: dict[str, Any] = {
    "text_baseline": "top", "text_font_size": "12px", "text_color": "#ffffff", "background_fill_color": "#555555",
    "padding": 2, "border_radius": 4,
}  # fmt: skip
"""A label on a ground of its own, readable over curves in both themes."""
PINNED = ("admitted", "phi", "cheapest", "U")
"""Plots that show what is pinned, faintly."""
READABLE = 26
"""Characters of a title's threshold; a longer one is in the sentence above the plots."""
LABELLED = 6
"""Thresholds of a plot that carry their value; more would cover each other, and the sentence counts them."""


@dataclass(frozen=True)
class SolveFigure:
    """Plots made once over one shared range, the sources that change, and what stays while a slider moves."""

    plots: dict[str, figure]
    sources: dict[str, ColumnDataSource]
    x_range: Range1d
    hovers: dict[str, HoverTool]
    steady: Steady = field(default_factory=Steady)


def solve_figure() -> SolveFigure:
    """Empty plots; fill them with `update_solve`."""
    s = {
        "curves": empty(*COLUMNS),
        "pinned": empty("x", *PINNED),
        "bands": empty("left", "right", "colour", "alpha", "service"),
    }
    shared, plots, hovers = Range1d(0, 1), {}, {}
    for name, (label, _) in PLOTS.items():
        p = new_plot(
            height=HEIGHT[name], tools=TOOLS, title=" ", x_range=shared, y_range=Range1d(0, 1), y_axis_label=label
        )
        p.title.text_font_size = "14px"
        p.update(min_border_left=82, min_border_right=14)
        p.left[0].formatter.use_scientific = False
        p.left[0].ticker.desired_num_ticks = 4
        s[f"{name}.marks"], s[f"{name}.here"] = empty("x", "y", "text", "align"), empty("x", "y")
        if name in PINNED:
            p.line("x", name, source=s["pinned"], color=INK, alpha=0.55, line_dash=[6, 4], width=2)
        line = _bands(p, s) if name == "service" else _curve(p, name, s["curves"])
        p.vspan("x", source=s[f"{name}.marks"], line_color=INK, line_dash="dashed", line_width=1.5)
        p.vspan("x", source=s[f"{name}.here"], line_color=FOCUS, line_width=2)
        if name != "service":
            p.scatter("x", "y", source=s[f"{name}.here"], size=9, fill_color=FOCUS, line_color=INK)
            p.text("x", "y", "text", source=s[f"{name}.marks"], text_align="align", **CHIP)
        hovers[name] = HoverTool(renderers=[line], tooltips=[], mode="vline" if name != "service" else "mouse")
        p.add_tools(hovers[name])
        plots[name] = p
    return SolveFigure(plots, named("solve", s), shared, hovers)


def _curve(p: figure, name: str, source: ColumnDataSource) -> Any:
    if name == "admitted":
        p.step("x", "certified", source=source, mode="center", color=INK, width=1.5, line_dash="dotted")
    if name == "phi":
        p.add_layout(Span(location=0.0, dimension="width", line_color=INK, line_width=1.5))
    if name in ("admitted", "cheapest"):
        p.step("x", name, source=source, mode="center", color=ACCENT, width=2)
    else:
        p.line("x", name, source=source, color=ACCENT, width=2)
    return p.scatter("x", name, source=source, size=3, color=ACCENT)  # also where a value stands alone


def _bands(p: figure, s: dict[str, ColumnDataSource]) -> Any:
    p.left[0].visible = False
    p.ygrid.visible = False
    return p.quad("left", "right", 1, 0, source=s["bands"], fill_color="colour", fill_alpha="alpha", line_color=None)


def solve_data(solution: Solution) -> dict[str, dict[str, Any]]:
    """Columns of every source."""
    c = solution.curves
    with np.errstate(invalid="ignore"):
        phi, U = np.where(c.g > 0, c.phi, np.nan) / c.V_max, c.U / c.V_max
    shown: dict[str, Any] = {
        "x": c.x, "admitted": _where(c.asked, c.admitted), "certified": _where(c.asked, c.certified), "cheapest": c.cheapest,
        "phi": phi, "U": U, "g": c.g, "rho_ul": c.rho_ul, "rho_dl": c.rho_dl, "slots": c.slots, "service": service(solution),
    }  # fmt: skip
    found: dict[str, dict[str, Any]] = {"curves": shown, "bands": _runs(c.x, shown["service"])}
    row = solution.at(solution.variable.here)
    for name, (_, state) in PLOTS.items():
        found[f"{name}.here"] = {"x": c.x[[row]], "y": shown[name][[row]] if name != "service" else np.array([0.5])}
        found[f"{name}.marks"] = marks(solution.spans[state])
    return found


def service(solution: Solution) -> list[str]:
    """What the loop gets at each value."""
    c = solution.curves
    words = {
        (True, False): HELD,
        (False, False): OTHER,
        (True, True): HELD_UNCERTIFIED,
        (False, True): OTHER_UNCERTIFIED,
    }
    rows = zip(
        c.asked.tolist(), c.served.tolist(), c.chosen.tolist(), (c.mode == Mode.SYNCHRONISATION).tolist(), strict=True
    )
    return [
        REFUSED if not asked else NOTHING if not served else words[chosen, bare] for asked, served, chosen, bare in rows
    ]


def marks(spans: Spans) -> dict[str, Any]:
    """Thresholds of one thing as columns: value, its text unless there are too many, and on which side it stands."""
    found = []
    low, high = spans.ends
    for first, last in spans.ranges:
        narrow = last - first < 0.3 * (high - low)  # then the two labels turn their backs on each other
        for value, edge, word in ((first, low, "from"), (last, high, "to")):
            if value != edge:
                share = (value - low) / (high - low)  # a label turns back at the edge of the plot
                inward = share < 0.75 if word == "from" else share < 0.25
                outward = share < 0.25 if word == "from" else share < 0.75
                left = outward if narrow else inward
                found.append((value, f"{word} {spans.variable.text(value)}", "left" if left else "right"))
    texts = [text if len(found) <= LABELLED else "" for _, text, _ in found]
    return {
        "x": np.array([value for value, _, _ in found]),
        "y": np.array([1.0 if text else np.nan for text in texts]),
        "text": texts,
        "align": [align for _, _, align in found],
    }


def update_solve(fig: SolveFigure, solution: Solution, pinned: Solution | None = None) -> None:
    """Patch every source with a solution; axes hold everything and only grow at one instant and quantity.

    Args:
        fig: made by `solve_figure`.
        solution: what is shown.
        pinned: the same question at the pinned instant, drawn faintly.
    """
    v, label = solution.variable, axis_label(solution)
    fig.steady.at(solution.focus)
    data = solve_data(solution)
    kept: dict[str, Any] = {name: np.empty(0) for name in ("x", *PINNED)}
    if pinned is not None:
        kept = {name: solve_data(pinned)["curves"][name] for name in kept}
    data["pinned"] = kept
    low, high = float(solution.curves.x[0]), float(solution.curves.x[-1])
    room = 0.02 * (high - low)
    fit(fig.x_range, low - room, high + room)
    for name, p in fig.plots.items():
        p.below[0].axis_label = label if name in ("cheapest", "U") else ""
        p.title.text = title(name, solution)
        if name != "service":
            ends = fig.steady.widest(f"{v.name} {name}", *_ends(data["curves"], name, kept[name]))
            fit(p.y_range, ends[0], ends[1] + 0.22 * (ends[1] - ends[0]))  # room for the thresholds' labels
            data[f"{name}.marks"]["y"] *= ends[1] + 0.2 * (ends[1] - ends[0])
        fig.hovers[name].tooltips = tips(name, label)
    for name, columns in data.items():
        put(fig.sources[name], columns)


def title(name: str, solution: Solution) -> str:
    """What a plot shows, with its thresholds in words where they are short."""
    if solution.held is None and name in ("phi", "U"):
        return "No action in focus"
    spans = solution.spans[PLOTS[name][1]]
    what, verb = {
        "admitted": ("Admitted actions", "certifiable"),
        "phi": ("Drift Φ of the action in focus", "admitted"),
        "cheapest": ("Cheapest admitted action", ""),
        "U": ("Value U of the action in focus", "sent"),
        "service": (f"What UAV {solution.focus.uav} gets over {axis_label(solution)}", "slots"),
    }[name]
    where = str(spans)
    if len(where) > READABLE and not spans.always:
        where = f"in {len(spans.ranges)} ranges" if len(spans.ranges) > 1 else ""
    return f"{what}: {verb} {where}" if verb and where else what


def axis_label(solution: Solution) -> str:
    """Symbol and unit of the quantity."""
    meta = solution.variable.meta
    return f"{meta.symbol} [{meta.unit}]" if meta.unit else meta.symbol


def tips(name: str, label: str) -> list[tuple[str, str]]:
    """What pointing at a value says."""
    if name == "service":
        return [("from", "@left"), ("to", "@right"), ("gets", "@service")]
    return [
        (label, "@x"),
        ("admitted / certified", "@admitted / @certified"),
        ("cheapest", "@cheapest slots"),
        ("Φ / V_max", "@phi{+0.0000}"),
        ("U / V_max", "@U{0.0000}"),
        ("ρ_ul, ρ_dl", "@rho_ul{0.0000}, @rho_dl{0.0000}"),
        ("g", "@g"),
        ("gets", "@service"),
    ]


def _ends(columns: dict[str, Any], name: str, pinned: NDArray[np.float64]) -> tuple[float, float]:
    values = [columns[name], pinned] + ([columns["certified"]] if name == "admitted" else [])
    seen = np.concatenate([v[np.isfinite(v)] for v in values] + [np.zeros(1)])  # zero is always in view
    low, high = float(seen.min()), float(seen.max())
    return (low, high) if high > low else (low, low + 1.0)


def _where(asked: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(asked, values.astype(float), np.nan)


def _runs(x: NDArray[np.float64], service: list[str]) -> dict[str, Any]:
    """Bands of equal service; each value reaches halfway to its neighbours."""
    middle = (x[1:] + x[:-1]) / 2.0
    edges = np.concatenate([x[:1], middle, x[-1:]])
    starts = [i for i in range(len(x)) if i == 0 or service[i] != service[i - 1]]
    ends = [*starts[1:], len(x)]
    kept = [(a, b) for a, b in zip(starts, ends, strict=True) if service[a] in SERVICE]
    return {
        "left": np.array([edges[a] for a, _ in kept]),
        "right": np.array([edges[b] for _, b in kept]),
        "colour": [SERVICE[service[a]][0] for a, _ in kept],
        "alpha": [SERVICE[service[a]][1] for a, _ in kept],
        "service": [service[a] for a, _ in kept],
    }
