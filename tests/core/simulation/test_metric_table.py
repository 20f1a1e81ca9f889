"""The table of metrics: what may be registered, what a run reports, and the page that lists it."""

import re
from pathlib import Path

import numpy as np
import pytest

from core import Scenario
from core.__main__ import main
from core.errors import SafeExplorerError
from core.simulation import METRICS, Metric, register_metric, simulate

PAGE = Path(__file__).parents[3] / "docs" / "METRICS.md"
TINY = Scenario().replace(**{"mission.uavs": 3, "mission.duration_s": 2.0, "network.slots": 30})


@pytest.fixture(autouse=True)
def _table_is_left_as_it_was():
    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)


def test_a_decorated_function_is_reported_by_every_run():
    @register_metric(unit="m", direction="lower")
    def final_rmse_m(run):
        """Root-mean-square distance
        at the end.

        More for the reader of the code.
        """
        return run.rmse[-1]

    assert METRICS["final_rmse_m"].sentence == "Root-mean-square distance at the end."
    flown = simulate(TINY, "Fixed-Service", 3)
    assert list(flown.summary())[-1] == "final_rmse_m"
    assert flown.summary()["final_rmse_m"] == flown.rmse[-1]
    assert final_rmse_m(flown) == flown.rmse[-1]


def test_a_call_names_and_explains_what_has_no_name():
    register_metric(lambda run: np.int64(7), name="seven", direction="none", sentence="Always seven.")
    value = simulate(TINY, "Fixed-Service", 3).summary()["seven"]
    assert (value, type(value)) == (7.0, float)  # a study keeps plain numbers only


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "mean_rmse_m"}, r"metric mean_rmse_m already.*METRICS\.pop"),
        ({"direction": "down"}, "'down'; say which values are better: lower, higher or none"),
        ({"sentence": ""}, "mine needs a sentence"),
        ({"name": "policy"}, "'policy' cannot name a metric"),
        ({"name": "network.slots"}, "'network.slots' cannot name a metric"),
    ],
)
def test_refused_in_words(changes, said):
    words = {"name": "mine", "direction": "lower", "sentence": "Mine."} | changes
    before = dict(METRICS)
    with pytest.raises(SafeExplorerError, match=said):
        register_metric(lambda run: 0.0, **words)
    assert before == METRICS


def test_every_metric_says_what_it_means():
    for name, metric in METRICS.items():
        assert isinstance(metric, Metric)
        assert metric.name == name
        assert metric.sentence.endswith(".")


def test_simulate_prints_name_value_unit_and_sentence(tmp_path, capsys):
    TINY.to_yaml(tmp_path / "tiny.yaml")
    assert (
        main(["simulate", "--policy", "Fixed-Service", "--seed", "3", "--scenario", str(tmp_path / "tiny.yaml")]) == 0
    )
    printed = capsys.readouterr().out.splitlines()
    found = simulate(TINY, "Fixed-Service", 3).summary()
    for name, value in found.items():
        (line,) = [text for text in printed if text.split()[0] == name]
        assert line.split()[1] == f"{value:.4g}"
        assert line.endswith(f" {METRICS[name].sentence}")
        assert METRICS[name].unit in line.split()[2] or not METRICS[name].unit


def test_the_page_lists_the_table():
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert rows == [(m.name, m.unit or "–", m.direction, m.sentence) for m in METRICS.values()]


def test_the_file_of_the_page_adds_a_metric(capsys):
    """As printed: a file of one's own, imported before a mission is flown."""
    (code,) = re.findall(r"## Adding one.*?```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    exec(compile(code, str(PAGE), "exec"), {"__name__": "__main__"})
    (name,) = set(re.findall(r"def (\w+)\(run\)", code))
    flown = simulate(Scenario(), "SAFE", seed=3)
    by_hand = np.mean(np.linalg.norm(flown.positions - flown.references, axis=2) > 10.0)
    assert flown.summary()[name] == pytest.approx(by_hand)
    assert name in capsys.readouterr().out
