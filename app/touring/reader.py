"""How the file of a tour is read: safe YAML, limits on everything, and a refusal that names the line and what to change."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from app.share_links import parse_query, read_query
from app.state import CONTROLS, State
from app.touring.named_numbers import NAME, known
from app.touring.tour import Scenery, Step, Tour
from core.errors import SafeExplorerError
from core.scenario.loader import PlainLoader

MOST_BYTES = 64_000
MOST_STEPS = 40
MOST_DEEP = 6
"""Lists and mappings within each other; a tour needs three."""
LENGTHS = {"title": 80, "author": 80, "say": 400, "look": 240, "link": 2000, "control": 40, "show": 40}
"""Most characters of each entry: what fits on a projector."""
OF_A_TOUR, OF_A_STEP = ("title", "author", "steps"), ("title", "say", "link", "control", "look", "show")
NEEDED = {"title", "author", "steps", "say", "link"}


class TourError(SafeExplorerError, ValueError):
    """A tour that cannot be shown; the message names file, line and what to change."""


class _Loader(PlainLoader):
    """Plain YAML as nodes, which know their line; nesting is counted, since each level costs the reader stack."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth += 1
        if self.depth > MOST_DEEP:
            raise self._refusal("lists and mappings are nested too deeply")
        try:
            if self.check_event(yaml.events.AliasEvent):
                raise self._refusal("aliases (*name) are not allowed")
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def _refusal(self, problem: str) -> yaml.MarkedYAMLError:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def read_tour(path: Path, scenery: Mapping[str, Scenery]) -> Tour:
    """The tour in a file; TourError when it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TourError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    return parse_tour(data, path.name, scenery)


def parse_tour(data: bytes, file: str, scenery: Mapping[str, Scenery]) -> Tour:
    """The tour in the bytes of a file.

    Args:
        data: what was read or uploaded.
        file: its name, for messages; the stem names the tour.
        scenery: what each tab offers, by its name in links.
    """
    return _Reading(file, scenery).tour(data)


class _Reading:
    """One file on its way to a tour; every refusal says where."""

    def __init__(self, file: str, scenery: Mapping[str, Scenery]) -> None:
        self.file, self.scenery = file, scenery

    def refuse(self, where: yaml.Node | yaml.Mark | None, text: str) -> TourError:
        mark = where.start_mark if isinstance(where, yaml.Node) else where
        place = f"{self.file}, line {mark.line + 1}" if mark is not None else self.file
        return TourError(f"{place}: {text}")

    def tour(self, data: bytes) -> Tour:
        if len(data) > MOST_BYTES:
            raise self.refuse(None, f"the file has {len(data)} bytes; a tour has at most {MOST_BYTES}.")
        entries = self.mapping(self.root(data), OF_A_TOUR, "a tour")
        steps = entries["steps"]
        if not isinstance(steps, yaml.SequenceNode):
            raise self.refuse(steps, "steps must be a list: start each step with a dash, such as “- title: …”.")
        if not 1 <= len(steps.value) <= MOST_STEPS:
            raise self.refuse(steps, f"there are {len(steps.value)} steps; give between 1 and {MOST_STEPS}.")
        name = Path(self.file).stem
        title, author = (self.text(entries[key], key) for key in ("title", "author"))
        return Tour(name, title, author, tuple(map(self.step, steps.value)))

    def root(self, data: bytes) -> yaml.Node:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise TourError(f"{self.file}, line {line}: this is not UTF-8 text; save the file as UTF-8.") from error
        try:
            node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            problem = (error.problem or error.context or "it is no YAML").rstrip(".")
            raise self.refuse(error.problem_mark or error.context_mark, f"{problem}. {_ADVICE}") from error
        except yaml.YAMLError as error:
            raise self.refuse(None, f"{' '.join(str(error).split())}. {_ADVICE}") from error
        if node is None:
            raise self.refuse(None, "the file is empty; write title, author and steps.")
        return node

    def mapping(self, node: yaml.Node, allowed: tuple[str, ...], what: str) -> dict[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self.refuse(
                node, f"{what} must be written as “name: value” lines; its names are {', '.join(allowed)}."
            )
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            if name not in allowed:
                raise self.refuse(key, f"“{name[:40]}” is not known in {what}{_near(name, allowed)}.")
            if name in found:
                raise self.refuse(key, f"“{name}” is given twice; keep one.")
            found[name] = value
        for name in allowed:
            if name in NEEDED and name not in found:
                raise self.refuse(node, f"{what} needs “{name}: …”; add it.")
        return found

    def text(self, node: yaml.Node, name: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            raise self.refuse(node, f"{name} must be a text; write it in quotes.")
        text = " ".join(node.value.split())
        if len(text) > LENGTHS[name]:
            raise self.refuse(node, f"{name} has {len(text)} characters; at most {LENGTHS[name]} fit on a projector.")
        return text

    def step(self, node: yaml.Node) -> Step:
        entries = self.mapping(node, OF_A_STEP, "a step")
        values = {name: self.text(value, name) for name, value in entries.items()}
        scenery = self.link(entries["link"], values["link"])
        for name in ("say", "look"):
            if name in values:
                self.sentence(entries[name], values[name], scenery)
        control = values.get("control", "")
        if control and control not in CONTROLS:
            raise self.refuse(entries["control"], f"there is no control “{control}”{_near(control, CONTROLS)}.")
        part = values.get("show", "")
        if part and part not in scenery.parts:
            there = f"; this tab has {', '.join(scenery.parts)}" if scenery.parts else "; this tab is shown as a whole"
            raise self.refuse(entries["show"], f"there is no part “{part}”{there}.")
        return Step(**values)

    def link(self, node: yaml.Node, text: str) -> Scenery:
        """What the tab of a link offers; a link that would not be taken whole is refused."""
        state = State()
        arguments = parse_query(text)
        inner = {"tour", "step"} & arguments.keys()
        if inner:
            raise self.refuse(node, f"the link of a step names no {inner.pop()}; leave it out.")
        complaints = read_query(state, arguments)
        if complaints:
            raise self.refuse(node, f"the link is not good: {complaints[0]} Copy it again from the address bar.")
        if state.tab not in self.scenery:
            raise self.refuse(node, f"there is no tab “{state.tab}”{_near(state.tab, self.scenery)}.")
        return self.scenery[state.tab]

    def sentence(self, node: yaml.Node, text: str, scenery: Scenery) -> None:
        allowed = known(scenery.numbers)
        for name in NAME.findall(text):
            if name not in allowed:
                raise self.refuse(node, f"there is no number “{{{name}}}” on this tab{_near(name, allowed)}.")
        if "{" in NAME.sub("", text) or "}" in NAME.sub("", text):
            raise self.refuse(node, "a brace is not closed; numbers are written as {admitted}.")


_ADVICE = "Texts with a colon or a brace in them need quotes, and lines of one step start in the same column."


def _near(name: str, allowed: Iterable[str]) -> str:
    options = sorted(allowed)
    near = difflib.get_close_matches(name, options, n=1)
    if near:
        return f"; did you mean “{near[0]}”?".rstrip("?") + "?"
    return f"; known are {', '.join(options)}" if len(options) <= 12 else "; docs/TEACHING.md lists them"
