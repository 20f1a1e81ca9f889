"""Every repair says what it repairs, in which version, and has a canary that tells when it can go."""

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPAIRS = sorted(p for p in (HERE.parents[2] / "app" / "panel_fixes").glob("*.py") if p.stem != "__init__")
LIBRARY = re.compile(r"A (?:repair of|reach into) (?:Panel|Bokeh|panel-material-ui) \d+\.\d+: ")


@pytest.mark.parametrize("path", REPAIRS, ids=lambda p: p.stem)
def test_a_repair_names_its_version_and_has_a_canary(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert said is not None
    assert LIBRARY.match(said)
    assert "this repair can go" in (HERE / f"test_{path.stem}.py").read_text(encoding="utf-8")


def test_nothing_else_of_the_page_uses_private_names_of_panel() -> None:
    """A private attribute of anything but one's own object, in files that are no repair."""
    app = HERE.parents[2] / "app"
    found = []
    for path in app.rglob("*.py"):
        if path in REPAIRS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and re.match(r"_[a-z]", node.attr)
                and node.attr not in ("_asdict", "_replace")  # public names of a NamedTuple
                and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
            ):
                found.append(f"{path.relative_to(app)}:{node.lineno} {ast.unparse(node)}")
    assert found == []
