"""Reading a tour: a good file as it is written, a broken one refused with its line and what to change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.page import SCENERY
from app.touring.catalogue import FOLDER, tour, tour_files
from app.touring.reader import MOST_BYTES, MOST_STEPS, TourError, parse_tour, read_tour
from app.tours import main
from tools.tour_names import PAGE, written

GOOD = """\
title: Scarcity
author: A teacher
steps:
  - title: Few slots
    say: "{served} of {uavs} UAVs share {slots} slots; β is {beta}."
    link: "?slots=60&tab=allocation"
    control: slots
    look: "Fewer: who is left out?"
    show: frame
  - title: The flight
    say: "{leader} leads."
    link: "?cycle=30&tab=flight"
"""


def parsed(text: str | bytes, file: str = "mine.yaml"):
    return parse_tour(text.encode() if isinstance(text, str) else text, file, SCENERY)


def test_a_good_file_is_read_as_written() -> None:
    found = parsed(GOOD)
    assert (found.name, found.title, found.author, len(found.steps)) == ("mine", "Scarcity", "A teacher", 2)
    first, second = found.steps
    assert (first.link, first.control, first.show) == ("?slots=60&tab=allocation", "slots", "frame")
    assert (second.control, second.look, second.show) == ("", "", "")


BROKEN = {
    "unknown key of a tour": ("author:", "autor:", 2, "did you mean “author”"),
    "unknown key of a step": ("    control: slots", "    slider: slots", 7, "“slider” is not known in a step"),
    "a key twice": ("    control: slots", '    say: "again"', 7, "given twice"),
    "no link": ('    link: "?slots=60&tab=allocation"\n', "", 4, "needs “link: …”"),
    "a link with a control that is none": ("?slots=60", "?slotz=60", 6, "“slotz” is not a control"),
    "a link out of bounds": ("?slots=60", "?slots=6000", 6, "slots = “6000” is not usable"),
    "a link to no tab": ("tab=allocation", "tab=alocation", 6, "did you mean “allocation”"),
    "a link to a tour": ("?slots=60", "?tour=paper&slots=60", 6, "names no tour"),
    "a link that is none": ("?slots=60&tab=allocation", "see above", 6, "“see above” is not a control"),
    "no such control": ("control: slots", "control: slot", 7, "did you mean “slots”"),
    "no such part": ("show: frame", "show: table", 9, "this tab has frame, policies"),
    "no such number": ("{served}", "{servd}", 5, "did you mean “served”"),
    "a number of another tab": ("{served}", "{leader}", 5, "no number “{leader}” on this tab"),
    "a brace left open": ("{served}", "{served", 5, "There is no number|brace"),
    "an expression in braces": ("{served}", "{served.__class__}", 5, "no number"),
    "a sentence that is no text": ('say: "{leader} leads."', "say: [1, 2]", 11, "say must be a text"),
    "an empty title": ("title: Few slots", 'title: ""', 4, "title must be a text"),
    "too long": ("Few slots", "x" * 100, 4, "at most 80 fit on a projector"),
    "steps that are no list": (
        "  - title: Few slots",
        "    title: Few slots",
        10,
        "Lines of one step|lines of one step|expected",
    ),
    "a colon without quotes": ('say: "{leader} leads."', "say: it leads: {leader}", 11, "need quotes"),
    "an alias": ("author: A teacher", "author: &a A\nnote: *a", 3, "aliases"),
    "a Python object": ("author: A teacher", "author: !!python/object:os.system [ls]", 2, "author must be a text"),
    "nested deeply": ("author: A teacher", "author: " + "[" * 60 + "]" * 60, 2, "nested too deeply"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_its_line(name: str) -> None:
    old, new, line, why = BROKEN[name]
    assert old in GOOD
    with pytest.raises(TourError, match=f"^mine.yaml, line {line}: .*({why if '|' in why else re.escape(why)})"):
        parsed(GOOD.replace(old, new, 1))


def test_what_has_no_line_is_refused_too() -> None:
    for text, why in {
        "": "the file is empty",
        "- 1\n": "a tour must be written",
        "title: a\nauthor: b\nsteps: []\n": "there are 0 steps",
        GOOD + GOOD.partition("steps:\n")[2] * MOST_STEPS: "give between 1 and",
        "#" * (MOST_BYTES + 1): "at most",
    }.items():
        with pytest.raises(TourError, match=why):
            parsed(text)
    with pytest.raises(TourError, match="line 3: this is not UTF-8"):
        parsed(b"title: a\nauthor: b\nsteps: \xff\n")


def test_a_folder_of_ones_own_is_listed_after_the_shipped_tours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text(GOOD)
    (tmp_path / "paper.yaml").write_text(GOOD)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert list(tour_files()) == ["paper", "mine"]
    assert tour("mine", SCENERY).title == "Scarcity"
    assert len(tour("paper", SCENERY).steps) == 8
    (tmp_path / "mine.yaml").write_text(GOOD.replace("Scarcity", "Another title"))
    assert tour("mine", SCENERY).title in (
        "Scarcity",
        "Another title",
    )  # read again once the clock of the disk has moved
    for name in ("../paper", "nothing", "/etc/passwd"):
        with pytest.raises(TourError, match="no such tour"):
            tour(name, SCENERY)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(TourError, match=r"none\.yaml cannot be read"):
        read_tour(tmp_path / "none.yaml", SCENERY)


def test_the_names_in_the_document_are_those_of_today_and_its_example_is_good() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert written(text) == text, "run python -m tools.tour_names"
    (example,) = re.findall(r"```yaml\n(.*?)```", text, re.S)
    assert parsed(example).steps[0].show == "frame"


def test_the_command_prints_sentences_and_refuses_with_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace("leads.", "leads by 3 m."))
    monkeypatch.setattr("sys.argv", ["app.tours", str(path)])
    assert main() == 0
    out = capsys.readouterr().out
    assert "UAVs share 60 slots; β is" in out
    assert "the number 3 is typed by hand" in out
    path.write_text(GOOD.replace("say:", "sya:"))
    assert main() == 1
    assert "mine.yaml, line 5: “sya” is not known" in capsys.readouterr().err
