"""The live run's hand-over from its thread to the page."""

from __future__ import annotations

import html
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from app.figures.live import STORED
from app.session import Session
from app.views.live import LiveView
from app.views.reproduction import shipped


@pytest.fixture
def view() -> Iterator[LiveView]:
    session = Session()
    session.state.apply({"uavs": 4, "duration_s": 1.0, "slots": 40, "policies": ("SAFE", "VoI-Sched")})
    shown = LiveView(session)
    assert shown.__panel__() is shown.content
    assert shown._restart()
    yield shown
    shown.close()
    session.close()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_the_last_cycle_is_drawn_though_one_policy_ends_before_the_other(view: LiveView) -> None:
    run = view.player.run
    for k in range(run.cycles - 1):
        view.player.step()
        until(lambda k=k: run.k == k + 1 and not view.player._at_work)
        assert view.poll() == 1
    first, second = run.simulations.values()
    gate, step = threading.Event(), second.step
    second.step = lambda: (gate.wait(60), step())[1]  # a slow policy
    view._polling = True
    view.player.step()
    until(lambda: first.done)
    assert view.poll() == 0
    assert view._polling, "the page stopped looking before the last cycle was there"
    gate.set()
    until(lambda: not view.player._at_work)
    assert view.poll() == 1
    assert f"Cycle {run.cycles} of {run.cycles}" in view.status.object
    assert view.poll() == 0
    assert not view._polling


def drawn(view: LiveView, name: str) -> dict[str, tuple[list[float], list[float]]]:
    data = view.figure.sources[name].data
    return {p: (list(x), list(y)) for p, x, y in zip(data["policy"], data["xs"], data["ys"], strict=True)}


def test_before_the_first_run_the_stored_distributions_are_drawn_and_a_run_starts_its_own() -> None:
    session = Session()
    view = LiveView(session)
    assert view.content is not None
    stored = shipped()
    assert "stored reproduction" in view.status.object
    assert f"at {stored.flown_at}," in html.unescape(view.status.object)
    for name, figure in STORED.items():
        rows = stored.curves[stored.curves["figure"] == figure]
        wanted = {p: rows[rows["policy"] == p] for p in session.state.policies}
        assert drawn(view, name) == {p: (list(r["value"]), list(r["share"])) for p, r in wanted.items()}
    session.state.apply({"policies": ("SAFE", "VoI-Sched")})
    assert set(drawn(view, "rmse")) == {"SAFE", "VoI-Sched"}
    assert view._restart()
    assert drawn(view, "rmse") == {}
    assert "stored" not in view.status.object
    session.state.apply({"policies": ("SAFE",)})
    assert drawn(view, "rmse") == {}
    view.close()
    session.close()
