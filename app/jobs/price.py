"""What work would cost, in time and in words, before it starts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from core.errors import SafeExplorerError

LIGHT_S = 0.3
"""Work that takes no longer than this is done at once, beside whatever else the server does [s]."""
ASK_S = 10.0
"""Work that takes longer is not started before the visitor has agreed to it [s]."""


@dataclass(frozen=True)
class Price:
    """What work would take.

    Args:
        seconds: on this server, alone [s].
        what: the work as the beginning of a sentence, such as "Flying 1,000 UAVs to cycle 2,399".
        key: what one agrees to; the same work asked for again, when part of it is done, has the same key.
        far: how far it has got, in words; asked while it is done.
    """

    seconds: float
    what: str = ""
    key: Hashable = None
    far: Callable[[], str] = lambda: ""

    @property
    def light(self) -> bool:
        """Whether it is done at once."""
        return self.seconds <= LIGHT_S

    @property
    def said(self) -> str:
        """What it would take, as a sentence."""
        return f"{self.what} takes {about(self.seconds)} on this server."


FREE = Price(0.0)


class TooMuch(SafeExplorerError):
    """Work that is not started before the visitor agrees."""

    def __init__(self, price: Price) -> None:
        super().__init__(f"{price.said} It waits for Start in the timeline.")
        self.price = price


def about(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
