"""Everything tabs 1 to 3 show, computed once per change from plain inputs; knows nothing of panel or bokeh."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from app.actions import Action, LoopActions
from app.share_links import query_of
from app.state import State
from core.allocation import Allocation, Benchmark, Frame, allocate, next_slot, pack_frame, solve_p1
from core.control import ControlModel, LoopStates
from core.scenario import Scenario
from core.simulation import Snapshot, snapshot
from core.twin import Calibration, Candidates, calibration_for, certify, default_calibration

_PLAIN = Scenario()
BEYOND = 60
"""Slots beyond the budget for which the value curve is drawn."""


@dataclass(frozen=True)
class Inputs:
    """What a picture depends on: scenario, instant, controller-side state of the focused loop, calibration of the twin."""

    scenario: Scenario
    v_ratio: float
    sigma_share: float
    c: int
    c_fail: int
    focus: int
    cycle: int
    seed: int
    action: str = ""
    downlink: str = "equal"
    calibration: Calibration = field(default_factory=default_calibration)
    link: str = field(default="", compare=False)

    @classmethod
    def of(cls, state: State) -> Inputs:
        """The inputs of a session's state."""
        scenario = state.scenario
        return cls(
            scenario,
            state.v_ratio,
            state.sigma_share,
            state.c,
            state.c_fail,
            state.focus,
            state.cycle,
            state.seed,
            state.action,
            state.downlink,
            calibration_for(scenario),
            query_of(state, tab=False),
        )


@dataclass(frozen=True)
class LoopState:
    """Controller-side state of the focused loop; `c_for_drift` is what the formulation calls c (D11)."""

    V: float
    tr_sigma: float
    c: int
    c_fail: int
    c_for_drift: int


@dataclass(frozen=True)
class NextUseful:
    """`core.allocation.next_slot` in the dashboard's words."""

    slots: int
    who: str
    gain: float


@dataclass(frozen=True, eq=False)
class Picture:
    """One consistent answer: every number of it belongs to the same inputs."""

    inputs: Inputs
    model: ControlModel
    snapshot: Snapshot
    candidates: Candidates
    states: LoopStates
    allocation: Allocation
    frame: Frame
    focus: int
    focus_is_ours: bool
    loop: LoopState
    actions: LoopActions

    @cached_property
    def action(self) -> Action:
        """The focused action: the one asked for, else the one the allocator chose, else the best one."""
        return self.actions.pick(self.inputs.action, self._chosen_key)

    @cached_property
    def _chosen_key(self) -> str:
        index = int(self.allocation.choice[self.focus])
        return LoopActions.key_in(self.candidates, index) if index >= 0 else ""

    @cached_property
    def distinct_actions(self) -> dict[str, Any]:
        """The focused loop's candidates, those that look alike counted once."""
        return self.actions.distinct()

    @cached_property
    def notice(self) -> str:
        """Empty, or why the twin's promises do not hold for this scenario."""
        return self.inputs.calibration.notice(self.inputs.scenario)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many candidates survive each stage."""
        a = self.actions
        return {
            "candidates": len(a.slots),
            "certified": int(a.certified.sum()),
            "admitted": int(a.admitted.sum()),
            "frontier": int(a.frontier.sum()),
        }

    @cached_property
    def hold_corner(self) -> tuple[float, float]:
        """Largest V/V_max and largest tr Σ [m²] from which holding one more cycle stays admissible."""
        m, n = self.model, 1201
        v = np.linspace(0.0, 1.2, n)
        sigma = np.linspace(m.sigma_min, m.sigma_max, n)
        by_v = m.hold_admissible(_states(v * m.V_max, np.full(n, m.sigma_min), self.loop))
        by_sigma = m.hold_admissible(_states(np.zeros(n), sigma, self.loop))
        return float(v[by_v].max(initial=0.0)), float(sigma[by_sigma].max(initial=m.sigma_min))

    @cached_property
    def curve(self) -> np.ndarray:
        """F_N(b) for b = 0 … S + BEYOND."""
        return self.allocation.program(self.allocation.budget + BEYOND).curve

    @cached_property
    def next_useful(self) -> NextUseful | None:
        """Who gets something when the frame grows, and by how many slots it must grow."""
        more = next_slot(self.allocation)
        return None if more is None else NextUseful(more.slots, f"UAV {more.loop + 1}", more.gain)

    @cached_property
    def chain(self) -> dict[str, Any]:
        """The chain as numbers for the focused loop and action."""
        return self.actions.chain(self.action)

    def route_of(self, index: int) -> str:
        """Routes of a candidate of the allocation, uplink and downlink."""
        return LoopActions.route_in(self.candidates, index)

    def coding_of(self, index: int) -> str:
        """Blocklengths and retransmissions of a candidate of the allocation."""
        return LoopActions.coding_in(self.candidates, index)


def compute(inputs: Inputs | State) -> Picture:
    """The picture of the inputs; each stage is cached by what it depends on."""
    if isinstance(inputs, State):
        inputs = Inputs.of(inputs)
    s = inputs.scenario
    model = ControlModel.of(s)
    shot = scene(s, inputs.seed, inputs.cycle)
    ours = not 1 <= inputs.focus <= s.mission.uavs
    focus = interesting_loop(_geometry(s), inputs.seed, inputs.cycle) if ours else inputs.focus - 1
    states, loop = _all_states(inputs, model, focus)
    failed = tuple((states.c_fail > 0).tolist())
    candidates = _online(_radio(s), inputs.seed, inputs.cycle, failed, inputs.calibration)
    full = _full(_radio(s), inputs.seed, inputs.cycle, failed, focus, inputs.calibration)
    allocation = allocate(s, model, candidates, states)
    frame = pack_frame(s, candidates, allocation.choice)
    actions = LoopActions.of(allocation, full, focus)
    return Picture(inputs, model, shot, candidates, states, allocation, frame, focus, ours, loop, actions)


def benchmark(picture: Picture) -> Benchmark:
    """P1 over the whole unpruned action set of all loops (eq:p1-benchmark); heavy, so never on a slider's path."""
    s, i = picture.inputs.scenario, picture.inputs
    topology = scene(s, i.seed, i.cycle).topology
    full = certify(_radio(s), topology, i.calibration, picture.states.c_fail, full=True)
    return solve_p1(s, picture.model, full, picture.states)


