"""The TDMA frame and its checker."""

import dataclasses

import numpy as np
import pytest
from frame_check import frame_problems
from slot_list import slot_uses

from core.allocation import DOWNLINK, UPLINK, allocate, frame_starts, pack_frame
from core.errors import SafeExplorerError
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
    assert frame_problems(case.scenario, case.candidates, a.choice, frame) == ()
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
        assert frame_problems(full.scenario, q, choice, frame) == ()
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
    layout = slot_uses(full.scenario, q.actions, q.ul_options, q.dl_options, q.ul_routes, q.dl_routes, int(choice[i]))
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
    assert frame_problems(case.scenario, case.candidates, none, frame) == ()


def test_too_many_slots_are_refused(case):
    q = case.candidates
    dearest = np.array([q.offsets[i] + np.argmax(q.slots[q.offsets[i] : q.offsets[i + 1]]) for i in range(16)])
    with pytest.raises(SafeExplorerError, match=f"need {q.slots[dearest].sum()} slots, but the frame has 60"):
        pack_frame(case.scenario, q, dearest)


def pick(case, pattern, hops=(1, 1), but=()):
    """The first candidate with this pattern and these hops up and down, of a loop not in `but`."""
    q = case.candidates
    rows = (q.actions.pattern == SLOT_PATTERNS.index(pattern)) & ~np.isin(q.loop, but)
    rows &= (q.ul_options.hops[q.actions.ul] == hops[0]) & (q.dl_options.hops[q.actions.dl] == hops[1])
    return int(np.flatnonzero(rows)[0])


class Packed:
    """A valid frame of a few actions, broken on purpose by `faults`."""

    def __init__(self, case, *rows):
        self.case, self.q = case, case.candidates
        self.choice = np.full(14, -1, np.int64)
        self.choice[self.q.loop[list(rows)]] = rows
        self.frame = pack_frame(case.scenario, self.q, self.choice)
        assert self.faults() == ()

    def entries(self, loop, direction):
        return (self.frame.loop == loop) & (self.frame.direction == direction)

    def faults(self, *, scenario=None, choice=None, **changes):
        choice = self.choice if choice is None else choice
        return frame_problems(
            scenario or self.case.scenario, self.q, choice, dataclasses.replace(self.frame, **changes)
        )

    def swapped(self, loop):
        """Slots with the direction that comes second sent first, both as long as before and without a gap."""
        one, two = (self.entries(loop, d) for d in (UPLINK, DOWNLINK))
        if self.frame.slot[one].min() > self.frame.slot[two].min():
            one, two = two, one
        length_one, length_two = self.frame.length[one].sum(), self.frame.length[two].sum()
        return self.frame.slot + one * length_two - two * length_one


@pytest.fixture(scope="module")
def pair(full):
    """Two loops, uplink first, one hop each way: (frame, earlier loop, later loop)."""
    a = pick(full, "ul-first")
    b = pick(full, "ul-first", but=full.candidates.loop[a])
    packed = Packed(full, a, b)
    one, two = sorted(full.candidates.loop[[a, b]].tolist())
    return packed, one, two


def test_a_frame_longer_than_the_control_period_is_found(pair):
    assert pair[0].faults(slots=10_000) == ("A frame of 10000 slots is longer than the control period.",)


def test_slots_outside_the_frame_are_found(pair):
    packed, one, two = pair
    f = packed.frame
    message = "Loop {} sends in slots {}…{}, outside the frame."
    stop = int(f.slot[-1] + f.length[-1])
    assert packed.faults(slots=stop - 1) == (message.format(two, f.slot[-1], stop - 1),)
    early = packed.faults(slot=f.slot - 1, start=f.start - 1)
    assert early == (message.format(one, -1, f.length[0] - 2),)


def test_a_collision_is_found(pair):
    packed, one, two = pair
    f = packed.frame
    early = packed.faults(slot=f.slot - (f.loop == two), start=f.start - (np.arange(14) == two))
    assert early == (f"Loops {one} and {two} collide in slot {f.start[two] - 1}.",)


