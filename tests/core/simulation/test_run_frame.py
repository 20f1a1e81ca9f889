"""A run as a table: every column worked out from a stepped simulation, read back from Parquet, missing where nothing was sent."""

import os

import numpy as np
import pandas as pd
import pytest
import yaml

from core import Scenario
from core.allocation import Mode
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.scenario import SLOT_PATTERNS
from core.simulation import Phase, Run, Simulation, reference, simulate
from core.simulation.run import LOG_ARRAYS
from core.simulation.run_frame import UNITS

SMALL = Scenario().replace(
    **{"mission.uavs": 8, "mission.duration_s": 10.0, "network.slots": 40, "network.snr_offset_db": -4.0}
)
"""Weak links, so that some routes have relays and some packets are lost."""
SEED = 3


@pytest.fixture(scope="module")
def stepped(calibration):
    """Records of a flight, and the table of the same flight."""
    records = list(Simulation(SMALL, "SAFE", SEED, calibration))
    return records, simulate(SMALL, "SAFE", SEED, calibration).frame()


def test_one_row_per_cycle_and_loop(stepped):
    records, frame = stepped
    assert list(frame.columns) == list(frame.attrs["units"]) == list(UNITS)
    assert frame["k"].tolist() == np.repeat(np.arange(len(records)), 8).tolist()
    assert frame["loop"].tolist() == list(range(8)) * len(records)
    assert Scenario.from_dict(yaml.safe_load(frame.attrs["scenario"])) == SMALL
    assert (frame.attrs["policy"], frame.attrs["seed"]) == ("SAFE", SEED)


def test_state_before_and_error_after_are_those_of_the_stepped_flight(stepped):
    records, frame = stepped
    trace, model = reference(SMALL, SEED), ControlModel.of(SMALL)
    for r in records:
        rows = frame[frame["k"] == r.k]
        np.testing.assert_array_equal(rows["V"], r.states.V)
        np.testing.assert_allclose(rows["V"] / model.V_max, r.v_estimated)
        for name in ("tr_sigma", "c", "c_fail"):
            np.testing.assert_array_equal(rows[name], getattr(r.states, name))
        assert rows["mode"].tolist() == [Mode(m).name.lower() for m in r.mode]
        assert rows["phase"].tolist() == [Phase(p).name.lower() for p in trace.phase[r.k]]
        np.testing.assert_array_equal(rows[["gust_x", "gust_y", "gust_z"]], trace.gust[r.k])
        true, seen = r.positions - trace.positions[r.k + 1], r.estimates - trace.positions[r.k + 1]
        np.testing.assert_array_equal(rows[["error_x", "error_y", "error_z"]], true)
        np.testing.assert_array_equal(rows[[f"estimated_error_{a}" for a in "xyz"]], seen)
        np.testing.assert_allclose(rows["error"], np.sqrt((true**2).sum(axis=1)))
        np.testing.assert_allclose(rows["estimated_error"], np.sqrt((seen**2).sum(axis=1)))
        assert np.sqrt((rows["error"] ** 2).mean()) == pytest.approx(r.rmse)
        np.testing.assert_array_equal(rows["v_normalised"], r.v_normalised)
        np.testing.assert_array_equal(np.isnan(r.phi), ~r.served)
    assert frame["gust_x"].abs().max() > 0


def test_action_certificate_and_outcome_are_those_of_the_stepped_flight(stepped):
    records, frame = stepped
    relayed = 0
    for r in records:
        c = r.candidates
        routes = {loop: (up, down) for loop, up, down in r.routes()}
        for row in frame[frame["k"] == r.k].itertuples():
            i = row.loop
            assert (row.uplink, row.downlink) == (r.uplink[i], r.downlink[i])
            assert row.delay_ms == r.delay_ms[i] or (np.isnan(row.delay_ms) and not row.downlink)
            if i not in routes:
                assert row.slots == 0
                continue
            m = r.choice[i]
            up, down = (["GCS" if n == 0 else str(n - 1) for n in nodes] for nodes in routes[i])
            assert (row.ul_route, row.dl_route) == ("→".join(up), "→".join(down))
            relayed += len(up) > 2
            u, d = c.actions.ul[m], c.actions.dl[m]
            assert (row.ul_n, row.ul_n_re) == (c.ul_options.n[u], c.ul_options.n_re[u])
            assert (row.dl_n, row.dl_n_re) == (c.dl_options.n[d], c.dl_options.n_re[d])
            assert row.pattern == SLOT_PATTERNS[c.actions.pattern[m]]
            assert row.action == (
                f"up {row.ul_route} n={row.ul_n} +{row.ul_n_re}, down {row.dl_route} n={row.dl_n} +{row.dl_n_re}, {row.pattern}"
            )
            for name in ("slots", "rho_ul", "rho_dl", "g", "D_ul", "D_dl", "T_cert"):
                assert getattr(row, name) == getattr(c, name)[m], name
            assert r.allocation.U[m] == row.U
            assert row.phi == pytest.approx(r.allocation.phi[m])
    assert relayed > 0


