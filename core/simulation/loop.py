"""The closed loop of Section V, one control cycle per step, the same draws for every policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode, exit_cycles, pack_frame, passes, plan_cycles
from core.control import ControlModel, DriftTerms, LoopStates, Plan, count_failures, covariance_step
from core.errors import SafeExplorerError, ScenarioError
from core.scenario import Affects, Scenario, fields_affecting
from core.simulation import draws
from core.simulation.channel import Channel
from core.simulation.mission import Trace, reference
from core.simulation.outcomes import Outcomes, play_frame
from core.simulation.plant import displacement, estimator_step, plant_step, velocity_command
from core.simulation.policies import Safe
from core.simulation.policy import CycleView, Decision, Policy, policy_class, seen_by
from core.simulation.record import CycleRecord
from core.simulation.run import Run
from core.simulation.separation import nearest_distances
from core.twin import Calibration, Candidates, calibration_for, certify

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RESTART_FIELDS = fields_affecting(Affects.FLIGHT)
"""The fields that shape the state of a run and cannot change while it flies."""


def needs_restart(before: Scenario, after: Scenario) -> list[str]:
    """Fields by which two scenarios differ and which no run in flight can follow."""
    return [n for n in after.differences(before) if n in RESTART_FIELDS]


class Simulation:
    """One mission under one policy, advanced cycle by cycle.

    The swarm starts in steady flight at the lag floor, e = −v/k (0 with feed-forward), just heard from.

    Args:
        scenario: may be replaced between cycles, except for RESTART_FIELDS.
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
        # lifted states, current error first; before the start every error equals the first one
        self._z_hat = np.repeat((self._p_hat - self.trace.positions[0])[:, None], scenario.control.H + 1, axis=1)
        self._z = np.repeat(lag[:, None], scenario.control.H + 1, axis=1)

    @property
    def scenario(self) -> Scenario:
        """Scenario of the next cycle."""
        return self._scenario

    @scenario.setter
    def scenario(self, scenario: Scenario) -> None:
        if fixed := needs_restart(self._scenario, scenario):
            raise ScenarioError(f"{', '.join(fixed)} cannot change while a run is in flight; start a new run.")
        self._scenario, self._seen = scenario, seen_by(self.policy, scenario)
        self.calibration = self._given if self._given is not None else calibration_for(scenario)

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

    def step(self) -> CycleRecord:
        """Fly one control cycle."""
        if self.done:
            raise SafeExplorerError(f"The mission of {self.trace.cycles} cycles is over; start a new run.")
        scenario, k = self._scenario, self.k
        model, states = ControlModel.of(scenario), self.states()
        view = self._view(states)
        decision = self.policy.decide(view)
        choice = _checked(decision, view, self.policy.name)
        served = choice >= 0
        frame = pack_frame(scenario, view.candidates, choice)
        realised = self._channel.realised(scenario, self._p)
        hops, n = _routes_of(view.candidates, choice)
        out = play_frame(scenario, frame, hops, n, realised, self.seed, k)

        hold = model.hold_admissible(states)
        # A loop that may not hold obeys the local law until a command arrives, served or not: an exchange that fails
        # (synchronisation above all) must not leave it flying a held command (D12, D13).
        local = (self._safe & served) | ~hold if scenario.control.supervisor else np.zeros_like(served)
        self._fly(scenario, model, out, local)
        delivered = out.uplink & out.downlink
        certificate = _certificates(view.candidates, choice)
        self._tr_sigma = covariance_step(
            states.tr_sigma, out.uplink, certificate["h_ul"], tr_meas=model.tr_meas, tr_proc=model.tr_proc
        )
        self._tr_sigma = np.where(local, np.minimum(self._tr_sigma, model.sigma_max), self._tr_sigma)
        self._c, self._c_fail = count_failures(states.c, states.c_fail, attempted=served, delivered=delivered)
        self._safe = local & ~out.downlink
        self._command_age = np.where(out.downlink, 0, self._command_age + 1)
        self.k += 1
        if not self.done:
            self._channel.advance(scenario)

        terms = view.model.drift(states.V, states.tr_sigma, view.model.counter(states), **certificate)
        g = certificate["g"]
        certified = served & ~decision.synchronisation & _admitted(view, terms, g)
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
            v_normalised=model.lyapunov(self._z) / model.V_max,
            v_estimated=states.V / model.V_max,
            phi=np.where(served, terms.phi, np.nan),
            drift_exceeded=certified & (model.lyapunov(self._z_hat) > terms.alpha_bar * states.V),
            bound_exceeded=certified & (self._c_fail >= g),
            stale_hold=~local & ~out.downlink & (self._command_age > scenario.control.H),
            nearest_m=nearest_distances(self._p),
        )

    def _view(self, states: LoopStates) -> CycleView:
        scenario = self._seen
        predicted = self._channel.predicted(scenario, self._p_hat)
        candidates = certify(scenario, predicted, self.calibration, states.c_fail)
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
    return policy if isinstance(policy, Policy) else policy_class(policy)()


def _checked(decision: Decision, view: CycleView, name: str) -> NDArray[np.int64]:
    """The choice, refused unless every row belongs to its loop and the frame holds them all."""
    choice = np.asarray(decision.choice, dtype=np.int64)
    c, loops = view.candidates, np.arange(len(view.states))
    if choice.shape != loops.shape or choice.max(initial=-1) >= len(c.slots):
        raise SafeExplorerError(f"Policy {name} must choose one row of the candidates, or -1, for each of the loops.")
    served = choice >= 0
    if np.any(c.loop[choice[served]] != loops[served]):
        raise SafeExplorerError(f"Policy {name} gave a loop an action of another loop.")
    if (used := int(c.slots[choice[served]].sum())) > view.budget:
        raise SafeExplorerError(f"Policy {name} used {used} slots of {view.budget}.")
    return choice


def _routes_of(candidates: Candidates, choice: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hops and blocklengths of each loop's uplink and downlink, zero without service, (N, 2) each."""
    hops, n = np.zeros((2, len(choice), 2), dtype=np.int64)
    served = np.flatnonzero(choice >= 0)
    rows = choice[served]
    up, down = candidates.actions.ul[rows], candidates.actions.dl[rows]
    hops[served, 0], hops[served, 1] = candidates.ul_options.hops[up], candidates.dl_options.hops[down]
    n[served, 0], n[served, 1] = candidates.ul_options.n[up], candidates.dl_options.n[down]
    return hops, n


def _admitted(view: CycleView, terms: DriftTerms, g: NDArray[np.int64]) -> Bools:
    """Whether each loop's action has the certificate that the scenario asks for (D24), (N,)."""
    rule = view.scenario.allocation.admission
    if rule == "none":
        return np.zeros(len(g), dtype=np.bool_)
    exits = exit_cycles(view.model, view.states, view.plan) if rule == "reach" else None
    return passes(rule, view.model, terms, g, c_fail=view.states.c_fail, exit_cycles=exits)


def _certificates(candidates: Candidates, choice: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """ρ_ul, ρ_dl, g, h_ul, h_dl of each loop's action; zero (no certificate) without service, (N,) each."""
    served = choice >= 0
    found = {}
    for name in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl"):
        column = getattr(candidates, name)
        found[name] = np.zeros(len(choice), dtype=column.dtype)
        found[name][served] = column[choice[served]]
    return found
