"""Whatever the menus ask for that is about reading: pages of help, tours, uploads of tours."""

from __future__ import annotations

from typing import Any

from app.components.menus import Menus
from app.handbook.sheets import contents, sheet
from app.link_values import plain
from app.session import Session
from app.stage import Stage
from app.touring.catalogue import tour, tour_files
from app.touring.reader import MOST_BYTES, TourError, parse_tour
from app.touring.tour import Scenery, Tour

TOUR = {"label": "Tour", "key": "tour", "says": "The paper's story in eight pictures, in large type"}
HELP: dict[str, Any] = {
    "label": "Help",
    "says": "What this is, how to use it, what words mean",
    "items": [
        {"key": "about", "label": "About", "says": "What this is, version, licence, paper"},
        {"key": "GUIDE.md", "label": "User guide", "says": "Every control and every picture"},
        {"key": "glossary", "label": "Glossary", "says": "Every word and symbol in a sentence"},
        {"key": "DECISIONS.md", "label": "Decisions", "says": "Where the paper is silent, inconsistent or wrong"},
        {"key": "keys", "label": "Keyboard", "says": "Keys that do something"},
        {"key": "tours", "label": "Tours", "says": "All tours of this server"},
        {
            "key": "load_tour",
            "label": "Load a tour",
            "says": "Show a tour from a file of yours",
            "kind": "file",
            "accept": ".yaml,.yml",
            "most": MOST_BYTES,
        },
    ],
}
"""Two buttons at the top."""


class HelpDesk:
    """Answers the Help menu and every link of the page to a document, a decision or a tour."""

    def __init__(self, session: Session, stage: Stage, scenery: dict[str, Scenery]) -> None:
        self.session, self.stage, self.scenery = session, stage, scenery
        self.menus: Menus | None = None

    def ask(self, key: str, value: Any) -> bool:
        """Do what was picked; whether it was about help."""
        if key == "closed":
            self._show({})
        elif key == "read":
            name, _, place = str(value)[:200].partition("#")
            self.read(name, place)
        elif key == "tour":
            self.start("paper")
        elif key == "start":
            self.start(str(value)[:80])
        elif key == "load_tour":
            self._load(value)
        elif any(item["key"] == key for item in HELP["items"]):
            self.read(key)
        else:
            return False
        return True

    def read(self, name: str, place: str = "") -> None:
        """Open the window of help at a page and a place of it."""
        try:
            found = sheet(name, self._titles() if name == "tours" else {})
        except KeyError:
            self.session.warn(f"There is no page of help “{plain(name)}”.")
            return
        self._show({**found._asdict(), "anchor": place, "contents": contents()})

    def start(self, name: str) -> None:
        """Present a tour by name."""
        try:
            self.stage.start(tour(name, self.scenery))
        except TourError as error:
            self.session.complain(str(error))

    def _load(self, value: Any) -> None:
        if not isinstance(value, dict):
            return
        try:
            self.stage.start(self._uploaded(value))
        except TourError as error:
            self.session.complain(f"The tour was not loaded. {error}")

    def _uploaded(self, value: dict[str, Any]) -> Tour:
        if "data" not in value:
            raise TourError(f"The file has {value.get('size', 0)} bytes; a tour has at most {MOST_BYTES}.")
        return parse_tour(value["data"], plain(value["name"]), self.scenery)

    def _titles(self) -> dict[str, str]:
        found = {}
        for name in tour_files():
            try:
                story = tour(name, self.scenery)
                found[name] = f"{story.title}, by {story.author}, {len(story.steps)} steps"
            except TourError as error:
                found[name] = f"cannot be shown. {error}"
        return found

    def _show(self, found: dict[str, Any]) -> None:
        if self.menus is not None:
            self.menus.sheet = found
