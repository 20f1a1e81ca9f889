"""Closed loop of Section V: mission, channel, plant, policies."""

from core.simulation.channel import Channel, Snapshot, snapshot
from core.simulation.flawless import flawless_errors, flawless_rmse
from core.simulation.loop import Simulation, simulate
from core.simulation.metric_table import METRICS, Metric, register_metric
from core.simulation.mission import reference
from core.simulation.outcomes import Fate
from core.simulation.policies import PAPER_FIVE, RANKED, REPRODUCED, ByScore
from core.simulation.policy import POLICIES, CycleView, Decision, Policy, register, seen_by
from core.simulation.record import CycleRecord
from core.simulation.restart import needs_restart
from core.simulation.run import Run
from core.simulation.trace import Phase, Trace

__all__ = [
    "METRICS",
    "PAPER_FIVE",
    "POLICIES",
    "RANKED",
    "REPRODUCED",
    "ByScore",
    "Channel",
    "CycleRecord",
    "CycleView",
    "Decision",
    "Fate",
    "Metric",
    "Phase",
    "Policy",
    "Run",
    "Simulation",
    "Snapshot",
    "Trace",
    "flawless_errors",
    "flawless_rmse",
    "needs_restart",
    "reference",
    "register",
    "register_metric",
    "seen_by",
    "simulate",
    "snapshot",
]
