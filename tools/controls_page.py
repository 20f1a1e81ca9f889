"""docs/CONTROLS.md, the page of all controls: `python -m tools.controls_page` writes it from the fields' own metadata."""

from __future__ import annotations

from typing import Any

from app.components.controls import ELSEWHERE, groups
from app.state import CONTROLS, FIELDS, default_of, metadata_of
from core.folders import DATA

PAGE = DATA.parent / "docs" / "CONTROLS.md"

HEAD = """# All controls

Written by `python -m tools.controls_page` from `core/scenario/groups.py` and `app/state.py`, where every fact below has its only home; a test keeps
this page equal to them. How to use the controls is in the [user guide](GUIDE.md), what an equation label stands for in [core/EQUATIONS.md](../core/EQUATIONS.md), a
D-number in [DECISIONS.md](DECISIONS.md).

*Name* is what a shared link says (`?beta=0.1`); *field* is what a scenario file, `--vary` and Python say; a control without a field belongs to the view, not to
the scenario. *Default* names its origin: printed in the **paper**, or **ours**; *as flown* is whatever the flight
behind the page says. A slider moves in steps; its bounds are those of the whole program.
"""

COLUMNS = ("symbol", "name", "field", "unit", "bounds", "default", "what it is", "reference")


def controls_page() -> str:
    """The page as Markdown: one table per group of the sidebar, in its order, and the controls of header and timeline."""
    found = [(g["title"] or "Always in view", [item["name"] for item in g["items"]]) for g in groups()]
    parts = [HEAD]
    for title, names in [
        ("At the top of the page, on the timeline and in the dialog for own files", list(ELSEWHERE)),
        *found,
    ]:
        parts.append(f"## {title}\n")
        rows = [COLUMNS, tuple("---" for _ in COLUMNS), *(_row(name) for name in names)]
        parts.append("\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n")
    return "\n".join(parts)


def listed() -> list[str]:
    """Every control on the page, in its order."""
    return [*ELSEWHERE, *(item["name"] for group in groups() for item in group["items"])]


def _row(name: str) -> tuple[str, ...]:
    meta, default = metadata_of(name), default_of(name)
    cells = (
        meta.symbol,
        f"`{name}`",
        f"`{FIELDS[name]}`" if name in FIELDS else "–",
        meta.unit or "–",
        _bounds(name),
        "as flown" if default is None else f"{_text(default)} ({meta.origin})",
        meta.doc,
        meta.ref,
    )
    return tuple(cell.replace("|", r"\|") for cell in cells)


def _bounds(name: str) -> str:
    meta, default = metadata_of(name), default_of(name)
    if isinstance(default, bool):
        return "on, off"
    if meta.own is not None:
        return "a file of your own (FILES.md)"
    if meta.choices:
        return ("any of " if isinstance(default, tuple) else "") + ", ".join(meta.choices)
    each = "each " if isinstance(default, tuple) else ""
    step = f", step {meta.step:g}" if meta.step else ""
    return f"{each}{meta.lo:g} … {meta.hi:g}{step}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(_text(v) for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def main() -> None:
    """Write the page."""
    if missing := set(CONTROLS) - set(listed()):
        raise SystemExit(f"No group of the sidebar shows {', '.join(sorted(missing))}.")
    PAGE.write_text(controls_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
