"""What-if studies: define, run, resume, read back, compare."""

from core.studies.axis import Axis, parse_axis
from core.studies.comparison import (
    NO_COMMON_SEEDS,
    NO_DIRECTION,
    NOT_SIGNIFICANT,
    all_differences,
    paired_differences,
    winners,
)
from core.studies.definition import Cell, Study, Task, seed_range
from core.studies.run import Outcome, Progress, run_study
from core.studies.statistics import curve, mean_band, summarise
from core.studies.store import StudyStore, find_studies

__all__ = [
    "NOT_SIGNIFICANT",
    "NO_COMMON_SEEDS",
    "NO_DIRECTION",
    "Axis",
    "Cell",
    "Outcome",
    "Progress",
    "Study",
    "StudyStore",
    "Task",
    "all_differences",
    "curve",
    "find_studies",
    "mean_band",
    "paired_differences",
    "parse_axis",
    "run_study",
    "seed_range",
    "summarise",
    "winners",
]
