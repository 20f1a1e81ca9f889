"""Tab 1 against the model: every shade, line, mark and title recomputed from the drift bound itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from app.tabs.boundary.figure import STEPS, BoundaryFigure
from core.allocation import VERDICTS, Verdict
from core.instant import Action, Focus
from core.twin import Exchange

REFUSED = {Verdict.REFUSED_DRIFT, Verdict.REFUSED_GATE, Verdict.REFUSED_REACH, Verdict.NO_BOUND}


def certificate(focus: Focus) -> dict[str, Any]:
    """What the maps must be drawn for: the held action, else the allocator's or nearest, else a flawless exchange."""
    action = focus.held if focus.held is not None else focus.hold("").held
    h = focus.model.h_max
    if action is None:
        return {"rho_ul": 1.0, "rho_dl": 1.0, "g": 1, "h_ul": h, "h_dl": h}
    return {name: getattr(action, name) for name in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")}


def phi(focus: Focus, **changes: Any) -> Any:
    """Φ/V_max with some numbers of the certificate or the state replaced."""
    m, states, i = focus.model, focus.instant.states, focus.loop
    at = {"V": states.V[i], "tr_sigma": states.tr_sigma[i], "c": m.counter(states)[i], **certificate(focus), **changes}
    return m.drift(**at).phi / m.V_max


def row_of(focus: Focus, key: str) -> int:
    """Row of an action of the whole set, found by listing them all once."""
    whole = focus.instant.whole_set(focus.loop)
    rows = focus.offer.__dict__.setdefault("_rows_by_key", {})
    if not rows:
        rows.update({Exchange.of(whole, row).key: row for row in range(len(whole.slots))})
    return int(rows[key])


def admitted(focus: Focus, row: int) -> bool:
    """Whether an action may be used, by its rule as written down (D24)."""
    a, whole, i = focus.allocation, focus.instant.whole_set(focus.loop), focus.loop
    g = int(whole.g[row])
    if focus.instant.scenario.allocation.admission == "none":
        return True
    if focus.instant.scenario.allocation.admission == "reach":
        return g >= 1 and g - 1 < a.admission.exit_cycles[i]
    own = phi(focus, **{n: getattr(whole, n)[row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")})
    gate = focus.instant.scenario.formulation != "paper" or focus.instant.states.c_fail[i] < g
    return bool(own <= 0 and g >= 1 and gate)


def check_boundary(fig: BoundaryFigure, focus: Focus, before: Focus | None = None) -> None:
    """Everything the three maps show."""
    s = {name: source.data for name, source in fig.sources.items()}
    drawn, span = certificate(focus), fig.scale.high
    last = len(s["map"]["image"][0][0]) - 1
    assert last >= focus.instant.scenario.control.H  # from there on Φ no longer depends on g
    g = np.array([*range(1, last + 1), 0])
    check_titles(fig, focus, drawn)
    rho = [1.0 - 10.0 ** _centres(s[n]["image"][0].shape[0], *np.log10(_ends(s[n], "y"))) for n in ("map", "ways")]
    across = 1.0 - 10.0 ** _centres(s["ways"]["image"][0].shape[1], *np.log10(_ends(s["ways"], "x")))
    v, sigma = (_centres(s["plane"]["image"][0].shape[k], *_ends(s["plane"], n)) for k, n in ((1, "x"), (0, "y")))
    fields = {
        "map": phi(focus, g=g[None, :], rho_ul=rho[0][:, None]),
        "ways": phi(focus, rho_ul=across[None, :], rho_dl=rho[1][:, None]),
        "plane": phi(focus, V=v[None, :] * focus.model.V_max, tr_sigma=sigma[:, None]),
    }
    for name, field in fields.items():
        shades = s[name]["image"][0]
        assert np.array_equal(np.sign(shades), np.sign(field)), name
        assert np.abs(shades - np.clip(field / span * STEPS, -STEPS, STEPS)).max() <= 1.0, name
    check_line(s["line"], s["map"], lambda x, y: phi(focus, g=g[np.round(x).astype(int) - 1], rho_ul=1 - y))
    check_lines(s["ways_zero"], s["ways"], lambda x, y: phi(focus, rho_ul=1 - x, rho_dl=1 - y), log=True)
    check_lines(s["zero"], s["plane"], lambda x, y: phi(focus, V=x * focus.model.V_max, tr_sigma=y), log=False)
    if before is not None:
        check_line(s["ghost"], None, lambda x, y: phi(before, g=g[np.round(x).astype(int) - 1], rho_ul=1 - y))
        check_lines(s["ways_ghost"], None, lambda x, y: phi(before, rho_ul=1 - x, rho_dl=1 - y), log=True)
        check_lines(s["plane_ghost"], None, lambda x, y: phi(before, V=x * before.model.V_max, tr_sigma=y), log=False)
    else:
        assert len(s["ghost"]["x"]) == len(s["ways_ghost"]["xs"]) == len(s["plane_ghost"]["xs"]) == 0
    for name, same_g in (("candidates", False), ("pairs", True)):
        check_marks(fig, focus, name, last, same_g)
    whole = focus.instant.whole_set(focus.loop)
    for left in s["gate"]["left"]:
        column = int(left + 0.5)
        here = (whole.g == 0) if column == last + 1 else np.minimum(whole.g, last) == column
        assert not any(admitted(focus, int(row)) for row in np.flatnonzero(here)[:50])
    check_rings(s, focus, last)
    i, states, m = focus.loop, focus.instant.states, focus.model
    assert s["state"]["x"][0] == pytest.approx(states.V[i] / m.V_max)
    assert s["state"]["y"][0] == pytest.approx(states.tr_sigma[i])
    assert fig.plane.x_range.start <= s["state"]["x"][0] <= fig.plane.x_range.end
    assert fig.plane.y_range.start <= s["state"]["y"][0] <= fig.plane.y_range.end
    others = np.asarray(s["others"]["uav"]) - 1
    assert sorted([*others.tolist(), i]) == list(range(len(states)))
    assert np.allclose(s["others"]["x"], states.V[others] / m.V_max, rtol=1e-5)
    assert (s["domain"]["right"][0], s["domain"]["top"][0]) == (1.0, m.sigma_max)


def check_titles(fig: BoundaryFigure, focus: Focus, drawn: dict[str, Any]) -> None:
    """The numbers in the titles."""
    uav, rho_dl = re.fullmatch(
        r"Which certificates are safe for UAV (\d+)\?  ρ_dl = (.+)", fig.certificate.title.text
    ).groups()
    g_ways = re.fullmatch(r"Uplink and downlink at (?:g = (\d+)|no certificate)", fig.ways.title.text).group(1)
    g_plane, rho_ul = re.fullmatch(
        r"In which states is it safe\?  (?:g = (\d+)|no certificate), ρ_ul = (.+)", fig.plane.title.text
    ).groups()
    assert int(uav) == focus.loop + 1
    assert int(g_ways or 0) == int(g_plane or 0) == drawn["g"]
    assert _share(rho_dl) == pytest.approx(drawn["rho_dl"], abs=6e-5)
    assert _share(rho_ul) == pytest.approx(drawn["rho_ul"], abs=6e-5)


def check_marks(fig: BoundaryFigure, focus: Focus, name: str, last: int, same_g: bool) -> None:
    """Every mark is its action's, agrees with the colour under it or says why not, and all actions are counted."""
    d, keys = fig.sources[name].data, fig.keys[name]
    whole, drawn = focus.instant.whole_set(focus.loop), certificate(focus)
    mine = whole.g == drawn["g"] if same_g else np.ones(len(whole.g), dtype=bool)
    assert len(keys) == len(d["x"])
    assert int(np.sum(d["many"])) == int(mine.sum())
    for k, key in enumerate(keys):
        row = row_of(focus, key)
        own = {n: getattr(whole, n)[row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")}
        assert (d["g"][k], d["rho_ul"][k], d["rho_dl"][k], d["slots"][k]) == (*(own[n] for n in ("g", "rho_ul", "rho_dl")), whole.slots[row])  # fmt: skip
        assert d["phi"][k] == pytest.approx(phi(focus, **own), rel=1e-4, abs=1e-6)
        may = admitted(focus, row)
        under = phi(focus, **({"rho_ul": own["rho_ul"], "rho_dl": own["rho_dl"]} if same_g else {"rho_ul": own["rho_ul"], "g": own["g"]}))  # fmt: skip
        kind, reason = int(d["kind"][k]), int(d["reason"][k])
        assert kind == {(True, True): 0, (False, False): 1, (True, False): 2, (False, True): 3}[may, bool(under <= 0)]
        assert d["marker"][k] == ("circle", "x", "triangle", "inverted_triangle")[kind]
        own_says, map_says = bool(phi(focus, **own) <= 0), bool(under <= 0)
        assert reason == (0 if may == map_says else 1 if own_says == may else 2)
        check_verdict(focus, row, VERDICTS[int(d["verdict"][k])], may)
        y = own["rho_dl"] if same_g else own["rho_ul"]
        assert d["y"][k] == pytest.approx(max(1 - y, 5e-7), rel=1e-3)
        if same_g:
            assert d["x"][k] == pytest.approx(max(1 - own["rho_ul"], 5e-7), rel=1e-3)
        else:
            column = min(own["g"], last) if own["g"] else last + 1
            assert abs(d["x"][k] - column) < 0.5


def check_verdict(focus: Focus, row: int, verdict: Verdict, may: bool) -> None:
    """A verdict that fits the choice and the admission."""
    a, q, i = focus.allocation, focus.instant.candidates, focus.loop
    sent = int(a.choice[i]) >= 0 and Exchange.of(q, int(a.choice[i])) == Exchange.of(focus.instant.whole_set(i), row)
    if sent:
        assert verdict is (Verdict.SYNCHRONISATION if a.needy[i] else Verdict.CHOSEN)
    else:
        assert (verdict in REFUSED) == (not may)
        assert verdict not in (Verdict.CHOSEN, Verdict.SYNCHRONISATION)


def check_rings(s: dict[str, Any], focus: Focus, last: int) -> None:
    """The rings stand at the held action and at the allocator's choice."""
    held, chosen = focus.held, focus.chosen
    apart = chosen if chosen is not None and (held is None or held.key != chosen.key) else None
    for name, action in (("held", held), ("chosen", apart)):
        assert len(s[name]["x"]) == (action is not None), name
        if action is not None:
            assert round(s[name]["x"][0]) == (min(action.g, last) if action.g else last + 1)
            assert s[name]["y"][0] == pytest.approx(max(1 - action.rho_ul, 5e-7))
    _at_pair(s["pair_held"], held)
    _at_pair(s["pair_chosen"], apart if apart is not None and apart.g == certificate(focus)["g"] else None)


def check_line(line: dict[str, Any], image: dict[str, Any] | None, field: Any) -> None:
    """A stepped boundary: Φ changes its sign across it in every column that has both signs, and only there."""
    x, y = np.asarray(line["x"], dtype=float), np.asarray(line["y"], dtype=float)
    middles, at = (x[::2] + x[1::2]) / 2, y[::2]
    found = np.isfinite(at)
    step = 10.0 ** (6.31 / 101)
    here = middles[found]
    assert np.all(np.sign(field(here, at[found] * step)) != np.sign(field(here, at[found] / step)))
    if image is not None:
        shades = image["image"][0]
        assert np.array_equal(found, (shades > 0).any(axis=0) & (shades <= 0).any(axis=0))


def check_lines(drawn: dict[str, Any], image: dict[str, Any] | None, field: Any, *, log: bool) -> None:
    """A contour: beside every point of it Φ has both signs, and there is one wherever the map has both."""
    points = [np.column_stack([np.asarray(a, float), np.asarray(b, float)])[::7] for a, b in zip(drawn["xs"], drawn["ys"], strict=True)]  # fmt: skip
    if image is not None:
        shades = image["image"][0]
        assert bool(points) == bool((shades > 0).any() and (shades < 0).any())
        width = [np.diff(np.log10(_ends(image, n)) if log else _ends(image, n))[0] / 101 for n in "xy"]
    else:
        width = [6.31 / 101] * 2 if log else [0.0, 0.0]
    for line in points:
        x, y = line.T
        if not any(width):
            width = [float(np.ptp(x)) / 60 + 1e-3, float(np.ptp(y)) / 60 + 1e-3]
        near = [
            field(x * 10.0 ** (a * width[0]), y * 10.0 ** (b * width[1]))
            if log
            else field(x + a * width[0], y + b * width[1])
            for a in (-1, 0, 1)
            for b in (-1, 0, 1)
        ]
        assert np.all((np.min(near, axis=0) <= 1e-9) & (np.max(near, axis=0) >= -1e-9))


def _at_pair(found: dict[str, Any], action: Action | None) -> None:
    assert len(found["x"]) == (action is not None)
    if action is not None:
        assert found["x"][0] == pytest.approx(max(1 - action.rho_ul, 5e-7))
        assert found["y"][0] == pytest.approx(max(1 - action.rho_dl, 5e-7))


def _centres(n: int, low: float, high: float) -> np.ndarray:
    return low + (np.arange(n) + 0.5) * (high - low) / n


def _ends(image: dict[str, Any], axis: str) -> tuple[float, float]:
    low, size = image[axis][0], image["dw" if axis == "x" else "dh"][0]
    return low, low + size


def _share(text: str) -> float:
    return 1.0 - float(text.removeprefix("1 − ")) if text.startswith("1 − ") else float(text)
