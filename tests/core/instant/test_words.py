"""What is said about a loop is true: every number recomputed from the objects themselves, every name resolved."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from read_number import read_number
from truth import check

from core.allocation import Verdict
from core.instant import SHORT, Flight, Instant, changed, longer_frame, takeoff
from core.scenario import Scenario
from core.twin import Exchange

SWARM = Scenario().replace(**{"mission.uavs": 10, "network.slots": 60, "mission.duration_s": 8.0})
STATES: list[tuple[dict[str, object], int]] = [
    ({}, 19),
    ({}, 5),
    ({"network.slots": 1}, 19),
    ({"network.slots": 8}, 7),
    ({"network.slots": 20, "network.snr_offset_db": -4.0}, 19),
    ({"network.snr_offset_db": -20.0}, 19),
    ({"network.slots": 400}, 11),
    ({"formulation": "repaired"}, 19),
    ({"formulation": "paper"}, 19),
    ({"formulation": "paper", "network.snr_offset_db": 8.0}, 2),
    ({"allocation.admission": "reach"}, 19),
    ({"allocation.admission": "none"}, 19),
    ({"allocation.sync_exchanges": 3, "network.snr_offset_db": -6.0}, 19),
    ({"network.deadline_ms": 5.0, "network.slot_ms": 2.0}, 19),
    ({"network.snr_offset_db": -17.0}, 5),
    ({"twin.delta_T": 0.001, "network.snr_offset_db": -4.0}, 19),
    ({"twin.H_T": 1}, 19),
]


def at(change: dict[str, object], k: int = 19) -> Instant:
    here = Flight.of(takeoff(SWARM), seed=4).instant(k)
    return here.replace(scenario=SWARM.replace(**change))


@pytest.mark.parametrize(("change", "k"), STATES)
@pytest.mark.slow
def test_every_number_of_every_verdict_is_recomputed(change: dict[str, object], k: int) -> None:
    here = at(change, k)
    rng = np.random.default_rng(k)
    for loop in range(10):
        follow = here.on(loop)
        check(follow, follow.said)
        check(follow, follow.why)
        rows = len(follow.offer.whole.slots)
        for row in rng.choice(rows, min(rows, 6), replace=False).tolist():
            focus = follow.hold(Exchange.of(follow.offer.whole, row).key)
            assert focus.held.row == row
            check(focus, focus.said)
            assert set(focus.rivals) <= {
                Exchange.of(here.candidates, r).key for r in range(*here.candidates.offsets[[loop, loop + 1]])
            }


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.slow
def test_nothing_false_is_said_at_random_states(seed: int) -> None:
    """Any frame from 1 to 400 slots, SNR from −20 to 20 dB, 1 to 120 UAVs, every formulation and rule, states moved or not."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        N = int(rng.choice([1, 2, 5, 10, 30, 50, 120]))
        base = Scenario().replace(**{"mission.uavs": N, "mission.duration_s": 8.0})
        change = {
            "network.slots": int(rng.integers(1, 401 if rng.random() < 0.6 else 40)),
            "network.snr_offset_db": float(rng.integers(-40, 41) / 2),
            "formulation": str(rng.choice(["predicted", "repaired", "paper"])),
            "allocation.admission": str(rng.choice(["drift", "reach", "none"])),
            "allocation.sync_exchanges": int(rng.integers(0, 5)),
            "twin.beta": float(rng.choice([0.005, 0.05, 0.2, 0.5])),
            "twin.H_T": int(rng.choice([1, 5, 20, 100])),
            "control.supervisor": bool(rng.random() < 0.8),
            "control.feed_forward": bool(rng.random() < 0.3),
        }
        flown = Flight.of(takeoff(base), seed=int(rng.integers(0, 3))).instant(int(rng.integers(0, 32)))
        here = flown.replace(scenario=base.replace(**change))
        if rng.random() < 0.4:
            V, c = float(rng.uniform(0.0, 1.3) * here.model.V_max), int(rng.integers(0, 9))
            here = here.replace(focus=int(rng.integers(0, N)), V=V, c=c, c_fail=int(rng.integers(0, 4)))
        for loop in rng.choice(N, min(N, 3), replace=False).tolist():
            focus = here.on(loop)
            check(focus, focus.said)
            check(focus, focus.why)
            assert ("is served by" in str(focus.why)) == bool((here.frame.loop == loop).any())
            rows = len(focus.offer.whole.slots)
            for row in rng.choice(rows, min(rows, 3), replace=False).tolist():
                held = focus.hold(Exchange.of(focus.offer.whole, row).key)
                check(held, held.said)


def test_all_verdicts_and_reasons_were_heard() -> None:
    """Else the test above proves little."""
    said, verdicts = [], set()
    for change, k in STATES:
        here = at(change, k)
        rng = np.random.default_rng(k)
        for loop in range(10):
            follow = here.on(loop)
            said += [str(follow.why), follow.sentence]
            rows = len(follow.offer.whole.slots)
            for row in rng.choice(rows, min(rows, 6), replace=False).tolist():
                focus = follow.hold(Exchange.of(follow.offer.whole, row).key)
                said.append(focus.sentence)
                verdicts.add(focus.held.verdict)
            if follow.held is not None:
                verdicts.add(follow.held.verdict)
    assert verdicts >= set(Verdict) - {Verdict.REFUSED_GATE}
    for text in (
        "is served by",
        "gets no slots",
        "without a certificate",
        "forcing it would lower the total",
        "without slots",
        "reserved for synchronisation",
        "does not search it: it tries one compact",
        "does not search it: one direction",
        "needs 8 slots and the frame has 1",
        "meets the deadline",
        "has a certificate",
        "serving it would cost at least",
        "is vacuous",
        "Equal to the",
        "which is nowhere worse",
    ):
        assert any(text in sentence for sentence in said), text


