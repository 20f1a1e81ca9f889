"""What the axes of several figures have in common: exponents, legends under a figure, letters of the panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.figures.paper.typeset import typeset
from core.style import INK, policy_colour, policy_dash

BLACK = "#111111"


def label(axes: Any, x: str = "", y: str = "") -> None:
    """Name the axes as the page does, with real indices."""
    if x:
        axes.set_xlabel(typeset(x))
    if y:
        axes.set_ylabel(typeset(y))


def powers(axis: Any, low: int, high: int) -> None:
    """Ticks 10^low … 10^high on an axis of decimal exponents."""
    ticks = list(range(low, high + 1))
    axis.set_ticks(ticks, [f"$10^{{{n}}}$" if n else "1" for n in ticks])


def legend_under(figure: Any, handles: Mapping[str, Any], columns: int) -> None:
    """A legend under the axes, where it covers no data."""
    if handles:
        texts = [typeset(name) for name in handles]
        figure.legend(list(handles.values()), texts, loc="outside lower center", ncols=min(columns, len(texts)))


def letters(panels: Any) -> None:
    """(a), (b), … above the left end of each panel."""
    for letter, axes in zip("abcdefgh", panels, strict=False):
        axes.set_title(f"({letter})", loc="left", pad=3)


def line(**style: Any) -> Any:
    """A handle for a legend that stands for a line or a mark."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def patch(**style: Any) -> Any:
    """A handle for a legend that stands for an area."""
    from matplotlib.patches import Patch

    return Patch(**style)


def policy_line(policy: str, thick: bool = False) -> dict[str, Any]:
    """Colour, pattern and width of a policy's line; a user's own policy is grey."""
    dash: Any = policy_dash(policy)
    if dash[:1].isdigit():  # lengths on and off
        dash = (0, tuple(float(n) / 2 for n in dash.split()))
    return {"color": policy_colour(policy), "linestyle": dash, "linewidth": 1.6 if thick else 1.1}


def budget_line(axes: Any, at: float) -> Any:
    """A dashed line down the plot."""
    return axes.axvline(at, color=INK, linestyle="dashed", linewidth=0.9)
