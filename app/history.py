"""Undo and redo: the browser keeps the steps, so that its Back is undo and its Forward redo.

The server says which address reproduces the page and when a new step begins; the browser makes an entry of its history for
each step (app/components/move_line.js). What it goes back or forward to comes here as a query and is read as any link is.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import param

from app.jobs.clock import Clock
from app.jobs.pipeline import REST_S, Pipeline
from app.share_links import pairs_of, parse_query, query_from, read_query
from app.state import CONTROLS, State, metadata_of, sample_of

WHOLE = (*CONTROLS, "action", "takeoff", "changes", "pin", "tab")
"""All that an address carries."""
FOLLOW = {"action", "focus"}
"""What may change because something else did: the action is held, the UAV stays."""
DRAGGED = {name for name in CONTROLS if type(sample_of(name)) in (int, float)} - {"focus", "seed"}
"""Controls that are dragged: while one is, its moves are one step."""
MAX_QUERY = 20_000
NAMED = 2
"""Moved controls that a step is named by; more are counted."""


class History(param.Parameterized):
    """Where the page is among a visitor's steps: `entry` has the query of what is shown, the count of steps so far, and what the last one moved."""

    entry = param.Dict({"query": "", "step": 0, "says": ""})

    def __init__(self, state: State, pipeline: Pipeline, clock: Clock, complain: Callable[[str], None]) -> None:
        super().__init__()
        self._state, self._pipeline, self._clock, self._complain = state, pipeline, clock, complain
        self._texts = dict(pairs_of(state))
        self._moving: set[str] = set()
        self._moved_at = 0.0
        self._played = False
        self._returning = False
        # a tour has addresses of its own, and knows the way back to them (app/stage.py)
        self.address: Callable[[list[tuple[str, str]]], str] = query_from
        self.elsewhere: Callable[[str], bool] = lambda query: False
        state.param.watch(lambda *_: self._hear(), list(WHOLE))

    def begin(self) -> None:
        """Where the page stands now is where the steps begin."""
        pairs = pairs_of(self._state)
        self._texts, self._moving = dict(pairs), set()
        self.entry = {**self.entry, "query": self.address(pairs)}

    def go(self, query: str) -> None:
        """Show what an earlier or later step showed; what the query does not name is at its default.

        Args:
            query: as the browser kept it; whatever is bad in it is said and left out, as in any link.
        """
        self._returning = True
        try:
            if self.elsewhere(query[:MAX_QUERY]):
                self.begin()
                return
        finally:
            self._returning = False
        target = State()
        try:
            complaints = read_query(target, parse_query(query[:MAX_QUERY]))
        except ValueError:
            complaints = ["That address has too many values; nothing was changed."]
            target = self._state
        for text in complaints[:3]:
            self._complain(text)
        self._clock.pause()
        self._returning = True
        try:
            with self._pipeline.exactly():
                self._state.take(target)
        finally:
            self._returning = False
        self.begin()

    def _hear(self) -> None:
        pairs = pairs_of(self._state)
        now = dict(pairs)
        names = {n for n in now.keys() | self._texts.keys() if now.get(n) != self._texts.get(n)}
        self._texts = now
        if not names or self._returning:
            return
        moved, moment = names - FOLLOW or names, time.monotonic()
        entry = {**self.entry, "query": self.address(pairs)}
        if not self._goes_on(moved, moment):
            entry |= {"step": entry["step"] + 1, "says": said(moved)}
            self._moving = moved
        self._moved_at, self._played = moment, self._clock.playing
        self.entry = entry

    def _goes_on(self, moved: set[str], moment: float) -> bool:
        """Whether this belongs to the step before: a drag that goes on, or a flight that plays on."""
        if self._clock.playing and ("cycle" in moved or moved == {"changed"}):
            return self._played or self._moving == {
                "changed"
            }  # which is how a flight with other settings begins to play
        both = moved | self._moving  # a slider, or two at once on a plane, or one with the cycle that must follow
        dragged = bool(moved & self._moving) and both <= DRAGGED and len(both) <= 2
        return dragged and moment - self._moved_at <= REST_S


def said(names: set[str]) -> str:
    """What a step moved, in a few words."""
    words = {
        "action": "action in focus",
        "flown": "flight",
        "changed": "flight",
        "pin": "pin",
        "tab": "tab",
        "focus": "UAV",
        "cycle": "cycle",
    }
    found = list(dict.fromkeys(words.get(n) or metadata_of(n).symbol for n in sorted(names)))
    more = len(found) - NAMED
    return ", ".join(found[:NAMED]) + (f" and {more} more" if more > 0 else "")
