"""Sessions without a server, and tabs that show their picture."""

from __future__ import annotations

from typing import TypeVar

from app.components.tab_view import TabView
from app.session import Session

View = TypeVar("View", bound=TabView)


def session(**values: object) -> Session:
    """A visitor with these controls, the picture computed."""
    made = Session()
    if values:
        made.state.apply(values)
    made.pipeline.request()
    return made


def shown(view: type[View], made: Session) -> View:
    """One tab, drawn."""
    found = view(made)
    found.__panel__()
    found.refresh(made.pipeline.picture)
    return found