@pytest.mark.parametrize(("change", "k"), STATES)
def test_nobody_is_said_to_be_served_who_is_not(change: dict[str, object], k: int) -> None:
    here = at(change, k)
    for loop in range(10):
        focus = here.on(loop)
        served = bool((here.frame.loop == loop).any())
        assert ("is served by" in str(focus.why)) == served
        starts = ("Chosen", "Sent as uncertified synchronisation")
        assert focus.sentence.startswith(starts) == served
        assert focus.verdict in (*SHORT.values(), "no action")
        assert ("gets no slots" in focus.sentence or "cannot be served" in focus.sentence) == (not served)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"network.slots": 8}, "needs 12 slots and the frame has 8"),
        ({"network.blocklengths": (900,)}, "the blocklength 600 is not on offer"),
        ({"network.retransmissions": (1, 2)}, "the retransmission limit 0 is not on offer"),
        ({"network.patterns": ("dl-first",)}, "the slot pattern ul-first is not on offer"),
        ({"network.snr_offset_db": -20.0}, "is not among the routes that the twin predicts now"),
        ({"network.deadline_ms": 5.0, "network.slot_ms": 1.0}, "it misses the deadline of 5 ms"),
    ],
)
def test_an_action_that_is_gone_is_said_to_be_gone_and_nothing_takes_its_place(
    change: dict[str, object], text: str
) -> None:
    here = at({})
    offer = next(o for o in (here.on(i).offer for i in range(10)) if (o.whole.slots == 12).any())
    rows = [
        r for r in np.flatnonzero(offer.whole.slots == 12) if Exchange.of(offer.whole, int(r)).pattern == "ul-first"
    ]
    wanted = [Exchange.of(offer.whole, int(r)) for r in rows]
    key = next(x.key for x in wanted if 600 in x.n and x.n_re == (0, 0))
    focus = at(change).on(offer.loop, key)
    assert focus.held is None
    assert focus.verdict == "not on offer"
    assert text in focus.sentence == str(focus.missing)
    assert focus.ways is None
    assert focus.rivals == ()
    assert not here.on(offer.loop, key).missing


def test_what_is_no_key_or_anothers_is_said_so() -> None:
    here = at({})
    assert here.on(2, "0.900.0-0.600.1-0").sentence == "There is no action 0.900.0-0.600.1-0."
    other = here.on(3).held.key
    assert "it belongs to UAV 4, not to UAV 3" in here.on(2, other).sentence


def test_a_move_is_told_by_the_numbers_of_the_action_held() -> None:
    here = at({})
    heard = 0
    for loop, (change, _) in itertools.product(range(10), STATES[1:13]):
        before, after = here.on(loop), at(change).on(loop)
        said = changed(before, after)
        now = after.action(before.held.key)
        for part in said:
            when, _, what = part.source.partition(".")
            if when not in ("before", "after") or what == "verdict":
                continue
            focus, action = (before, before.held) if when == "before" else (after.hold(before.held.key), now)
            unit = focus.model.V_max
            expected = {
                "phi": action.phi / unit,
                "U": action.U / unit,
                "snr_ul_db": focus.ways[0].snr_db,
                "snr_dl_db": focus.ways[1].snr_db,
                "margin_ul_db": focus.ways[0].margin_db,
                "margin_dl_db": focus.ways[1].margin_db,
            }.get(what, getattr(action, what, None))
            assert part.value == expected
            assert read_number(part.text.split()[0]) == pytest.approx(expected, abs=0.06)
            heard += 1
        old, new = (f.chosen and f.chosen.key for f in (before, after))
        assert ("The allocator" in str(said)) == (old != new)
        if now is None:
            assert "is not on offer" in str(said)
        else:
            assert before.held.exchange.route in str(said)
            same = action_numbers(before.held) == action_numbers(now)
            assert ("nothing about it changed" in str(said)) <= (before.held.verdict is now.verdict)
            assert ("nothing about it changed" in str(said)) or not same or before.held.verdict is not now.verdict
    assert heard > 100


def action_numbers(action: object) -> tuple[object, ...]:
    return tuple(getattr(action, n) for n in ("rho_ul", "rho_dl", "g", "slots", "alpha_bar", "phi", "U"))


def test_beta_that_falls_never_tells_of_a_rho_that_rises() -> None:
    """The page once changed the action it talked about."""
    here = at({"twin.beta": 0.3})
    told = 0
    for loop in range(10):
        before = here.on(loop)
        after = at({"twin.beta": 0.005}).on(loop, before.held.key)
        values = {part.source: part.value for part in changed(before, after)}
        for name in ("rho_ul", "rho_dl"):
            if f"before.{name}" in values:
                assert values[f"after.{name}"] <= values[f"before.{name}"]
                told += 1
    assert told > 5


@pytest.mark.parametrize("slots", [1, 8, 20, 60, 160, 400, 450])
def test_the_longer_frame_is_told_as_it_is_computed(slots: int) -> None:
    here = at({"network.slots": slots})
    said, more = longer_frame(here), here.next_useful
    values = {part.source: part.value for part in said}
    if slots == here.longest:
        assert "already has all the 450 slots" in str(said)
    elif more is None:
        assert values["longest"] == here.longest
    else:
        assert values["next.gain"] == more.gain
        assert values["next.uav"] == more.loop + 1
        assert values.get("next.slots", slots + 1) == more.slots
