"""The safety boundary: Φ over (g, ρ_ul) and Φ over the state plane (the paper's drift-mechanism figure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import (
    ColorBar,
    ColumnDataSource,
    HoverTool,
    LinearColorMapper,
    NumeralTickFormatter,
    Range1d,
    SingleIntervalTicker,
)
from bokeh.plotting import figure
from contourpy import contour_generator

from app.figures.legend import legend_below
from app.figures.palette import FOCUS, TOOLS, diverging
from app.figures.plot import named, new_plot, put
from app.picture import Picture

ROWS, COLUMNS = 81, 81
ADMITTED, REFUSED = "#111111", "#ffffff"
"""Fill of a candidate; the map under it is blue to vermillion, so both stand out."""
G_SHOWN = 10
"""The map shows at least this many interaction indices; run factors are flat beyond the buffer depth H."""


@dataclass(frozen=True)
class BoundaryFigure:
    """Two plots made once, and the sources that a slider move patches."""

    certificate: figure
    plane: figure
    sources: dict[str, ColumnDataSource]
    mappers: tuple[LinearColorMapper, LinearColorMapper]


def boundary_figure(height: int = 400, *, legend: bool = True) -> BoundaryFigure:
    """Empty boundary plots; fill them with `update_boundary`."""
    mappers = tuple(LinearColorMapper(palette=diverging(), low=-1, high=1) for _ in range(2))
    left, sources = _certificate_plot(mappers[0], height, legend)
    right, more = _plane_plot(mappers[1], height, legend)
    return BoundaryFigure(left, right, named("boundary", {**sources, **more}), mappers)  # type: ignore[arg-type]


def update_boundary(fig: BoundaryFigure, picture: Picture) -> None:
    """Patch every source with the picture's numbers."""
    data = boundary_data(picture)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
    for mapper, span in zip(fig.mappers, data["spans"], strict=True):
        mapper.update(low=-span, high=span)
    g_end = data["g_end"] + 0.5
    if fig.certificate.x_range.reset_end != g_end:
        fig.certificate.x_range.update(end=g_end, reset_end=g_end)
    lo, hi = data["sigma_range"]
    if (fig.plane.y_range.reset_start, fig.plane.y_range.reset_end) != (lo, hi):
        fig.plane.y_range.update(start=lo, end=hi, reset_start=lo, reset_end=hi)
    fig.certificate.title.text = data["title_certificate"]
    fig.plane.title.text = data["title_plane"]


