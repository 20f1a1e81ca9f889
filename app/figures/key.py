"""A legend as a line of HTML: symbols on a light ground as on the maps, words in the theme's colour."""

from __future__ import annotations

import html
from collections.abc import Iterable

from core.style import ACCENT, FOCUS, INK, MODE_COLOUR, NEUTRAL

GROUND, BLACK, WHITE = "#cfdde8", "#111111", "#ffffff"
_STROKE = f'stroke="{BLACK}" stroke-width="2" fill="none"'
SYMBOLS = {
    "line": f'<path d="M1 9H21" stroke="{BLACK}" stroke-width="3.5"/>',
    "ghost": f'<path d="M1 9H21" stroke="{BLACK}" stroke-width="2" stroke-dasharray="5 3" opacity=".6"/>',
    "pinned": f'<path d="M1 9H21" stroke="{INK}" stroke-width="2.5" stroke-dasharray="6 4"/>',
    "circle": f'<circle cx="11" cy="9" r="4.2" fill="{BLACK}" stroke="{WHITE}"/>',
    "x": f'<path d="M7 5L15 13M15 5L7 13" {_STROKE}/>',
    "triangle": f'<path d="M11 4L15.5 13H6.5Z" fill="{BLACK}" stroke="{WHITE}"/>',
    "inverted_triangle": f'<path d="M11 14L15.5 5H6.5Z" fill="{WHITE}" stroke="{BLACK}" stroke-width="1.2"/>',
    "ring": f'<circle cx="11" cy="9" r="6.5" stroke="{WHITE}" stroke-width="5" fill="none"/><circle cx="11" cy="9" r="6.5" {_STROKE}/>',
    "square": f'<rect x="4.5" y="2.5" width="13" height="13" stroke="{WHITE}" stroke-width="5" fill="none"/>'
    f'<rect x="4.5" y="2.5" width="13" height="13" {_STROKE}/>',
    "hatch": f'<path d="M2 16L10 2M9 16L17 2M16 16L21 7" stroke="{BLACK}" stroke-width="1"/>',
    "domain": f'<rect x="2" y="3" width="18" height="12" {_STROKE}/>',
    "dotted": f'<rect x="2" y="3" width="18" height="12" stroke="{BLACK}" stroke-width="1.5" fill="none" stroke-dasharray="2 2"/>',
    "other": f'<circle cx="11" cy="9" r="3.4" fill="{WHITE}" stroke="{BLACK}"/>',
    "cross": f'<path d="M11 1V17M3 9H19" stroke="{WHITE}" stroke-width="6"/><path d="M11 1V17M3 9H19" {_STROKE}/>',
    "action": f'<circle cx="11" cy="9" r="2.2" fill="{INK}"/>',
    "admitted": f'<circle cx="11" cy="9" r="4.5" stroke="{INK}" stroke-width="1.2" fill="none"/>',
    "frontier": f'<path d="M11 2.5L15 9L11 15.5L7 9Z" fill="{ACCENT}" stroke="{INK}" stroke-width=".8"/>',
    "best": f'<path d="M1 14H8V8H15V4H21" stroke="{ACCENT}" stroke-width="2" fill="none"/>',
    "focus": f'<circle cx="11" cy="9" r="6.5" stroke="{FOCUS}" stroke-width="3" fill="none"/>',
    "choice": f'<rect x="4.5" y="2.5" width="13" height="13" stroke="{ACCENT}" stroke-width="3" fill="none"/>',
    "rival": f'<circle cx="11" cy="9" r="6.5" stroke="{INK}" stroke-width="3" fill="none"/>',
    **{
        name: f'<rect x="1" y="2" width="20" height="14" fill="{colour}" stroke="{INK}" opacity="{opacity}"/>'
        for name, colour, opacity in (
            ("focus_block", FOCUS, 1),
            ("sent", ACCENT, 1),
            ("uncertified_other", MODE_COLOUR[1], 0.4),
            ("uncertified", MODE_COLOUR[1], 1),
            ("other_block", NEUTRAL[0], 1),
            ("pale", NEUTRAL[0], 0.4),
            ("reserve", MODE_COLOUR[1], 0.3),
        )
    },
    "budget": f'<path d="M11 0V18" stroke="{FOCUS}" stroke-width="2" stroke-dasharray="4 3"/>',
    "now": f'<path d="M11 0V18" stroke="{FOCUS}" stroke-width="2.5"/>',
    "change": f'<path d="M11 0V18" stroke="{INK}" stroke-width="2" stroke-dasharray="4 3"/>',
    "promised": f'<path d="M1 9H21" stroke="{INK}" stroke-width="2" stroke-dasharray="2 3"/>',
    "value": f'<circle cx="11" cy="9" r="5" fill="{FOCUS}" stroke="{INK}"/>',
}
"""What a mark looks like, 22 × 18 px: first those on a map, then those on the page's own ground."""


def key_html(entries: Iterable[tuple[str, str]], ground: str = GROUND) -> str:
    """Symbol and meaning, one after the other.

    Args:
        entries: name out of SYMBOLS, and what it stands for; the words are escaped.
        ground: colour under the symbols; "" = the page's.
    """
    cells = (
        f'<span style="white-space:nowrap; margin-right:14px"><svg width="22" height="18" role="img" aria-hidden="true" '
        f'style="vertical-align:-4px; background:{ground or "none"}; border-radius:3px; margin-right:4px">{SYMBOLS[name]}</svg>'
        f"{html.escape(words)}</span> "
        for name, words in entries
    )
    return f"<div>{''.join(cells)}</div>"
