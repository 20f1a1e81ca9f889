"""Section IV: certified supply frontier, exact slot allocation, and the reasons behind both."""

from core.allocation.algorithm1 import allocate, coordinates, drift_terms
from core.allocation.compilation import warm_up
from core.allocation.explanation import Explanation, explain, loss_if_forced
from core.allocation.frame import DOWNLINK, UPLINK, Frame, frame_starts, pack_frame
from core.allocation.frontier import COORDINATES, certified_frontier, dominates, frontier_mask
from core.allocation.knapsack import DynamicProgram, Knapsack, solve_knapsack, solve_knapsack_csr
from core.allocation.marginal import NextSlot, next_slot
from core.allocation.p1 import Benchmark, solve_p1
from core.allocation.result import Allocation
from core.allocation.synchronisation import Synchronisation, in_need, priorities, synchronise
from core.allocation.verdict import VERDICTS, Mode, Verdict

__all__ = [
    "COORDINATES",
    "DOWNLINK",
    "UPLINK",
    "VERDICTS",
    "Allocation",
    "Benchmark",
    "DynamicProgram",
    "Explanation",
    "Frame",
    "Knapsack",
    "Mode",
    "NextSlot",
    "Synchronisation",
    "Verdict",
    "allocate",
    "certified_frontier",
    "coordinates",
    "dominates",
    "drift_terms",
    "explain",
    "frame_starts",
    "frontier_mask",
    "in_need",
    "loss_if_forced",
    "next_slot",
    "pack_frame",
    "priorities",
    "solve_knapsack",
    "solve_knapsack_csr",
    "solve_p1",
    "synchronise",
    "warm_up",
]
