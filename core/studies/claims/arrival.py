"""Audit of the two ends of the frame (D23): the slot of a command is unknown when its value is predicted."""

from __future__ import annotations

import numpy as np

from core.allocation import predicted_value
from core.control import ControlModel, Plan, predict_paths
from core.scenario import Scenario
from core.studies.claims.finding import Finding
from core.studies.claims.flight import Flight, Floats
from core.studies.claims.verdict import ClaimVerdict, always_verdict

TOLERANCE = 1e-9
"""Rounding of V/V_max allowed before the bound counts as broken."""


def ends_bound_the_arrival(scenario: Scenario, flown: list[Flight]) -> Finding:
    """D23: V is convex in the instant at which a command arrives, so the larger V of both ends of the frame bounds it.

    Args:
        scenario: look-ahead and frame.
        flown: the missions; every command that arrived is a case.
    """
    model, L = ControlModel.of(scenario), scenario.allocation.lookahead_cycles
    frame_s = scenario.network.frame_s
    slack: list[Floats] = []
    worth: list[Floats] = []
    for flight in flown:
        motion = flight.motion
        for k, states in enumerate(flight.states):
            got = motion.command[k]
            if not got.any():
                continue
            plan = Plan.ahead(motion.references, k, L)
            value = predicted_value(model, states, plan, L, frame_s=frame_s)
            steps, arrival_s, local = plan.steps, motion.arrival_s[k], motion.onboard[k]
            V = predict_paths(model.X, motion.z[k], motion.u[k], steps, model.law, local=local, arrival_s=arrival_s).V
            slack.append(((value.V1 - V) / model.V_max)[got])
            worth.append(value.G[got] / model.V_max)
    commands = sum(map(len, slack))
    title, promise = (
        "Both ends of the frame bound the slot",
        f"V(arrival) ≤ max(V at once, V at the frame's end), {L} cycles",
    )
    if not commands:
        nothing = f"no command arrived in {len(flown)} missions under SAFE"
        return Finding("arrival", title, "D23", promise, nothing, 0, 0, ClaimVerdict.VACUOUS)
    gap = np.concatenate(slack)
    kept = int((gap >= -TOLERANCE).all(axis=1).sum())
    return Finding(
        "arrival",
        title,
        "D23",
        promise,
        f"kept for {kept} of {commands} commands that arrived in {len(flown)} missions under SAFE",
        0,
        0,
        always_verdict(kept, commands),
        f"The bound is {gap.mean():.2%} of V_max above V at the slot itself on average, and a delivered command was worth "
        f"G = {np.concatenate(worth).mean():.2%} of V_max: the price of not knowing the slot.",
    )
