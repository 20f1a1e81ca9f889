"""What a flight keeps of its past is what the run did: arrays, summary, actions, every attempt of every frame."""

from __future__ import annotations

import numpy as np
import pytest

from core.instant import Flight, flight
from core.scenario import Scenario
from core.simulation import METRICS, CycleRecord, Fate, Simulation, simulate
from core.twin import Exchange

SMALL = Scenario().replace(**{"mission.uavs": 9, "network.slots": 60, "mission.duration_s": 5.0})
LOSSY = SMALL.replace(**{"network.snr_offset_db": -4.0})


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight, "_flights", flight._Flights())


@pytest.fixture(scope="module", params=["SAFE", "DynTx-HLC"])
def both(request: pytest.FixtureRequest) -> tuple[Flight, list[CycleRecord]]:
    policy = request.param
    return Flight.of(LOSSY, policy, 2), list(Simulation(LOSSY, policy, 2))


def test_history_is_what_the_records_say(both: tuple[Flight, list[CycleRecord]]) -> None:
    found, records = both
    found.reach(found.cycles)
    h = found.history()
    assert h.cycles == found.ended == found.cycles == len(records)
    for name in ("rmse", "slots_used", "served", "uplink", "downlink", "delivered", "mode", "phase"):
        np.testing.assert_array_equal(getattr(h, name), [getattr(r, name) for r in records], err_msg=name)
    for name in ("v_normalised", "positions", "nearest_m"):
        np.testing.assert_allclose(getattr(h, name), [getattr(r, name) for r in records], rtol=1e-6, err_msg=name)
        assert getattr(h, name).dtype == np.float32
    np.testing.assert_array_equal(h.gust, [np.abs(r.gust).max(axis=1) > 0 for r in records])
    assert h.gust.any()
    delays = [d for r in records for d in r.delay_ms[r.downlink]]
    np.testing.assert_array_equal(h.command_delay_ms, delays)
    np.testing.assert_array_equal(h.delay_cycle, [r.k for r in records for _ in range(r.downlink.sum())])
    assert not h.rmse.flags.writeable


def test_positions_begin_where_the_cycle_before_ended() -> None:
    found, simulation = Flight.of(LOSSY), Simulation(LOSSY)
    for k in range(found.cycles):
        np.testing.assert_array_equal(found.positions(k), simulation._p.astype(np.float32))
        simulation.step()
    np.testing.assert_array_equal(found.changed(3, SMALL).positions(0), found.positions(0))


def test_a_history_holds_the_cycles_that_are_over_and_later_ones_extend_it() -> None:
    found = Flight.of(SMALL)
    assert found.history().cycles == found.ended == 0
    found.reach(4)
    early = found.history()
    assert (early.cycles, found.flown, found.ended) == (4, 4, 4)
    kept = early.rmse.copy()
    found.reach(9)
    assert found.history().cycles == 9
    np.testing.assert_array_equal(early.rmse, kept)
    np.testing.assert_array_equal(found.history().rmse[:4], kept)


@pytest.mark.parametrize("policy", ["SAFE", "Fixed-Service"])
def test_the_summary_of_a_whole_flight_is_that_of_the_run(policy: str) -> None:
    found, run = Flight.of(LOSSY, policy, 5), simulate(LOSSY, policy, 5)
    found.reach(found.cycles)
    mine, theirs = found.summary(), run.summary()
    assert list(mine) == list(METRICS)
    assert mine == pytest.approx(theirs, rel=1e-6, nan_ok=True)
    np.testing.assert_allclose(found.run().v_estimated, run.v_estimated)
    np.testing.assert_array_equal(found.run().drift_exceeded, run.drift_exceeded)
    np.testing.assert_array_equal(found.run().stale_hold, run.stale_hold)
    np.testing.assert_array_equal(found.run().bound_exceeded, run.bound_exceeded)


def test_a_part_of_a_flight_is_measured_alone(both: tuple[Flight, list[CycleRecord]]) -> None:
    found, records = both
    found.reach(found.cycles)
    part, run = found.history().between(4, 11), found.run(4, 11)
    for name in ("rmse", "slots_used", "served", "downlink", "mode", "phase"):
        np.testing.assert_array_equal(getattr(part, name), [getattr(r, name) for r in records[4:11]], err_msg=name)
    np.testing.assert_array_equal(part.command_delay_ms, [d for r in records[4:11] for d in r.delay_ms[r.downlink]])
    np.testing.assert_array_equal(part.delay_cycle, [r.k for r in records[4:11] for _ in range(r.downlink.sum())])
    np.testing.assert_array_equal(run.command_delay_ms, part.command_delay_ms)
    np.testing.assert_allclose(run.v_estimated, [r.v_estimated for r in records[4:11]])
    np.testing.assert_allclose(run.references, [r.references for r in records[4:11]])
    assert found.summary(["mean_rmse_m"], 4, 11)["mean_rmse_m"] == pytest.approx(
        np.mean([r.rmse for r in records[4:11]])
    )
    assert np.isnan(found.summary(["mean_rmse_m"], 4, 4)["mean_rmse_m"])


