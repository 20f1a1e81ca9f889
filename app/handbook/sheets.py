"""Pages of help that no document holds: what this is, the glossary, the keys, the tours."""

from __future__ import annotations

import functools
import html
from collections.abc import Mapping

import yaml

from app.handbook.documents import Sheet, decisions_linked, document, document_names
from core import __version__
from core.folders import CITATION
from core.glossary import GLOSSARY, Term

MODELLED = (
    "Every UAV's error, estimate and command; every link with path loss, building, shadowing, fading and short-packet errors; "
    "routes over relays; the frame slot by slot with retransmissions; the twin's predictions and how wrong they are; gusts and noise."
)
LEFT_OUT = (
    "Attitude and rotors (a UAV follows its velocity command), other radios on the same channel beyond a fixed margin, lost clocks, "
    "and a ground station that fails. Where the paper leaves something open, a decision says what was chosen."
)
KEYS = (
    (
        "The tour",
        (
            ("→ or Page Down", "next step"),
            ("← or Page Up", "previous step"),
            ("Esc", "leave; the page keeps what is shown"),
        ),
    ),
    ("The timeline, once it has the focus", (("Space", "play and pause"), ("← and →", "one cycle back and forward"))),
    ("A slider", (("← and →", "one step"), ("Page Up and Page Down", "ten steps"), ("Home and End", "its ends"))),
    (
        "The scene of the flight",
        (("arrow keys", "turn"), ("+ and −", "zoom"), ("n and p", "next and previous UAV"), ("0", "show all")),
    ),
    ("Everywhere", (("Tab and Shift Tab", "go from control to control"), ("Esc", "close a menu or this window"))),
)
OURS = {"about": "About", "glossary": "Glossary", "keys": "Keyboard", "tours": "Tours"}
"""Pages that are made here, by name."""


def contents() -> list[tuple[str, str]]:
    """Name and title of every page of help."""
    return [*OURS.items(), *((name, document(name).title) for name in document_names())]


def sheet(name: str, tours: Mapping[str, str]) -> Sheet:
    """A page of help; KeyError when there is none of this name.

    Args:
        name: one of `contents`.
        tours: title of every tour, or what is wrong with it, by name.
    """
    if name == "tours":
        return _tours(tours)
    made = {"about": _about, "glossary": _glossary, "keys": _keys}.get(name)
    return made() if made is not None else document(name)


@functools.cache
def _about() -> Sheet:
    cited = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    paper = cited["preferred-citation"]
    authors = ", ".join(f"{a['given-names']} {a['family-names']}" for a in paper["authors"])
    e = html.escape
    text = (
        f"<h1>{e(cited['title'])}</h1><p>An explorer of one paper: how a ground station shares one radio frame among many UAVs so that "
        "each loop it serves is certified to stay under control. Every number on the page is computed by the working implementation "
        "behind it.</p>"
        f"<p>Version {e(__version__)}, licence {e(cited['license'])}.</p>"
        f"<h2>The paper</h2><p>{e(authors)}: <em>{e(paper['title'])}</em>.</p>"
        f"<h2>What is modelled</h2><p>{MODELLED}</p><h2>What is not</h2><p>{LEFT_OUT}</p>"
        "<h2>Go on</h2><ul>"
        '<li><a href="#help" data-tour="paper">The tour</a>: the paper in eight pictures</li>'
        '<li><a href="#help" data-doc="GUIDE.md">User guide</a>: every control and every picture</li>'
        '<li><a href="#help" data-doc="glossary">Glossary</a>: every word and symbol</li>'
        '<li><a href="#help" data-doc="DECISIONS.md">Decisions</a>: where the paper is silent, inconsistent or wrong</li></ul>'
    )
    return Sheet("about", OURS["about"], text)


@functools.cache
def _glossary() -> Sheet:
    rows = "".join(
        map(
            _entry,
            sorted(GLOSSARY.values(), key=lambda term: (" " not in term.name and bool(term.field), term.name.lower())),
        )
    )
    return Sheet("glossary", OURS["glossary"], f"<h1>Glossary</h1><dl>{rows}</dl>")


def _entry(term: Term) -> str:
    e = html.escape
    related = ", ".join(f'<a href="#help" data-doc="glossary#{e(_id(name))}">{e(name)}</a>' for name in term.related)
    source = decisions_linked(e(term.source))
    return f'<dt id="{e(_id(term.name))}">{e(term.title)}</dt><dd>{e(term.sentence)} <small>{source}{". See " + related if related else ""}.</small></dd>'


def _id(name: str) -> str:
    return name.lower().replace(" ", "-")


@functools.cache
def _keys() -> Sheet:
    e = html.escape
    parts = "".join(
        f"<h2>{e(where)}</h2><table>{''.join(f'<tr><td><b>{e(key)}</b></td><td>{e(what)}</td></tr>' for key, what in keys)}</table>"
        for where, keys in KEYS
    )
    return Sheet("keys", OURS["keys"], f"<h1>Keyboard</h1>{parts}")


def _tours(tours: Mapping[str, str]) -> Sheet:
    e = html.escape
    items = "".join(
        f'<li><a href="#help" data-tour="{e(name)}">{e(name)}</a>: {e(title)}</li>' for name, title in tours.items()
    )
    text = (
        f"<h1>Tours</h1><ul>{items}</ul><p>Each step is a link, such as <code>?tour=paper&amp;step=3</code>. To show a tour of your own, "
        'choose <b>Load a tour</b> in the Help menu; <a href="#help" data-doc="TEACHING.md#a-tour-of-your-own">how to write one</a>.</p>'
    )
    return Sheet("tours", OURS["tours"], text)
