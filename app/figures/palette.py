"""Colours that mean the same thing everywhere, all safe for the colour-blind; most are from the Okabe–Ito set."""

from __future__ import annotations

from core.cli.policy_style import INK, POLICY_COLOUR, POLICY_DASH, policy_colour

__all__ = [
    "FOCUS",
    "INK",
    "LOOPS",
    "MODE",
    "MODE_NAME",
    "POLICY_COLOUR",
    "POLICY_DASH",
    "SAFE_SIDE",
    "TOOLS",
    "UNSAFE_SIDE",
    "diverging",
    "policy_colour",
]

MODE = {0: "#3F51B5", 1: "#D81BFF", 2: "#9A9A00", 3: "#B02020"}
MODE_NAME = {0: "certified", 1: "synchronisation", 2: "hold", 3: "safe mode"}
"""Colour and name of a loop's mode (core.allocation.Mode); no policy has any of these colours."""

SAFE_SIDE, UNSAFE_SIDE = "#0072B2", "#D55E00"
FOCUS = "#E69F00"

LOOPS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B59F00", "#7F7F7F")
"""Neighbouring loops in a frame take neighbouring entries, so that two of them are never alike."""

TOOLS = "pan,box_zoom,wheel_zoom,reset,save"


def diverging(n: int = 41) -> list[str]:
    """Blue (drift falls: safe) through near-white to vermillion (drift rises: unsafe)."""
    middle = (247, 247, 247)
    sides = [_rgb(SAFE_SIDE), _rgb(UNSAFE_SIDE)]
    colours = []
    for i in range(n):
        t = 2 * i / (n - 1) - 1
        side = sides[0] if t < 0 else sides[1]
        colours.append("#" + "".join(f"{round(m + (s - m) * abs(t)):02x}" for m, s in zip(middle, side, strict=True)))
    return colours


def _rgb(colour: str) -> tuple[int, int, int]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))  # type: ignore[return-value]
