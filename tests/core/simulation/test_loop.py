"""The closed loop against closed forms and against the same loop written out by hand."""

from itertools import pairwise

import numpy as np
import pytest

from core import Scenario
from core.allocation import Mode
from core.control import ControlModel
from core.errors import SafeExplorerError, ScenarioError
from core.network import attempt_failure
from core.simulation import POLICIES, Channel, Decision, Policy, Run, Simulation, Trace, draws, reference, simulate

SMALL = Scenario().replace(**{"mission.uavs": 8, "mission.duration_s": 10.0, "network.slots": 40})
QUIET = {"control.sigma_meas_m": 0.01, "control.sigma_proc_m": 0.01}


class Serving(Policy):
    """Serves the given loops in every cycle with their most reliable action."""

    name = "serving"

    def __init__(self, *loops):
        self.loops = loops

    def decide(self, view):
        c = view.candidates
        choice = np.full(len(view.states), -1)
        for i in self.loops:
            rows = np.flatnonzero(c.loop == i)
            if len(rows):
                choice[i] = rows[np.argmax(c.rho_ul[rows] * c.rho_dl[rows] - 1e-6 * c.slots[rows])]
        return Decision.of(choice)


def _line(cycles, uavs=3, speed=15.0, Ts=0.25, still=0):
    """UAVs abreast, flying north past the building after standing still for some cycles."""
    north = speed * Ts * np.maximum(np.arange(cycles + 1) - still, 0)
    positions = np.zeros((cycles + 1, uavs, 3))
    positions[..., 0] = -120.0 - 30.0 * np.arange(uavs)
    positions[..., 1] = north[:, None] - 150.0
    positions[..., 2] = 80.0
    return Trace.of_positions(positions, Ts)


def _equal(a: Run, b: Run) -> bool:
    names = ("rmse", "v_normalised", "command_delay_ms", "slots_used", "served", "mode", "positions", "uplink", "c")
    return all(np.array_equal(getattr(a, n), getattr(b, n)) for n in names)


def test_runs_are_bit_for_bit_reproducible(calibration):
    first = simulate(SMALL, "SAFE", 5, calibration)
    simulate(SMALL, "VoI-Sched", 6, calibration)
    assert _equal(first, simulate(SMALL, "SAFE", 5, calibration))
    assert not _equal(first, simulate(SMALL, "SAFE", 6, calibration))


@pytest.mark.parametrize("policy", ["Fixed-Service", "SAFE"])
def test_stepping_gives_the_same_numbers_as_simulate(policy, calibration):
    simulation = Simulation(SMALL, policy, 2, calibration)
    records = []
    while not simulation.done:
        assert simulation.k == len(records)
        records.append(simulation.step())
    assert _equal(Run.of(SMALL, policy, 2, records), simulate(SMALL, policy, 2, calibration))
    with pytest.raises(SafeExplorerError, match="over"):
        simulation.step()


def test_perfect_links_and_no_noise_settle_at_the_lag_v_over_k(calibration):
    scenario = SMALL.replace(**QUIET, **{"network.snr_offset_db": 20.0, "network.slots": 160})
    trace = _line(60, still=10)
    run = simulate(scenario, Serving(0, 1, 2), 0, calibration, trace)
    assert run.delivered.all()
    lag = 15.0 / ControlModel.of(scenario).k
    error = run.positions - run.references
    assert np.abs(error[:9]).max() < 0.15  # stands on its reference first
    np.testing.assert_allclose(error[-20:, :, 1].mean(axis=0), -lag, atol=0.02)
    assert np.abs(error[-20:, :, [0, 2]]).max() < 0.15
    np.testing.assert_allclose(run.rmse[-20:], lag, atol=0.1)


def test_feed_forward_removes_the_lag(calibration):
    changes = {"network.snr_offset_db": 20.0, "network.slots": 160, "control.feed_forward": True}
    run = simulate(SMALL.replace(**QUIET, **changes), Serving(0, 1, 2), 0, calibration, _line(60, still=10))
    assert run.rmse[-20:].max() < 0.15


