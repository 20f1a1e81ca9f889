"""Figures and tables for paper, drawn from the same arrays as the page: `certified_frontier(focus).export("frontier.pdf")`.

Every function takes an object of the model and returns a `Figure` or a `Table` with `data`, `caption`, `stamp` and `export`.
"""

from core.figures.certified_frontier import certified_frontier
from core.figures.flight import flight_distributions, flight_modes, flight_series
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.table import Table
from core.figures.policy_frames import policy_frames
from core.figures.prediction import prediction
from core.figures.reproduction import reproduction_ablation, reproduction_ecdf, reproduction_grid
from core.figures.safety_boundary import safety_boundary
from core.figures.slot_allocation import slot_allocation
from core.figures.solution import solution, solved
from core.figures.state_plane import state_plane
from core.figures.study import study_curves, study_map
from core.figures.tables.claims import claims, ledger
from core.figures.tables.flight import flight_numbers
from core.figures.tables.loops import loops
from core.figures.tables.reproduction import ablations, grid, paper_differences, paper_numbers, scenes
from core.figures.tables.study import study_differences, study_summary
from core.figures.uplink_downlink import uplink_downlink

__all__ = [
    "Figure",
    "Stamp",
    "Table",
    "ablations",
    "certified_frontier",
    "claims",
    "flight_distributions",
    "flight_modes",
    "flight_numbers",
    "flight_series",
    "grid",
    "ledger",
    "loops",
    "paper_differences",
    "paper_numbers",
    "policy_frames",
    "prediction",
    "reproduction_ablation",
    "reproduction_ecdf",
    "reproduction_grid",
    "safety_boundary",
    "scenes",
    "slot_allocation",
    "solution",
    "solved",
    "state_plane",
    "study_curves",
    "study_differences",
    "study_map",
    "study_summary",
    "uplink_downlink",
]