def spread_states(model: ControlModel, uavs: int) -> LoopStates:
    """States of the loops that are not in focus: a fixed spread over the domain, the same whatever slider moves.

    V/V_max runs from 0.01 to 0.5 (squared, so that most loops are calm), staleness from 0 to 4, and tr Σ is what that
    many cycles without telemetry leave.
    """
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    u = np.mod(0.5 + golden * np.arange(uavs), 1.0)
    c = np.mod(np.arange(uavs) * 3, 5).astype(np.int64)
    sigma = np.minimum(model.tr_meas + (1 + c) * model.tr_proc, model.sigma_max)
    return LoopStates(
        V=(0.01 + 0.49 * u**2) * model.V_max,
        tr_sigma=sigma,
        c=c,
        c_fail=np.zeros(uavs, dtype=np.int64),
        safe=np.zeros(uavs, dtype=bool),
    )


def _all_states(inputs: Inputs, model: ControlModel, focus: int) -> tuple[LoopStates, LoopState]:
    others = spread_states(model, inputs.scenario.mission.uavs)
    V = inputs.v_ratio * model.V_max
    sigma = model.sigma_min + inputs.sigma_share * (model.sigma_max - model.sigma_min)
    at = np.arange(inputs.scenario.mission.uavs) == focus
    states = LoopStates(
        V=np.where(at, V, others.V),
        tr_sigma=np.where(at, sigma, others.tr_sigma),
        c=np.where(at, inputs.c, others.c),
        c_fail=np.where(at, inputs.c_fail, others.c_fail),
        safe=others.safe,
    )
    c = inputs.c_fail if inputs.scenario.formulation == "paper" else inputs.c
    return states, LoopState(V, sigma, inputs.c, inputs.c_fail, c)


def _states(V: np.ndarray, sigma: np.ndarray, loop: LoopState) -> LoopStates:
    whole = np.full(len(V), loop.c, dtype=np.int64)
    return LoopStates(
        V=V, tr_sigma=sigma, c=whole, c_fail=np.full_like(whole, loop.c_fail), safe=np.zeros(len(V), dtype=bool)
    )


