"""A tour as data: steps, each with one sentence, one link, one control and one picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One picture of a story.

    Args:
        title: a few words.
        say: one sentence; `{name}` stands for a number of the picture.
        link: query string of what is shown, read as any other link.
        control: the one control that is offered; "cycle" is the timeline, "" none.
        look: what to look for when it moves; may name numbers too.
        show: part of the tab that is shown large; "" all of it.
    """

    title: str
    say: str
    link: str
    control: str = ""
    look: str = ""
    show: str = ""


@dataclass(frozen=True)
class Tour:
    """A story to tell.

    Args:
        name: of its file; what `?tour=` in a link says.
        title: a few words.
        author: who tells it.
        steps: in order, at least one.
    """

    name: str
    title: str
    author: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Scenery:
    """What a tab offers to a tour.

    Args:
        parts: what may be shown large on its own.
        numbers: names of the numbers that only this tab knows, with their meaning.
    """

    parts: Collection[str] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
