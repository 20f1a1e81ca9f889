"""What is kept for the next who asks, and what goes when memory is short."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.instant import flight, instant, scene
from core.kept import Kept, remembered
from core.simulation import link_history, mission
from core.wanted import Superseded, while_wanted

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Thing:
    """Something of a size."""

    nbytes: int


def test_the_least_recently_used_go_and_the_newest_stays_whatever_it_takes() -> None:
    kept: Kept[str, Thing] = Kept(lambda: 100)
    first = kept.get("a", lambda: Thing(40))
    kept.get("b", lambda: Thing(40))
    assert kept.get("a", lambda: Thing(1)) is first
    kept.get("c", lambda: Thing(40))
    assert kept.get("a", lambda: Thing(1)) is first
    assert kept.get("b", lambda: Thing(2)).nbytes == 2  # had to go
    huge = kept.get("huge", lambda: Thing(1000))
    assert len(kept) == 1
    assert kept.get("huge", lambda: Thing(1)) is huge


def test_what_grows_counts_as_it_is() -> None:
    kept: Kept[str, Thing] = Kept(lambda: 100)
    first, _ = kept.get("a", lambda: Thing(10)), kept.get("b", lambda: Thing(10))
    first.nbytes = 95
    kept.get("b", lambda: Thing(10))
    assert len(kept) == 1


def test_never_more_than_so_many() -> None:
    @remembered(most_bytes=1000, most=3)
    def made(size: int) -> Thing:
        """Of a size."""
        return Thing(size)

    assert made(1) is made(1)
    for size in range(5):
        made(size)
    assert len(made.kept) == 3
    assert made.__doc__ == "Of a size."


def test_made_once_for_many_who_ask_and_again_when_the_maker_was_stopped() -> None:
    kept: Kept[str, Thing] = Kept(lambda: 100)
    begun, go, found, tries = threading.Event(), threading.Event(), [], []

    def slow() -> Thing:
        tries.append(1)
        begun.set()
        assert go.wait(timeout=30)
        return Thing(1)

    threads = [threading.Thread(target=lambda: found.append(kept.get("a", slow))) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(timeout=30)
    assert kept.get("b", lambda: Thing(2)).nbytes == 2  # waits for nobody
    with pytest.raises(Superseded), while_wanted(lambda: False):
        kept.get("a", slow)
    go.set()
    for thread in threads:
        thread.join()
    assert found[0] is found[1] is found[2]
    assert len(tries) == 1

    def fails() -> Thing:
        raise ValueError

    with pytest.raises(ValueError):
        kept.get("c", fails)
    assert kept.get("c", lambda: Thing(3)).nbytes == 3
    assert not kept._making


def test_the_deployment_page_names_the_bounds_that_are_in_force() -> None:
    kept = {
        "flights": flight.MAX_BYTES,
        "their missions": mission.MAX_BYTES,
        "certified actions": instant._certified.kept._most_bytes(),
        "predicted links": scene._links.kept._most_bytes(),
        "states of the links": link_history.MAX_BYTES,
    }
    said = ", ".join(f"{name} {most / 1e6:.0f} MB" for name, most in kept.items())
    assert said in (ROOT / "docs" / "DEPLOYMENT.md").read_text(encoding="utf-8")
