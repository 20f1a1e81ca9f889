"""The shipped study of shifted worlds (D26) and the table that quotes it."""

from pathlib import Path

import pandas as pd
from scipy import stats

ROOT = Path(__file__).parents[3]


def cell(values: pd.Series, digits: int) -> str:
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return f"{values.mean():.{digits}f} ± {half:.{digits}f}"


def test_the_page_about_calibration_quotes_the_shipped_study() -> None:
    text = (ROOT / "docs" / "CALIBRATION.md").read_text(encoding="utf-8")
    quoted = text.split("<!-- shift")[1].split("-->", 1)[1].split("<!-- /shift")[0].strip().splitlines()[2:]
    records = pd.read_parquet(ROOT / "data" / "studies" / "shift" / "records")
    by = dict(list(records.groupby(["setting", "policy", "twin.online_beta"])))
    worlds = ["as calibrated", "shadowing × 1.6", "building of 60 m", "22 m/s"]
    expected = []
    for world in worlds:
        offline, learning, nominal = by[world, "SAFE", False], by[world, "SAFE", True], by[world, "SAFE-nominal", False]
        cells = [
            *(cell(rows["route_coverage"], 3) for rows in (offline, learning)),
            *(cell(rows["mean_rmse_m"], 2) for rows in (offline, learning, nominal)),
        ]
        expected.append(f"| {world} | " + " | ".join(cells) + " |")
    assert quoted == expected
