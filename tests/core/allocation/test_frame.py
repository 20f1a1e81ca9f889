"""The TDMA frame and its checker."""

import dataclasses

import numpy as np
import pytest

from core.allocation import DOWNLINK, UPLINK, allocate, check_frame, frame_starts, pack_frame
from core.network import slot_layout
from core.scenario import SLOT_PATTERNS


@pytest.fixture(scope="module")
def full(make_case):
    return make_case(uavs=14, slots=220, full=True)


def one_of_each_pattern(candidates, n):
    """A choice that uses every slot pattern, two-hop routes where there are any."""
    choice = np.full(n, -1, np.int64)
    hops = candidates.ul_options.hops[candidates.actions.ul] + candidates.dl_options.hops[candidates.actions.dl]
    for i in range(n):
        rows = np.flatnonzero((candidates.loop == i) & (candidates.actions.pattern == i % len(SLOT_PATTERNS)))
        rows = rows[candidates.slots[rows] <= 40]
        choice[i] = rows[np.argmax(hops[rows])] if rows.size and i % 5 else -1
    while candidates.slots[choice[choice >= 0]].sum() > 220:
        choice[np.flatnonzero(choice >= 0)[-1]] = -1
    return choice


def test_starts_follow_each_other():
    assert frame_starts(np.array([3, 0, 5, 2])).tolist() == [0, -1, 3, 8]
    assert frame_starts(np.array([3, 0, 5, 2]), order=np.array([3, 2, 1, 0])).tolist() == [7, -1, 2, 0]
    assert frame_starts(np.array([], dtype=int)).tolist() == []


def test_an_allocation_packs_into_a_valid_frame(case):
    a = allocate(*case.parts)
    frame = pack_frame(case.scenario, case.candidates, a.choice)
    assert check_frame(case.scenario, case.candidates, a.choice, frame) == ()
    assert np.array_equal(frame.start, frame_starts(a.slots))
    assert frame.length.sum() == a.slots_used  # no idle slots: ul-first packs without gaps
    assert (frame.slot + frame.length).max() == a.slots_used
    assert np.all(np.diff(frame.slot) > 0)


def test_every_pattern_packs_into_a_valid_frame(full):
    q = full.candidates
    choice = one_of_each_pattern(q, 14)
    assert {int(q.actions.pattern[c]) for c in choice[choice >= 0]} == set(range(len(SLOT_PATTERNS)))
    for order in (None, np.arange(14)[::-1]):
        frame = pack_frame(full.scenario, q, choice, order=order)
        assert check_frame(full.scenario, q, choice, frame) == ()
    tau = full.scenario.network.tau_slot_s
    for i in np.flatnonzero(choice >= 0):
        for direction, D in ((UPLINK, q.D_ul), (DOWNLINK, q.D_dl)):
            mine = (frame.loop == i) & (frame.direction == direction)
            span = (frame.slot[mine] + frame.length[mine]).max() - frame.slot[mine].min()
            assert span * tau == pytest.approx(D[choice[i]])


def test_entries_are_the_layout_shifted_to_the_start(full):
    q = full.candidates
    choice = one_of_each_pattern(q, 14)
    frame = pack_frame(full.scenario, q, choice)
    i = int(np.flatnonzero(choice >= 0)[1])
    layout = slot_layout(full.scenario, q.actions, q.ul_options, q.dl_options, q.ul_routes, q.dl_routes, int(choice[i]))
    mine = np.flatnonzero(frame.loop == i)
    assert [int(frame.slot[e]) for e in mine] == [frame.start[i] + use.slot for use in layout]
    assert [("ul", "dl")[frame.direction[e]] for e in mine] == [use.direction for use in layout]
    assert [(int(frame.tx[e]), int(frame.rx[e])) for e in mine] == [(use.tx, use.rx) for use in layout]


def test_guard_intervals_end_every_slot(full):
    q = full.candidates
    frame = pack_frame(full.scenario, q, one_of_each_pattern(q, 14))
    gap = frame.begin_s[1:] - frame.end_s[:-1]
    assert np.all(gap >= frame.guard_s - 1e-12)
    assert frame.guard_s == pytest.approx(full.scenario.network.guard_ms * 1e-3)
    assert frame.end_s.max() <= full.scenario.control.Ts


def test_nobody_served_is_an_empty_valid_frame(case):
    none = np.full(case.scenario.mission.uavs, -1)
    frame = pack_frame(case.scenario, case.candidates, none)
    assert frame.slot.size == 0
    assert check_frame(case.scenario, case.candidates, none, frame) == ()


def test_too_many_slots_are_refused(case):
    q = case.candidates
    dearest = np.array([q.offsets[i] + np.argmax(q.slots[q.offsets[i] : q.offsets[i + 1]]) for i in range(16)])
    with pytest.raises(ValueError, match="slots"):
        pack_frame(case.scenario, q, dearest)


def test_the_checker_finds_each_fault(full):
    q = full.candidates
    choice = one_of_each_pattern(q, 14)
    frame = pack_frame(full.scenario, q, choice)

    def faults(**changes):
        return " ".join(check_frame(full.scenario, q, choice, dataclasses.replace(frame, **changes)))

    second = int(frame.start[np.flatnonzero(choice >= 0)[1]])
    assert "collide" in faults(slot=np.where(frame.slot == second, second - 1, frame.slot))
    assert "outside the frame" in faults(slots=int((frame.slot + frame.length).max()) - 1)
    assert "outside the frame" in faults(slot=frame.slot - 1, start=frame.start - 1)
    assert "longer than the control period" in faults(slots=10_000)
    assert "hop by hop" in faults(tx=frame.tx + 1)
    assert "hop by hop" in faults(attempt=frame.attempt * 0 + 5)
    assert "too short" in faults(length=np.ones_like(frame.length))
    stretched = frame.slot + np.where(np.arange(frame.slot.size) == frame.slot.size - 1, 1, 0)
    assert "certificate says" in faults(slot=stretched) or "in a row" in faults(slot=stretched)
    swapped = frame.slot.copy()
    loop = int(np.flatnonzero((choice >= 0) & (q.actions.pattern[choice] == SLOT_PATTERNS.index("ul-first")))[0])
    mine = frame.loop == loop
    begin, end = frame.start[loop], frame.start[loop] + q.slots[choice[loop]]
    swapped[mine] = np.where(
        frame.direction[mine] == UPLINK,
        frame.slot[mine]
        + (end - frame.slot[mine & (frame.direction == UPLINK)].min() - q.actions.span_ul[choice[loop]]),
        frame.slot[mine] - (frame.slot[mine & (frame.direction == DOWNLINK)].min() - begin),
    )
    assert "pattern ul-first" in faults(slot=swapped)
    silent = np.where(np.arange(14) == loop, -1, choice)
    assert "nothing was chosen" in " ".join(check_frame(full.scenario, q, silent, frame))


def test_gap_pattern_keeps_its_processing_time(full):
    q = full.candidates
    rows = np.flatnonzero(q.actions.pattern == SLOT_PATTERNS.index("gap"))
    choice = np.full(14, -1, np.int64)
    choice[q.loop[rows[0]]] = rows[0]
    frame = pack_frame(full.scenario, q, choice)
    assert check_frame(full.scenario, q, choice, frame) == ()
    tight = full.scenario.replace(**{"network.processing_gap_slots": 10})
    assert "pattern gap" in " ".join(check_frame(tight, q, choice, frame))
