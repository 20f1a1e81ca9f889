"""One instant as one page of HTML that needs nothing else: figures, numbers, explanations, settings, stamp; made to be printed."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.figures.certified_frontier import certified_frontier
from core.figures.paper.figure import Figure, written
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import instant_words
from core.figures.prediction import prediction
from core.figures.safety_boundary import safety_boundary
from core.figures.slot_allocation import slot_allocation
from core.figures.state_plane import state_plane
from core.figures.tables.loops import loops
from core.figures.uplink_downlink import uplink_downlink
from core.instant import Focus
from core.numerals import numeral, readable
from core.scenario import field_names, quantity_of

FIGURES = (safety_boundary, uplink_downlink, state_plane, certified_frontier, prediction, slot_allocation)
CSS = """
@page { size: A4; margin: 14mm; }
body { font: 10.5pt/1.4 'STIX Two Text', 'Times New Roman', Times, serif; color: #111; background: #fff; max-width: 182mm; margin: 8mm auto; padding: 0 4mm; }
h1 { font-size: 17pt; margin: 0 0 2mm; } h2 { font-size: 12.5pt; margin: 6mm 0 2mm; break-after: avoid; }
p { margin: 0 0 2mm; } figure { margin: 0; break-inside: avoid; } figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 9pt; color: #333; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 5mm; align-items: start; }
table { border-collapse: collapse; width: 100%; font-size: 9pt; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .6mm 1.5mm; border-bottom: .2mm solid #ccc; vertical-align: top; } th { border-bottom: .3mm solid #555; }
tr { break-inside: avoid; } .stamp { font: 8pt/1.4 monospace; color: #444; overflow-wrap: anywhere; margin-top: 6mm; border-top: .2mm solid #888; padding-top: 1.5mm; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may fetch or run for the page: nothing."""


def snapshot(focus: Focus, link: str = "") -> str:
    """The page.

    Args:
        focus: the loop and its action.
        link: query string of the live page that shows the same.
    """
    stamp, e = Stamp.of_instant(focus.instant, link), html.escape
    said = [focus.sentence, str(focus.why), str(focus.missing)]
    served = loops(focus, link)
    shown = [row for row in served.rows if row[5] != "0" or row[0] == str(focus.uav)]
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{e(POLICY)}">',
        f"<title>UAV {focus.uav}, cycle {focus.instant.cycle}: SAFE Explorer</title><style>{CSS}</style></head><body>",
        f"<h1>UAV {focus.uav} in cycle {focus.instant.cycle}</h1>",
        f"<p>{e(instant_words(focus.instant))}</p>",
        *(f"<p>{e(text)}</p>" for text in said if text),
        "<h2>From the link to the verdict</h2>",
        _table(("quantity", "value", "meaning"), chain(focus)),
        "<h2>Figures</h2>",
        '<div class="two">',
        *(_figure(made(focus, link)) for made in FIGURES),
        "</div>",
        f"<h2>Loops that are sent something, and UAV {focus.uav}</h2>",
        _table(served.columns, shown),
        "<h2>Settings</h2>",
        _table(("field", "symbol", "value", "unit", "default"), settings(focus)),
        f'<div class="stamp">{"<br>".join(map(e, stamp.lines))}</div>',
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def export_snapshot(focus: Focus, path: str | Path, link: str = "") -> Path:
    """Write the page; the file ends in .html."""
    return written(path, None, ("html",), lambda _: snapshot(focus, link).encode())


def chain(focus: Focus) -> list[tuple[str, str, str]]:
    """The numbers of the page's strip, in order: quantity, value, meaning; empty without an action."""
    a, ways = focus.held, focus.ways
    if a is None or ways is None:
        return []
    up, down = ways
    unit = focus.model.V_max
    return [
        (
            "SNR ↑, ↓",
            f"{numeral(up.snr_db, '.1f')}, {numeral(down.snr_db, '.1f')} dB",
            "predicted for the hop that fails most, uplink and downlink",
        ),
        (
            "margin",
            f"{numeral(up.margin_db, '.1f')} dB" if math.isfinite(up.margin_db) else "∞",
            "by which the twin lowers the uplink's SNR (β)",
        ),
        ("ε", numeral(up.eps, ".3g"), "that one uplink attempt over that hop fails"),
        ("ρ_ul, ρ_dl", f"{a.rho_ul:.6f}, {a.rho_dl:.6f}", "certified delivery of telemetry and command"),
        ("g", str(a.g) if a.g else "none", "opportunities within which a success is promised"),
        ("T_cert", f"{a.T_cert:.2f} s" if math.isfinite(a.T_cert) else "∞", "the same as time"),
        ("ᾱ", f"{a.alpha_bar:.3f}" if a.g else "–", f"factor of V in one cycle, at staleness c* = {a.c_star}"),
        (
            "Φ / V_max",
            numeral(a.phi / unit, "+.4f") if a.g else "–",
            "bound on the mean change in one cycle; at most 0 is safe",
        ),
        ("slots", str(a.slots), "what the action costs"),
        ("U / V_max", numeral(a.U / unit, ".4f"), "what it is worth"),
        ("verdict", focus.verdict, "what became of the action"),
    ]


def settings(focus: Focus) -> list[tuple[str, ...]]:
    """Every field that differs from its default, with its symbol and unit."""
    scenario, plain = focus.instant.scenario, type(focus.instant.scenario)()
    rows: list[tuple[str, ...]] = []
    for name in field_names():
        if scenario.value(name) != plain.value(name):
            q = quantity_of(name)
            rows.append((name, q.symbol, _shown(scenario.value(name)), q.unit, _shown(plain.value(name))))
    return rows or [("all at their default", "", "", "", "")]


def _shown(value: Any) -> str:
    return readable(str(value)) if isinstance(value, (int, float)) else str(value)


def _figure(figure: Figure) -> str:
    """Inline, without the file's own head; its text stays text."""
    svg = figure.render("svg").decode()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.S)
    return f"<figure>{svg}<figcaption>{html.escape(figure.caption.split('. Cycle ')[0])}.</figcaption></figure>"


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
