"""Tabs 2 and 3 and the strip against the model: every column, cell, title and range recomputed."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from read_number import read_number
from truth import check, p2, recomputed, value_of
from truth_maps import admitted, check_verdict, phi, row_of

from app.tabs.allocation.figure import AllocationFigure
from app.tabs.allocation.policies import PoliciesFigure
from app.tabs.frontier.figure import FrontierFigure
from app.tabs.frontier.prediction import PredictionFigure
from core.allocation import RULE_WORDS, VERDICTS, Sentence, appraise, solve_knapsack_csr
from core.instant import SHORT, Focus, Instant, PolicyFrame
from core.style import FOCUS, MODE_COLOUR
from core.twin import Exchange, certify


def check_frontier(fig: FrontierFigure, focus: Focus, before: Focus | None = None) -> None:
    """Everything the frontier's plot shows."""
    d, i, unit = fig.sources["actions"].data, focus.loop, focus.model.V_max
    route, coding = (fig.sources[name].data["text"] for name in ("routes", "codings"))
    whole, a, q = focus.instant.whole_set(i), focus.allocation, focus.instant.candidates
    own = slice(int(q.offsets[i]), int(q.offsets[i + 1]))
    on = {Exchange.of(q, own.start + r).key for r in np.flatnonzero(a.frontier[own]).tolist()}
    assert int(np.sum(d["many"])) == len(whole.slots)
    assert len(fig.keys) == len(d["x"])
    seen = set()
    for k, key in enumerate(fig.keys):
        row = row_of(focus, key)
        exchange = Exchange.of(whole, row)
        assert (d["x"][k], d["g"][k], route[d["route"][k]], coding[d["coding"][k]]) == (whole.slots[row], whole.g[row], exchange.route, exchange.coding)  # fmt: skip
        assert d["y"][k] == pytest.approx(value_of(focus, row) / unit, rel=1e-4, abs=1e-6)
        for name, scale in (("rho_ul", 1), ("rho_dl", 1), ("T_cert", 1), ("D_ul", 1e3), ("D_dl", 1e3)):
            assert d[name][k] == pytest.approx(getattr(whole, name)[row] * scale, rel=1e-5)
        at = {n: getattr(whole, n)[row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")}
        assert d["phi"][k] == pytest.approx(phi(focus, **at), rel=1e-4, abs=1e-6)
        may = admitted(focus, row)
        assert np.isfinite(d["admitted"][k]) == may
        assert np.isfinite(d["frontier"][k]) == (key in on)
        check_verdict(focus, row, VERDICTS[int(d["verdict"][k])], may)
        seen.add(key)
    assert on <= seen
    x_range, y_range = fig.plot.x_range, fig.plot.y_range
    assert np.isfinite([x_range.start, x_range.end, y_range.start, y_range.end]).all()
    assert x_range.start < x_range.end
    assert y_range.start < y_range.end
    inside(x_range, d["x"])
    inside(y_range, np.asarray(d["y"])[np.isfinite(d["y"])])
    check_staircase(fig.sources["edge"].data, focus)
    check_staircase(fig.sources["ghost_edge"].data, before)
    uav, candidates, kept, words, frontier = re.fullmatch(
        r"What is worth its slots to UAV (\d+)\?  (\d+) actions, (\d+) (.+), (\d+) on the frontier", fig.plot.title.text
    ).groups()
    assert (int(uav), int(candidates), int(frontier)) == (i + 1, len(whole.slots), len(on))
    assert int(kept) == sum(admitted(focus, r) for r in range(len(whole.slots)))
    assert words == RULE_WORDS[focus.instant.scenario.allocation.admission]
    row = int(a.choice[i])
    chosen = Exchange.of(q, row).key if row >= 0 else None
    held = focus.held.key if focus.held is not None else None
    check_named(fig.sources["held"].data, focus, [held] if held else [])
    check_named(fig.sources["chosen"].data, focus, [chosen] if chosen and chosen != held else [])
    check_named(fig.sources["rivals"].data, focus, [k for k in focus.rivals if k != chosen])


def check_named(found: dict[str, Any], focus: Focus, keys: list[str]) -> None:
    """Highlighted actions stand where they are and say what they cost."""
    rows = [row_of(focus, key) for key in keys]
    whole = focus.instant.whole_set(focus.loop)
    assert list(found["x"]) == whole.slots[rows].tolist()
    assert found["y"] == pytest.approx([value_of(focus, row) / focus.model.V_max for row in rows])
    for text, row in zip(found["text"], rows, strict=True):
        assert f", {whole.slots[row]} slots" in text


def check_staircase(line: dict[str, Any], focus: Focus | None) -> None:
    """The stepped line is the best value of the frontier for at most so many slots, at both ends of every step."""
    if focus is None:
        assert len(line["x"]) == 0
        return
    a, q, i = focus.allocation, focus.instant.candidates, focus.loop
    own = slice(int(q.offsets[i]), int(q.offsets[i + 1]))
    slots, U = q.slots[own][a.frontier[own]], a.U[own][a.frontier[own]] / focus.model.V_max
    assert bool(len(line["x"])) == bool(len(slots))
    for b, value in zip(line["x"][::2], line["y"][::2], strict=True):
        assert value == pytest.approx(U[slots <= b].max(), rel=1e-4, abs=1e-6)
    if len(slots):
        assert line["x"][0] == slots.min()
        assert line["y"][-1] == pytest.approx(U.max(), rel=1e-4, abs=1e-6)


def check_prediction(fig: PredictionFigure, focus: Focus, before: Focus | None = None) -> None:
    """The look-ahead, with the worth that its two curves make; and its ghost."""
    old = fig.sources["before"].data
    if before is not None:
        s = before.instant.states
        assert old["V_without"][0] == pytest.approx(s.V[before.loop] / before.model.V_max, rel=1e-5)
        gain = float(np.mean(np.asarray(old["V_without"][1:], float) - np.asarray(old["V_served"][1:], float)))
        assert gain * before.model.V_max == pytest.approx(recomputed(before, "G"), rel=1e-3, abs=0.05)
        inside(fig.energy.y_range, old["V_without"])
        inside(fig.distance.y_range, old["off_without"])
    d, here, i = fig.sources["ahead"].data, focus.instant, focus.loop
    V0, V1 = (np.asarray(d[name], dtype=float) * focus.model.V_max for name in ("V_without", "V_served"))
    assert len(d["cycle"]) == here.scenario.allocation.lookahead_cycles + 1
    assert V0[0] == V1[0] == pytest.approx(here.states.V[i], rel=1e-5)
    assert np.mean(V0[1:] - V1[1:]) == pytest.approx(recomputed(focus, "G"), rel=1e-3, abs=0.05)
    if here.allocation.predicted is not None:
        assert np.mean(V0[1:] - V1[1:]) == pytest.approx(here.allocation.predicted.G[i], rel=1e-3, abs=0.05)
    off = np.linalg.norm(here.estimates[i] - here.flight.trace.positions[here.cycle, i])
    if here.V is None:
        for name in ("off_without", "off_at_once", "off_at_end"):
            assert d[name][0] == pytest.approx(off, rel=1e-4, abs=1e-3)
    inside(fig.energy.x_range, d["cycle"])
    for name in d:
        if name != "cycle":
            inside(fig.energy.y_range if name[0] == "V" else fig.distance.y_range, d[name])
    assert fig.energy.y_range.end > 1.0  # the line V = V_max is on the plot


def check_ghost_frame(s: dict[str, Any], before: Focus | None) -> None:
    """The dashed frame and value of slots are those of the other instant."""
    if before is None:
        assert len(s["before"]["uav"]) == len(s["curve_before"]["b"]) == 0
        return
    q, choice = before.instant.candidates, before.allocation.choice
    for uav, left, right in zip(*(s["before"][n] for n in ("uav", "left", "right")), strict=True):
        assert right - left == q.slots[choice[uav - 1]]
    assert set(np.asarray(s["before"]["uav"]).tolist()) == set((np.flatnonzero(choice >= 0) + 1).tolist())
    for b in {0, before.allocation.budget // 2, before.allocation.budget}:
        expected = p2(before.instant, room=b) / before.model.V_max
        assert s["curve_before"]["F"][b] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def check_allocation(fig: AllocationFigure, table: list[list[Any]], focus: Focus, before: Focus | None = None) -> None:
    """Frame, lanes, curve, marginal value, table, and the ghosts of frame and curve."""
    here, a, q, unit = focus.instant, focus.allocation, focus.instant.candidates, focus.model.V_max
    S, s = here.scenario.network.slots, {name: source.data for name, source in fig.sources.items()}
    slots = np.array([q.slots[row] if row >= 0 else 0 for row in a.choice])
    pinned = before is not None and "pinned" in fig.frame.left[0].major_label_overrides.values()
    longer = before.instant.scenario.network.slots if before is not None and pinned else 0
    assert (fig.frame.x_range.start, fig.frame.x_range.end) == (0, max(S, longer, 1))
    check_ghost_frame(s, before)
    check_blocks(s["frame"], slots, a.synchronisation, focus, S, exact=False)
    used, of, share, total, kept = re.fullmatch(
        r"(\d+) of (\d+) loops share (\d+) of (\d+) slots(?:, (\d+) are reserved for synchronisation)?",
        fig.frame.title.text,
    ).group(1, 2, 3, 4, 5)
    assert (int(used), int(of), int(share), int(total)) == (int((slots > 0).sum()), len(slots), int(slots.sum()), S)
    assert int(kept or 0) == a.reserve == S - a.room
    ends = [0, S - a.reserve, S] if a.reserve else [0, S]
    assert [*s["lanes"]["left"], s["lanes"]["right"][-1]] == ends
    for box, line in zip(fig.reserve, fig.budget, strict=True):
        assert (box.left, box.right, box.visible, line.location) == (S - a.reserve, S, a.reserve > 0, S)
    curve = np.asarray(s["curve"]["F"], dtype=float)
    for b in {0, S // 2, S - a.reserve, S}:
        assert curve[b] == pytest.approx(p2(here, room=b) / unit, rel=1e-5, abs=1e-6)
    assert (s["spent"]["b"], s["spent"]["F"]) == ([S - a.reserve], [pytest.approx(p2(here) / unit, abs=1e-9)])
    assert np.allclose(np.cumsum(s["marginal"]["m"]), curve[1:] - curve[0], atol=1e-4)
    inside(fig.curve.x_range, [0, S, len(curve) - 1])
    inside(fig.curve.y_range, curve)
    inside(fig.marginal.y_range, s["marginal"]["m"])
    names = ("certified", "uncertified", "hold", "safe mode")
    for i, (uav, v, sigma, c, mode, cost, U, drift, route, coding) in enumerate(table):
        row, states = int(a.choice[i]), here.states
        assert (uav, c, mode, cost) == (i + 1, states.c[i], names[a.mode[i]], slots[i])
        assert (v, sigma) == (pytest.approx(states.V[i] / unit), pytest.approx(states.tr_sigma[i]))
        if row < 0:
            assert (U, drift, route, coding) == (None, None, "–", "–")
        else:
            assert (U, drift) == (pytest.approx(a.U[row] / unit), pytest.approx(a.phi[row] / unit))
            assert (route, coding) == (Exchange.of(q, row).route, Exchange.of(q, row).coding)


def check_blocks(d: dict[str, Any], slots: Any, synchronisation: Any, focus: Focus, S: int, *, exact: bool) -> None:
    """Blocks that do not overlap, within the frame, as many slots as each loop has, coloured by who it is."""
    left, right, uav = (np.asarray(d[name]) for name in ("left", "right", "uav"))
    assert np.all((left >= 0) & (right <= S) & (left < right))
    order = np.argsort(left)
    assert np.all(right[order][:-1] <= left[order][1:])
    for i in range(len(slots)):
        mine = uav == i + 1
        held = int((right - left)[mine].sum())
        assert held == slots[i] if exact else held <= slots[i]  # a frame's gaps belong to no attempt
        assert bool(mine.any()) == bool(slots[i])
        for colour in np.asarray(d["colour"])[mine]:
            assert (colour == FOCUS) == (i == focus.loop)
            assert i == focus.loop or (colour == MODE_COLOUR[1]) == bool(synchronisation[i])


def check_policies(fig: PoliciesFigure, focus: Focus, found: Sequence[PolicyFrame]) -> None:
    """What each policy would send, whom it serves and what that changes."""
    unit, B = focus.model.V_max, focus.allocation.valuation.B
    d, rows = fig.sources["blocks"].data, len(found)
    who = [f.policy for f in found if f.choice[focus.loop] >= 0]
    assert fig.plot.title.text.endswith(
        f"UAV {focus.loop + 1} is served by {', '.join(who) if who else 'none of them'}"
    )
    left, right = (axis.major_label_overrides for axis in (fig.plot.left[0], fig.summary))
    for n, frame in enumerate(found):
        y = rows - 1 - n
        mine = np.floor(np.asarray(d["bottom"], dtype=float)) == y
        slots = np.array([frame.candidates.slots[r] if r >= 0 else 0 for r in frame.choice])
        columns = {name: np.asarray(values)[mine] for name, values in d.items()}
        check_blocks(columns, slots, frame.uncertified, focus, focus.instant.scenario.network.slots, exact=True)
        U = appraise(focus.allocation, frame.candidates).U
        saved = sum(U[r] for r in frame.choice if r >= 0)
        assert left[y + 0.5] == frame.policy
        served, change = re.fullmatch(r"(\d+) served, ΔW ([+−]\d+\.\d+)", right[y + 0.5]).groups()
        assert int(served) == int((frame.choice >= 0).sum())
        assert read_number(change) == pytest.approx((B.sum() - saved) / unit, abs=6e-4)


def check_chain(strip: str, focus: Focus) -> None:
    """The strip: its boxes are the action in focus, its sentence is the verdict on it."""
    linked = re.search(r'<div class="say">(.*?)</div>', strip, re.S).group(1)
    said = html.unescape(re.sub(r"<a [^>]*>|</a>", "", linked))  # D-numbers lead to their decision
    assert said == str(focus.said)
    check(focus, focus.said)
    boxes = {
        html.unescape(n): html.unescape(v)
        for n, v in re.findall(r'<div class="name">(.*?)</div><div class="value">(.*?)</div>', strip)
    }
    action = focus.held
    if action is None:
        assert not boxes
        return
    whole = focus.instant.whole_set(focus.loop)
    row = row_of(focus, action.key)
    at = {n: getattr(whole, n)[row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")}
    assert int(boxes["UAV"]) == focus.loop + 1
    for name in ("rho_ul", "rho_dl"):
        shown = boxes[name.replace("rho", "ρ")]
        value = 1 - read_number(shown.removeprefix("1−")) if shown.startswith("1−") else read_number(shown)
        assert value == pytest.approx(at[name], abs=6e-5)
    *snr, unit = boxes["SNR ↑ ↓"].split()
    assert (unit, [read_number(x) for x in snr]) == ("dB", pytest.approx([w.snr_db for w in focus.ways], abs=0.051))
    g = boxes.get("g", boxes.get("g > H_T"))
    assert (0 if g == "none" else int(g)) == at["g"]
    assert ("g > H_T" in boxes) == bool(at["g"] > focus.instant.scenario.twin.H_T)
    if at["g"]:
        assert read_number(boxes["Φ / V_max"]) == pytest.approx(phi(focus, **at), abs=6e-5)
    assert boxes["verdict"] in SHORT.values()
    check_verdict(focus, row, action.verdict, admitted(focus, row))
    assert boxes["verdict"] == SHORT[action.verdict]


def check_words(focus: Focus, said: Sentence) -> None:
    """The sentences about the frame: value, reserve, and the longer frame, found again by bisection."""
    here, a, unit = focus.instant, focus.allocation, focus.model.V_max
    S, names = here.scenario.network.slots, {part.source: part for part in said if part.source}
    known = {
        "room": S - a.reserve,
        "budget": S,
        "reserve": a.reserve,
        "value/V_max": p2(here) / unit,
        "price_of_reserve/V_max": (p2(here, room=S) - p2(here)) / unit,
    }
    for name, value in known.items():
        if name in names:
            assert read_number(names[name].text) == pytest.approx(value, abs=6e-5), name
    assert ("reserve" in names) == (a.reserve > 0)
    more = longer(here)
    longest = max(S, min(450, int(here.scenario.control.Ts / here.scenario.network.tau_slot_s + 1e-9)))
    if longest <= S or more is None:
        assert not any(name.startswith("next.") for name in names)
        return
    assert names["next.gain"].value == pytest.approx(more[1], rel=1e-6, abs=1e-6)
    assert int(names["next.slots"].text) == more[0] if "next.slots" in names else more[0] == S + 1


def longer(here: Instant) -> tuple[int, float] | None:
    """The shortest longer frame that is worth more, and by how much [m²], by bisection over every action that it could hold."""
    a = here.allocation
    longest = here.longest
    q = certify(here.scenario, here.topology, here.calibration, here.states.c_fail, frame=longest)
    found = appraise(a, q)
    values = np.where(found.frontier, found.U, -np.inf)

    def worth(frame: int) -> float:
        return solve_knapsack_csr(values, q.slots, q.offsets, frame - a.reserve).value

    low, high, now = a.budget, longest, a.value
    if high <= low or worth(high) <= now + a.rounding:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if worth(middle) > now + a.rounding else (middle, high)
    return high, worth(high) - now


def check_served(focus: Focus, text: str) -> None:
    """Whether the loop is served is said as it is, once and not the contrary."""
    served = int(focus.allocation.choice[focus.loop]) >= 0
    assert ("is served by" in text) == served
    assert not (served and re.search(r"gets no slots|cannot be served", text))


def inside(axis: Any, values: Any) -> None:
    """An axis holds all values."""
    low, high = min(axis.start, axis.end), max(axis.start, axis.end)
    slack = 1e-5 * (high - low)
    assert all(low - slack <= v <= high + slack for v in itertools.chain(np.ravel(values)))
