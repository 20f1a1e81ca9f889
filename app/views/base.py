"""What every tab is: a title, a layout built on its first visit, and a way to show a new picture."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn

from app.captions import same_drag, what_changed
from app.picture import Picture

if TYPE_CHECKING:
    from app.session import Session

CAPTION_CSS = """
:host { display: block; color: var(--mui-palette-text-primary, #222); }
div { font-family: var(--page-font, system-ui, sans-serif); font-size: 13px; line-height: 1.4; }
"""
REST_S = 1.5
"""A control that has not moved for this long has been let go."""


class TabView(pn.viewable.Viewer):
    """One tab. To add one: subclass in a file of this folder and name the class in app/page.py."""

    title: ClassVar[str] = ""
    name_in_link: ClassVar[str] = ""

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.shown: Picture | None = None
        self._start: Picture | None = None
        self._moved_at = 0.0

    @cached_property
    def content(self) -> pn.viewable.Viewable:
        """The tab's layout, made once; then only its sources change."""
        return self.build()

    def build(self) -> pn.viewable.Viewable:
        """Make the layout."""
        raise TypeError(f"{type(self).__name__} must say what it shows")

    def show(self, picture: Picture) -> None:
        """Draw a picture that differs from the one shown."""

    def refresh(self, picture: Picture | None) -> None:
        """Draw the picture unless it is already on the screen."""
        _ = self.content
        if picture is None or picture is self.shown:
            return
        self.show(picture)
        self.shown = picture

    def changed(self, picture: Picture) -> str:
        """Caption that says what just changed: since the drag began, not since the last of its many steps."""
        now, last = time.monotonic(), self.shown
        resting = self._start is None or last is None or now - self._moved_at > REST_S
        if resting or not same_drag(self._start, last, picture):
            self._start = last
        self._moved_at = now
        return what_changed(self._start, picture)

    def close(self) -> None:
        """Free what the session's end would leave behind."""

    def __panel__(self) -> pn.viewable.Viewable:
        return self.content


def caption(text: str = "") -> pn.pane.HTML:
    """A line of explanation under a plot; its text is ours, never the user's."""
    return pn.pane.HTML(f"<div>{text}</div>", sizing_mode="stretch_width", stylesheets=[CAPTION_CSS], margin=(2, 10))


def equation(tex: str = "") -> pn.pane.LaTeX:
    """An equation of the paper, drawn by the MathJax that the server itself delivers."""
    return pn.pane.LaTeX(f"$${tex}$$", renderer="mathjax", margin=(0, 10), styles={"font-size": "13px"})
