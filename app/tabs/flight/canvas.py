"""The swarm in space: a component of our own, so that a cycle is one small message and the camera stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from core.simulation import Fate
from core.style import FOCUS, MODE_COLOUR, MODE_NAME, UNSAFE_SIDE

_FOLDER = Path(__file__).parent
LOST = "#E5352B"
"""An attempt that was sent and lost; no mode and no policy has this colour."""


class Scene(JSComponent):
    """Building, UAVs, references and the frame of one cycle, to turn, zoom and replay slot by slot; a click picks a UAV."""

    still = param.Dict({}, doc="app.tabs.flight.scene.still")
    moving = param.Dict({}, doc="app.tabs.flight.scene.moving")
    ahead = param.Dict({}, doc="app.tabs.flight.scene.ahead; empty while it is being computed")
    focus = param.Integer(0, bounds=(0, None), doc="UAV in focus, counted from 1; 0 = none")
    playing = param.Boolean(False, doc="cycles follow each other: no slot by slot meanwhile")
    busy = param.String("", doc="what the scene waits for; empty when it shows the cycle asked for")
    words = param.Dict(
        {
            "modes": [{"name": MODE_NAME[m], "colour": MODE_COLOUR[m]} for m in sorted(MODE_NAME)],
            "fates": [fate.name.lower().replace("_", " ") for fate in Fate],
            "lost": LOST,
            "focus": FOCUS,
            "without": UNSAFE_SIDE,
        },
        doc="names and colours",
    )

    _esm = "\n".join(
        _FOLDER.joinpath(name).read_text(encoding="utf-8") for name in ("projection.js", "frame.js", "canvas.js")
    )
    _stylesheets: ClassVar[list[str]] = [_FOLDER.joinpath("canvas.css").read_text(encoding="utf-8")]

    def __init__(self, pick: Callable[[int], None] = lambda uav: None, **params: Any) -> None:
        super().__init__(**params)
        self._pick = pick

    def _handle_msg(self, msg: Any) -> None:
        """A UAV was clicked; the browser sends its number, counted from 1."""
        uav = msg.get("picked") if isinstance(msg, dict) else None
        if isinstance(uav, int) and uav > 0:
            self._pick(uav)
