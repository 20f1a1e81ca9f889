"""Section IV: certified supply frontier, exact slot allocation, and the reasons behind both."""

from core.allocation.admission import REACH_CYCLES, RULE_WORDS, Admission, admit, drift_terms, exit_cycles, passes
from core.allocation.algorithm1 import allocate
from core.allocation.appraisal import Appraisal, appraise
from core.allocation.compilation import warm_up
from core.allocation.explanation import Explanation, explain
from core.allocation.forcing import Others, loss_if_forced
from core.allocation.frame import DOWNLINK, UPLINK, Frame, frame_starts, pack_frame
from core.allocation.frontier import COORDINATES, certified_frontier, coordinates, dominates, frontier_mask
from core.allocation.knapsack import DynamicProgram, Knapsack, solve_knapsack, solve_knapsack_csr
from core.allocation.marginal import NextSlot, next_slot
from core.allocation.outlook import Outlook, outlook
from core.allocation.p1 import Benchmark, solve_p1
from core.allocation.prediction import PredictedValue, plan_cycles, predicted_value
from core.allocation.result import Allocation
from core.allocation.sentence import Part, Sentence, listed
from core.allocation.synchronisation import Synchronisation, in_need, priorities, synchronise
from core.allocation.value import Valuation, value_actions
from core.allocation.verdict import VERDICTS, Mode, Verdict

__all__ = [
    "COORDINATES",
    "DOWNLINK",
    "REACH_CYCLES",
    "RULE_WORDS",
    "UPLINK",
    "VERDICTS",
    "Admission",
    "Allocation",
    "Appraisal",
    "Benchmark",
    "DynamicProgram",
    "Explanation",
    "Frame",
    "Knapsack",
    "Mode",
    "NextSlot",
    "Others",
    "Outlook",
    "Part",
    "PredictedValue",
    "Sentence",
    "Synchronisation",
    "Valuation",
    "Verdict",
    "admit",
    "allocate",
    "appraise",
    "certified_frontier",
    "coordinates",
    "dominates",
    "drift_terms",
    "exit_cycles",
    "explain",
    "frame_starts",
    "frontier_mask",
    "in_need",
    "listed",
    "loss_if_forced",
    "next_slot",
    "outlook",
    "pack_frame",
    "passes",
    "plan_cycles",
    "predicted_value",
    "priorities",
    "solve_knapsack",
    "solve_knapsack_csr",
    "solve_p1",
    "synchronise",
    "value_actions",
    "warm_up",
]
