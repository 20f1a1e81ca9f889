"""First cell of every notebook: Panel ready for JupyterLab and for `panel serve`, with nothing fetched from outside."""

from __future__ import annotations

import panel as pn
from panel.template.editable import EditableTemplate

READABLE = ":host(.bk-panel-models-markup-HTML) { font-size: 15px; } blockquote { border-left: 4px solid #0072B2; padding-left: 12px; }"
"""For a projector: Panel's own text is small."""


def start() -> None:
    """Load Panel with its scripts inside the page.

    Panel's release would load them from a content network (inline=True keeps them local), and the template in which
    `panel serve` shows notebooks would ask for a web font; a classroom without internet has neither.
    """
    EditableTemplate._resources["css"].pop("lato", None)
    pn.extension(inline=True, raw_css=[READABLE])
