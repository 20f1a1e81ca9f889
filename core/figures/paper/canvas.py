"""One drawing as bytes: the sizes and the type of a two-column journal, fonts embedded, the same input the same bytes."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping
from typing import Any

from core.errors import SafeExplorerError

WIDTH_IN = {"column": 3.5, "page": 7.16}
"""Widths of a figure in IEEE's two columns [in]."""
FORMATS = ("svg", "pdf", "png")
DPI = 300
RC: Mapping[str, Any] = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.columnspacing": 1.2,
    "legend.handletextpad": 0.5,
    "legend.borderaxespad": 0.2,
    "axes.linewidth": 0.6,
    "axes.grid": False,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.35,
    "lines.linewidth": 1.2,
    "lines.dashed_pattern": (4.0, 1.6),
    "lines.dotted_pattern": (1.0, 1.4),
    "lines.dashdot_pattern": (5.0, 1.5, 1.0, 1.5),
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "hatch.linewidth": 0.4,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.w_pad": 0.02,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "safe-explorer",
    "axes.unicode_minus": True,
}
"""Type of 8 pt that is as large in print; text in an SVG stays text."""
SERIF = "STIXGeneral, 'STIX Two Text', 'Times New Roman', Times"
"""What a browser takes for the type of an SVG where STIX is not installed; its letters are as wide."""

_pen = threading.Lock()
"""Matplotlib's settings belong to the process: one drawing at a time, in whatever thread."""


def drawn(
    paint: Callable[[Any, bool], None], format: str, width: str, height_in: float, title: str, stamp: str
) -> bytes:
    """A drawing as the content of a file.

    Args:
        paint: given an empty matplotlib Figure and whether it is as wide as the page, draws into it.
        format: out of FORMATS.
        width: out of WIDTH_IN.
        height_in: of the figure [in].
        title, stamp: written into the file's own description.
    """
    if format not in FORMATS:
        raise SafeExplorerError(f"A figure is not written as {format!r}; choose {', '.join(FORMATS)} or csv.")
    if width not in WIDTH_IN:
        raise SafeExplorerError(f"There is no width {width!r}; choose {' or '.join(WIDTH_IN)}.")
    import matplotlib as mpl  # here because only an export needs it
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with _pen, mpl.rc_context(dict(RC)):
        figure = Figure(figsize=(WIDTH_IN[width], height_in), layout="constrained")
        paint(figure, width == "page")
        figure.savefig(out, format=format, dpi=DPI, metadata=_metadata(format, title, stamp))
    content = out.getvalue()
    if format == "svg":
        content = content.replace(b"'STIXGeneral'", SERIF.encode()).replace(
            b"STIXGeneral, 'DejaVu Sans'", SERIF.encode()
        )
    return content


def _metadata(format: str, title: str, stamp: str) -> dict[str, Any]:
    """No date, so that the same input gives the same bytes."""
    if format == "svg":
        return {"Date": None, "Title": title, "Description": stamp, "Creator": "SAFE Explorer"}
    if format == "pdf":
        return {"CreationDate": None, "Title": title, "Subject": stamp, "Creator": "SAFE Explorer"}
    return {"Title": title, "Description": stamp, "Software": "SAFE Explorer"}
