"""How policies look in every figure, of the command line and of the page.

The paper's five have the Okabe–Ito colours; every other policy has its own colour and line pattern, chosen so that lines of
one pattern stay apart under every kind of colour blindness (a test measures it), SAFE's variants among the blues and violets.
"""

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
POLICY_DASH = {name: style.dash for name, style in STYLES.items()}
INK = "#808080"
"""A user's own policy; readable on white and on the dark theme's background."""


def policy_colour(name: str) -> str:
    """Colour of a policy; a user's own policy is grey."""
    return POLICY_COLOUR.get(name, INK)
