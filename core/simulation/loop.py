"""The closed loop of Section V, one control cycle per step, the same draws for every policy."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode, pack_frame, plan_cycles
from core.control import ControlModel, LoopStates, Plan, count_failures, covariance_step
from core.errors import SafeExplorerError
from core.network import Shadowing, Topology
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.asking import asked, made
from core.simulation.channel import Channel
from core.simulation.coverage import Coverage, coverage_of
from core.simulation.decided import certificates, claimed_rightly, routes_of
from core.simulation.mission import reference
from core.simulation.outcomes import Outcomes, play_frame
from core.simulation.plant import displacement, estimator_step, plant_step, velocity_command
from core.simulation.policies import Safe
from core.simulation.policy import CycleView, Decision, Policy, policy_class, seen_by
from core.simulation.record import CycleRecord
from core.simulation.restart import refuse_restart
from core.simulation.run import Run
from core.simulation.separation import nearest_distances
from core.simulation.trace import Trace
from core.twin import Calibration, OnlineBeta, calibration_for, certify
from core.wanted import uninterrupted

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Simulation:
    """One mission under one policy, advanced cycle by cycle.

    The swarm starts in steady flight at the lag floor, e = −v/k (0 with feed-forward), just heard from.

    Args:
        scenario: may be replaced between cycles, except for `core.simulation.restart.RESTART_FIELDS`.
        policy: registered name, a Policy class, or an instance that has not flown yet.
        seed: trial; fixes mission, channel, noise and the luck of every packet attempt.
        calibration: of the twin; the one made for the scenario, or else the default one, when None.
        trace: another mission than `reference(scenario, seed)`.
    """

    def __init__(
        self,
        scenario: Scenario,
        policy: str | type[Policy] | Policy = Safe,
        seed: int = 0,
        calibration: Calibration | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.policy = _policy(policy)
        self.seed = int(seed)
        self._given = calibration
        self.calibration = calibration if calibration is not None else calibration_for(scenario)
        self.trace = trace if trace is not None else reference(scenario, seed)
        self.k = 0
        self._shown: CycleView | None = None
        self._scenario = scenario
        self._seen = seen_by(self.policy, scenario)
        self._channel = Channel(scenario, self.trace, self.seed)
        model = ControlModel.of(scenario)
        v_ref = self.trace.velocity[0]
        lag = np.zeros_like(v_ref) if scenario.control.feed_forward else -v_ref / model.k
        N = len(v_ref)
        self._p = self.trace.positions[0] + lag
        self._p_hat = self._p + scenario.control.sigma_meas_m * draws.normals(self.seed, draws.INITIAL, 0, N, 3)
        self._u = v_ref.copy()
        self._u_hat = v_ref.copy()
        self._tr_sigma = np.full(N, model.tr_meas)
        self._c = np.zeros(N, dtype=np.int64)
        self._c_fail = np.zeros(N, dtype=np.int64)
        self._safe = np.zeros(N, dtype=np.bool_)
        self._command_age = np.zeros(N, dtype=np.int64)
        self._online = OnlineBeta.start()
        self._measured: tuple[Floats, ...] = ()
        # lifted states, current error first; before the start every error equals the first one
        self._z_hat = np.repeat((self._p_hat - self.trace.positions[0])[:, None], scenario.control.H + 1, axis=1)
        self._z = np.repeat(lag[:, None], scenario.control.H + 1, axis=1)

    @property
    def scenario(self) -> Scenario:
        """Scenario of the next cycle."""
        return self._scenario

    @scenario.setter
    def scenario(self, scenario: Scenario) -> None:
        self.change(scenario)

    def change(self, scenario: Scenario, calibration: Calibration | None = None) -> None:
        """Fly the next cycles under another scenario.

        Args:
            scenario: `RESTART_FIELDS` may not differ.
            calibration: of the twin from then on; None = the one given at take-off, or else the one made for the scenario.
        """
        refuse_restart(self._scenario, scenario)
        self._scenario, self._seen, self._shown = scenario, seen_by(self.policy, scenario), None
        found = calibration if calibration is not None else self._given
        self.calibration = found if found is not None else calibration_for(scenario)

    def copy(self) -> Simulation:
        """A simulation that flies on from here by itself; what never changes is shared."""
        shared = (self.trace, self._scenario, self._seen, self.calibration, self._given, self._shown)
        return copy.deepcopy(self, {id(x): x for x in shared})

    @property
    def done(self) -> bool:
        """The mission is over."""
        return self.k >= self.trace.cycles

    def __iter__(self) -> Iterator[CycleRecord]:
        while not self.done:
            yield self.step()

    def states(self) -> LoopStates:
        """Controller-side states at the start of the next cycle, before its telemetry."""
        V = ControlModel.of(self._scenario).lyapunov(self._z_hat)
        return LoopStates(V, self._tr_sigma, self._c, self._c_fail, self._safe, self._z_hat, self._u_hat)

    def links(self) -> tuple[Topology, Shadowing]:
        """The links of the next cycle as they really are, and their shadowing."""
        return self._channel.realised(self._scenario, self._p), self._channel.shadowing(self._scenario)

    def energy(self) -> Floats:
        """V/V_max of the true errors at the start of the next cycle, which no policy is shown, (N,)."""
        model = ControlModel.of(self._scenario)
        found: Floats = model.lyapunov(self._z) / model.V_max
        return found

    def step(self) -> CycleRecord:
        """Fly one control cycle; once nobody waits any more (`core.wanted`), none of it."""
        if self.done:
            raise SafeExplorerError(f"The mission of {self.trace.cycles} cycles is over; start a new run.")
        view = self.view()
        # a policy that remembers might have begun to: it is not stopped on the way
        with uninterrupted() if vars(self.policy) else nullcontext():
            decision = asked(self.policy, view)
        with uninterrupted():
            return self._flown(view, decision)

    def _flown(self, view: CycleView, decision: Decision) -> CycleRecord:
        """The cycle under a decision."""
        scenario, k, choice = self._scenario, self.k, decision.choice
        model, states = ControlModel.of(scenario), view.states
        served = choice >= 0
        frame = pack_frame(scenario, view.candidates, choice)
        realised = self._channel.realised_links(scenario, self._p)
        hops, n = routes_of(view.candidates, choice)
        coverage = coverage_of(
            scenario, view.candidates, realised, self._channel if scenario.twin.online_beta else None
        )
        out = play_frame(scenario, frame, hops, n, realised, self.seed, k)

        hold = model.hold_admissible(states)
        # A loop that may not hold obeys the local law until a command arrives, served or not: an exchange that fails
        # (synchronisation above all) must not leave it flying a held command (D12, D13).
        local = (self._safe & served) | ~hold if scenario.control.supervisor else np.zeros_like(served)
        self._fly(scenario, model, out, local)
        delivered = out.uplink & out.downlink
        certificate = certificates(view.candidates, choice)
        self._tr_sigma = covariance_step(
            states.tr_sigma, out.uplink, certificate["h_ul"], tr_meas=model.tr_meas, tr_proc=model.tr_proc
        )
        self._tr_sigma = np.where(local, np.minimum(self._tr_sigma, model.sigma_max), self._tr_sigma)
        self._c, self._c_fail = count_failures(states.c, states.c_fail, attempted=served, delivered=delivered)
        self._safe = local & ~out.downlink
        self._command_age = np.where(out.downlink, 0, self._command_age + 1)
        alpha = self._alpha
        self._learn(coverage)
        self.k += 1
        self._shown = None
        if not self.done:
            self._channel.advance(scenario)

        terms = view.model.drift(states.V, states.tr_sigma, view.model.counter(states), **certificate)
        g = certificate["g"]
        certified = claimed_rightly(view, decision, terms, g)
        mode = np.where(served, Mode.SYNCHRONISATION, np.where(local, Mode.SAFE, Mode.HOLD))
        mode = np.where(certified, Mode.CERTIFIED, mode).astype(np.int8)
        error = self._z[:, 0]
        network, tau_ms = scenario.network, scenario.network.tau_slot_s * 1e3
        return CycleRecord(
            k=k,
            states=states,
            candidates=view.candidates,
            choice=choice,
            allocation=decision.allocation,
            frame=frame,
            fate=out.fate,
            slots_used=int(view.candidates.slots[choice[served]].sum()),
            served=served,
            mode=mode,
            uplink=out.uplink,
            downlink=out.downlink,
            delivered=delivered,
            delay_ms=np.where(out.downlink, (out.end[:, 1] - out.first[:, 1]) * tau_ms - network.guard_ms, np.nan),
            positions=self._p,
            estimates=self._p_hat,
            references=self.trace.positions[k + 1],
            phase=self.trace.phase[k],
            gust=self.trace.gust[k],
            rmse=float(np.sqrt((error**2).sum() / len(error))),
            v_normalised=self.energy(),
            v_estimated=states.V / model.V_max,
            phi=np.where(served, terms.phi, np.nan),
            drift_exceeded=certified & (model.lyapunov(self._z_hat) > terms.alpha_bar * states.V),
            bound_exceeded=certified & (self._c_fail >= g),
            stale_hold=~local & ~out.downlink & (self._command_age > scenario.control.H),
            nearest_m=nearest_distances(self._p),
            coverage=coverage,
            alpha=alpha,
        )

    def view(self) -> CycleView:
        """What the policy is shown in the next cycle; made once per cycle, whoever looks."""
        if self._shown is None:
            self._shown = self._view(self.states())
        return self._shown

    @property
    def online(self) -> OnlineBeta:
        """What the run has learnt about β (D26); nothing while `twin.online_beta` is off."""
        return self._online

    @property
    def _alpha(self) -> Floats:
        twin = self._scenario.twin
        return (self._online if twin.online_beta else OnlineBeta.start()).alpha(twin.beta)

    def _learn(self, coverage: Coverage) -> None:
        """Take in the scores of a cycle once its measurements are old enough to be there (D21, D26)."""
        twin = self._scenario.twin
        if not twin.online_beta:
            return
        self._measured = (*self._measured, coverage.missed)
        if len(self._measured) >= twin.link_age_cycles:
            self._online = self._online.learned(twin.beta, twin.online_gamma, self._measured[0])
            self._measured = self._measured[1:]

    def _view(self, states: LoopStates) -> CycleView:
        scenario = self._seen
        predicted = self._channel.predicted_links(scenario, self._p_hat)
        candidates = certify(scenario, predicted, self.calibration, states.c_fail, online=self._online)
        plan = Plan.ahead(self.trace.positions, self.k, max(plan_cycles(scenario), self.policy.horizon))
        return CycleView(scenario, ControlModel.of(scenario), candidates, states, plan, self.k, scenario.network.slots)

    def _fly(self, scenario: Scenario, model: ControlModel, out: Outcomes, local: Bools) -> None:
        """Plant, estimator and both lifted states over one period.

        A loop under the local law (D12) evaluates it on its own measurement at the start of the period and obeys it
        until a command arrives; any other loop holds its last command until then. Telemetry carries the velocity in
        force; without it the controller assumes the local law acts on its own estimate.
        """
        k, Ts, N = self.k, scenario.control.Ts, len(self._p)
        p_ref = self.trace.positions[k]
        v_ref = self.trace.velocity[k] if scenario.control.feed_forward else None
        p_meas = self._p + scenario.control.sigma_meas_m * draws.normals(self.seed, draws.MEASUREMENT, k, N, 3)
        onboard = velocity_command(p_meas, p_ref, model.safe_mode.gain, v_ref)
        assumed = velocity_command(self._p_hat, p_ref, model.safe_mode.gain, v_ref)
        u = np.where(local[:, None], onboard, self._u)
        u_hat = np.where(out.uplink[:, None], u, np.where(local[:, None], assumed, self._u_hat))

        newest = np.where(out.fresh[:, None], p_meas, self._p_hat)
        command = velocity_command(newest, p_ref, model.k, v_ref)
        network = scenario.network
        arrival = np.where(out.downlink, out.end[:, 1] * network.tau_slot_s - network.guard_ms * 1e-3, Ts)
        noise = scenario.control.sigma_proc_m * draws.normals(self.seed, draws.PROCESS, k, N, 3)
        self._p = plant_step(self._p, displacement(u, command, arrival, Ts), self.trace.gust[k], noise, Ts)
        self._p_hat = estimator_step(self._p_hat, p_meas, out.uplink, displacement(u_hat, command, arrival, Ts))
        self._u = np.where(out.downlink[:, None], command, u)
        self._u_hat = np.where(out.downlink[:, None], command, u_hat)

        after = self.trace.positions[k + 1]
        self._z = np.concatenate([(self._p - after)[:, None], self._z[:, :-1]], axis=1)
        self._z_hat = np.concatenate([(self._p_hat - after)[:, None], self._z_hat[:, :-1]], axis=1)


def simulate(
    scenario: Scenario,
    policy: str | type[Policy] | Policy = "SAFE",
    seed: int = 0,
    calibration: Calibration | None = None,
    trace: Trace | None = None,
) -> Run:
    """Fly a whole mission; the same as stepping a `Simulation` to its end."""
    simulation = Simulation(scenario, policy, seed, calibration, trace)
    return Run.of(scenario, simulation.policy.name, simulation.seed, list(simulation))


def _policy(policy: str | type[Policy] | Policy) -> Policy:
    return policy if isinstance(policy, Policy) else made(policy_class(policy))