_ELSEWHERE = (
    "network.slots",
    "network.deadline_ms",
    "network.patterns",
    "network.processing_gap_slots",
    "network.snr_offset_db",
    "network.tx_power_dbm",
    "twin.beta",
    "twin.delta_T",
    "twin.H_T",
    "twin.chain_confidence",
    "twin.min_failures",
)
"""Fields of network and twin that do not shape the scene, or (SNR offset, transmit power) only shift it."""


@functools.lru_cache(maxsize=64)
def _geometry(s: Scenario) -> Scenario:
    """The scenario with everything that does not shape the scene at its default: the key of its cache."""
    fixed = {name: _PLAIN.value(name) for name in _ELSEWHERE}
    return Scenario(network=s.network, mission=s.mission, twin=s.twin).replace(**{"control.Ts": s.control.Ts, **fixed})


@functools.lru_cache(maxsize=64)
def _radio(s: Scenario) -> Scenario:
    """The scenario with everything that does not shape a certificate at its default: the key of the candidates."""
    return Scenario(
        network=s.network, mission=s.mission, twin=s.twin, allocation=s.allocation, formulation=s.formulation
    ).replace(**{"control.Ts": s.control.Ts})


def scene(s: Scenario, seed: int, cycle: int) -> Snapshot:
    """Positions and predicted links at one instant of the mission; the link budget is added to a cached scene."""
    found = _scene(_geometry(s), seed, cycle)
    n, plain = s.network, _PLAIN.network
    shift = n.snr_offset_db - plain.snr_offset_db + n.tx_power_dbm - plain.tx_power_dbm
    topology = dataclasses.replace(found.topology, snr_db=found.topology.snr_db + shift)
    return dataclasses.replace(found, topology=topology)


@functools.lru_cache(maxsize=32)
def _scene(s: Scenario, seed: int, cycle: int) -> Snapshot:
    return snapshot(s, seed, cycle)


@functools.lru_cache(maxsize=32)
def _online(s: Scenario, seed: int, cycle: int, failed: tuple[bool, ...], facts: Calibration) -> Candidates:
    return certify(s, scene(s, seed, cycle).topology, facts, np.array(failed, dtype=np.int64))


@functools.lru_cache(maxsize=32)
def _full(s: Scenario, seed: int, cycle: int, failed: tuple[bool, ...], focus: int, facts: Calibration) -> Candidates:
    c_fail = np.array(failed, dtype=np.int64)
    only = np.array([focus])
    return certify(s, scene(s, seed, cycle).topology, facts, c_fail, full=True, loops=only)


@functools.lru_cache(maxsize=16)
def interesting_loop(s: Scenario, seed: int, cycle: int) -> int:
    """The loop whose frontier teaches most at the default state: many frontier points, some refused, some dominated.

    Called with the key of the scene: it depends on where the swarm is, not on the sliders of channel, twin, controller
    or state, so that it stays put while they move.
    """
    base = s.replace(**{"network.patterns": ("ul-first",), "allocation.directional_pruning": False})
    model = ControlModel.of(base)
    plain = State()
    best, score = 0, (-1, -1)
    topology = scene(base, seed, cycle).topology
    none = np.zeros(base.mission.uavs, dtype=np.int64)
    candidates = certify(base, topology, calibration_for(base), none)
    V = np.full(base.mission.uavs, plain.v_ratio * model.V_max)
    sigma = np.full(base.mission.uavs, model.sigma_min + plain.sigma_share * (model.sigma_max - model.sigma_min))
    states = LoopStates(V=V, tr_sigma=sigma, c=none + plain.c, c_fail=none, safe=none.astype(bool))
    allocation = allocate(base, model, candidates, states)
    for i in range(base.mission.uavs):
        rows = slice(candidates.offsets[i], candidates.offsets[i + 1])
        frontier = int(allocation.frontier[rows].sum())
        admitted = int(allocation.admitted[rows].sum())
        refused = rows.stop - rows.start - admitted
        found = (int(refused > 0.05 * admitted) + int(admitted > frontier), frontier)
        if found > score:
            best, score = i, found
    return best
