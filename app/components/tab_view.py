"""What every tab is: a title, a layout built on its first visit, and a way to show a new picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn

from app.components.spotlight import Spotlight
from app.handbook.documents import decisions_linked
from app.picture import Picture

if TYPE_CHECKING:
    from app.session import Session

CAPTION_CSS = """
:host { color: var(--mui-palette-text-primary, #222); }
a { color: var(--mui-palette-primary-main, #0072b5); }
div { font-family: var(--page-font, system-ui, sans-serif); font-size: calc(15px * var(--type, 1)); line-height: 1.4; }
"""


class TabView(pn.viewable.Viewer):
    """One tab. To add one: a folder in app/tabs with the subclass in its view.py, and its name in app/page.py."""

    title: ClassVar[str] = ""
    name_in_link: ClassVar[str] = ""
    """What `tab=` in a link, and State.tab, call it."""
    of_a_flight: ClassVar[bool] = False
    """Whether it looks at a cycle of the flight, so that the timeline belongs to it."""
    draws_on_the_way: ClassVar[bool] = False
    """Whether it shows a flight that has not got to that cycle yet; the others say what they wait for."""
    parts: ClassVar[tuple[str, ...]] = ()
    """What a tour may show large on its own; `part` says what each is made of."""
    told: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Numbers that only this tab knows and a tour may name, with their meaning; `tell` has their values."""

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.shown: Picture | None = None
        self.redrawn: Callable[[], None] = lambda: None
        self._spotlight = Spotlight()

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

    def part(self, name: str) -> tuple[pn.viewable.Viewable, ...]:
        """What one of `parts` is made of."""
        raise TypeError(f"{type(self).__name__} has no part {name}")

    def present(self, part: str) -> None:
        """Show one part alone and large; "" all of the tab."""
        self._spotlight.on(self.content, self.part(part) if part else ())

    def unpresent(self) -> None:
        """Show the tab as it is on the page."""
        self._spotlight.off()

    def tell(self) -> dict[str, str]:
        """Values of what is `told`, as far as they are known; `redrawn` is called when there are new ones."""
        return {}

    def close(self) -> None:
        """Free what the session's end would leave behind."""

    def __panel__(self) -> pn.viewable.Viewable:
        return self.content


def caption(text: str = "") -> pn.pane.HTML:
    """A line of explanation under a plot; its text is ours, never the user's. D-numbers in it lead to the decision."""
    return pn.pane.HTML(
        f"<div>{decisions_linked(text)}</div>", sizing_mode="stretch_width", stylesheets=[CAPTION_CSS], margin=(2, 10)
    )


def equation(tex: str = "") -> pn.pane.LaTeX:
    """An equation of the paper, drawn by the MathJax that the server itself delivers."""
    return pn.pane.LaTeX(f"$${tex}$$", renderer="mathjax", margin=(0, 10), styles={"font-size": "13px"})
