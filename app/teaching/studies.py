"""A study seen through the dashboard's own figure (lesson 08)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.panel_fixes.figure_pane import FigurePane
from app.tabs.whatif.figure import study_figure, update_study
from app.tabs.whatif.words import title_of
from app.teaching.explorer import Explorer, choice
from core.studies import Study, winners
from core.studies.metrics import metric_columns


def explore_study(study: Study, frame: pd.DataFrame) -> Explorer:
    """Any metric of a study along its first varied field, with bands over seeds."""
    fig = study_figure(height=320)
    metrics = {title_of(m): m for m in metric_columns(frame.columns, study.names) if np.isfinite(frame[m]).all()}

    def update(metric: str) -> str:
        update_study(fig, study, frame, metric, study.names[0])
        found = winners(frame, study, metric)
        rows = "; ".join(
            f"{study.names[0]} = {row[study.names[0]]}: {row['winner']}" for row in found.to_dict("records")
        )
        return f"Best policy by {title_of(metric)} on matched seeds: {rows}."

    return Explorer({"metric": choice("metric", metrics, "mean_rmse_m")}, [FigurePane(fig.curves)], update)
