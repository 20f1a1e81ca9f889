"""A reader sees a true minus sign in numbers and only there; what is read back by a machine never has one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_number import read_number

import app
import core
from core.allocation import Sentence
from core.numerals import numeral, readable
from core.scenario import Scenario
from core.scenario.plain_numbers import number_text, plain_number

SOURCES = [p for package in (core, app) for p in Path(package.__path__[0]).rglob("*.py")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-0.0123", "−0.0123"),
        ("Φ = -0.5 m², SNR -3 dB", "Φ = −0.5 m², SNR −3 dB"),
        ("-0.2 … -0.1", "−0.2 … −0.1"),
        ("[-20, 20]", "[−20, 20]"),
        ("-1.5e-05 and 3e-05", "−1.5e−05 and 3e−05"),
        ("-.5 and -inf", "−.5 and −inf"),
    ],
)
def test_signs_of_numbers_become_minus_signs(text: str, shown: str) -> None:
    assert readable(text) == shown
    assert readable(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "14-slot exchange",
        "Cert-Fixed",
        "2026-10-05",
        "cycles 0-60",
        "mission-3.yaml",
        "a-1e-5",
        "--seed",
        "1 - β",
        "e-3",
    ],
)
def test_other_hyphens_stay(text: str) -> None:
    assert readable(text) == text


@given(st.floats(allow_nan=False), st.sampled_from(["", "g", "+.4g", ".3f", ".0e", ".12g"]))
def test_a_numeral_is_the_number_in_that_format(value: float, form: str) -> None:
    assert read_number(numeral(value, form)) == float(format(value, form))


@given(st.floats(-1e6, 1e6), st.sampled_from([".4g", "+.4g", ".3f↓", ".3f↑"]))
def test_every_number_of_a_sentence_has_a_true_minus_sign(value: float, form: str) -> None:
    (part,) = Sentence.of(f"{{x:{form}}}", {"x": value})
    assert read_number(part.text) == pytest.approx(value, rel=1e-3, abs=1.1e-3)


@given(st.floats(-1e6, 1e6))
def test_what_links_and_files_write_stays_plain_and_reads_back(value: float) -> None:
    assert float(plain_number(number_text(value))) == value
    assert number_text(value).isascii()


def test_settings_for_a_machine_have_hyphens() -> None:
    changed = Scenario().replace(**{"network.snr_offset_db": -3.0})
    assert "−" not in changed.to_yaml()
    assert "snr_offset_db: -3.0" in changed.to_yaml()


def test_no_other_place_turns_hyphens_into_minus_signs() -> None:
    """One formatter for readers; `core/figures/arrays/contour.py` labels contour lines with its own."""
    own = [p for p in SOURCES if re.search(r'replace\(\s*"-",\s*"−"', p.read_text(encoding="utf-8"))]
    assert {p.name for p in own} <= {"numerals.py", "contour.py"}


def test_the_formatter_is_on_no_way_to_a_machine() -> None:
    """Links, Python code, files and the command line do not import it."""
    silent = ("share_links.py", "link_values.py", "as_python.py", "course.py", "exports.py")
    for path in SOURCES:
        inside = path.relative_to(Path(core.__path__[0]).parent)
        if path.name in silent or inside.parts[:2] in {
            ("core", p) for p in ("cli", "files", "scenario", "studies", "simulation")
        }:
            names = {
                n.module for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom)
            }
            assert "core.numerals" not in names, path
