"""Small texts that a careless reader never finishes with, given to everything that reads YAML or JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fuzzing import Fuzz, budget
from mutation import bombs, mutated_text
from own_data import HOME

from app.touring.reader import parse_tour
from core import Scenario
from core.files.bring import keep_uploads, read_buildings
from core.studies import Study, StudyStore

READERS: dict[str, Callable[[Path], object]] = {
    "scenario": lambda path: Scenario.from_yaml(path),
    "scenario text": lambda path: Scenario.from_yaml(path.read_text(encoding="utf-8", errors="replace") + "\n"),
    "study": lambda path: Study.from_yaml(path),
    "stored study": lambda path: StudyStore(path.parent).study(),
    "plan": lambda path: keep_uploads([("a.plan", path.read_bytes())], HOME[:2]),
    "geojson": lambda path: read_buildings("b.geojson", path.read_bytes(), (0.0, 0.0)),
    "tour": lambda path: parse_tour(path.read_bytes(), "bomb.yaml", {}),
}


@pytest.mark.parametrize("reader", READERS)
def test_bombs(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    with Fuzz(f"bombs for a {reader}", least_taken=0.0) as fuzz:
        for name, text in bombs().items():
            for i in range(budget(1)):
                given = text if i == 0 else mutated_text(np.random.default_rng((71, i)), text)
                path.write_text(given, encoding="utf-8", errors="replace")
                fuzz.attempt(name, lambda: READERS[reader](path))
