"""The bar under the header: which cycle of which flight is looked at, and whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from app.course import settings_from
from app.jobs.clock import SPEEDS
from app.moves import text_of
from app.panel_fixes.debounce import AT_ONCE_MS
from app.session import Session
from app.state import FIELDS, POLICY_NAMES, STATE, metadata_of
from core.errors import SafeExplorerError
from core.instant.takeoff import Settings, takeoff

LEAVES = {field: leaf for leaf, field in FIELDS.items()}
ASKED = ("cycle", "focus", "seed", "policy", "hold")
"""What the browser may ask for, besides play, step, speed and another flight."""
NAMED = 3
"""Differing settings that are named; more are counted."""


class Timeline(JSComponent):
    """Play, pause, step and drag through a flight; its policy, its seed, the UAV in focus; *fly again*."""

    view = param.Dict(default={}, doc="All that the bar shows, plain JSON.")

    _debounce: ClassVar[int] = AT_ONCE_MS

    _esm = Path(__file__).with_name("timeline.js")
    _stylesheets: ClassVar[list[str]] = [Path(__file__).with_name("timeline.css").read_text()]

    def __init__(self, session: Session, **params: Any) -> None:
        self._session, self._refused, self._move = session, "", 0
        super().__init__(view=timeline_view(session), **params)
        # every change of the state is answered by a picture, or else by a busy sign or a complaint
        session.pipeline.param.watch(self._answered, ["picture", "busy", "stale"])
        session.clock.param.watch(self._draw, ["playing", "speed", "flying"])
        session.work.param.watch(self._draw, ["question", "doing"])

    def _answered(self, *_: param.parameterized.Event) -> None:
        self._refused = ""
        self._draw()

    def _draw(self, *_: param.parameterized.Event) -> None:
        view = timeline_view(self._session, self._refused, self._move)
        if view != self.view:
            self.view = view

    def _handle_msg(self, data: Any) -> None:
        """What the visitor asks for: {"play": bool}, {"step": cycles}, {"speed": …}, {"again": true}, {"start": true}, {"cancel": true}, or values of ASKED, with the count of its "move"."""
        if not isinstance(data, dict):
            return
        move = data.get("move")
        if isinstance(move, int) and move > self._move:
            self._move = move
        clock, state = self._session.clock, self._session.state
        self._refused = ""
        try:
            if "play" in data:
                clock.play() if data["play"] else clock.pause()
            elif "step" in data:
                clock.step(1 if data["step"] > 0 else -1)
            elif "again" in data:
                clock.fly_again()
            elif "start" in data:
                self._session.work.agree()
            elif "cancel" in data:
                self._session.work.stop()
            elif data.get("speed") in SPEEDS:
                clock.speed = data["speed"]
            else:
                state.apply({name: value for name, value in data.items() if name in ASKED})
        except SafeExplorerError as error:
            self._refused = str(error)
        except TypeError:  # nothing of ours sends it
            pass
        self._draw()


def timeline_view(session: Session, refused: str = "", move: int = 0) -> dict[str, Any]:
    """All that the bar shows.

    Args:
        session: whose.
        refused: why the last thing asked for was not done.
        move: the browser's last move that this answers; before it has answered, the bar stays where the visitor put it.
    """
    state, clock, picture = session.state, session.clock, session.pipeline.picture
    scenario, flight = state.scenario, picture.flight if picture is not None else None
    start = takeoff(scenario, state.takeoff)
    differs = settings_from(start, scenario)
    return {
        "cycle": state.cycle,
        "move": move,
        "last": scenario.cycles - 1,
        "Ts": scenario.control.Ts,
        "flown": flight.flown if flight is not None else 0,
        "marks": [[cycle, f"from cycle {cycle} on: {_listed(made, len(made))}"] for cycle, made in state.changes],
        "playing": clock.playing,
        "speed": clock.speed,
        "speeds": list(SPEEDS),
        "policy": state.policy,
        "policies": list(POLICY_NAMES),
        "seed": state.seed,
        "seeds": metadata_of("seed").hi,
        "uav": picture.focus.uav if picture is not None else state.focus,
        "ours": state.focus == 0,
        "uavs": scenario.mission.uavs,
        "hold": state.hold,
        "again": again(differs, bool(state.changes)),
        "question": session.work.question,
        "doing": session.work.doing,
        "refused": refused,
        "status": "" if refused else status(session),
    }


def status(session: Session) -> str:
    """What is going on, in a few words."""
    state, clock, pipeline = session.state, session.clock, session.pipeline
    said = []
    if clock.flying >= 0:
        said.append(f"flying the mission: cycle {clock.flying} of {clock.last}")
    elif pipeline.busy:
        said.append("flying …" if _beyond(session) else "computing …")
    elif pipeline.stale and _beyond(session):
        said.append("not flown yet")
    asked = settings_from(state.in_force(state.cycle), state.scenario)
    if asked:
        when = "from the next cycle on" if clock.playing else "at this cycle only"
        said.append(f"what if: {_listed(asked, NAMED)} {when}")
    replaced = [(name, value) for name in STATE if (value := getattr(state, name)) is not None]
    if replaced:
        said.append("state overridden: " + ", ".join(f"{metadata_of(n).symbol} {text_of(v)}" for n, v in replaced))
    return "; ".join(said) or "as flown"


def again(differs: Settings, changed: bool) -> str:
    """What flying again would be about; "" = nothing, it would be the same flight."""
    if differs:
        return f"The flight took off with other settings. Fly it with {_listed(differs, 2 * NAMED)}."
    return "Fly the mission without the changes made on the way." if changed else ""


def _beyond(session: Session) -> bool:
    picture = session.pipeline.picture
    return picture is None or session.state.cycle > picture.flight.flown or picture.inputs.seed != session.state.seed


def _listed(settings: Settings, most: int) -> str:
    """Such as "β 0.2, S 120 and 3 more"."""
    texts = [f"{metadata_of(LEAVES[name]).symbol} {text_of(value)}" for name, value in settings]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")
