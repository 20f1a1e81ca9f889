"""The documents as HTML: Markdown read once, images put in, links between documents kept on the page."""

from __future__ import annotations

import base64
import functools
import html
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from core.folders import DOCS

ROOT = DOCS.parent
TITLES = {
    "GUIDE.md": "User guide",
    "DECISIONS.md": "Decisions",
    "TEACHING.md": "For the teacher",
    "CONTROLS.md": "All controls",
    "STUDIES.md": "Studies",
    "POLICIES.md": "Policies",
    "METRICS.md": "Metrics",
    "REPRODUCTION.md": "Reproduction",
    "CALIBRATION.md": "Calibration",
    "ARCHITECTURE.md": "Architecture",
    "DEPLOYMENT.md": "Deployment",
    "CLUSTER.md": "Cluster",
}
"""Documents in the order of the menu; others of the folder follow by name."""
IMAGES = {".png": "image/png", ".svg": "image/svg+xml"}
DECISION = re.compile(r"\bD([1-9][0-9]?)\b")
_TAG = re.compile(r"(<[^>]*>)")
_HEADING = re.compile(r"<(h[1-4])>(.*?)</\1>", re.S)
_LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.S)
_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"[^>]*>')


class Sheet(NamedTuple):
    """One page of help: its name in links, its title, its HTML."""

    name: str
    title: str
    html: str


def document_names() -> list[str]:
    """Documents that can be read on the page, in the order of the menu."""
    there = {path.name for path in DOCS.glob("*.md")}
    return [name for name in TITLES if name in there] + sorted(there - TITLES.keys())


@functools.lru_cache(maxsize=32)
def document(name: str) -> Sheet:
    """A document of the folder docs as HTML; KeyError when there is none of this name."""
    if name not in document_names():
        raise KeyError(name)
    made = MarkdownIt("commonmark").enable("table").render((DOCS / name).read_text(encoding="utf-8"))
    made = made.replace("\n<strong>", "<br><strong>")  # the parts of a decision, each on its own line
    made = _HEADING.sub(lambda m: f'<{m[1]} id="{anchor(m[2])}">{m[2]}</{m[1]}>', made)
    made = _IMAGE.sub(lambda m: _image(html.unescape(m[1]), m[2]), made)
    made = _LINK.sub(lambda m: _link(name, html.unescape(m[1]), m[2]), made)
    return Sheet(name, TITLES.get(name, name.removesuffix(".md").capitalize()), decisions_linked(made))


def anchor(heading: str) -> str:
    """Name of a heading in links; a decision goes by its number alone."""
    text = html.unescape(re.sub(r"<[^>]*>", "", heading))
    decision = re.match(r"D[0-9]+\b", text)
    return decision[0].lower() if decision else re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-")


def decisions_linked(text: str) -> str:
    """HTML in which every D-number of the text is a link to that decision; headings, links and code stay as they are.

    Args:
        text: HTML of ours, or escaped.
    """
    inside, made = 0, []
    for piece in _TAG.split(text):
        if piece.startswith("<"):
            tag = re.match(r"</?\s*(a|code|pre|h1|h2|h3)\b", piece)
            inside += 0 if tag is None else -1 if piece.startswith("</") else 1
            made.append(piece)
        else:
            made.append(piece if inside else DECISION.sub(_to_decision, piece))
    return "".join(made)


def _to_decision(found: re.Match[str]) -> str:
    number = found[0]
    return f'<a href="#help" data-doc="DECISIONS.md#{number.lower()}">{number}</a>' if number in _decided() else number


@functools.cache
def _decided() -> frozenset[str]:
    text = (DOCS / "DECISIONS.md").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^## (D[0-9]+)\b", text, re.M))


def _link(here: str, target: str, words: str) -> str:
    parts = urlsplit(target)
    if parts.scheme in ("http", "https"):
        return f'<a href="{html.escape(target)}" target="_blank" rel="noopener noreferrer">{words}</a>'
    name, fragment = parts.path or here, parts.fragment
    if name not in document_names():  # a file of the project that the page does not show
        return f"<span>{words}</span> <small>({html.escape(Path(name).name)})</small>"
    if name == "DECISIONS.md" and (decision := re.match(r"d[0-9]+", fragment)):
        fragment = decision[0]
    place = html.escape(f"{name}#{fragment}" if fragment else name)
    return f'<a href="#help" data-doc="{place}">{words}</a>'


def _image(source: str, words: str) -> str:
    path = (DOCS / source).resolve()
    if path.suffix not in IMAGES or not path.is_relative_to(ROOT) or not path.is_file():
        return f"<em>{words}</em>"
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img src="data:{IMAGES[path.suffix]};base64,{data}" alt="{words}">'