def boundary_data(picture: Picture) -> dict[str, Any]:
    """Columns of every source and the titles, from the picture alone."""
    model, loop, a = picture.model, picture.loop, picture.action
    unit = model.V_max
    shown = picture.distinct_actions
    g_end = int(max(G_SHOWN, min(14, shown["g"].max(initial=1))))
    g = np.arange(1, g_end + 1)
    rho = np.linspace(0.0, 1.0, ROWS)
    at = {"c": loop.c_for_drift, "h_ul": a.h_ul, "h_dl": a.h_dl}
    down = rho[:, None] if picture.inputs.downlink == "equal" else a.rho_dl
    phi_q = model.drift(loop.V, loop.tr_sigma, rho_ul=rho[:, None], rho_dl=down, g=g[None, :], **at).phi / unit
    v = np.linspace(0.0, 1.2, COLUMNS)
    lo, hi = model.sigma_min, model.sigma_min + 1.2 * (model.sigma_max - model.sigma_min)
    sigma = np.linspace(lo, hi, ROWS)
    phi_z = (
        model.drift(v[None, :] * unit, sigma[:, None], rho_ul=a.rho_ul, rho_dl=a.rho_dl, g=max(a.g, 1), **at).phi / unit
    )
    # colours saturate where a map leaves the range that matters for the decision
    spans = [max(float(np.quantile(np.abs(phi), 0.7)), 1e-6) for phi in (phi_q, phi_z)]
    x_line, y_line = _steps(g, _threshold(rho, phi_q))
    zero = contour_generator(v, sigma, phi_z).lines(0.0)
    hold_v, hold_sigma = picture.hold_corner
    inside = shown["g"] > 0
    cost = shown["slots"][inside]
    spread = (cost - cost.min(initial=0)) / max(1, np.ptp(cost) if len(cost) else 1) - 0.5
    others = np.arange(len(picture.states.V)) != picture.focus
    return {
        "g_end": g_end,
        "spans": spans,
        "sigma_range": (float(lo), float(hi)),
        "title_certificate": f"Which certificates are safe now? UAV {picture.focus + 1}, "
        + ("ρ_dl = ρ_ul" if picture.inputs.downlink == "equal" else f"ρ_dl = {a.rho_dl:.3f}"),
        "title_plane": f"In which states is it safe? g = {a.g}, ρ_ul = {a.rho_ul:.3f}, ρ_dl = {a.rho_dl:.3f}",
        "sources": {
            "map": {"image": [phi_q.astype(np.float32)], "x": [0.5], "y": [0.0], "dw": [float(g_end)], "dh": [1.0]},
            "line": {"x": x_line, "y": y_line},
            "gate": _gated(picture, g_end),
            "candidates": {
                "x": np.minimum(shown["g"][inside], g_end) + 0.7 * spread,
                "y": shown["rho_ul"][inside],
                "g": shown["g"][inside],
                "rho_dl": shown["rho_dl"][inside],
                "slots": cost,
                "phi": shown["phi"][inside] / unit,
                "admitted": shown["admitted"][inside].astype(np.uint8),
                "key": shown["key"][inside].tolist(),
            },
            "chosen": {
                "x": [min(a.g, g_end) + 0.7 * _place(cost, a.slots)] if a.g else [],
                "y": [a.rho_ul] if a.g else [],
            },
            "plane": {"image": [phi_z.astype(np.float32)], "x": [0.0], "y": [lo], "dw": [1.2], "dh": [hi - lo]},
            "zero": {"xs": [line[:, 0] for line in zero], "ys": [line[:, 1] for line in zero]},
            "domain": {"left": [0.0], "right": [1.0], "bottom": [model.sigma_min], "top": [model.sigma_max]},
            "hold": {"left": [0.0], "right": [hold_v], "bottom": [model.sigma_min], "top": [hold_sigma]},
            "state": {"x": [loop.V / unit], "y": [loop.tr_sigma]},
            "others": {"x": picture.states.V[others] / unit, "y": picture.states.tr_sigma[others]},
        },
    }


def _certificate_plot(
    mapper: LinearColorMapper, height: int, legend: bool
) -> tuple[figure, dict[str, ColumnDataSource]]:
    p = new_plot(
        grid=False,
        height=height,
        tools=TOOLS + ",tap",
        title=" ",
        x_range=Range1d(0.5, G_SHOWN + 0.5, bounds=(0.5, 60)),
        y_range=Range1d(0, 1.02, bounds=(-0.05, 1.1)),
        x_axis_label="interaction index g [opportunities]",
        y_axis_label="uplink guarantee ρ_ul [-]",
    )
    s = {
        "map": ColumnDataSource({k: [] for k in ("image", "x", "y", "dw", "dh")}),
        "line": ColumnDataSource({"x": [], "y": []}),
        "gate": ColumnDataSource({k: [] for k in ("left", "right", "bottom", "top")}),
        "candidates": ColumnDataSource({k: [] for k in ("x", "y", "g", "rho_dl", "slots", "phi", "admitted", "key")}),
        "chosen": ColumnDataSource({"x": [], "y": []}),
    }
    p.image("image", "x", "y", "dw", "dh", source=s["map"], color_mapper=mapper)
    line = p.line("x", "y", source=s["line"], color="black", width=2.5)
    gate = p.quad(
        "left",
        "right",
        "top",
        "bottom",
        source=s["gate"],
        fill_alpha=0,
        line_color=None,
        hatch_pattern="/",
        hatch_color="black",
        hatch_alpha=0.6,
        hatch_scale=10,
    )
    dots = p.scatter(
        "x",
        "y",
        source=s["candidates"],
        size=6,
        line_color=ADMITTED,
        line_width=0.8,
        fill_alpha=0.9,
        fill_color={"field": "admitted", "transform": LinearColorMapper(palette=[REFUSED, ADMITTED], low=0, high=1)},
        nonselection_line_alpha=1.0,
        nonselection_fill_alpha=0.9,
    )
    ring = p.scatter(
        "x", "y", source=s["chosen"], size=16, marker="circle", fill_color=None, line_color=FOCUS, line_width=3
    )
    p.add_tools(
        HoverTool(
            renderers=[dots],
            tooltips=[
                ("g", "@g"),
                ("ρ_ul", "@y{0.0000}"),
                ("ρ_dl", "@rho_dl{0.0000}"),
                ("slots", "@slots"),
                ("Φ / V_max", "@phi{0.0000}"),
            ],
        )
    )
    p.below[0].ticker = SingleIntervalTicker(interval=1)
    _colour_bar(p, mapper)
    if legend:
        legend_below(
            p,
            {
                "Φ = 0": line,
                "candidate (black: admitted)": dots,
                "focused action": ring,
                "refused by the gate (paper)": gate,
            },
        )
    return p, s


