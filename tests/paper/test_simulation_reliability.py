"""Section III: directional service bounds hold in the closed loop, on the event that the twin's set covers reality."""

import numpy as np
import pytest

from core import Scenario
from core.simulation import Channel, Simulation, reference
from core.studies import EVALUATION_SEED
from core.twin import default_calibration

SEEDS = (900, 901)


def _covered(predicted, realised, margin_db, route):
    """No hop below its lowered SNR, none with worse fading than predicted."""
    nodes = predicted.nodes[route]
    hops = predicted.hops[route]
    tx, rx = nodes[:hops], nodes[1 : hops + 1]
    fall = predicted.snr_db[route, :hops] - realised.snr_db[tx, rx]
    worse = realised.rayleigh[tx, rx] & ~predicted.rayleigh[route, :hops]
    return bool(np.all(fall <= margin_db[route]) and not worse.any())


@pytest.fixture(scope="module")
def attempts():
    """(rho, success, covered) of every served direction of two missions under two policies."""
    scenario = Scenario()
    rows = []
    for seed in SEEDS:
        for policy in ("SAFE", "VoI-Sched"):
            simulation = Simulation(scenario, policy, seed)
            trace = reference(scenario, seed)
            channel = Channel(scenario, trace, seed)
            positions = simulation._p
            while not simulation.done:
                realised = channel.realised(scenario, positions)
                record = simulation.step()
                c = record.candidates
                for i in np.flatnonzero(record.served):
                    row = record.choice[i]
                    up, down = c.ul_options.route[c.actions.ul[row]], c.dl_options.route[c.actions.dl[row]]
                    covered = _covered(c.ul_routes, realised, c.margin_ul_db, up)
                    rows.append((c.rho_ul[row], record.uplink[i], covered))
                    covered = _covered(c.dl_routes, realised, c.margin_dl_db, down)
                    rows.append((c.rho_dl[row], record.downlink[i], covered))
                positions = record.positions
                if not simulation.done:
                    channel.advance(scenario)
    return np.array(rows, dtype=float)


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.6), (0.6, 0.85), (0.85, 0.95), (0.95, 1.0)])
def test_success_is_at_least_as_frequent_as_certified(attempts, low, high):
    rho, success, covered = attempts.T
    mine = (covered > 0) & (rho >= low) & (rho <= high)
    assert mine.sum() > 100
    # sum of independent successes, each at least as likely as its own rho: four standard deviations of slack
    slack = 4 * np.sqrt((rho[mine] * (1 - rho[mine])).sum() + 1)
    assert success[mine].sum() >= rho[mine].sum() - slack


def test_the_bounds_say_something_and_reality_leaves_the_set_sometimes(attempts):
    rho, success, covered = attempts.T
    assert rho.mean() > 0.5
    outside = covered == 0
    assert 0 < outside.mean() < 0.5
    assert success[outside].mean() < success[~outside].mean()


def test_evaluation_seeds_were_never_seen_by_the_calibration():
    assert max(default_calibration().seeds) < 1000 <= EVALUATION_SEED
