"""Random valid scenarios through every stage, from the prediction to the exported text, with what must hold at each."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from random_scenarios import random_scenario

from core import Scenario
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.figures import certified_frontier, loops
from core.instant import Flight, Focus, Instant, takeoff, varied
from core.instant.cost import CURVES, CYCLE_TIMES, INSTANT
from core.simulation import METRICS, POLICIES

NAMES = tuple(POLICIES)
STRAY = re.compile(r"\b(?:nan|None|NaN)\b")
T = TypeVar("T")


@dataclass
class Journey:
    """One scenario on its way.

    Args:
        scenario, seed: what is flown.
        rng: decides policy, cycle, loop and what is asked of them.
        furthest: cycle that some of them are flown to.
        seconds: processor time of every stage by name [s].
        announced: what the page would have said beforehand that the stage takes [s].
    """

    scenario: Scenario
    seed: int
    rng: np.random.Generator
    furthest: int = 20
    seconds: dict[str, float] = field(default_factory=dict)
    announced: dict[str, float] = field(default_factory=dict)

    def run(self) -> Journey:
        """Every stage; SafeExplorerError when there is no such control law, AssertionError when something does not hold."""
        model = self._timed("control", lambda: ControlModel.of(self.scenario))
        finite("the control model", model.V_max, model.sigma_min, model.sigma_max)
        try:
            self._fly()
        except SafeExplorerError as error:
            raise AssertionError(f"a scenario with a control law is refused: {error}") from error
        return self

    def _fly(self) -> None:
        flight = self._timed("mission", lambda: Flight.of(takeoff(self.scenario), self._policy(), self.seed))
        k = int(self.rng.integers(min(flight.cycles, 6 if self.rng.uniform() < 0.8 else self.furthest)))
        self._announce(k)
        self._timed("flight", lambda: flight.reach(k))
        instant = flight.instant(k).replace(scenario=self.scenario)
        self._timed("links", lambda: instant.topology)
        check_candidates(self.scenario, self._timed("certify", lambda: instant.candidates))
        self._timed("allocate", lambda: instant.allocation)
        check_allocation(instant)
        self._timed("frame", lambda: instant.frame)
        check_frame(instant)
        focus = self._timed("focus", lambda: instant.on(int(self.rng.integers(self.scenario.mission.uavs))))
        self._timed("words", lambda: check_words(focus))
        name = str(self.rng.choice(varied()))
        self._timed("solve", lambda: check_solution(focus, name))
        self._timed("policies", lambda: check_rivals(instant, tuple(self.rng.choice(NAMES, 2, replace=False))))
        self._timed("export", lambda: check_export(focus))
        self._timed("end of a cycle", lambda: flight.reach(k + 1))
        check_flight(flight)

    def _announce(self, k: int) -> None:
        cycle_s = CYCLE_TIMES.cycle_s(self.scenario.mission.uavs)
        of = {"flight": k + 1, "links": INSTANT, "certify": INSTANT, "allocate": INSTANT, "focus": INSTANT, "policies": 2 * (k + INSTANT), "solve": CURVES}  # fmt: skip
        self.announced = {stage: cycles * cycle_s for stage, cycles in of.items()}

    def _policy(self) -> str:
        return str(self.rng.choice(NAMES))

    def _timed(self, stage: str, work: Callable[[], T]) -> T:
        start = time.process_time()
        try:
            return work()
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.process_time() - start


def journey(number: int, largest: int, longest_s: float | None = None) -> Journey:
    """The journey of one number.

    Args:
        number: decides the scenario and everything about its way.
        largest: swarm [UAVs].
        longest_s: mission; as long as the field allows when None [s].
    """
    scenario = random_scenario(number, most_uavs=largest, most_s=longest_s)
    rng = np.random.default_rng((81, number))
    return Journey(scenario, number % 1000, rng, furthest=20 if longest_s is not None else 120)


def finite(what: str, *values: Any) -> None:
    for value in values:
        assert np.isfinite(value).all(), f"{what} is not finite"


def share(what: str, values: Any, none: bool = False) -> None:
    """Probabilities; nan only where it is documented to stand for none."""
    found = np.asarray(values)
    good = (found >= 0.0) & (found <= 1.0)
    assert (good | np.isnan(found) if none else good).all(), f"{what} is no probability"


def check_candidates(scenario: Scenario, c: Any) -> None:
    share("rho", [c.rho_ul, c.rho_dl])
    share("mu1", c.mu1)
    share("p11", c.p11, none=True)
    finite("a delay bound", c.D_ul, c.D_dl)
    np.testing.assert_allclose(c.T_cert, np.where(c.certified, c.g * scenario.control.Ts, np.inf))
    assert (c.slots > 0).all()
    assert (c.slots <= scenario.network.slots).all()
    assert (np.diff(c.offsets) >= 0).all()
    assert c.offsets[-1] == len(c.slots)
    finite("a certificate", c.h_ul, c.h_dl, c.g)


def check_allocation(instant: Instant) -> None:
    a, N = instant.allocation, instant.scenario.mission.uavs
    assert a.slots_used == a.slots.sum() <= a.budget <= instant.scenario.network.slots
    served = a.choice >= 0
    assert (a.candidates.loop[a.choice[served]] == np.flatnonzero(served)).all()
    finite("the value curve", a.curve)
    assert (np.diff(a.curve) >= -1e-9 * max(1.0, abs(a.curve[-1]))).all()
    finite("U", a.U[a.candidates.certified & a.admitted])
    certified = served & ~a.synchronisation
    assert a.admitted[a.choice[certified]].all()
    assert a.choice.shape == a.mode.shape == (N,)


def check_frame(instant: Instant) -> None:
    frame, used = instant.frame, np.zeros(instant.frame.slots, dtype=np.int64)
    for begin, length in zip(frame.slot, frame.length, strict=True):
        assert begin >= 0
        assert begin + length <= frame.slots
        used[begin : begin + length] += 1
    assert (used <= 1).all(), "two attempts in one slot"
    assert used.sum() <= instant.allocation.slots_used


def check_words(focus: Focus) -> None:
    for text in (focus.sentence, str(focus.why), focus.verdict, str(focus.missing)):
        assert not STRAY.search(text), text
    assert focus.sentence
    assert str(focus.why)
    share("delivery", focus.offer.whole.delivery())
    for low, high in focus.extent.values():
        assert low < high


def check_solution(focus: Focus, name: str) -> None:
    found = focus.solve(name, most=5, tolerance=1e9)
    assert not STRAY.search(str(found.said)), str(found.said)
    assert len(found.curves.x) >= 1
    share("rho along a curve", [found.curves.rho_ul, found.curves.rho_dl], none=True)


def check_rivals(instant: Instant, names: tuple[str, ...]) -> None:
    for frame in instant.other_policies(names):
        assert 0 <= frame.slots_used <= instant.scenario.network.slots


def check_export(focus: Focus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for made, name in ((certified_frontier(focus), "f.csv"), (loops(focus), "t.tex")):
            assert made.export(Path(folder) / name).stat().st_size > 0


def check_flight(flight: Flight) -> None:
    h = flight.history()
    finite("a flight", h.rmse, h.v_normalised, h.positions, h.online)
    assert (h.slots_used <= flight.scenario.network.slots).all()
    assert (h.slots_used >= 0).all()
    assert not (h.uplink & ~h.served).any()
    assert not (h.downlink & ~h.served).any()
    assert (h.covered <= h.routes).all()
    finite("a delay", h.command_delay_ms)
    if h.cycles:
        for name, value in flight.summary().items():
            assert not np.isnan(value) or "nan" in _documented(name), f"{name} is nan"


def _documented(metric: str) -> str:
    """Metrics that have nothing to measure in a short flight say so in their own words, or in the table's."""
    return (METRICS[metric].measure.__doc__ or "") + "nan where a run has nothing to measure"
