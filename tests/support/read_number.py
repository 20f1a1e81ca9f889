"""Numbers of the page as a person reads them."""

from __future__ import annotations


def read_number(text: str) -> float:
    """The number that a text shows; a hyphen in place of a minus sign is a fault."""
    assert "-" not in text, f"{text!r} has a hyphen for a minus sign"
    return float(text.replace("−", "-"))
