"""What a policy may know: estimates and its own counters, never the truth."""

from dataclasses import fields, is_dataclass, replace
from itertools import pairwise

import numpy as np

from core import Scenario
from core.simulation import Channel, Decision, Policy, Simulation, reference
from core.twin import ScoreQuantiles, certify

SMALL = Scenario().replace(
    formulation="repaired", **{"mission.uavs": 8, "mission.duration_s": 5.0, "network.slots": 80}
)


class Watching(Policy):
    """Keeps every view and serves some loops, each with its cheapest action."""

    name = "watching"

    def __init__(self, *loops):
        self.loops, self.views = loops, []

    def decide(self, view):
        self.views.append(view)
        c, choice = view.candidates, np.full(len(view.states), -1)
        for i in self.loops:
            rows = np.flatnonzero(c.loop == i)
            choice[i] = rows[np.argmin(c.slots[rows])] if len(rows) else -1
        return Decision.of(choice)


def arrays_of(thing, at=""):
    """Every array inside nested dataclasses, by dotted name."""
    if isinstance(thing, np.ndarray):
        return {at: thing}
    found = {}
    for f in fields(thing) if is_dataclass(thing) else ():
        found |= arrays_of(getattr(thing, f.name), f"{at}.{f.name}")
    return found


def differences(a, b):
    """Names of the arrays in which two dataclasses differ."""
    a, b = arrays_of(a), arrays_of(b)
    assert a.keys() == b.keys()
    assert a
    return [name for name in a if not np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f")]


def test_a_wind_that_nobody_reported_changes_nothing_a_policy_sees(calibration):
    """Two worlds that differ in the gusts alone, and no telemetry: the UAVs are elsewhere, every view is the same."""
    calm = reference(SMALL, 3)
    storm = replace(calm, gust=np.full_like(calm.gust, 8.0))
    views, ends = [], []
    for trace in (calm, storm):
        policy = Watching()
        records = list(Simulation(SMALL, policy, 3, calibration, trace))
        views.append(policy.views)
        ends.append(records[-1].positions)
        np.testing.assert_array_equal(records[-1].references, calm.positions[-1])
    assert np.linalg.norm(ends[0] - ends[1], axis=1).min() > 5.0
    for one, other in zip(*views, strict=True):
        assert differences(one.candidates, other.candidates) == []
        assert differences(one.states, other.states) == []


def test_candidates_are_those_of_the_estimated_positions(calibration):
    """The twin's prediction at the estimates gives what the policy saw next; at the true positions it would not."""
    scenario = SMALL.replace(**{"control.sigma_meas_m": 5.0})
    channel, leaks = Channel(scenario, reference(scenario, 2), 2), 0
    for now, after in pairwise(Simulation(scenario, Watching(0, 3, 5), 2, calibration)):
        channel.advance(scenario)
        known, true = (
            certify(scenario, channel.predicted(scenario, p), calibration, after.states.c_fail)
            for p in (now.estimates, now.positions)
        )
        assert differences(after.candidates, known) == []
        leaks += known.rho_ul.shape != true.rho_ul.shape or not np.array_equal(known.rho_ul, true.rho_ul)
    assert leaks > 5


def test_the_margin_widens_after_a_failed_attempt_not_after_a_silence(calibration):
    """Every route's margin is that of its class and of c_fail ≥ 1; a loop that was merely left alone keeps the narrow one."""
    wider = tuple(tuple((calm, ScoreQuantiles(calm.n, calm.values + 3.0)) for calm, _ in s) for s in calibration.scores)
    strict = replace(calibration, scores=wider)
    scenario = SMALL.replace(**{"network.snr_offset_db": -5.0})
    margins, seen = strict.margins(scenario.twin.beta), set()
    assert np.all(margins[:, 1] >= margins[:, 0] + 2.9)
    for record in Simulation(scenario, Watching(0, 3, 5), 1, strict):
        c, s = record.candidates, record.states
        for routes, found in ((c.ul_routes, c.margin_ul_db), (c.dl_routes, c.margin_dl_db)):
            for r, (loop, hops) in enumerate(zip(routes.loop, routes.hops, strict=True)):
                kind = 2 * (hops - 1) + int(routes.rayleigh[r, :hops].any())
                assert found[r] == margins[kind, int(s.c_fail[loop] > 0)]
                seen.add((bool(s.c[loop] > 0), bool(s.c_fail[loop] > 0)))
    assert seen == {(False, False), (True, False), (True, True)}  # heard, left alone, tried in vain
