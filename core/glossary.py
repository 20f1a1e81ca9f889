"""What every word and symbol of the page means, in one place: `GLOSSARY["interaction index"]`, `lookup("ρ_dl")`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import yaml

from core.errors import SafeExplorerError
from core.folders import DATA
from core.scenario import field_names, quantity_of

FILE = DATA / "glossary.yaml"
MOST_WORDS = 30
"""Of a sentence: more is an explanation, and belongs into the guide."""


@dataclass(frozen=True)
class Term:
    """One entry.

    Args:
        name: in words; of a control without an entry in the file, its name in links and scenario files.
        symbol: as the page prints it; "" where there is only a word.
        unit: "" where it has none.
        sentence: what it is, for a person who has not read the paper.
        source: section or table of the paper, or decision number.
        related: names of other entries.
        field: dotted name of the control that it is; "" where it is none.
    """

    name: str
    symbol: str
    unit: str
    sentence: str
    source: str
    related: tuple[str, ...] = ()
    field: str = ""

    @property
    def title(self) -> str:
        """Symbol, name and unit in one line, such as "g, interaction index [opportunities]"."""
        named = self.name if self.symbol in ("", self.name, f"{self.name}s") else f"{self.symbol}, {self.name}"
        return f"{named} [{self.unit}]" if self.unit else named


def _written() -> dict[str, Term]:
    """The entries of the file; a control named in one lends it symbol, unit and sentence."""
    found = {}
    for name, given in yaml.safe_load(FILE.read_text(encoding="utf-8")).items():
        entry: dict[str, Any] = {"symbol": "", "unit": "", "related": (), **given}
        if "field" in entry:
            meta = quantity_of(entry["field"])
            entry |= {"symbol": meta.symbol, "unit": meta.unit, "sentence": entry.get("sentence", meta.doc)}
        found[name] = Term(name, **{**entry, "related": tuple(entry["related"])})
    return found


def _of_controls(written: Mapping[str, Term]) -> dict[str, Term]:
    """An entry for every control of a scenario that the file leaves out, from the control's own metadata."""
    named = {term.field for term in written.values()}
    found = {}
    for field in field_names():
        if field not in named:
            meta, leaf = quantity_of(field), field.rpartition(".")[2]
            source = meta.ref if ":" not in meta.ref else "the paper"
            found[leaf] = Term(leaf, meta.symbol, meta.unit, meta.doc, source, field=field)
    return found


_WRITTEN = _written()
GLOSSARY: Mapping[str, Term] = MappingProxyType(_WRITTEN | _of_controls(_WRITTEN))
"""Every entry by its name, those of the file first."""
_BY_SYMBOL = {term.symbol: term for term in reversed(tuple(GLOSSARY.values())) if term.symbol}


def lookup(word: str) -> Term:
    """The entry of a symbol or a name, the file's own entry where a symbol has two; unknown words are errors with a near one.

    Args:
        word: such as "g", "ρ_dl", "V / V_max" or "interaction index".
    """
    squeezed = word.replace(" / ", "/").strip()
    term = _BY_SYMBOL.get(squeezed) or GLOSSARY.get(squeezed)
    if term is None:
        by_case = {name.lower(): entry for name, entry in GLOSSARY.items()}
        term = by_case.get(squeezed.lower())
    if term is None:
        near = difflib.get_close_matches(word, [*GLOSSARY, *_BY_SYMBOL], n=1)
        raise SafeExplorerError(f"The glossary has no {word!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
    return term