def test_the_summary_covers_the_cycles_flown_and_nothing_else() -> None:
    found, run = Flight.of(LOSSY, "SAFE", 5), simulate(LOSSY, "SAFE", 5)
    assert np.isnan(found.summary()["mean_rmse_m"])
    found.reach(7)
    assert found.summary(["mean_rmse_m", "p95_v"]) == pytest.approx(
        {"mean_rmse_m": run.rmse[:7].mean(), "p95_v": np.percentile(run.v_normalised[:7], 95)}
    )
    assert found.summary()["mean_rmse_m"] != pytest.approx(run.rmse.mean())


def test_every_attempt_of_every_frame_has_the_fate_the_outcome_implies(
    both: tuple[Flight, list[CycleRecord]],
) -> None:
    """The fates alone say who was reached and when, and that is what the record says."""
    found, records = both
    seen = set()
    for record in records:
        frame = found.frame(record.k)
        for name in ("start", "slot", "length", "loop", "direction", "hop", "attempt", "tx", "rx"):
            np.testing.assert_array_equal(getattr(frame, name), getattr(record.frame, name), err_msg=name)
        assert (frame.slots, frame.tau_slot_s, frame.guard_s) == (
            record.frame.slots,
            record.frame.tau_slot_s,
            record.frame.guard_s,
        )
        seen |= set(frame.fate.tolist())
        for i in np.flatnonzero(record.served):
            for direction, reached in enumerate((record.uplink, record.downlink)):
                mine = (frame.loop == i) & (frame.direction == direction)
                hops = int(frame.hop[mine].max()) + 1
                over = True  # hop by hop: the packet is here
                for hop in range(hops):
                    fates = frame.fate[mine & (frame.hop == hop)].tolist()
                    if not over:
                        assert set(fates) == {Fate.NOTHING_TO_SEND}
                        continue
                    lost = fates.index(Fate.ARRIVED) if Fate.ARRIVED in fates else len(fates)
                    assert fates[:lost] == [Fate.LOST] * lost
                    assert fates[lost + 1 :] == [Fate.NOT_NEEDED] * (len(fates) - lost - 1)
                    over = lost < len(fates)
                assert over == reached[i]
                if direction == 1 and over:
                    first = frame.begin_s[mine].min()
                    arrived = frame.end_s[mine & (frame.hop == hops - 1) & (frame.fate == Fate.ARRIVED)]
                    assert record.delay_ms[i] == pytest.approx(1e3 * (arrived[0] - first))
    assert seen == set(Fate)  # else the scenario teaches nothing


def test_a_frame_plays_slot_by_slot() -> None:
    frame = Flight.of(LOSSY, "SAFE", 2).frame(3)
    on_air = np.array([frame.during(slot) for slot in range(frame.slots)])
    sent = (frame.fate == Fate.ARRIVED) | (frame.fate == Fate.LOST)
    np.testing.assert_array_equal(on_air.sum(axis=0), np.where(sent, frame.length, 0))
    assert on_air.sum(axis=1).max() == 1
    assert not frame.before(0).any()
    assert frame.before(frame.slots).all()


def test_what_was_sent_can_be_named_again(both: tuple[Flight, list[CycleRecord]]) -> None:
    found, records = both
    for record in records:
        sent = found.exchanges(record.k)
        assert list(sent) == np.flatnonzero(record.served).tolist()
        for i, exchange in sent.items():
            assert exchange == Exchange.of(record.candidates, int(record.choice[i]))
            assert Exchange.parse(exchange.key) == exchange
            assert exchange.loop == i
            assert exchange.route.startswith(f"{i + 1}–")
            assert exchange.route.endswith(f"–{i + 1} ↓")


def test_a_text_that_is_no_key_names_no_action() -> None:
    for text in (
        "",
        "0.900.0-1.600.1-0",
        "1-0.900.0_0-1.600.0",
        "1-0.900.0_0-1.600.0_sideways",
        "1.900.0_0-1.600.0_gap",
    ):
        assert Exchange.parse(text) is None
