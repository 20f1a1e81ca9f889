"""A live run: several policies on the same seed, flown cycle by cycle in a background thread."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field

import numpy as np

from core.errors import SafeExplorerError, ScenarioError
from core.scenario import Scenario
from core.simulation import CycleRecord, Simulation

WAITING = 3
"""Cycles the thread may be ahead of the page: it waits for the page, never the page for it."""


@dataclass(eq=False)
class Track:
    """What one policy has done so far; only what the plots and the summary need."""

    rmse: list[float] = field(default_factory=list)
    v: list[np.ndarray] = field(default_factory=list)
    delays: list[np.ndarray] = field(default_factory=list)

    def add(self, record: CycleRecord) -> None:
        """Append one cycle."""
        self.rmse.append(record.rmse)
        self.v.append(record.v_normalised)
        self.delays.append(record.delay_ms[record.downlink])

    def summary(self) -> dict[str, float]:
        """The same figures as `core.simulation.Run.summary`, over the cycles flown."""
        delay = np.concatenate(self.delays)
        delay = delay if len(delay) else np.array([np.nan])
        rmse, v = np.array(self.rmse), np.array(self.v)
        return {
            "mean_rmse_m": float(rmse.mean()),
            "p95_rmse_m": float(np.percentile(rmse, 95)),
            "mean_v": float(v.mean()),
            "p95_v": float(np.percentile(v, 95)),
            "mean_delay_ms": float(delay.mean()),
            "p95_delay_ms": float(np.percentile(delay, 95)),
        }


class LiveRun:
    """All policies of a run, advanced together; knows nothing of the page."""

    def __init__(self, scenario: Scenario, policies: tuple[str, ...], seed: int) -> None:
        self.policies, self.seed = policies, seed
        self.simulations = {name: Simulation(scenario, name, seed) for name in policies}
        self.tracks = {name: Track() for name in policies}

    @property
    def scenario(self) -> Scenario:
        """Scenario of the next cycle."""
        return next(iter(self.simulations.values())).scenario

    @property
    def k(self) -> int:
        """Next cycle, once every policy has flown the one before."""
        return min(simulation.k for simulation in self.simulations.values())

    @property
    def cycles(self) -> int:
        """Length of the mission."""
        return next(iter(self.simulations.values())).trace.cycles

    @property
    def done(self) -> bool:
        """The mission is over."""
        return self.k >= self.cycles

    def change(self, scenario: Scenario) -> None:
        """Use another scenario from the next cycle on; ScenarioError when that needs a new run."""
        before = self.scenario
        try:
            for simulation in self.simulations.values():
                simulation.scenario = scenario
        except ScenarioError:
            for simulation in self.simulations.values():
                simulation.scenario = before
            raise

    def advance(self) -> dict[str, CycleRecord]:
        """Fly one cycle under every policy."""
        records = {name: simulation.step() for name, simulation in self.simulations.items()}
        for name, record in records.items():
            self.tracks[name].add(record)
        return records


class Player:
    """Flies a LiveRun in a thread of its own; the page takes finished cycles from `take`."""

    def __init__(self) -> None:
        self.run: LiveRun | None = None
        self.speed = 8.0
        self._finished: queue.Queue[tuple[LiveRun, dict[str, CycleRecord] | str]] = queue.Queue(maxsize=WAITING)
        self._playing = threading.Event()
        self._lock = threading.Lock()
        self._at_work: set[int] = set()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._wanted: Scenario | None = None

    @property
    def playing(self) -> bool:
        """Whether cycles are being flown."""
        return self._playing.is_set()

    @property
    def busy(self) -> bool:
        """Whether a cycle is being flown or waits to be drawn."""
        return bool(self._at_work) or not self._finished.empty()

    def load(self, run: LiveRun) -> None:
        """Take another run; the old one's waiting cycles are dropped."""
        with self._lock:
            self.run, self._wanted = run, None
        self._drain()

    def change(self, scenario: Scenario) -> None:
        """Use another scenario from the next cycle on."""
        self._wanted = scenario

    def play(self) -> None:
        """Fly until paused or over."""
        self._playing.set()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._fly, name="live-run", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Stop after the current cycle."""
        self._playing.clear()

    def step(self) -> None:
        """Fly one cycle, in the thread too."""
        if not self.playing:
            threading.Thread(target=self._one, name="live-step", daemon=True).start()

    def take(self) -> list[dict[str, CycleRecord] | str]:
        """Finished cycles of the current run since the last call; a text instead of a cycle is an error message."""
        found = []
        while True:
            try:
                run, item = self._finished.get_nowait()
            except queue.Empty:
                return found
            if run is self.run:
                found.append(item)

    def close(self) -> None:
        """Stop for good and let go of the run."""
        self._closed = True
        self._playing.clear()
        self._drain()
        self.run = None

    def _fly(self) -> None:
        while not self._closed:
            if not self._playing.wait(timeout=0.2):
                continue
            started = time.perf_counter()
            if not self._one():
                self._playing.clear()
                continue
            spent = time.perf_counter() - started
            time.sleep(max(1.0 / self.speed - spent, 0.5 * spent))  # the page's thread always has its turn

    def _one(self) -> bool:
        """Fly one cycle and hand it over; False when there is no other after it."""
        self._at_work.add(
            threading.get_ident()
        )  # until the cycle lies in the queue: in between nothing would tell that one is still to come
        try:
            with self._lock:
                run = self.run
                if run is None or run.done:
                    return False
                try:
                    if self._wanted is not None:
                        run.change(self._wanted)
                        self._wanted = None
                    item: dict[str, CycleRecord] | str = run.advance()
                except SafeExplorerError as error:
                    self._wanted = None
                    item = str(error)
                over = isinstance(item, str) or run.done
            while not self._closed and run is self.run:
                try:
                    self._finished.put((run, item), timeout=0.2)
                    break
                except queue.Full:
                    continue
            return not over
        finally:
            self._at_work.discard(threading.get_ident())

    def _drain(self) -> None:
        while not self._finished.empty():
            try:
                self._finished.get_nowait()
            except queue.Empty:
                return
