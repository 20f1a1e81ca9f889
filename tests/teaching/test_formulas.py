"""The numbers beside the formulas are the paper's, and every equation of the index has one."""

import re

import pytest
from harness import ROOT

from app.teaching.equations import NUMBERS, equation_number
from app.teaching.formulas import OURS, PAPER, formula
from core.errors import SafeExplorerError


def test_every_equation_of_the_paper_has_its_number() -> None:
    labels = (ROOT / "tests" / "data" / "paper_labels.txt").read_text().split()
    assert set(NUMBERS) == {label for label in labels if label.startswith("eq:")}
    assert sorted(NUMBERS.values()) == sorted(set(NUMBERS.values())), "no number twice"


def test_every_equation_of_the_index_has_a_number() -> None:
    index = (ROOT / "core" / "EQUATIONS.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(eq:[\w-]+)`", index, re.M)) <= set(NUMBERS)


@pytest.mark.parametrize(
    ("label", "number"),
    [("eq:plant-dynamics", 1), ("eq:drift-bound", 28), ("eq:p2-dp-recurrence", 37), ("eq:alpha-raw", 39)],
)
def test_some_numbers_read_in_the_paper(label: str, number: int) -> None:
    assert equation_number(label) == number
    assert f"({number})" in formula(label)._repr_mimebundle_()["text/plain"]


@pytest.mark.parametrize("name", [*PAPER, *OURS])
def test_every_formula_is_shown_both_ways_and_used(name: str, notebook_sources: str) -> None:
    found = formula(name)
    latex = found._repr_mimebundle_()["text/latex"]
    assert latex.startswith("$$")
    assert latex.endswith("$$")
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\begin") == latex.count(r"\end")
    assert found.__panel__().object.text == latex
    assert f'formula("{name}")' in notebook_sources


def test_an_unknown_formula_is_explained() -> None:
    with pytest.raises(SafeExplorerError, match="eq:drift-bound"):
        formula("eq:nothing")
    with pytest.raises(SafeExplorerError, match="no equation"):
        equation_number("eq:nothing")