def _plane_plot(mapper: LinearColorMapper, height: int, legend: bool) -> tuple[figure, dict[str, ColumnDataSource]]:
    p = new_plot(
        grid=False,
        height=height,
        tools=TOOLS + ",tap",
        title=" ",
        x_range=Range1d(0, 1.2, bounds=(-0.05, 1.3)),
        y_range=Range1d(0, 3),
        x_axis_label="tracking energy V / V_max [-]",
        y_axis_label="estimation uncertainty tr Σ [m²]",
    )
    s = {
        "plane": ColumnDataSource({k: [] for k in ("image", "x", "y", "dw", "dh")}),
        "zero": ColumnDataSource({"xs": [], "ys": []}),
        "domain": ColumnDataSource({k: [] for k in ("left", "right", "bottom", "top")}),
        "hold": ColumnDataSource({k: [] for k in ("left", "right", "bottom", "top")}),
        "state": ColumnDataSource({"x": [], "y": []}),
        "others": ColumnDataSource({"x": [], "y": []}),
    }
    p.image("image", "x", "y", "dw", "dh", source=s["plane"], color_mapper=mapper)
    zero = p.multi_line("xs", "ys", source=s["zero"], color="black", width=2.5)
    frame: dict[str, Any] = {"fill_color": None, "line_color": "black", "line_width": 1.5}
    domain = p.quad("left", "right", "top", "bottom", source=s["domain"], **frame)
    hold = p.quad("left", "right", "top", "bottom", source=s["hold"], line_dash="dashed", **frame)
    others = p.scatter("x", "y", source=s["others"], size=5, color="black", alpha=0.35)
    mark = p.scatter("x", "y", source=s["state"], size=18, marker="cross", color=FOCUS, line_width=4)
    p.add_tools(HoverTool(renderers=[mark], tooltips=[("V / V_max", "@x{0.000}"), ("tr Σ [m²]", "@y{0.000}")]))
    _colour_bar(p, mapper)
    if legend:
        names = ("Φ = 0", "admissible domain", "hold-admissible", "other loops", "this loop")
        legend_below(p, dict(zip(names, (zero, domain, hold, others, mark), strict=True)), 3)
    return p, s


def _colour_bar(p: figure, mapper: LinearColorMapper) -> None:
    bar = ColorBar(
        color_mapper=mapper,
        width=8,
        title="Φ / V_max",
        formatter=NumeralTickFormatter(format="0.[000]"),
        background_fill_alpha=0,
        label_standoff=4,
        padding=4,
    )
    p.add_layout(bar, "right")


def _threshold(rho: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """Smallest ρ_ul with Φ ≤ 0 in each column, NaN when there is none; Φ falls with ρ_ul."""
    found = np.full(phi.shape[1], np.nan)
    for j in range(phi.shape[1]):
        safe = np.flatnonzero(phi[:, j] <= 0.0)
        if len(safe) == 0:
            continue
        i = safe[0]
        if i == 0:
            found[j] = 0.0
        else:
            found[j] = np.interp(0.0, [-phi[i - 1, j], -phi[i, j]], [rho[i - 1], rho[i]])
    return found


def _gated(picture: Picture, g_end: int) -> dict[str, list[float]]:
    """The columns g ≤ c that the printed gate c < g refuses whatever Φ says (D11); none in the repaired formulation."""
    c = picture.loop.c_for_drift
    if picture.inputs.scenario.formulation != "paper" or c < 1:
        return {"left": [], "right": [], "bottom": [], "top": []}
    return {"left": [0.5], "right": [min(c, g_end) + 0.5], "bottom": [0.0], "top": [1.0]}


def _steps(g: np.ndarray, threshold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A stepped line: g is an integer, so the boundary jumps between columns."""
    return np.column_stack([g - 0.5, g + 0.5]).ravel(), np.repeat(threshold, 2)


def _place(cost: np.ndarray, slots: int) -> float:
    return float((slots - cost.min(initial=0)) / max(1, np.ptp(cost) if len(cost) else 1) - 0.5)
