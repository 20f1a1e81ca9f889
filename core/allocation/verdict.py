"""What became of an action, and of a loop: enums whose values are sentences."""

from __future__ import annotations

from enum import Enum, IntEnum


class Verdict(Enum):
    """Why an action was used or not. `Allocation.verdict` holds the position in this list."""

    CHOSEN = "Chosen: part of the allocation with the largest total value."
    SYNCHRONISATION = "Sent as uncertified synchronisation: P2 passes the loop over, but it must be heard again."
    FRONTIER = "On the frontier but not chosen: its slots are worth more elsewhere."
    DOMINATED = "Dominated: another admitted action of the loop costs no more and certifies no less."
    REFUSED_DRIFT = "Refused: the drift bound is positive, so the loop may get worse in expectation."
    REFUSED_REACH = (
        "Refused: if every attempt its certificate allows to fail does fail, the loop could leave its corridor."
    )
    REFUSED_GATE = "Refused by the printed gate: the loop has already failed as often in a row as the action tolerates."
    NO_BOUND = "No certificate: no finite failure run meets the interaction budget, or no calibrated bound exists."

    @property
    def code(self) -> int:
        """Position in the list."""
        return _CODES[self]


_CODES = {verdict: code for code, verdict in enumerate(Verdict)}
VERDICTS = tuple(Verdict)
"""Verdicts by code."""


class Mode(IntEnum):
    """How a loop spends the cycle."""

    CERTIFIED = 0
    SYNCHRONISATION = 1
    HOLD = 2
    SAFE = 3

    @property
    def sentence(self) -> str:
        """The mode in words."""
        return _MODE_SENTENCES[self]


_MODE_SENTENCES = {
    Mode.CERTIFIED: "Served with an admitted action.",
    Mode.SYNCHRONISATION: "Served without a certificate.",
    Mode.HOLD: "Not served: the last command is held, and the loop stays in its admissible domain.",
    Mode.SAFE: "Not served and may not hold: the onboard law takes over.",
}
