"""Findings and ledgers as HTML tables; every text is escaped."""

from __future__ import annotations

import html

import pandas as pd

from app.handbook.documents import decisions_linked
from core.numerals import readable
from core.studies.claims import ClaimVerdict, Finding
from core.studies.claims.ledger_file import HEADINGS, in_words

COLOUR = {
    ClaimVerdict.HOLDS: "#007A5A",
    ClaimVerdict.COMPATIBLE: "#0072B2",
    ClaimVerdict.VIOLATED: "#B8410B",
    ClaimVerdict.VACUOUS: "#666666",
}
"""White text on each has a contrast above 4.5; told apart with any colour vision, and by the mark without."""


MARK = {
    ClaimVerdict.HOLDS: "✓",
    ClaimVerdict.COMPATIBLE: "≈",
    ClaimVerdict.VIOLATED: "✗",
    ClaimVerdict.VACUOUS: "–",
}


def findings_html(findings: list[Finding]) -> str:
    """The findings as a table; every text is escaped."""
    rows = "".join(_row(f) for f in findings)
    head = "<tr><th>verdict</th><th>claim</th><th>promised</th><th>measured</th></tr>"
    return decisions_linked(f"<table>{head}{rows}</table>")


GLANCE_CSS = """
:host { color: var(--mui-palette-text-primary, #222); max-height: calc(var(--stage, 100000px) - 110px); overflow-y: auto; }
.glance { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(380px, 100%), 1fr)); gap: 5px 14px; font: calc(17px * var(--type, 1))/1.25 var(--page-font, system-ui, sans-serif); }
.claim { display: flex; gap: 8px; align-items: baseline; }
.mark { flex: none; width: 1.5em; text-align: center; color: white; border-radius: 6px; font-weight: 600; }
"""


def glance_html(findings: list[Finding]) -> str:
    """Every promise with the mark of its verdict, all in one view, the violated ones first."""
    order = (ClaimVerdict.VIOLATED, ClaimVerdict.HOLDS, ClaimVerdict.COMPATIBLE, ClaimVerdict.VACUOUS)
    e = html.escape
    items = "".join(
        f"<div class='claim' data-verdict='{e(f.verdict.name.lower())}' title='{e(f.verdict.value)}'>"
        f"<span class='mark' style='background:{COLOUR[f.verdict]}'>{MARK[f.verdict]}</span><span>{e(f.title)}</span></div>"
        for f in sorted(findings, key=lambda f: order.index(f.verdict))
    )
    return f"<div class='glance'>{items}</div>"


def ledger_html(ledger: pd.DataFrame) -> str:
    """A ledger as a table, under each title what takes the bound's place; every text is escaped."""
    e = html.escape
    head = "".join(f"<th>{e(heading)}</th>" for heading in HEADINGS)
    rows = "".join(
        f"<tr data-bound='{e(key)}'><td>{e(title)}<br><small>{e(what)}</small></td>"
        + "".join(f"<td class='number'>{e(readable(cell))}</td>" for cell in cells)
        + "</tr>"
        for key, what, (title, *cells) in zip(ledger["key"], ledger["what"], in_words(ledger), strict=True)
    )
    return f"<div class='wide'><table><tr>{head}</tr>{rows}</table></div>"


def _row(f: Finding) -> str:
    def e(text: str) -> str:
        return html.escape(readable(text))

    interval = f" <small>{e(f.interval_text)}</small>" if f.interval_text else ""
    note = f"<br><small>{e(f.note)}</small>" if f.note else ""
    chip = f"<span class='chip' style='background:{COLOUR[f.verdict]}'>{MARK[f.verdict]} {e(f.verdict.value)}</span>"
    return (
        f"<tr data-claim='{html.escape(f.key)}'><td class='verdict'>{chip}</td><td>{e(f.title)}<br><small>{e(f.reference)}</small></td>"
        f"<td>{e(f.promise)}</td><td>{e(f.measured)}{interval}{note}</td></tr>"
    )
