"""The flight tab as browser tests see it: the flights behind its link, its scene, the cycle that is drawn."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from harness import Visitor

from app.picture import Inputs
from app.share_links import read_query
from app.state import State
from core.instant import Flight


def flights(visitor: Visitor) -> dict[str, Flight]:
    """What the page's own link says it shows, flown here."""
    state = State()
    query = parse_qs(urlsplit(visitor.page.url).query)
    assert read_query(state, {name: [v.encode() for v in values] for name, values in query.items()}) == []
    found = {policy: Inputs.of(state).flight(policy) for policy in state.policies}
    for flight in found.values():
        flight.reach(flight.cycles)
    return found


def scene(visitor: Visitor, script: str, argument: Any = None) -> Any:
    """Ask the scene: `scene` is what it tells of itself, `at` its element."""
    whole = f"(at, arg) => {{ const scene = at.scene; return ({script}) }}"
    return visitor.page.locator("canvas.view").evaluate(whole, argument)


def drawn(visitor: Visitor, cycle: int) -> None:
    """Wait until a cycle is on the canvas and at rest."""
    visitor.page.wait_for_selector(f'canvas.view[data-cycle="{cycle}"][data-resting="true"]')
