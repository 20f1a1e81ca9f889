"""The glossary: short plain sentences, nothing named that is not there, every control in it."""

import re

import pytest

from core.errors import SafeExplorerError
from core.glossary import GLOSSARY, MOST_WORDS, lookup
from core.scenario import field_names, quantity_of

WRITTEN = [
    term
    for term in GLOSSARY.values()
    if " " in term.name or not term.field or term.sentence != quantity_of(term.field).doc
]


@pytest.mark.parametrize("term", GLOSSARY.values(), ids=lambda term: term.name)
def test_an_entry_is_one_short_plain_remark(term) -> None:
    assert 2 <= len(term.sentence.split()) <= MOST_WORDS
    assert term.sentence.endswith(".")
    assert re.fullmatch(r"Section (I|II|III|IV|V)(-[A-F])?|Table I|D\d{1,2}|the paper", term.source), term.source
    assert not re.search(r"\b(eq|prop|lem|rem|def|alg|sec):", term.sentence)
    for name in term.related:
        assert name in GLOSSARY
        assert name != term.name


@pytest.mark.parametrize("term", WRITTEN, ids=lambda term: term.name)
def test_no_sentence_of_the_file_repeats_a_default(term) -> None:
    """0 and 1 are edges of a scale; any other number would be a default, a bound or a result that changes one day."""
    assert set(re.findall(r"\d+(?:\.\d+)?", term.sentence)) <= {"0", "1"}


def test_every_control_of_a_scenario_has_one_entry() -> None:
    fields = [term.field for term in GLOSSARY.values() if term.field]
    assert sorted(fields) == sorted(field_names())
    for field in fields:
        assert lookup(quantity_of(field).symbol).sentence


def test_look_up_by_symbol_and_by_name() -> None:
    assert lookup("g").name == "interaction index"
    assert lookup("V / V_max") is lookup("V/V_max")
    assert lookup("Interaction index") is lookup("g")
    assert lookup("β").unit == quantity_of("twin.beta").unit
    assert lookup("g").title == "g, interaction index [opportunities]"
    with pytest.raises(SafeExplorerError, match="Did you mean 'interaction index'"):
        lookup("interaction indx")
