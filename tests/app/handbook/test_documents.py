"""Help: every document renders, its links and images work on the page, D-numbers lead to their decision."""

from __future__ import annotations

import html
import re

import pytest

from app.handbook.documents import anchor, decisions_linked, document, document_names
from app.handbook.sheets import OURS, contents, sheet
from app.help_desk import HELP
from core import __version__
from core.glossary import GLOSSARY

TOURS = {"paper": "The paper", "<b>": "<i>"}


@pytest.mark.parametrize("name", document_names())
def test_links_of_a_document_stay_on_the_page_and_lead_somewhere(name: str) -> None:
    text = document(name).html
    assert '<img src="data:image' in text or "<img" not in text
    for target in re.findall(r'data-doc="([^"]*)"', text):
        page, _, place = html.unescape(target).partition("#")
        found = sheet(page, {}).html
        assert not place or f'id="{place}"' in found, target
    for address in re.findall(r'href="([^"]*)"', text):
        assert address == "#help" or address.startswith(("http://", "https://")), address


def test_every_page_of_help_is_there_and_the_menu_leads_to_them() -> None:
    for name, title in contents():
        assert sheet(name, TOURS).title == title
    there = {name for name, _ in contents()}
    assert {item["key"] for item in HELP["items"] if "kind" not in item} <= there
    assert {"GUIDE.md", "DECISIONS.md", "TEACHING.md"} <= there
    for name in ("nothing.md", "../README.md", "/etc/passwd"):
        with pytest.raises(KeyError):
            sheet(name, {})


def test_images_come_with_the_page() -> None:
    assert document("REPRODUCTION.md").html.count('<img src="data:image/svg+xml;base64,') == 4


def test_d_numbers_are_links_except_in_headings_code_and_links() -> None:
    made = decisions_linked("as D11 says (D6), <code>D5</code>, <a href='#'>D4</a>, D99, MD5 <h2>D3</h2>")
    assert re.findall(r'data-doc="DECISIONS.md#(d\d+)"', made) == ["d11", "d6"]
    assert anchor("D11 What g does (R)") == "d11"
    assert anchor("A tour of your own") == "a-tour-of-your-own"


def test_about_says_version_licence_and_paper() -> None:
    text = sheet("about", {}).html
    for words in (__version__, "MIT", "Control-Certified Wireless Resource Allocation", "What is not"):
        assert words in text


def test_the_glossary_has_every_word_and_no_equation_label() -> None:
    text = sheet("glossary", {}).html
    assert text.count("<dt ") == len(GLOSSARY)
    for name in OURS:
        assert not re.search(r"\b(eq|prop|lem|rem|sec):[a-z]", sheet(name, TOURS).html)


def test_names_of_tours_are_escaped() -> None:
    text = sheet("tours", TOURS).html
    assert "&lt;b&gt;" in text
    assert "<i>" not in text
