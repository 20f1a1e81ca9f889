"""The page of a server that was started with plug-ins, looked at without a browser: run by tests/app/test_plugins.py.

A process of its own, because policies are listed when the page's modules are read. Arguments: nothing; SAFE_EXPLORER_PLUGINS
names docs/examples/largest_error.py under a new name, a file that does not load, and one whose policy breaks in cycle 3.
"""

from __future__ import annotations

import asyncio
import os

from opened import session, shown

from app.as_python import python_of
from app.components.timeline import timeline_view
from app.page import Page
from app.session import Session
from app.share_links import query_of, read_query
from app.state import NOT_LOADED, POLICY_NAMES, State
from app.tabs.allocation.view import AllocationView
from app.tabs.flight.view import FlightView
from app.tabs.whatif.view import WhatIfView
from core.plugins import VARIABLE
from core.simulation import METRICS
from core.style import policy_colour

MINE, BROKEN = "Largest-Error", "Breaks"
SMALL = {"uavs": 6, "slots": 40, "duration_s": 3.0, "cycle": 5}


def heard(**values: object) -> tuple[Session, list[str]]:
    """A visitor, and what he is told."""
    made, said = session(**values), []
    made.complain = made.insist = said.append  # type: ignore[method-assign]
    return made, said


def the_page_says_what_is_broken_and_works() -> None:
    assert len(NOT_LOADED) == 1
    assert "bad.py, line 2: ZeroDivisionError" in NOT_LOADED[0], NOT_LOADED
    assert {MINE, BROKEN} <= set(POLICY_NAMES)
    made, said = heard(**SMALL)
    Page(made).start()
    assert said == list(NOT_LOADED), said
    assert made.pipeline.picture is not None
    assert MINE in timeline_view(made)["policies"]


def an_own_policy_is_inspected_and_compared() -> None:
    made, said = heard(**SMALL, policy=MINE, policies=("SAFE",))
    assert made.pipeline.picture.flight.key.policy.name == MINE
    made.state.tab = FlightView.name_in_link
    view = shown(FlightView, made)
    assert set(view.drawn.curves.numbers) == {MINE, "SAFE"}
    assert policy_colour(MINE) in view.numbers.object
    other = shown(AllocationView, made)
    assert list(other.policies.plot.left[0].major_label_overrides.values()) == [MINE, "SAFE"]
    assert not other.trouble.visible
    assert not said
    state, link = State(), query_of(made.state)
    read = {part.split("=")[0]: [part.split("=")[1].encode()] for part in link.removeprefix("?").split("&")}
    assert read_query(state, read) == []
    assert state.policy == MINE
    space: dict[str, object] = {}
    named = os.environ.pop(VARIABLE)  # pasted elsewhere, the code needs no variable
    exec(python_of(made.state), space)
    os.environ[VARIABLE] = named
    assert space["flight"].key == made.pipeline.picture.flight.key  # type: ignore[attr-defined]


def one_that_breaks_blanks_nothing() -> None:
    made, said = heard(**SMALL, policies=("SAFE", BROKEN))
    words = f"Policy {BROKEN} failed in cycle 3: breaks.py, line 16: ZeroDivisionError: division by zero, in `return 1 / 0`."
    made.state.tab = FlightView.name_in_link
    view = shown(FlightView, made)
    assert set(view.drawn.curves.numbers) == {"SAFE"}
    assert view.scene.moving["cycle"] == 5
    assert "3 of 12, stopped" in view.chips.object, view.chips.object
    assert f'title="{BROKEN} could not fly on: {words}"' in view.chips.object
    assert said == [f"{BROKEN} could not fly on: {words}"], said
    other = shown(AllocationView, made)
    assert list(other.policies.plot.left[0].major_label_overrides.values()) == ["SAFE"]
    assert other.trouble.visible
    assert words.replace("cycle 3", "cycle 5") in other.trouble.object  # without memory, it is asked now
    before = made.pipeline.picture
    made.pipeline._complain = said.append
    made.state.apply({"policy": BROKEN})
    assert made.pipeline.picture is before  # what was shown stays, marked
    assert made.pipeline.stale == words
    made.state.apply({"policy": "SAFE"})
    assert not made.pipeline.stale


def what_if_flies_it_in_a_process_of_its_own() -> None:
    made, said = heard(uavs=4, slots=40, duration_s=2.0)
    view = shown(WhatIfView, made)
    form = view.form
    form.first_values.value, form.trials.value, form.name_input.value = "20,40", 1, "own"
    assert MINE in form.policies.options
    form.policies.value = ["SAFE", MINE]
    view.start()
    assert view.process is not None, said
    view.process.wait()
    asyncio.run(view._poll())
    assert not said, said
    assert view.figure.sources["lines"].data["label"] == ["SAFE", MINE]
    assert view.figure.sources["lines"].data["color"][1] == policy_colour(MINE)
    assert "far_share" in view.metric.options.values()
    assert METRICS["far_share"].sentence
    form.policies.value, form.name_input.value = ["SAFE", BROKEN], "broken"
    view.start()
    view.process.wait()
    asyncio.run(view._poll())
    assert "breaks.py, line 16" in said[0], said
    view.close()


if __name__ == "__main__":
    the_page_says_what_is_broken_and_works()
    an_own_policy_is_inspected_and_compared()
    one_that_breaks_blanks_nothing()
    what_if_flies_it_in_a_process_of_its_own()
    print("all of it")