def test_slots_of_a_loop_for_which_nothing_was_chosen_are_found(pair):
    packed, one, two = pair
    silent = np.where(np.arange(14) == two, -1, packed.choice)
    message = (f"Loop {two} has slots although nothing was chosen for it.",)
    assert packed.faults(choice=silent) == message
    unstarted = np.where(np.arange(14) == two, -1, packed.frame.start)
    assert packed.faults(choice=silent, start=unstarted) == message  # attempts without a start
    columns = ("slot", "length", "loop", "direction", "hop", "attempt", "tx", "rx")
    entries = {name: getattr(packed.frame, name)[packed.frame.loop == one] for name in columns}
    assert packed.faults(choice=silent, **entries) == message  # a start without attempts
    assert packed.faults(choice=silent, start=unstarted, **entries) == ()


@pytest.mark.parametrize("column", ["tx", "rx", "hop", "attempt"])
def test_an_attempt_off_its_route_is_found(pair, column):
    packed, one, _ = pair
    off = getattr(packed.frame, column).copy()
    off[np.flatnonzero(packed.entries(one, DOWNLINK))[0]] += 1
    tries = int(packed.entries(one, DOWNLINK).sum())
    expected = f"Loop {one}, downlink: {tries} attempts do not follow the route hop by hop (1 hops × {tries} attempts)."
    assert packed.faults(**{column: off}) == (expected,)


def test_an_attempt_too_short_for_its_symbols_is_found(pair):
    packed, one, _ = pair
    short = packed.frame.length.copy()
    short[np.flatnonzero(packed.entries(one, UPLINK))[0]] -= 1
    n = packed.q.ul_options.n[packed.q.actions.ul[packed.choice[one]]]
    assert packed.faults(length=short) == (f"Loop {one}, uplink: an attempt is too short for {n} symbols.",)


def test_a_span_other_than_the_certified_delay_is_found(full):
    """D^χ: of uplink, downlink, uplink in turn the last two change places; slots, order of hops and total stay."""
    row = pick(full, "interleaved", hops=(2, 1))
    packed = Packed(full, row)
    f, q, loop = packed.frame, packed.q, int(packed.q.loop[row])
    dl, second = packed.entries(loop, DOWNLINK), packed.entries(loop, UPLINK) & (f.hop == 1)
    slot = f.slot + dl * f.length[second].sum() - second * f.length[dl].sum()
    span = f.length[packed.entries(loop, UPLINK)].sum() * f.tau_slot_s
    assert span < q.D_ul[row]
    expected = f"Loop {loop}, uplink: spans {span * 1e3:.2f} ms, but its certificate says {q.D_ul[row] * 1e3:.2f} ms."
    assert packed.faults(slot=slot) == (expected,)


def test_a_downlink_before_its_uplink_is_found(full):
    packed = Packed(full, row := pick(full, "ul-first"))
    loop = int(packed.q.loop[row])
    gap = -int(packed.frame.length.sum())
    expected = f"Loop {loop}: the downlink starts {gap} slots after the uplink, pattern ul-first."
    assert packed.faults(slot=packed.swapped(loop)) == (expected,)


def test_an_uplink_before_its_downlink_is_found(full):
    packed = Packed(full, row := pick(full, "dl-first"))
    loop = int(packed.q.loop[row])
    expected = f"Loop {loop}: the uplink starts before the downlink ends, pattern dl-first."
    assert packed.faults(slot=packed.swapped(loop)) == (expected,)


def test_too_little_processing_time_is_found(full):
    packed = Packed(full, row := pick(full, "gap"))
    loop, gap = int(packed.q.loop[row]), full.scenario.network.processing_gap_slots
    longer = full.scenario.replace(**{"network.processing_gap_slots": gap + 1})
    expected = f"Loop {loop}: the downlink starts {gap} slots after the uplink, pattern gap."
    assert packed.faults(scenario=longer) == (expected,)


def test_an_action_that_is_not_in_one_piece_or_not_at_its_start_is_found(full):
    packed = Packed(full, row := pick(full, "gap"))
    f, loop, cost = packed.frame, int(packed.q.loop[row]), int(packed.q.slots[row])
    message = "Loop {}: occupies slots {}…{} instead of {} in a row from slot {}."
    late = f.slot + packed.entries(loop, DOWNLINK)  # a longer gap than the pattern asks for
    assert packed.faults(slot=late) == (message.format(loop, 0, cost, cost, 0),)
    assert packed.faults(slot=f.slot + 1) == (message.format(loop, 1, cost, cost, 0),)
