"""docs/RELIABILITY.md: what stands between two marks is written by this command."""

from __future__ import annotations

from tools.reliability import ROOT

PAGE = ROOT / "docs" / "RELIABILITY.md"
BEGIN, END = "<!-- table: python -m tools.reliability --table -->", "<!-- end of the table -->"


def read_section() -> str:
    """What stands between the marks."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip("\n")


def write_section(text: str) -> None:
    """Put something else between the marks."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
