"""The strip that is always visible: the chain as numbers for the focused loop and action."""

from __future__ import annotations

import html
import math
from typing import Any

import panel as pn

from app.picture import Picture
from app.pipeline import Pipeline

CSS = """
:host { display: block; width: 100%; }
.chain { display: flex; flex-wrap: wrap; align-items: stretch; gap: 2px 2px; line-height: 1.43; font-family: var(--page-font, system-ui, sans-serif); color: var(--mui-palette-text-primary, #222); }
.link { box-sizing: border-box; padding: 1px 6px; border: 1px solid var(--mui-palette-divider, #ccc); border-radius: 6px; min-width: 30px; }
.name { font-size: 10.5px; opacity: .8; white-space: nowrap; }
.value { font-size: 14px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.arrow { align-self: center; opacity: .5; font-size: 12px; }
.good { border-color: #0072B2; box-shadow: inset 0 0 0 1px #0072B2; }
.bad { border-color: #D55E00; box-shadow: inset 0 0 0 1px #D55E00; }
.say { flex-basis: 100%; font-size: 13px; min-height: 18px; line-height: 1.35; overflow: hidden; }
.stale .value { opacity: .35; }
.warn { flex-basis: 100%; background: #D55E00; color: white; border-radius: 6px; padding: 3px 8px; font-size: 13px; }
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
    warn = (
        f'<div class="warn" role="alert">The numbers below are out of date: {html.escape(stale)}</div>' if stale else ""
    )
    if picture is None:
        return f'<div class="chain">{warn}<div class="say">Loading: solving the certificate and reading the calibration …</div></div>'
    c = picture.chain
    if "snr" not in c:
        boxes = ""
    else:
        unit = picture.model.V_max
        side = "good" if c["admitted"] else "bad"
        links = [
            ("UAV", str(picture.focus + 1), ""),
            ("SNR ↑ ↓", f"{c['snr']:.1f} {c['snr_dl']:.1f} dB", ""),
            ("margin (β)", f"{c['margin']:.1f} dB", ""),
            ("ε worst", _small(c["eps"]), ""),
            ("ρ_ul", _share(c["rho_ul"]), ""),
            ("ρ_dl", _share(c["rho_dl"]), ""),
            (
                "g > H_T" if c["beyond_horizon"] else "g",
                str(c["g"]) if c["g"] else "none",
                "bad" if c["beyond_horizon"] else "",
            ),
            ("T_cert", f"{c['T_cert']:.2f} s" if math.isfinite(c["T_cert"]) else "∞", ""),
            (f"ᾱ at c* = {c['c_star']}", f"{c['alpha_bar']:.3f}" if c["g"] else "–", ""),
            ("Φ / V_max", f"{c['phi'] / unit:+.4f}" if c["g"] else "–", side),
            ("verdict", html.escape(c["verdict"]), side),
        ]
        raw = {
            "ρ_ul": c["rho_ul"],
            "ρ_dl": c["rho_dl"],
            "g": c["g"],
            "ᾱ": c["alpha_bar"],
            "Φ": c["phi"] / unit,
            "SNR": c["snr"],
        }
        cells = [
            f'<div class="link {cls}" data-link="{short}" data-raw="{raw.get(short, "")}"><div class="name">{html.escape(name)}</div>'
            f'<div class="value">{value}</div></div>'
            for name, value, cls in links
            for short in [html.escape(name.split(" ")[0])]
        ]
        boxes = '<span class="arrow">→</span>'.join(cells)
    cls = "chain stale" if stale else "chain"
    return f'<div class="{cls}" data-query="{html.escape(picture.inputs.link)}">{warn}{boxes}<div class="say">{html.escape(c["sentence"])}</div></div>'


def _share(value: float) -> str:
    return f"{value:.4f}" if value < 0.99995 else f"1−{1 - value:.0e}" if value < 1 else "1"


def _small(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
