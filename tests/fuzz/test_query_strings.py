"""Query strings of any kind open the page: what is good is kept, each bad value is told in words, and nothing hostile gets through."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
import pytest
from fuzzing import Fuzz, budget
from hostile_values import NONSENSE
from mutation import mutated_text
from tornado.escape import parse_qs_bytes

from app.page import INDEX, Page, no_tab
from app.panel_fixes.notification_text import harmless
from app.session import Session
from app.share_links import parse_query, query_of, read_query
from app.state import CONTROLS, State, checked, default_of, metadata_of, sample_of
from core.errors import ScenarioError

Rng = np.random.Generator
SMALL = {"uavs": "8", "slots": "40", "duration_s": "3"}
"""A page that is soon drawn."""
GOOD = {
    "eta": "0.123456789012345",
    "beta": "0.2",
    "delta_T": "1e-2",
    "H_T": "7",
    "snr_offset_db": "-2.75",
    "seed": "3",
    "feed_forward": "true",
    "formulation": "paper",
    "policies": "SAFE,VoI-Sched",
    "admission": "reach",
    "blocklengths": "300,600",
}
"""Values that fit whatever else is said."""
COURSES = ("flown", "changed", "pin", "tab", "action")
FULL = (
    "?Ts=0.274&slots=450&slot_ms=0.55&beta=0.2&policy=VoI-Sched&focus=3&cycle=12&flown=beta:0.2,blocklengths:300/600&"
    "changed=4~slots:25;9~snr_offset_db:-3,formulation:paper&action=3-0.900.0_0-3.1200.0_ul-first&tab=flight&pin=beta%3D0.1%26cycle%3D4"
)
Case = tuple[str, dict[str, str], int]
"""A query, controls that must have kept what it says, and how many sentences it deserves at least."""


def query(pairs: list[tuple[str, str]]) -> str:
    return "?" + "&".join(f"{quote(name)}={quote(text, errors='surrogatepass')}" for name, text in pairs)


def beyond(rng: Rng, name: str) -> str:
    """A text that the control cannot take."""
    meta, sample = metadata_of(name), sample_of(name)
    if isinstance(sample, (int, float)) and not isinstance(sample, bool) and rng.uniform() < 0.5:
        return str(rng.choice([(meta.hi or 0) + 1, (meta.lo or 0) - 1, 1e300]))
    return NONSENSE[int(rng.integers(len(NONSENSE)))]


def among_the_good(rng: Rng) -> Case:
    """Good values, and bad ones among them."""
    good = {str(n): GOOD[str(n)] for n in rng.choice(list(GOOD), size=int(rng.integers(1, 6)), replace=False)}
    others = [n for n in CONTROLS if n not in GOOD]
    bad = [(str(n), beyond(rng, str(n))) for n in rng.choice(others, size=int(rng.integers(0, 6)), replace=False)]
    if rng.uniform() < 0.3:
        bad.append((f"x{rng.integers(100)}<b>", "1"))
    if rng.uniform() < 0.3:
        bad.append((str(rng.choice(COURSES)), NONSENSE[int(rng.integers(len(NONSENSE)))]))
    pairs = [*good.items(), *bad]
    rng.shuffle(pairs)
    return query(pairs), good, len(bad)


def damaged(rng: Rng) -> Case:
    """A whole link with a few characters changed."""
    return mutated_text(rng, FULL), {}, 0


def noise(rng: Rng) -> Case:
    """A good value beside anything at all."""
    size = int(rng.integers(1, 80))
    text = bytes(rng.integers(0, 256, size=size, dtype=np.uint8)).decode("latin-1").translate({38: "", 35: ""})
    name = str(rng.choice([*CONTROLS, *COURSES, "tour", "step", "zzz"]))
    return f"?beta=0.2&{name}={text}", {} if name == "beta" else {"beta": "0.2"}, 0


WAYS: tuple[Callable[[Rng], Case], ...] = (among_the_good, damaged, noise)


def arguments_of(text: str) -> dict[str, list[bytes]]:
    """As the server hands a query to the page."""
    return parse_qs_bytes(text.removeprefix("?").encode().decode("latin-1"), keep_blank_values=True)


def as_it_should_be(state: State, complaints: list[str], case: Case) -> None:
    """Nothing is out of bounds, what is good was kept, the rest was told harmlessly, and the state makes a link of its own."""
    _, good, bad = case
    meant = State()
    read_query(meant, parse_query(query(list(good.items()))))
    for name in good:
        assert getattr(state, name) == getattr(meant, name) != default_of(name), name
    for name in CONTROLS:
        assert checked(name, getattr(state, name)) == getattr(state, name), name
    assert len(complaints) >= bad, complaints
    assert not any(mark in harmless(words) for words in complaints for mark in "<>\x00")
    again = State()
    assert read_query(again, parse_query(query_of(state))) == []
    assert (again.values(), again.takeoff, again.changes) == (state.values(), state.takeoff, state.changes)


def opened(case: Case) -> None:
    """Read a query; ScenarioError when something of it was refused in words."""
    state = State()
    complaints = read_query(state, arguments_of(case[0]))
    complaints += [no_tab(state.tab)] if state.tab not in INDEX else []  # which the page knows
    as_it_should_be(state, complaints, case)
    if complaints:
        raise ScenarioError(complaints[0])


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_query_strings(way: Callable[[Rng], Case]) -> None:
    least = 0.0 if way is noise else 0.01
    with Fuzz(f"query strings, {way.__name__.replace('_', ' ')}", least_taken=least) as fuzz:
        for i in range(budget(120)):
            case = way(np.random.default_rng((21, WAYS.index(way), i)))
            fuzz.attempt(case[0], lambda case=case: opened(case))


def page_opened(case: Case) -> None:
    """Build the whole page as the server does; it must show numbers, or say why it shows none."""
    session = Session()
    try:
        page = Page(session, arguments_of(case[0]))
        as_it_should_be(session.state, page._complaints, case)
        page.start()
        assert session.pipeline.picture is not None or session.pipeline.stale
        assert page.session.state.tab in INDEX
        assert page.servable() is not None
        if page._complaints:
            raise ScenarioError(page._complaints[0])
    finally:
        session.close()


def test_pages(caplog: pytest.LogCaptureFixture) -> None:
    with Fuzz("query strings, whole pages", least_taken=0.0) as fuzz, caplog.at_level(logging.ERROR):
        for i in range(budget(8)):
            rng = np.random.default_rng((22, i))
            text, good, bad = among_the_good(rng)
            kept = {name: value for name, value in SMALL.items() if f"{name}=" not in text}
            text = query(list(kept.items())) + "&" + text.removeprefix("?")
            fuzz.attempt(text, lambda case=(text, {**good, **kept}, bad): page_opened(case))
        fuzz.faults += [record.getMessage() for record in caplog.records]
