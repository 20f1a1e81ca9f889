"""Every field carries what the interface and the documentation are built from."""

import math
import re
from pathlib import Path

import pytest

from core import Scenario
from core.folders import DATA
from core.scenario import field_names, quantity_of

NAMES = list(field_names())
NUMBERS = [n for n in NAMES if type(Scenario().value(n)) in (int, float)]
PAPER_LABELS = set((Path(__file__).parents[1] / "data" / "paper_labels.txt").read_text().split())
TUPLES = [n for n in NAMES if isinstance(Scenario().value(n), tuple)]


@pytest.mark.parametrize("name", NAMES)
def test_field_says_what_it_is(name):
    q = quantity_of(name)
    assert q.symbol.strip() == q.symbol != ""
    assert q.doc[0].isupper() or not q.doc[0].isascii()  # a sentence may start with a symbol
    assert q.doc.endswith(".")
    assert "\n" not in q.doc
    assert len(q.doc) <= 100
    assert q.origin in ("paper", "ours")
    assert re.fullmatch(r"Table I|D\d{1,2}", q.ref) or q.ref in PAPER_LABELS
    assert isinstance(q.unit, str)


def test_decision_numbers_exist():
    decided = set(re.findall(r"^## (D\d+) ", (DATA.parent / "docs" / "DECISIONS.md").read_text(encoding="utf-8"), re.M))
    cited = {ref for name in NAMES if (ref := quantity_of(name).ref).startswith("D")}
    assert "D1" in cited
    assert cited <= decided


def test_printed_values_refer_to_the_printed_table():
    for name in NAMES:
        if quantity_of(name).origin == "paper":
            assert quantity_of(name).ref == "Table I"


def test_symbols_within_a_group_are_distinct():
    seen = {}
    for name in NAMES:
        key = (name.partition(".")[0], quantity_of(name).symbol)
        assert key not in seen, f"{name} and {seen.get(key)} share {key[1]}"
        seen[key] = name


@pytest.mark.parametrize("name", NUMBERS)
def test_bounds_contain_the_default_and_steps_reach_it(name):
    """A slider from lo in steps stops at the default and, give or take one step, at hi."""
    q, default = quantity_of(name), Scenario().value(name)
    assert q.lo is not None
    assert q.hi is not None
    assert q.step is not None
    assert q.lo <= default <= q.hi
    assert 0 < q.step <= (q.hi - q.lo) / 2
    for end in (default, q.hi):
        steps = (end - q.lo) / q.step
        assert math.isclose(steps, round(steps), abs_tol=1e-6), f"{end:g} is no multiple of {q.step:g} from {q.lo:g}"
    if isinstance(default, int):
        assert float(q.step).is_integer()
        assert float(q.lo).is_integer()
        assert float(q.hi).is_integer()


@pytest.mark.parametrize("name", TUPLES)
def test_lists_hold_to_their_bounds_or_choices(name):
    q, default = quantity_of(name), Scenario().value(name)
    if q.choices is not None:
        assert set(default) <= set(q.choices)
    else:
        assert all(q.lo <= item <= q.hi for item in default)


def test_every_default_is_plain():
    for name in NAMES:
        assert type(Scenario().value(name)) in (bool, int, float, str, tuple)


def test_names_are_ordered_by_group():
    groups = [n.partition(".")[0] for n in NAMES]
    assert list(dict.fromkeys(groups)) == ["control", "network", "twin", "allocation", "mission", "formulation"]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)
