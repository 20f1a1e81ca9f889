"""The strip: marked when out of date, healed by the next change, escaped."""

from __future__ import annotations

from app.components.chain import chain_html
from app.session import Session, handle_fault


def test_a_refused_scenario_marks_the_strip_stale_and_the_next_change_heals_it(small: Session) -> None:
    small.state.apply({"corridor_radius_m": 5.0})
    assert small.pipeline.stale
    assert "out of date" in chain_html(small.pipeline.picture, small.pipeline.stale)
    small.state.apply({"corridor_radius_m": 30.0})
    assert small.pipeline.stale == ""


def test_outside_text_in_the_strip_is_escaped() -> None:
    assert "<script>" not in chain_html(None, "<script>alert(1)</script>")


def test_callback_faults_are_said_and_mark_the_results_stale(small: Session) -> None:
    small.doc = None
    handle_fault(ZeroDivisionError("boom"))
    assert "ZeroDivisionError" in small.pipeline.stale
    small.close()


def test_under_another_policy_the_strip_says_whose_answer_it_is(small: Session) -> None:
    assert "asked at this cycle" not in chain_html(small.pipeline.picture)
    small.state.apply({"policy": "VoI-Sched"})
    assert "asked at this cycle of VoI-Sched" in chain_html(small.pipeline.picture)
