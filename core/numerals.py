"""Numbers as people read them, with a true minus sign; what a machine reads back (links, files, code) keeps its hyphen."""

from __future__ import annotations

import re

SIGNED = re.compile(r"(?<![\w.-])(?:-?\d+(?:\.\d+)?e-(?=\d)|-(?=\.?\d|inf\b|∞))")
"""A number up to its last sign: "-" before digits, "3e-" or "-1.5e-"; not the hyphen of a word, a name, a range or a date."""


def readable(text: str) -> str:
    """A text with the true minus sign (U+2212) in all its numbers; hyphens that are none stay."""
    return SIGNED.sub(lambda found: found[0].replace("-", "−"), text)


def numeral(value: float, form: str = "") -> str:
    """A number as `format` writes it, for a reader."""
    return readable(format(value, form))
