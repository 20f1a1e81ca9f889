"""The strip that is always visible: the chain as numbers for the focused loop and action."""

from __future__ import annotations

import html
import math
from typing import Any

import panel as pn

from app.handbook.documents import decisions_linked
from app.jobs.pipeline import Pipeline
from app.picture import Picture
from core.glossary import GLOSSARY
from core.instant import Focus
from core.numerals import numeral

CSS = """
:host { display: block; width: 100%; }
.chain { display: var(--off-stage, flex); flex-wrap: wrap; align-items: stretch; gap: 2px 2px; line-height: 1.3; font-family: var(--page-font, system-ui, sans-serif); color: var(--mui-palette-text-primary, #222); }
.link { box-sizing: border-box; padding: 1px 6px; border: 1px solid var(--mui-palette-divider, #ccc); border-radius: 6px; min-width: 30px; }
.name { font-size: 13px; opacity: .85; white-space: nowrap; }
.value { font-size: 15px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.arrow { align-self: center; opacity: .5; font-size: 12px; }
.good { border-color: #0072B2; box-shadow: inset 0 0 0 1px #0072B2; }
.bad { border-color: #D55E00; box-shadow: inset 0 0 0 1px #D55E00; }
a { color: inherit; }
.say { flex-basis: 100%; font-size: 15px; min-height: 41px; line-height: 1.35; overflow: hidden; }
.link:focus-visible { outline: 2px solid var(--mui-palette-primary-main, #0072b5); }
.stale .value { opacity: .35; }
.warn { flex-basis: 100%; background: #D55E00; color: white; border-radius: 6px; padding: 3px 8px; font-size: 15px; }
"""


class Chain(pn.viewable.Viewer):
    """SNR → ε → ρ_ul, ρ_dl → g, T_cert → ᾱ → Φ → verdict, redrawn with every picture."""

    def __init__(self, pipeline: Pipeline, **params: Any) -> None:
        super().__init__(**params)
        self._pipeline = pipeline
        self.pane = pn.pane.HTML(
            self._html(), css_classes=["strip"], sizing_mode="stretch_width", stylesheets=[CSS], margin=(4, 10, 0, 10)
        )
        pipeline.param.watch(self._draw, ["picture", "stale"])

    def _draw(self, *_: Any) -> None:
        self.pane.object = self._html()

    def _html(self) -> str:
        return chain_html(self._pipeline.picture, self._pipeline.stale)

    def __panel__(self) -> pn.viewable.Viewable:
        return self.pane


def chain_html(picture: Picture | None, stale: str = "") -> str:
    """The strip as HTML; every text in it is ours or escaped."""
    below = "The numbers below are out of date: " if picture is not None else ""
    warn = f'<div class="warn" role="alert">{below}{html.escape(stale)}</div>' if stale else ""
    if picture is None:
        if warn:
            return f'<div class="chain">{warn}</div>'
        return f'<div class="chain">{warn}<div class="say">Loading: solving the certificate and reading the calibration …</div></div>'
    focus = picture.focus
    boxes = '<span class="arrow">→</span>'.join(_boxes(focus))
    cls = "chain stale" if stale else "chain"
    said = _whose(picture.inputs.policy) + decisions_linked(html.escape(focus.sentence))
    return f'<div class="{cls}" data-query="{html.escape(picture.inputs.link)}">{warn}{boxes}<div class="say">{said}</div></div>'


def _whose(policy: str) -> str:
    """Whose answer the sentence is where another policy flies: that one may have served whom the allocator would not."""
    return "" if policy == "SAFE" else f"SAFE's allocator, asked at this cycle of {html.escape(policy)}'s flight: "


def _boxes(focus: Focus) -> list[str]:
    """The links of the chain: short name, entry of the glossary, value, number behind it, class."""
    a = focus.held
    if a is None or focus.ways is None:
        return []
    up, down = focus.ways
    phi, side = a.phi / focus.model.V_max, "good" if a.admitted else "bad"
    g = "interaction index"
    links = [
        ("UAV", "UAV", str(focus.uav), focus.uav, ""),
        ("SNR ↑ ↓", "signal-to-noise ratio", _db(up.snr_db, down.snr_db), up.snr_db, ""),
        ("margin (β)", "margin", _db(up.margin_db) if math.isfinite(up.margin_db) else "∞", up.margin_db, ""),
        ("ε worst", "attempt failure", _small(up.eps), up.eps, ""),
        ("ρ_ul", "uplink reliability", _share(a.rho_ul), a.rho_ul, ""),
        ("ρ_dl", "downlink reliability", _share(a.rho_dl), a.rho_dl, ""),
        (
            "g > H_T" if a.beyond_horizon else "g",
            g,
            str(a.g) if a.g else "none",
            a.g,
            "bad" if a.beyond_horizon else "",
        ),
        ("T_cert", "certified interval", f"{a.T_cert:.2f} s" if math.isfinite(a.T_cert) else "∞", a.T_cert, ""),
        (f"ᾱ at c* = {a.c_star}", "contraction factor", f"{a.alpha_bar:.3f}" if a.g else "–", a.alpha_bar, ""),
        ("Φ / V_max", "drift bound", numeral(phi, "+.4f") if a.g else "–", phi, side),
        ("verdict", "verdict", html.escape(focus.verdict), "", side),
    ]
    more = {g: EMPTY} if a.beyond_horizon else {}
    return [
        f'<div class="link {cls}" tabindex="0" title="{html.escape(_meaning(term) + more.get(term, ""))}"'
        f' data-link="{html.escape(name.split(" ")[0])}" data-raw="{raw}"><div class="name">{html.escape(name)}</div>'
        f'<div class="value">{value}</div></div>'
        for name, term, value, raw, cls in links
    ]


EMPTY = " Here it is longer than the horizon, so nothing is promised."


def _meaning(name: str) -> str:
    """What a box shows, in words."""
    term = GLOSSARY[name]
    return f"{term.name[0].upper()}{term.name[1:]}: {term.sentence}"


def _db(*values: float) -> str:
    return " ".join(numeral(value, ".1f") for value in values) + " dB"


def _share(value: float) -> str:
    return f"{value:.4f}" if value < 0.99995 else f"1−{numeral(1 - value, '.0e')}" if value < 1 else "1"


def _small(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else numeral(value, ".0e")
