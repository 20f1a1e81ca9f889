"""Whether a frame keeps what its actions' certificates assume: no collision, order, spans, D^χ."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from core.allocation.frame import DOWNLINK, UPLINK, Frame
from core.network import Options, Routes
from core.scenario import SLOT_PATTERNS, Scenario
from core.twin import Candidates

_NAMES = {UPLINK: "uplink", DOWNLINK: "downlink"}
_ROUNDING_S = 1e-9


def frame_problems(
    scenario: Scenario, candidates: Candidates, choice: NDArray[np.int64], frame: Frame
) -> tuple[str, ...]:
    """Everything that is wrong with a frame, one sentence each; empty when it is valid (Section II-B).

    Args:
        scenario: T_s, symbols per slot, processing gap; S and τ_slot are the frame's own.
        candidates: the actions of all loops.
        choice: row of `candidates` that each loop sends, -1 = none, shape (N,).
        frame: the frame to check.
    """
    problems = list(_shared_slots(scenario, frame))
    for loop, index in enumerate(np.asarray(choice).tolist()):
        rows = np.flatnonzero(frame.loop == loop)
        if index < 0:
            if rows.size or frame.start[loop] >= 0:
                problems.append(f"Loop {loop} has slots although nothing was chosen for it.")
            continue
        problems += _one_loop(scenario, candidates, index, loop, frame, rows)
    return tuple(problems)


def _shared_slots(scenario: Scenario, frame: Frame) -> list[str]:
    """Slots outside the frame and slots used twice."""
    problems = []
    if frame.slots * frame.tau_slot_s > scenario.control.Ts + _ROUNDING_S:
        problems.append(f"A frame of {frame.slots} slots is longer than the control period.")
    stop = frame.slot + frame.length
    for e in np.flatnonzero((frame.slot < 0) | (stop > frame.slots)):
        problems.append(f"Loop {frame.loop[e]} sends in slots {frame.slot[e]}…{stop[e] - 1}, outside the frame.")
    order = np.argsort(frame.slot, kind="stable")
    for a, b in itertools.pairwise(order):
        if stop[a] > frame.slot[b]:
            problems.append(f"Loops {frame.loop[a]} and {frame.loop[b]} collide in slot {frame.slot[b]}.")
    return problems


def _one_loop(
    scenario: Scenario, candidates: Candidates, index: int, loop: int, frame: Frame, rows: NDArray[np.int64]
) -> list[str]:
    """Attempts, order, spans and delays of one served loop."""
    actions = candidates.actions
    problems = []
    first, last = {}, {}
    for direction, options, routes, option, D in (
        (UPLINK, candidates.ul_options, candidates.ul_routes, actions.ul[index], candidates.D_ul[index]),
        (DOWNLINK, candidates.dl_options, candidates.dl_routes, actions.dl[index], candidates.D_dl[index]),
    ):
        mine = rows[frame.direction[rows] == direction]
        mine = mine[np.argsort(frame.slot[mine], kind="stable")]
        name = f"Loop {loop}, {_NAMES[direction]}"
        wrong = _attempts(scenario, frame, mine, options, routes, int(option))
        if wrong:
            problems.append(f"{name}: {wrong}")
            continue
        first[direction] = int(frame.slot[mine[0]])
        last[direction] = int(frame.slot[mine[-1]] + frame.length[mine[-1]])
        span_s = (last[direction] - first[direction]) * frame.tau_slot_s
        if abs(span_s - D) > _ROUNDING_S:
            problems.append(f"{name}: spans {span_s * 1e3:.2f} ms, but its certificate says {D * 1e3:.2f} ms.")
    if len(first) < 2:
        return problems
    gap = first[DOWNLINK] - last[UPLINK]
    pattern = SLOT_PATTERNS[actions.pattern[index]]
    least = {"ul-first": 0, "gap": scenario.network.processing_gap_slots}.get(pattern)
    if least is not None and gap < least:
        problems.append(f"Loop {loop}: the downlink starts {gap} slots after the uplink, pattern {pattern}.")
    if pattern == "dl-first" and last[DOWNLINK] > first[UPLINK]:
        problems.append(f"Loop {loop}: the uplink starts before the downlink ends, pattern {pattern}.")
    begin, end = min(first.values()), max(last.values())
    if begin != frame.start[loop] or end - begin != candidates.slots[index]:
        due = f"{candidates.slots[index]} in a row from slot {frame.start[loop]}"
        problems.append(f"Loop {loop}: occupies slots {begin}…{end - 1} instead of {due}.")
    return problems


def _attempts(
    scenario: Scenario, frame: Frame, mine: NDArray[np.int64], options: Options, routes: Routes, option: int
) -> str:
    """What is wrong with the attempts of one direction, in time order; empty when nothing is."""
    hops, tries = int(options.hops[option]), 1 + int(options.n_re[option])
    path = routes.nodes[options.route[option]]
    expected = [(h, a, int(path[h]), int(path[h + 1])) for h in range(hops) for a in range(tries)]
    found = list(zip(*(x[mine].tolist() for x in (frame.hop, frame.attempt, frame.tx, frame.rx)), strict=True))
    if found != expected:
        return f"{len(found)} attempts do not follow the route hop by hop ({hops} hops × {tries} attempts)."
    if np.any(frame.length[mine] * scenario.network.symbols_per_slot < options.n[option]):
        return f"an attempt is too short for {options.n[option]} symbols."
    return ""
