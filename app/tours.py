"""`python -m app.tours FILE …` reads tours as the page does and prints every sentence with the numbers of its picture."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from app.page import SCENERY
from app.picture import compute
from app.stage import state_of
from app.touring.named_numbers import NAME, WAITING, filled
from app.touring.reader import read_tour
from app.touring.tour import Step
from core.errors import SafeExplorerError


def remarks(step: Step) -> list[str]:
    """What is allowed, but may not be meant: numbers typed by hand, an action that is not on offer."""
    found = []
    if typed := re.findall(r"\b(?!0\b)\d[\d.,]*", NAME.sub("", f"{step.say} {step.look}")):
        found.append(f"the number {typed[0]} is typed by hand; a name in braces stays true when the picture changes")
    focus = compute(state_of(step)).focus
    if missing := str(focus.missing):
        found.append(missing)
    return found


def told(step: Step) -> str:
    """The sentence with the numbers of its picture; those that only a drawn tab knows are dots."""
    state = state_of(step)
    extra = dict.fromkeys(SCENERY[state.tab].numbers, WAITING)
    return filled(step.say, compute(state), extra)


def main() -> int:
    """Check every file given; 1 when one is refused."""
    parser = argparse.ArgumentParser(prog="python -m app.tours", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a tour in YAML (docs/TEACHING.md)")
    refused = 0
    for path in parser.parse_args().files:
        try:
            tour = read_tour(path, SCENERY)
            print(f"{path}: {tour.title}, by {tour.author}")
            for number, step in enumerate(tour.steps, 1):
                print(f"  {number}. {step.title}: {told(step)}")
                for remark in remarks(step):
                    print(f"     note: {remark}")
        except SafeExplorerError as error:
            print(error, file=sys.stderr)
            refused += 1
    return min(refused, 1)


if __name__ == "__main__":
    sys.exit(main())