def test_without_service_the_last_command_acts_for_ever(calibration):
    scenario = SMALL.replace(**{"control.supervisor": False})
    trace = reference(scenario, 3)
    run = simulate(scenario, Serving(), 3, calibration)
    Ts, sigma = scenario.control.Ts, scenario.control.sigma_proc_m
    e = -trace.velocity[0] / ControlModel.of(scenario).k
    u_last = trace.velocity[0]
    for k in range(trace.cycles):
        noise = sigma * draws.normals(3, draws.PROCESS, k, 8, 3)
        e = e + Ts * u_last - Ts * trace.velocity[k] + Ts * trace.gust[k] + noise
        np.testing.assert_allclose(run.positions[k] - run.references[k], e, atol=1e-9)
    assert not run.served.any()
    assert set(np.unique(run.mode)) == {Mode.HOLD}
    assert run.c[-1].tolist() == [trace.cycles - 1] * 8
    assert run.c_fail.max() == 0
    tr_proc = 3 * sigma**2
    np.testing.assert_allclose(np.diff(run.tr_sigma, axis=0), tr_proc)
    assert np.array_equal(run.stale_hold.sum(axis=0), [trace.cycles - scenario.control.H] * 8)


@pytest.mark.parametrize("pattern", ["ul-first", "dl-first"])
def test_a_single_served_loop_matches_the_loop_written_out_by_hand(pattern, calibration):
    scenario = Scenario().replace(
        **{
            "mission.uavs": 1,
            "network.snr_offset_db": -5.0,
            "network.max_hops": 1,
            "network.retransmissions": (0,),
            "network.patterns": (pattern,),
        }
    )
    seed = 1
    simulation = Simulation(scenario, Serving(0), seed, calibration)
    model, trace = ControlModel.of(scenario), reference(scenario, seed)
    channel = Channel(scenario, trace, seed)
    Ts, net, H = scenario.control.Ts, scenario.network, scenario.control.H
    v0 = trace.velocity[0, 0]
    p = trace.positions[0, 0] - v0 / model.k
    p_hat = p + scenario.control.sigma_meas_m * draws.normals(seed, draws.INITIAL, 0, 1, 3)[0]
    u, u_hat, sigma, c, c_fail, safe = v0, v0, model.tr_meas, 0, 0, False
    z = [p_hat - trace.positions[0, 0]] * (H + 1)
    z_true = [p - trace.positions[0, 0]] * (H + 1)

    def lyapunov(errors):
        return sum(model.X[a, b] * errors[a] @ errors[b] for a in range(H + 1) for b in range(H + 1))

    seen = set()
    for k in range(trace.cycles):
        record = simulation.step()
        ref = trace.positions[k, 0]
        V = lyapunov(z)
        assert record.states.V[0] == pytest.approx(V, rel=1e-9)
        assert record.states.tr_sigma[0] == pytest.approx(sigma)
        assert (record.states.c[0], record.states.c_fail[0], record.states.safe[0]) == (c, c_fail, safe)
        # outcomes, attempt by attempt; slots: the attempts of one direction, then those of the other
        real = channel.realised(scenario, p[None])
        chosen, slot, end, begin = record.choice[0], 0, {}, {}
        local = (safe and chosen >= 0) or not model.hold_admissible(record.states)[0]
        if chosen >= 0:
            options = record.candidates.ul_options, record.candidates.dl_options
            rows = record.candidates.actions.ul[chosen], record.candidates.actions.dl[chosen]
            for way in (0, 1) if pattern == "ul-first" else (1, 0):
                option, row = options[way], rows[way]
                n, attempts = int(option.n[row]), 1 + int(option.n_re[row])
                tx, rx = (1, 0) if way == 0 else (0, 1)
                failure = attempt_failure(scenario, real.snr_db[tx, rx], real.rayleigh[tx, rx], n, net.bits_ul)
                length = -(-n // net.symbols_per_slot)
                begin[way] = slot * net.tau_slot_s
                for attempt in range(attempts):
                    luck = draws.uniform(seed, draws.PACKET, k, way, 2 * tx + rx, attempt)
                    if luck >= failure and way not in end:
                        end[way] = (slot + length) * net.tau_slot_s - 1e-3 * net.guard_ms
                    slot += length
        up, down = 0 in end, 1 in end
        seen.add((up, down))
        assert (record.uplink[0], record.downlink[0]) == (up, down)
        assert record.delay_ms[0] == pytest.approx(1e3 * (end[1] - begin[1]) if down else np.nan, nan_ok=True)
        measured = p + scenario.control.sigma_meas_m * draws.normals(seed, draws.MEASUREMENT, k, 1, 3)[0]
        if local:
            u, u_hat = -0.75 * model.k * (measured - ref), -0.75 * model.k * (p_hat - ref)
        if up:
            u_hat = u
        # a command that is sent before the telemetry arrives cannot use it
        command = -model.k * ((measured if up and pattern == "ul-first" else p_hat) - ref)
        t = end.get(1, Ts)
        p = p + t * u + (Ts - t) * command + Ts * trace.gust[k, 0]
        p = p + scenario.control.sigma_proc_m * draws.normals(seed, draws.PROCESS, k, 1, 3)[0]
        p_hat = (measured if up else p_hat) + t * u_hat + (Ts - t) * command
        if down:
            u = u_hat = command
        sigma = model.tr_meas + model.tr_proc if up else sigma + model.tr_proc
        if local:
            sigma = min(sigma, model.sigma_max)
        c, c_fail = (0, 0) if up and down else (c + 1, c_fail + (chosen >= 0))
        safe = local and not down
        z = [p_hat - trace.positions[k + 1, 0], *z[:-1]]
        z_true = [p - trace.positions[k + 1, 0], *z_true[:-1]]
        assert record.v_normalised[0] == pytest.approx(lyapunov(z_true) / model.V_max, rel=1e-7)
        assert record.rmse == pytest.approx(np.linalg.norm(z_true[0]))
        np.testing.assert_allclose(record.positions[0], p, atol=1e-8)
        np.testing.assert_allclose(record.estimates[0], p_hat, atol=1e-8)
        if k + 1 < trace.cycles:
            channel.advance(scenario)
    assert len(seen) >= 3  # both, one-sided and failed exchanges all occurred


def test_broken_promises_are_counted(calibration):
    # δ_T and H_T that promise the shortest run: some promises break
    scenario = SMALL.replace(**{"twin.delta_T": 0.5, "twin.H_T": 1, "network.snr_offset_db": 3.0, "network.slots": 80})
    model, broken = ControlModel.of(scenario), np.zeros(2, dtype=int)
    records = list(Simulation(scenario, "SAFE", 1, calibration))
    for now, after in pairwise(records):
        rows = np.flatnonzero(now.mode == Mode.CERTIFIED)
        q, s, at = now.candidates, now.states, now.choice[rows]
        terms = model.drift(
            s.V[rows], s.tr_sigma[rows], s.c[rows], q.rho_ul[at], q.rho_dl[at], q.g[at], q.h_ul[at], q.h_dl[at]
        )
        drift, bound = after.states.V[rows] > terms.alpha_bar * s.V[rows], after.states.c_fail[rows] >= q.g[at]
        assert np.array_equal(now.drift_exceeded[rows], drift)
        assert np.array_equal(now.bound_exceeded[rows], bound)
        assert not now.drift_exceeded[now.mode != Mode.CERTIFIED].any()
        broken += drift.sum(), bound.sum()
    assert broken.min() > 0


def test_one_policys_choices_never_shift_anothers_luck(calibration):
    # direct links only: a relay's estimate would legitimately change the routes on offer
    scenario = SMALL.replace(**{"network.max_hops": 1, "network.slots": 450, "network.snr_offset_db": -3.0})
    few = simulate(scenario, Serving(0), 4, calibration)
    many = simulate(scenario, Serving(0, 1, 2, 3), 4, calibration)
    other = simulate(scenario, Serving(1), 4, calibration)
    assert 0 < few.uplink[:, 0].sum() < few.served[:, 0].sum()
    assert np.array_equal(few.positions[:, 0], many.positions[:, 0])
    assert np.array_equal(few.uplink[:, 0], many.uplink[:, 0])
    assert np.array_equal(few.positions[:, 4:], other.positions[:, 4:])


def test_supervisor_keeps_silent_loops_in_safe_mode_and_in_their_domain(calibration):
    on = simulate(SMALL.replace(**{"mission.duration_s": 30.0}), Serving(), 3, calibration)
    off = simulate(
        SMALL.replace(**{"mission.duration_s": 30.0, "control.supervisor": False}), Serving(), 3, calibration
    )
    assert (on.mode[-20:] == Mode.SAFE).mean() > 0.5
    assert on.v_normalised.max() < 1.0
    assert off.v_normalised.max() > 1.0
    assert set(np.unique(off.mode)) == {Mode.HOLD}


def test_served_loop_in_safe_mode_obeys_the_local_law_until_a_command_arrives(calibration):
    class Late(Serving):
        def decide(self, view):
            return Serving(*range(8) if view.k >= 30 else ()).decide(view)

    scenario = SMALL.replace(**{"mission.duration_s": 20.0, "network.slots": 450, "network.snr_offset_db": 20.0})
    simulation = Simulation(scenario, Late(), 0, calibration)
    for record in simulation:
        if record.k == 29:
            safe = record.mode == Mode.SAFE
            assert safe.any()
        if record.k == 30:
            assert np.array_equal(record.states.safe, safe)
            assert record.delivered.all()
        if record.k == 31:
            assert not record.states.safe.any()


def test_an_exchange_that_fails_in_safe_mode_leaves_the_loop_under_the_local_law(calibration):
    class Rescue(Policy):
        """Tries three loops in safe mode with their cheapest action, which often fails."""

        name = "rescue"

        def decide(self, view):
            c, choice = view.candidates, np.full(len(view.states), -1)
            for i in np.flatnonzero(view.states.safe)[:3]:
                rows = np.flatnonzero(c.loop == i)
                choice[i] = rows[np.argmin(c.slots[rows])] if len(rows) else -1
            return Decision.of(choice)

    scenario = SMALL.replace(**{"mission.duration_s": 30.0, "network.slots": 450, "network.snr_offset_db": -6.0})
    model, control, found = ControlModel.of(scenario), scenario.control, 0
    simulation = Simulation(scenario, Rescue(), 0, calibration)
    p = simulation._p
    for record in simulation:
        k, trace = record.k, simulation.trace
        measured = p + control.sigma_meas_m * draws.normals(0, draws.MEASUREMENT, k, 8, 3)
        u = -control.kappa * model.k * (measured - trace.positions[k])
        noise = control.sigma_proc_m * draws.normals(0, draws.PROCESS, k, 8, 3)
        flown = p + control.Ts * (u + trace.gust[k]) + noise
        # may hold again, yet was tried and not reached: the local law goes on until a command arrives
        rows = record.states.safe & record.served & ~record.downlink & model.hold_admissible(record.states)
        np.testing.assert_allclose(record.positions[rows], flown[rows], atol=1e-9)
        found += int(rows.sum())
        p = record.positions
    assert found > 0


def test_a_link_too_weak_for_any_route_leaves_every_loop_to_itself(calibration):
    scenario = SMALL.replace(**{"network.snr_offset_db": -20.0, "network.tx_power_dbm": -10.0})
    for policy in POLICIES:
        run = simulate(scenario, policy, 0, calibration)
        assert not run.served.any()
        assert run.slots_used.max() == 0
        assert np.isfinite(run.rmse).all()
        assert np.isnan(run.summary()["mean_delay_ms"])


def test_an_empty_frame_serves_nobody(calibration):
    for policy in POLICIES:
        assert not simulate(SMALL.replace(**{"network.slots": 0}), policy, 0, calibration).served.any()


def test_scenario_may_change_between_cycles_but_not_the_mission(calibration):
    simulation = Simulation(SMALL, "SAFE", 0, calibration)
    simulation.step()
    simulation.scenario = SMALL.replace(**{"network.slots": 16})
    assert simulation.step().slots_used <= 16
    with pytest.raises(ScenarioError, match=r"mission\.uavs"):
        simulation.scenario = SMALL.replace(**{"mission.uavs": 9})
    with pytest.raises(ScenarioError, match=r"control\.H"):
        simulation.scenario = SMALL.replace(**{"control.H": 5})
    assert simulation.scenario.network.slots == 16


def test_record_names_the_nodes_of_every_route(calibration):
    simulation = Simulation(SMALL, "SAFE", 0, calibration)
    record = simulation.step()
    routes = record.routes()
    assert [loop for loop, _, _ in routes] == np.flatnonzero(record.served).tolist()
    for loop, up, down in routes:
        assert (up[0], up[-1]) == (loop + 1, 0)
        assert (down[0], down[-1]) == (0, loop + 1)


def test_run_round_trips_through_npz(tmp_path, calibration):
    run = simulate(SMALL, "DynTx-HLC", 1, calibration)
    again = Run.load(run.save(tmp_path / "run.npz"))
    assert _equal(run, again)
    assert (again.policy, again.seed, again.scenario) == ("DynTx-HLC", 1, SMALL)
    assert again.summary() == run.summary()
    (tmp_path / "bad.npz").write_bytes(b"not an archive")
    with pytest.raises(SafeExplorerError, match="not a run"):
        Run.load(tmp_path / "bad.npz")
