"""What the maps of Φ have in common: shades, the boundary, levels with their names, the loop's actions on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.figures.arrays.marks import EDGE, FILL, KINDS, REASONS, VERDICT_WORDS
from core.figures.paper.axes import BLACK, line
from core.style import diverging

MARKERS = {"circle": "o", "x": "x", "triangle": "^", "inverted_triangle": "v"}
MEANING = ("admitted", "refused", "admitted against the colour", "refused against the colour")
"""Of each kind of mark."""
HALO = "#ffffff"


def shade(figure: Any, axes: Any, phi: np.ndarray, span: float, ends: Sequence[float], *, steps: bool = False) -> None:
    """The field in colours, with its scale.

    Args:
        figure, axes: where.
        phi: Φ/V_max, rows upwards.
        span: Φ/V_max at which the colours are full.
        ends: left, right, bottom, top.
        steps: whether neighbouring columns have nothing between them.
    """
    from matplotlib.colors import ListedColormap

    image = axes.imshow(
        phi,
        cmap=ListedColormap(diverging(241, 0.7)),
        vmin=-span,
        vmax=span,
        extent=tuple(ends),
        origin="lower",
        aspect="auto",
        interpolation="nearest" if steps else "bilinear",
    )
    bar = figure.colorbar(image, ax=axes, pad=0.02, fraction=0.05, aspect=28, extend="both", extendfrac=0.03)
    bar.set_label(r"$Φ/V_\mathrm{max}$", labelpad=2)
    bar.outline.set_linewidth(0.5)


def boundary(axes: Any, lines: Sequence[np.ndarray]) -> dict[str, Any]:
    """Φ = 0; nothing, and no entry in the legend, where it is nowhere on the map."""
    for one in lines:
        axes.plot(one[:, 0], one[:, 1], color=BLACK, linewidth=1.6, zorder=3)
    return {"Φ = 0": line(color=BLACK, linewidth=1.6)} if lines else {}


def levels(axes: Any, lines: Sequence[np.ndarray], names: Sequence[tuple[Any, ...]]) -> None:
    """Other levels, thin, each with its value on it."""
    for one in lines:
        axes.plot(one[:, 0], one[:, 1], color=BLACK, linewidth=0.5, alpha=0.55, zorder=2)
    box = {"boxstyle": "round,pad=0.12", "facecolor": HALO, "alpha": 0.7, "edgecolor": "none"}
    for x, y, text in names:
        axes.text(x, y, text, fontsize=6, ha="center", va="center", bbox=box, zorder=4, clip_on=True)


def marks(axes: Any, x: np.ndarray, y: np.ndarray, kind: np.ndarray) -> dict[str, Any]:
    """The actions by kind; those that are there go into the legend."""
    found = {}
    for k, (name, words) in enumerate(zip(KINDS, MEANING, strict=True)):
        here = kind == k
        if not here.any():
            continue
        style: dict[str, Any] = {"marker": MARKERS[name], "markersize": 3.2, "linestyle": "none", "color": FILL[k]}
        style |= {
            "markeredgewidth": 0.8 if name == "x" else 0.5,
            "markeredgecolor": FILL[k] if name == "x" else EDGE[k],
        }
        axes.plot(x[here], y[here], zorder=5, **style)
        found[words] = line(**style)
    return found


def rings(axes: Any, held: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The action in focus and the allocator's choice, each with a light edge around it."""
    found = {}
    for at, marker, words in ((chosen, "s", "allocator's choice"), (held, "o", "in focus")):
        if not at["x"]:
            continue
        ring: dict[str, Any] = {"marker": marker, "markersize": 8, "linestyle": "none", "markerfacecolor": "none"}
        axes.plot(at["x"], at["y"], markeredgecolor=HALO, markeredgewidth=2.6, zorder=6, **ring)
        axes.plot(at["x"], at["y"], markeredgecolor=BLACK, markeredgewidth=1.2, zorder=7, **ring)
        found[words] = line(markeredgecolor=BLACK, markeredgewidth=1.2, **{**ring, "markersize": 6})
    return found


def marks_table(columns: Mapping[str, Any]) -> pd.DataFrame:
    """The marks as a table."""
    return pd.DataFrame(
        {
            "g": columns["g"],
            "rho_ul": columns["rho_ul"],
            "rho_dl": columns["rho_dl"],
            "slots": columns["slots"],
            "phi_over_V_max": columns["phi"],
            "verdict": [VERDICT_WORDS[v] for v in columns["verdict"]],
            "mark": [MEANING[k] for k in columns["kind"]],
            "why": [REASONS[r] for r in columns["reason"]],
            "actions_here": columns["many"],
        }
    )


def lines_table(lines: Sequence[np.ndarray], x: str, y: str) -> pd.DataFrame:
    """Lines as a table, one row per point."""
    parts = [pd.DataFrame({"line": i, x: one[:, 0], y: one[:, 1]}) for i, one in enumerate(lines)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["line", x, y])


def field_table(phi: np.ndarray, x: np.ndarray, y: np.ndarray, names: tuple[str, str]) -> pd.DataFrame:
    """A field as a table, one row per point."""
    return pd.DataFrame(
        {names[0]: np.tile(x, len(y)), names[1]: np.repeat(y, len(x)), "phi_over_V_max": np.asarray(phi).ravel()}
    )
