"""The summary of a run: every metric worked out on paper for four cycles and three loops, and a flown run."""

import numpy as np
import pytest

from core import Scenario
from core.allocation import Mode
from core.simulation import METRICS, Run, simulate
from core.twin import Calibration

C, Y, H, S = Mode.CERTIFIED, Mode.SYNCHRONISATION, Mode.HOLD, Mode.SAFE


def table(rows, kind=bool):
    """(cycles, N) from one text or list per cycle; "x" marks what happened."""
    return np.array([[x == "x" for x in row] if isinstance(row, str) else row for row in rows], dtype=kind)


@pytest.fixture
def run() -> Run:
    """Loop 0 is always served, loop 1 now and then, loop 2 once; the safety distance is 10 m."""
    zero, positions = np.zeros((4, 3)), np.zeros((4, 3, 3))
    positions[:, 0] = [0.0, 0.0, 3.0]
    positions[:2, 1] = [3.0, 4.0, 0.0]
    positions[3, 2] = [0.0, 0.0, 8.0]
    return Run(
        scenario=Scenario().replace(**{"mission.uavs": 3, "mission.safety_distance_m": 10.0}),
        policy="by hand",
        seed=0,
        rmse=np.array([1.0, 2.0, 9.0, 4.0]),
        v_normalised=table([[0.1, 0.2, 0.3], [0.0, 0.1, 0.4], [0.5, 0.6, 0.9], [0.1, 0.0, 1.0]], float),
        v_estimated=zero + 7.0,
        tr_sigma=zero + 8.0,
        command_delay_ms=np.array([3.0, 5.0, 10.0, 4.0, 8.0]),
        slots_used=np.array([10, 20, 40, 12]),
        served=table(["xx-", "x--", "x-x", "xx-"]),
        uplink=table(["xx-", "x--", "--x", "x--"]),
        downlink=table(["x--", "x--", "x-x", "-x-"]),
        mode=table([[C, C, H], [C, H, H], [Y, H, Y], [C, C, S]], np.int8),
        c=np.ones((4, 3), dtype=np.int64),
        c_fail=np.ones((4, 3), dtype=np.int64),
        drift_exceeded=table(["x--", "---", "---", "xx-"]),
        bound_exceeded=table(["-x-", "---", "---", "xx-"]),
        stale_hold=table(["---", "--x", "-x-", "---"]),
        nearest_m=table([[12.0, 11.0, 30.0], [10.0, 9.0, 9.5], [15.0, 8.0, 12.0], [20.0, 21.0, 22.0]], float),
        positions=positions,
        references=np.zeros((4, 3, 3)),
        routes=np.array([[3, 0, 2, 0, 0, 0], [3, 0, 2, 0, 0, 0], [3, 0, 2, 0, 0, 0], [0, 0, 0, 0, 10, 0]]),
        covered=np.array([[3, 0, 2, 0, 0, 0], [2, 0, 2, 0, 0, 0], [3, 0, 1, 0, 0, 0], [0, 0, 0, 0, 9, 0]]),
    )


BY_HAND = {
    "mean_rmse_m": (1 + 2 + 9 + 4) / 4,
    "p95_rmse_m": 4 + 0.85 * (9 - 4),  # 1 2 4 9: rank 0.95·3 = 2.85
    "mean_v": 4.2 / 12,
    "p95_v": 0.9 + 0.45 * (1.0 - 0.9),  # rank 0.95·11 = 10.45 of twelve
    "mean_delay_ms": 30 / 5,
    "p95_delay_ms": 8 + 0.8 * (10 - 8),  # 3 4 5 8 10: rank 0.95·4 = 3.8
    "slots_used": 82 / 4,
    "served_per_cycle": (2 + 1 + 2 + 2) / 4,
    "delivered_share": 3 / 7,  # loop 0 twice, loop 2 once; loop 1 only ever one way
    "certified_share": 5 / 12,
    "synchronisation_share": 2 / 12,
    "hold_share": 4 / 12,
    "safe_share": 1 / 12,
    "longest_wait_cycles": 2,  # loop 1 in cycles 1–2, loop 2 in 0–1
    "longest_silence_cycles": 4,  # loop 1 never had both directions
    "drift_exceeded_share": 3 / 5,  # of the certified ones
    "bound_exceeded": 3,
    "stale_hold_share": 2 / 12,
    "min_separation_m": 8.0,
    "too_close_share": 3 / 12,  # 9, 9.5 and 8 m; 10 m is the distance itself
    "worst_loop_rmse_m": np.sqrt(64 / 4),  # loops: 3, √(50/4), √(64/4)
    "service_fairness": (2 + 0 + 1) ** 2 / (3 * (4 + 0 + 1)),
    "mean_silence_cycles": (2 + 4 + 2) / 3,  # loop 0 at the end, loop 1 always, loop 2 at the start
    "route_coverage": (5 + 4 + 4 + 9) / 25,
}


@pytest.mark.parametrize("metric", BY_HAND)
def test_a_metric_is_what_one_gets_on_paper(metric: str, run: Run) -> None:
    assert run.summary()[metric] == pytest.approx(BY_HAND[metric])


def test_every_metric_is_worked_out(run: Run) -> None:
    assert list(run.summary()) == list(BY_HAND) == list(METRICS)


def test_a_run_without_service_has_shares_of_zero_and_no_delay() -> None:
    """No division by nothing: nobody served, nobody certified, no command arrived."""
    scenario = Scenario().replace(**{"mission.uavs": 2, "mission.duration_s": 1.0, "network.slots": 0})
    found = simulate(scenario, "Fixed-Service", 0).summary()
    assert (found["delivered_share"], found["drift_exceeded_share"], found["served_per_cycle"]) == (0.0, 0.0, 0.0)
    assert np.isnan([found["mean_delay_ms"], found["p95_delay_ms"], found["service_fairness"]]).all()
    assert found["longest_wait_cycles"] == found["longest_silence_cycles"] == 4.0


def test_summary_follows_from_the_arrays(calibration: Calibration) -> None:
    """A flown run: errors, modes and distances hang together."""
    scenario = Scenario().replace(**{"mission.uavs": 8, "mission.duration_s": 10.0, "network.slots": 40})
    run = simulate(scenario, "SAFE", 0, calibration)
    s = run.summary()
    assert s["mean_rmse_m"] == pytest.approx(run.rmse.mean())
    error = run.positions - run.references
    np.testing.assert_allclose(run.rmse, np.sqrt((error**2).sum(axis=2).mean(axis=1)))
    shares = s["certified_share"] + s["synchronisation_share"] + s["hold_share"] + s["safe_share"]
    assert shares == pytest.approx(1.0)
    assert s["served_per_cycle"] == pytest.approx(8 * (s["certified_share"] + s["synchronisation_share"]))
    distance = np.linalg.norm(run.positions[7][:, None] - run.positions[7][None], axis=-1) + 1e9 * np.eye(8)
    np.testing.assert_allclose(run.nearest_m[7], distance.min(axis=1))
    waits = [len(w) for i in range(8) for w in "".join("01"[x] for x in run.served[:, i].astype(int)).split("1")]
    assert s["longest_wait_cycles"] == max(waits)
