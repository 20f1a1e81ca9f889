"""The example of docs/POLICIES.md runs as it is printed."""

import re
from pathlib import Path

from core.simulation import POLICIES

PAGE = Path(__file__).parents[3] / "docs" / "POLICIES.md"


def test_the_example_policy_flies(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    try:
        exec(compile(code, str(PAGE), "exec"), {"__name__": "example"})
        assert "mean_rmse_m" in capsys.readouterr().out
    finally:
        POLICIES.pop("Largest-Error", None)


def test_every_policy_is_listed():
    listed = set(re.findall(r"^\| ([\w-]+) \| `", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert listed == set(POLICIES)
