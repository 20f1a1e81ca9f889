"""The paper's promises beside their measurement, and what each bound of the certificate costs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.figures.paper.stamp import Stamp
from core.figures.paper.table import Table
from core.figures.paper.words import settings_words
from core.scenario import Scenario, preset
from core.studies.claims import Finding, load_ledger
from core.studies.claims.ledger_file import HEADINGS, in_words, ledger_path


def claims(findings: Sequence[Finding], scenario: Scenario, link: str = "") -> Table:
    """One row per promise: verdict, claim, promised, measured.

    Args:
        findings: of an audit.
        scenario: that was audited.
        link: query string of the page.
    """
    rows = [[f.verdict.value, f.title, f.promise, f"{f.measured} {f.interval_text}".strip()] for f in findings]
    values = pd.DataFrame(
        [
            (f.key, f.verdict.value, f.title, f.reference, f.promise, f.measured, f.kept, f.trials, *f.interval, f.note)
            for f in findings
        ],
        columns=[
            "key",
            "verdict",
            "claim",
            "reference",
            "promised",
            "measured",
            "kept",
            "trials",
            "low",
            "high",
            "note",
        ],
    )
    return Table(
        "claims",
        f"The paper's promises beside their measurement, with intervals at 95 %. Measured at {settings_words(scenario)}.",
        Stamp.of(scenario, link),
        ("verdict", "claim", "promised", "measured"),
        rows,
        values,
    )


def ledger(scene: str, link: str = "") -> Table:
    """What each bound costs, as shipped.

    Args:
        scene: preset that was measured.
        link: query string of the page.
    """
    found = load_ledger(ledger_path(scene))
    return Table(
        f"ledger-{scene}",
        f"What each bound of the certificate costs in the scene {scene}: one bound at a time is replaced; RMSE flown with it replaced, in brackets "
        "minus SAFE as certified on the same missions with its 95 % interval.",
        Stamp.of(preset(scene), link),
        HEADINGS,
        [list(row) for row in in_words(found)],
        found,
    )
