"""A figure for paper: what it shows as tables, how it is drawn, what its caption says, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import SafeExplorerError
from core.figures.paper.canvas import FORMATS, drawn
from core.figures.paper.stamp import Stamp
from core.folders import write_atomically


@dataclass(frozen=True, eq=False)
class Figure:
    """One figure, drawn when it is exported.

    Args:
        name: of its file, without an ending.
        caption: what it shows, with the settings that differ from the default.
        stamp: where it comes from.
        data: everything that is drawn, one tidy table per layer, units in the names of the columns.
        paint: given an empty matplotlib Figure and whether it is as wide as the page, draws into it.
        height_in: at column and at page width [in].
    """

    name: str
    caption: str
    stamp: Stamp
    data: Mapping[str, pd.DataFrame]
    paint: Callable[[Any, bool], None]
    height_in: tuple[float, float] = (2.4, 2.8)

    def render(self, format: str = "pdf", width: str = "column") -> bytes:
        """The figure as the content of a file; the same figure gives the same bytes.

        Args:
            format: "svg", "pdf", "png", or "csv" for its data.
            width: "column" (3.5 in) or "page" (7.16 in).
        """
        if format == "csv":
            return csv_bytes(self.frame, self.caption, self.stamp)
        return drawn(
            self.paint, format, width, self.height_in[width == "page"], self.caption.split(". ")[0], self.stamp.text
        )

    def export(self, path: str | Path, format: str | None = None, width: str = "column") -> Path:
        """Write the figure.

        Args:
            path: of the file; its ending says the format unless `format` does.
            format, width: as for `render`.
        """
        return written(path, format, (*FORMATS, "csv"), lambda kind: self.render(kind, width))

    @property
    def frame(self) -> pd.DataFrame:
        """All layers as one table; with several, the column `layer` says which a row belongs to."""
        if len(self.data) == 1:
            return next(iter(self.data.values()))
        layers = [f.assign(layer=name)[["layer", *f.columns]] for name, f in self.data.items() if len(f)]
        return pd.concat(layers, ignore_index=True) if layers else pd.DataFrame(columns=["layer"])

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.render("svg").decode()


def csv_bytes(frame: pd.DataFrame, caption: str, stamp: Stamp) -> bytes:
    """A table as CSV under lines that say what it is: `pandas.read_csv(path, comment="#")`."""
    about = "".join(f"# {' '.join(line.split())}\n" for line in (caption, *stamp.lines))
    return (about + frame.to_csv(index=False, lineterminator="\n")).encode()


def written(path: str | Path, format: str | None, known: tuple[str, ...], content: Callable[[str], bytes]) -> Path:
    """Write a file whose ending or `format` says what it is."""
    target = Path(path)
    kind = (format or target.suffix.removeprefix(".")).lower()
    if kind not in known:
        raise SafeExplorerError(
            f"{target.name!r} does not say what to write; end it in {', '.join('.' + k for k in known)}, or give format."
        )
    made = content(kind)
    try:
        write_atomically(target, made)
    except OSError as error:
        raise SafeExplorerError(f"{target} cannot be written: {error.strerror or error}.") from error
    return target
