"""A repair of Panel 1.9: `panel serve notebook.ipynb` asks nobody outside for a font.

The template in which Panel shows notebooks names a web font by its address; a classroom without internet would wait for it.
"""

from __future__ import annotations

from panel.template.editable import EditableTemplate


def without_web_font() -> None:
    """Take the font out of the template; once is enough."""
    EditableTemplate._resources["css"].pop("lato", None)
