"""The words and numbers beside the plots as HTML; every text in them is ours or escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from types import MappingProxyType

from core.figures.arrays.flight import HEADS, NUMBERS, Curves
from core.figures.tables.flight import shown
from core.instant import Flight
from core.simulation import METRICS
from core.style import INK, policy_colour

NOBODY: Mapping[Flight, str] = MappingProxyType({})

CSS = """
:host { display: block; color: var(--mui-palette-text-primary, #222); font: 15px/1.35 var(--page-font, system-ui, sans-serif); }
.chips { display: flex; flex-wrap: wrap; gap: 0 10px; font-size: calc(14px * var(--type, 1)); }
.chip { white-space: nowrap; font-variant-numeric: tabular-nums; }
.chip.counted { white-space: normal; }
.chip b { font-weight: 600; }
.chip.late { opacity: .75; font-style: italic; }
.key { display: inline-block; width: 16px; border-top: 3px solid; vertical-align: middle; margin-right: 5px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { font-size: 13px; font-weight: 600; text-align: right; vertical-align: bottom; padding: 1px 3px 2px; line-height: 1.15; border-bottom: 1px solid var(--mui-palette-divider, #bbb); cursor: help; }
th small { font-weight: 400; opacity: .8; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td { text-align: right; padding: 1px 3px; }
td:first-child { font-size: 13px; white-space: nowrap; }
td .key { width: 8px; margin-right: 4px; }
td.best { font-weight: 700; }
@container (min-width: 1240px) { td:first-child { font-size: 14px; } }
tr.inspected td:first-child { font-weight: 700; }
tr.pinned td { opacity: .8; font-style: italic; }
p { margin: 4px 0 0; font-size: 14px; opacity: .85; }
"""


def chips_html(
    flights: Mapping[str, Flight],
    found: Curves,
    inspected: str,
    failed: Mapping[Flight, str] = NOBODY,
    pinned: str = "",
) -> str:
    """Policies in their colours: mean RMSE over the cycles counted, as in the table, or how far a flight has got that is not there yet.

    Args:
        flights: by policy.
        found: of the cycle shown.
        inspected: policy in bold.
        failed: flights that broke and go no further, and why.
        pinned: what is said of the pinned flights, as HTML.
    """
    parts = []
    for policy, flight in flights.items():
        late = policy not in found.numbers
        said = f"{flight.ended} of {flight.cycles}" if late else f"{found.numbers[policy]['mean_rmse_m']:.1f} m"
        said += ", stopped" if late and flight in failed else ""
        why = f' title="{html.escape(failed[flight])}"' if late and flight in failed else ""
        name = html.escape(policy)
        name = f"<b>{name}</b>" if policy == inspected else name
        parts.append(
            f'<span class="chip{" late" if late else ""}" data-policy="{html.escape(policy)}"{why}>'
            f'<span class="key" style="border-color:{policy_colour(policy)}"></span>{name}: {said}</span>'
        )
    lag = f"lag v/k {found.lag[found.cycle]:.1f} m"
    parts.append(
        f'<span class="chip" title="Dashed: RMSE of the same mission with a radio that never fails and takes no time. '
        f'Thin: the lag of the control law on a straight line."><span class="key" style="border-color:{INK};'
        f'border-top-style:dashed"></span>flawless {found.mean_flawless:.1f} m</span>'
        f'<span class="chip"><span class="key" style="border-color:{INK};border-width:2px"></span>{lag}</span>'
    )
    parts.append(f'<span class="chip counted">Means of {html.escape(counted(found))}</span>')
    return f'<div class="chips">{"".join(parts)}{pinned}</div>'


def numbers_html(found: Curves, inspected: str, pinned: Curves | None = None) -> str:
    """Metrics by policy over the cycles counted, the best of each column in bold; below them those of the pinned flights."""
    heads = "".join(
        f'<th title="{html.escape(METRICS[name].sentence)}">{HEADS[name][0]}'
        f"{f' <small>[{METRICS[name].unit}]</small>' if METRICS[name].unit else ''}</th>"
        for name in NUMBERS
    )
    best = {name: _best(found, name) for name in NUMBERS}
    rows = []
    for policy, numbers in found.numbers.items():
        cells = "".join(
            f"<td{' class=best' if shown(name, numbers[name]) == best[name] else ''}>{shown(name, numbers[name])}</td>"
            for name in NUMBERS
        )
        mark = ' class="inspected"' if policy == inspected else ""
        rows.append(
            f'<tr{mark}><td><span class="key" style="border-color:{policy_colour(policy)}"></span>{html.escape(policy)}</td>{cells}</tr>'
        )
    for policy, numbers in pinned.numbers.items() if pinned is not None else ():
        cells = "".join(f"<td>{shown(name, numbers[name])}</td>" for name in NUMBERS)
        key = f'<span class="key" style="border-color:{policy_colour(policy)};border-top-style:dashed"></span>'
        rows.append(f'<tr class="pinned"><td>{key}{html.escape(policy)}, pinned</td>{cells}</tr>')
    return (
        f'<div class="wide"><table><tr><th title="Bold: the best of each column">policy</th>{heads}</tr>{"".join(rows)}'
        f"</table></div><p>One seed is an anecdote: the Reproduction tab has the intervals.</p>"
    )


def counted(found: Curves) -> str:
    """Which cycles means, distributions, shares and numbers count."""
    since = ", since the last change" if found.start else ""
    return f"cycles {found.start} to {found.cycle}{since}"


def _best(found: Curves, name: str) -> str:
    values = [n[name] for n in found.numbers.values() if math.isfinite(n[name])]
    direction = METRICS[name].direction
    if len(values) < 2 or direction == "none":
        return ""
    return shown(name, min(values) if direction == "lower" else max(values))
