"""A swarm around the building with hand-made calibration: nothing here depends on the mission or on shipped files."""

import numpy as np
import pytest

from core.control import ControlModel, LoopStates
from core.network import draw_los, topology
from core.scenario import Scenario
from core.twin import certify
from core.twin.persistence import BIN_EDGES

FIXED = {
    "network.extra_margin_db": 13.0,
    "network.tx_power_dbm": 10.0,
    "network.bits_ul": 1600,
    "network.bits_dl": 1600,
    "control.corridor_radius_m": 30.0,
    "control.eta": 0.1,
    "mission.building_height_m": 90.0,
}
"""What decides how scarce slots and how good links are: pinned, so that new defaults do not change these tests."""


class MadeUpCalibration:
    """What `certify` asks of a calibration, with numbers that never change: 3–8 dB of margin, rising persistence."""

    def margin_db(self, beta, route_class, recent_failure):
        return 3.0 + 0.5 * route_class + 2.0 * recent_failure

    def persistence(self, *settings):
        p11 = np.linspace(0.05, 0.8, BIN_EDGES.size + 1)
        p11[-2:] = np.nan  # nothing was calibrated where almost everything fails
        return p11


class Case:
    """One cycle of a swarm: scenario, model, candidates, states."""

    def __init__(self, formulation="repaired", uavs=16, slots=60, full=False, seed=3, **changes):
        self.scenario = Scenario().replace(
            **{**FIXED, "mission.uavs": uavs, "network.slots": slots, "formulation": formulation, **changes}
        )
        self.model = ControlModel.of(self.scenario)
        self.states = random_states(self.model, uavs, seed)
        self.calibration = MadeUpCalibration()
        positions = around_the_building(uavs)
        los = draw_los(self.scenario, positions, np.random.default_rng(1))
        self.topology = topology(self.scenario, positions, los)
        self.candidates = certify(self.scenario, self.topology, self.calibration, self.states.c_fail, full=full)

    @property
    def parts(self):
        return self.scenario, self.model, self.candidates, self.states


def around_the_building(n):
    """UAVs on a ring 50 m around the origin at 70 to 100 m, the first facing the ground station, some hidden by the building [m]."""
    angle = np.pi + 2 * np.pi * np.arange(n) / n
    return np.column_stack([50 * np.cos(angle), 50 * np.sin(angle), 70.0 + 10.0 * (np.arange(n) % 4)])


def random_states(model, n, seed):
    """Loops anywhere between just served and far outside, fresh and stale, some in safe mode."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 7, n)
    return LoopStates(
        V=model.V_max * rng.choice([1e-5, 0.07, 0.2, 0.6, 1.1], n) * rng.uniform(0.8, 1.0, n),
        tr_sigma=model.tr_meas + (1 + c) * model.tr_proc,
        c=c,
        c_fail=np.minimum(c, rng.integers(0, 4, n)),
        safe=rng.random(n) < 0.2,
    )


@pytest.fixture(scope="session")
def make_case():
    return Case


@pytest.fixture(scope="session")
def case():
    return Case()


@pytest.fixture(scope="session")
def paper_case():
    return Case(formulation="paper")