def test_what_was_not_sent_is_missing(stepped):
    _, frame = stepped
    idle = frame[frame["slots"] == 0]
    assert 0 < len(idle) < len(frame)
    action = [
        "action",
        "ul_route",
        "dl_route",
        "pattern",
        "ul_n",
        "dl_n",
        "ul_n_re",
        "dl_n_re",
        "g",
        "T_cert",
        "phi",
        "U",
    ]
    assert idle[[*action, "rho_ul", "rho_dl", "D_ul", "D_dl"]].isna().all(axis=None)
    assert frame[frame["slots"] > 0][action].notna().all(axis=None)
    assert set(idle["mode"]) <= {"hold", "safe"}
    assert (frame["delay_ms"].notna() == frame["downlink"]).all()


def test_policies_without_an_allocator_have_a_drift_bound_but_no_value(calibration):
    frame = simulate(SMALL, "VoI-Sched", SEED, calibration).frame()
    sent = frame[frame["slots"] > 0]
    assert sent["phi"].notna().all()
    assert sent["U"].isna().all()


def test_a_frame_without_slots_is_a_table_too(calibration):
    frame = simulate(SMALL.replace(**{"network.slots": 0}), "SAFE", SEED, calibration).frame()
    assert len(frame) == 40 * 8
    assert frame["action"].isna().all()


def test_parquet_keeps_values_types_and_units(stepped, calibration, tmp_path):
    _, frame = stepped
    path = simulate(SMALL, "SAFE", SEED, calibration).to_parquet(tmp_path / "made" / "on the way" / "run.parquet")
    again = pd.read_parquet(path)
    pd.testing.assert_frame_equal(again, frame)
    assert again.attrs == frame.attrs
    assert again.attrs["units"]["D_ul"] == "s"
    assert [p.name for p in path.parent.iterdir()] == ["run.parquet"]


def test_parquet_is_there_whole_or_not_at_all(calibration, tmp_path, monkeypatch):
    run = simulate(SMALL, "Fixed-Service", SEED, calibration)
    (tmp_path / "run.parquet").write_bytes(b"the old one")

    def full(*_):
        raise OSError("disk full")

    with monkeypatch.context() as m:
        m.setattr(os, "replace", full)
        with pytest.raises(SafeExplorerError, match="cannot be written: disk full"):
            run.to_parquet(tmp_path / "run.parquet")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"run.parquet": b"the old one"}


def test_the_log_survives_npz(calibration, tmp_path):
    run = simulate(SMALL, "SAFE", SEED, calibration)
    pd.testing.assert_frame_equal(Run.load(run.save(tmp_path / "run.npz")).frame(), run.frame())


def test_a_file_of_an_older_version_has_its_metrics_but_no_table(calibration, tmp_path):
    """Written before the log was kept: without any of its arrays. With some of them it is no run at all."""
    run = simulate(SMALL, "SAFE", SEED, calibration)
    with np.load(run.save(tmp_path / "new.npz")) as file:
        arrays = dict(file)
    log = set(LOG_ARRAYS)
    np.savez(tmp_path / "old.npz", **{n: a for n, a in arrays.items() if n not in log})
    old = Run.load(tmp_path / "old.npz")
    assert old.summary() == run.summary()
    for action in (old.frame, lambda: old.to_parquet(tmp_path / "x.parquet")):
        with pytest.raises(
            SafeExplorerError, match=r"kept no actions.*fly it again: simulate\(run.scenario, 'SAFE', 3\)"
        ):
            action()
    again = Run.load(old.save(tmp_path / "again.npz"))
    assert again.log is None
    np.savez(tmp_path / "torn.npz", **{n: a for n, a in arrays.items() if n != "phi"})
    with pytest.raises(SafeExplorerError, match="not a run saved by this version"):
        Run.load(tmp_path / "torn.npz")


def test_a_run_is_not_much_larger_for_its_log(calibration):
    """Fifty loops over 120 cycles: a few megabytes at most."""
    run = simulate(SMALL, "SAFE", SEED, calibration)
    per_row = sum(getattr(run.log, n).nbytes for n in LOG_ARRAYS) / run.served.size
    assert per_row * 120 * 50 < 2e6
