"""A repair of Panel 1.9: text in a notification stays text.

The notification area puts a message into the page as HTML; a value from a link or a file could bring markup of its own.
"""

from __future__ import annotations


def harmless(text: str, length: int = 400) -> str:
    """Text of a notification without anything a browser could take for markup."""
    clean = text.replace("<", "‹").replace(">", "›")
    return clean[:length] + ("…" if len(clean) > length else "")
