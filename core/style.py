"""What colours, line patterns and axis labels mean, the same on the page, in the notebooks and in exported figures.

Policies: the paper's five have the Okabe–Ito colours; every other policy has its own colour and line pattern, chosen so that lines of
one pattern stay apart under every kind of colour blindness (a test measures it), SAFE's variants among the blues and violets. A
user's own policy has a colour and a pattern that no shipped one has, found from its name.
"""

import functools
import zlib
from collections.abc import Mapping
from typing import NamedTuple


class Style(NamedTuple):
    """Colour, and line pattern so that a grey print can still be read."""

    colour: str
    dash: str


STYLES: Mapping[str, Style] = {
    "SAFE": Style("#0072B2", "solid"),
    "VoI-Sched": Style("#009E73", "solid"),
    "DynTx-HLC": Style("#E69F00", "dashdot"),
    "Fixed-Service": Style("#CC79A7", "dashed"),
    "Cert-Fixed": Style("#D55E00", "dotted"),
    "Whittle-Age": Style("#C96EF7", "dotted"),
    "CALLS": Style("#F320AD", "dashdot"),
    "NMSE-Sched": Style("#369108", "dashed"),
    "Rollout": Style("#7A4C1F", "solid"),
    "SAFE-repaired": Style("#0C2FDF", "dotted"),
    "SAFE-paper": Style("#56B4E9", "dashed"),
    "SAFE-greedy": Style("#61B3B3", "dotted"),
    "SAFE-no-admission": Style("#A198CD", "solid"),
    "SAFE-reach": Style("#324C67", "dashdot"),
    "SAFE-no-sync": Style("#B285E0", "dashdot"),
    "SAFE-nominal": Style("#752FBC", "dashed"),
    "SAFE-no-plan": Style("#4764F5", "dashdot"),
    "SAFE-L1": Style("#6E9CF7", "solid"),
}
POLICY_COLOUR = {name: style.colour for name, style in STYLES.items()}
INK = "#808080"
"""What belongs to no policy; readable on white and on the dark theme's background."""

OWN_COLOURS = (
    "#EE1177", "#668822", "#8855FF", "#CC6655", "#227766", "#FF77DD", "#666633", "#3300FF",
    "#BBAA77", "#991199", "#77BB11", "#AA3355", "#EE9955", "#664477", "#DD2200", "#DD9999",
)  # fmt: skip
OWN_DASHES = ("12 4 2 4 2 4", "16 4")
"""Styles of a user's own policies: no shipped one has any of these colours or patterns (lengths on and off [px])."""

_own: set[str] = set()


def know_own(name: str) -> None:
    """Hear of a user's own policy, so that no two of them get one style."""
    if name not in STYLES:
        _own.add(name)
        _styles_of_own.cache_clear()


def policy_style(name: str) -> Style:
    """Style of a policy: the shipped one, or one that a user's own has by its name in every process.

    A name decides its style by itself; only where two known ones meet, the later in the alphabet moves on.
    """
    return STYLES.get(name) or _styles_of_own().get(name) or _own_style(_place(name))


def policy_colour(name: str) -> str:
    """Colour of a policy."""
    return policy_style(name).colour


def policy_dash(name: str) -> str:
    """Line pattern of a policy: solid, dashed, dotted, dashdot, or lengths on and off [px]."""
    return policy_style(name).dash


@functools.cache
def _styles_of_own() -> dict[str, Style]:
    count = len(OWN_COLOURS) * len(OWN_DASHES)
    taken: dict[int, str] = {}
    for name in sorted(_own):
        wanted = _place(name)
        place = next((p % count for p in range(wanted, wanted + count) if p % count not in taken), wanted)
        taken.setdefault(place, name)
    return {name: _own_style(place) for place, name in taken.items()}


def _place(name: str) -> int:
    return zlib.crc32(name.encode()) % (len(OWN_COLOURS) * len(OWN_DASHES))


def _own_style(place: int) -> Style:
    return Style(OWN_COLOURS[place % len(OWN_COLOURS)], OWN_DASHES[place // len(OWN_COLOURS)])


MODE_COLOUR = {0: "#3F51B5", 1: "#D81BFF", 2: "#9A9A00", 3: "#B02020"}
MODE_NAME = {0: "certified", 1: "uncertified", 2: "hold", 3: "safe mode"}
"""Colour and name of a loop's mode (core.allocation.Mode); no policy has any of these colours."""

SAFE_SIDE, UNSAFE_SIDE = "#0072B2", "#D55E00"
"""Drift that falls, drift that rises; what is admitted, what is refused."""
ACCENT = "#2B8ACB"
"""The page's blue where one colour must be read on white and on the dark theme's background."""
FOCUS = "#E69F00"
"""The UAV or action that is being looked at."""

LOOPS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B59F00", "#7F7F7F")
"""Neighbouring loops in a frame take neighbouring entries, so that two of them are never alike."""

NEUTRAL = ("#9DB2C4", "#C3CFD9")
"""Neighbouring loops in a frame where one of them is in focus, on white and on dark; black is read on both."""

AXIS_LABEL = {"rmse_m": "RMSE [m]", "v_normalised": "V / V_max [-]", "command_delay_ms": "command delay [ms]"}
"""Axis of each distribution of a reproduction (core.studies.reproduction.FIGURES)."""
SHARE_LABEL = "share of samples ≤ x"
"""The other axis of a distribution."""


def diverging(n: int = 41, power: float = 1.0) -> list[str]:
    """Blue (drift falls: safe) through near-white to vermillion (drift rises: unsafe).

    Args:
        n: number of colours, odd.
        power: below 1 the colours fill sooner beside the middle, so that the sign is seen close to it.
    """
    middle = (247, 247, 247)
    sides = [_rgb(SAFE_SIDE), _rgb(UNSAFE_SIDE)]
    colours = []
    for i in range(n):
        t = 2 * i / (n - 1) - 1
        side = sides[0] if t < 0 else sides[1]
        full = abs(t) ** power
        colours.append("#" + "".join(f"{round(m + (s - m) * full):02x}" for m, s in zip(middle, side, strict=True)))
    return colours


def mid_tones(n: int) -> list[str]:
    """Violet through blue-green to green, a scale whose every colour is read on white and on a dark background."""
    stops = [_rgb(colour) for colour in ("#7B5BD6", "#2B8ACB", "#2FA36B")]
    colours = []
    for i in range(n):
        t = i / max(n - 1, 1) * (len(stops) - 1)
        j = min(int(t), len(stops) - 2)
        pair = zip(stops[j], stops[j + 1], strict=True)
        colours.append("#" + "".join(f"{round(a + (b - a) * (t - j)):02x}" for a, b in pair))
    return colours


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue
