"""The lessons' own pictures and sentences say what the numbers behind them say."""

import re

import numpy as np
import pytest

from app.teaching.charts import histogram, line_chart
from app.teaching.closed_loop import CORNER, ablation_table, lesson_flight
from app.teaching.instant import blue_line, ever_sent, what_if
from app.teaching.knapsack_table import explore_knapsack, rows_of
from app.teaching.one_loop import explore_one_loop
from app.teaching.prediction import explore_paths, ranks
from app.teaching.timeline import FrameChart, service_chart
from app.teaching.toys import BUDGET, SLOTS, VALUES
from core.scenario import preset

pytestmark = pytest.mark.xdist_group("exercises")


@pytest.fixture(scope="module")
def now():
    return lesson_flight().instant(CORNER.cycle)


def test_the_corner_ranks_the_other_way_round(now) -> None:
    """What lesson 06 says: worst-case factors put UAV 8 first and leave UAV 6 out, the prediction does the opposite."""
    t = ranks(now)
    six, eight = CORNER.loop, 7
    assert t["V / V_max"][six] < t["V / V_max"][eight]
    assert t["place (worst case)"][eight] == 1
    assert t["served (worst case)"][eight]
    assert not t["served (worst case)"][six]
    assert t["place (predicted)"][six] == 1
    assert t["served (predicted)"][six]
    assert not t["served (predicted)"][eight]
    paths = {loop: now.paths(loop) for loop in (six, eight)}
    assert paths[six].V_without[-1] > 3 * paths[six].V_without[0], "it misses the corner"
    assert paths[eight].G < 0, "a command would do harm"
    assert paths[eight].V_without[-1] < paths[eight].V_without[0]


def test_the_two_paths_are_the_allocators(now) -> None:
    e = explore_paths(now, CORNER.loop)
    assert f"G / V_max = {now.paths(CORNER.loop).G / now.model.V_max:.3f}" in e.says.html
    e.controls["uav"].value = 8
    assert f"G / V_max = {now.paths(7).G / now.model.V_max:.3f}" in e.says.html
    e.controls["L"].value = 1
    assert "after 1 cycles" in e.says.html


def test_many_frontier_actions_are_never_sent(now) -> None:
    """Lesson 05 once said that each is best for some state."""
    found = [
        int(n) for n in re.findall(r"(\d+) (?:different actions|of them are ever sent)", ever_sent(now, CORNER.loop))
    ]
    assert 0 < found[1] < found[0] / 2


def test_blue_is_counted_and_is_not_yet_safe(now) -> None:
    """A printed gate refuses what is blue: the line under lesson 04's maps says so."""
    plain = what_if(now, CORNER.loop)
    judged = plain.offer.appraisal.admission
    assert f"{int((judged.terms.phi <= 0).sum())} of UAV 6's" in blue_line(plain)
    assert "all of these are admitted" in blue_line(plain)
    gated = what_if(now, CORNER.loop, formulation="paper", v_ratio=1e-4, c_fail=2)
    refused = gated.offer.appraisal.admission
    anyway = int(((refused.terms.phi <= 0) & ~refused.admitted).sum())
    assert anyway > 0
    assert f"{anyway} of these are refused all the same" in blue_line(gated)


def test_the_table_is_the_programs() -> None:
    F = rows_of(VALUES, SLOTS, BUDGET)
    assert F.shape == (4, BUDGET + 1)
    assert F[3, 20] == 14.9
    assert F[1, 10] == 4.5
    assert not F[0].any()
    e = explore_knapsack("ABC", VALUES, SLOTS, BUDGET)
    e.controls["row"].value, e.controls["b"].value = 3, 20
    assert "F(C, 20) = max(12 + 0, 7.5 + 7.4) = 14.9" in e.says.html
    e.controls["row"].value, e.controls["b"].value = 1, 0
    assert "loop A gets nothing" in e.says.html
    (text,) = e.charts
    assert "14.9" not in text.html, "what is not filled in yet is not shown"


def test_the_frame_is_the_one_that_was_sent() -> None:
    flight = lesson_flight()
    chart = FrameChart(flight)
    chart.show(CORNER.cycle)
    sent = flight.frame(CORNER.cycle)
    assert len(chart.source.data["left"]) == len(sent.slot)
    assert set(chart.source.data["uav"]) == {i + 1 for i in flight.exchanges(CORNER.cycle)}
    assert max(chart.source.data["right"]) <= chart.plot.x_range.end
    assert f"of {1e3 * flight.scenario.control.Ts:.0f} ms" in chart.plot.title.text


def test_service_marks_stand_where_the_loop_was_served() -> None:
    flight = lesson_flight()
    flight.reach(flight.cycles)
    past = flight.history()
    chart = service_chart({"SAFE": flight}, CORNER.loop)
    marks = [r.data_source.data["x"] for r in chart.plot.renderers if hasattr(r.glyph, "marker")]
    complete, not_complete = past.delivered[:, CORNER.loop], (past.served & ~past.delivered)[:, CORNER.loop]
    assert [len(m) for m in marks] == [complete.sum(), not_complete.sum()]


def test_lost_cycles_are_shaded() -> None:
    e = explore_one_loop(preset("teaching-swarm"))
    ((error, energy),) = e.charts
    e.controls["lost"].value, e.controls["longest"].value = 5, 5
    for chart in (error, energy):
        assert len(chart.bands.data["left"]) == 5
        assert np.ptp(chart.bands.data["left"]) == 4
    e.controls["lost"].value = 0
    assert energy.bands.data["left"] == []


def test_axes_reach_the_edge_they_speak_of() -> None:
    """The dashed line of a chart counts for its range, even far above the curve."""
    chart = line_chart("t", "x", "y", {"low": ([0, 1], [0.1, 0.2])}, level=1.0)
    seen = [r.data_source.data["y"] for r in chart.plot.renderers]
    assert any(max(y) == 1.0 for y in seen)
    assert chart.plot.y_range.__class__.__name__ == "DataRange1d"


def test_the_histogram_counts_every_score_and_shows_the_margin() -> None:
    chart = histogram("t", "x", [0.0, 1.0, 1.0, np.inf], at=5.0, note="margin")
    assert sum(chart.sources["bars"].data["top"]) == pytest.approx(0.75)
    assert any(5.0 in r.data_source.data.get("x", ()) for r in chart.plot.renderers)


def test_the_ablation_says_what_lesson_07_says() -> None:
    columns, line = ablation_table()
    change = dict(zip(columns["policy"], map(float, columns["mean RMSE − SAFE's [m]"]), strict=True))
    assert max(change, key=lambda p: change[p]) == "SAFE-repaired", "taking the prediction away loses most"
    assert change["SAFE-no-admission"] < 0, "certificates cost tracking error"
    assert "SAFE-repaired" in line.split("below zero")[0]
