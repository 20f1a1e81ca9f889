"""The names that a tour may use, in docs/TEACHING.md: `python -m tools.tour_names` writes them from the code that knows them."""

from __future__ import annotations

import re

from app.page import SCENERY
from app.touring.named_numbers import NUMBERS
from core.folders import DATA

PAGE = DATA.parent / "docs" / "TEACHING.md"
BLOCK = re.compile(r"(<!-- tour: [^>]*-->\n).*?(<!-- /tour -->)", re.S)


def tour_names() -> str:
    """Parts and numbers of every tab, and the numbers that all tabs know, as Markdown."""
    rows = ["| tab | parts for `show` | numbers of its own |", "|---|---|---|"]
    for name, scenery in SCENERY.items():
        parts = ", ".join(f"`{part}`" for part in scenery.parts) or "–"
        numbers = "; ".join(f"`{{{number}}}` {meaning}" for number, meaning in scenery.numbers.items()) or "–"
        rows.append(f"| `{name}` | {parts} | {numbers} |")
    listed = "; ".join(f"`{{{name}}}` {number.meaning}" for name, number in NUMBERS.items())
    return (
        "\n".join(rows) + f"\n\nNumbers on every tab: {listed}. Any control stands for its value, such as `{{beta}}`.\n"
    )


def written(text: str) -> str:
    """The document with the names of today."""
    return BLOCK.sub(lambda found: found[1] + "\n" + tour_names() + "\n" + found[2], text)


def main() -> None:
    """Write them."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
