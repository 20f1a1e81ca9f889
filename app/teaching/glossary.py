"""The words of a lesson, from the glossary that the page uses too."""

from __future__ import annotations

import html

import panel as pn

from core.glossary import lookup


def glossary(*words: str) -> pn.pane.HTML:
    """What some words and symbols mean.

    Args:
        words: names or symbols, such as "V" or "interaction index".
    """
    rows = "".join(
        f'<tr><td style="padding: 3px 14px 3px 0; white-space: nowrap; vertical-align: top"><b>{html.escape(term.title)}</b></td>'
        f'<td style="padding: 3px 0">{html.escape(term.sentence)}</td></tr>'
        for term in map(lookup, words)
    )
    return pn.pane.HTML(f'<table style="font-size: 15px"><tbody>{rows}</tbody></table>', sizing_mode="stretch_width")
