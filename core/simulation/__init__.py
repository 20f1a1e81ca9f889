"""Closed loop of Section V: mission, channel, plant, policies, metrics."""

from core.simulation.channel import Channel, Snapshot, snapshot
from core.simulation.flawless import flawless_errors, flawless_rmse
from core.simulation.loop import Simulation, needs_restart, simulate
from core.simulation.metric_table import METRICS, Metric, register_metric
from core.simulation.metrics import bootstrap_interval, ecdf, paired_difference, paired_reduction, t_interval
from core.simulation.mission import Phase, Trace, reference
from core.simulation.policies import PAPER_FIVE, REPRODUCED
from core.simulation.policy import POLICIES, CycleView, Decision, Policy, register, seen_by
from core.simulation.record import CycleRecord
from core.simulation.reproduction import EVALUATION_SEED, Reproduction, corridor_slot_grid, reproduce
from core.simulation.run import Run

__all__ = [
    "EVALUATION_SEED",
    "METRICS",
    "PAPER_FIVE",
    "POLICIES",
    "REPRODUCED",
    "Channel",
    "CycleRecord",
    "CycleView",
    "Decision",
    "Metric",
    "Phase",
    "Policy",
    "Reproduction",
    "Run",
    "Simulation",
    "Snapshot",
    "Trace",
    "bootstrap_interval",
    "corridor_slot_grid",
    "ecdf",
    "flawless_errors",
    "flawless_rmse",
    "needs_restart",
    "paired_difference",
    "paired_reduction",
    "reference",
    "register",
    "register_metric",
    "reproduce",
    "seen_by",
    "simulate",
    "snapshot",
    "t_interval",
]
