"""What is drawn beside the scene is the history of the flights; settings that changed split it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from bokeh.models import ColumnDataSource

from app.state import POLICY_NAMES
from app.tabs.flight.figure import show_curves, show_cycle
from app.tabs.flight.plots import FlightFigure, flight_figure
from app.tabs.flight.tables import chips_html, counted, numbers_html
from core.control import ControlModel
from core.figures.arrays.flight import FLAWLESS, NUMBERS, curves, since, steps, tail
from core.instant import Flight
from core.simulation import METRICS, flawless_errors
from core.style import MODE_COLOUR, POLICY_COLOUR

LOOP = 4


@pytest.fixture(scope="module")
def fig() -> FlightFigure:
    return flight_figure(POLICY_NAMES)


def lines(source: ColumnDataSource) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    data = source.data
    return {p: (np.asarray(x), np.asarray(y)) for p, x, y in zip(data["policy"], data["xs"], data["ys"], strict=True)}


def test_columns_are_the_history(flights: dict[str, Flight], fig: FlightFigure) -> None:
    k, h = 13, flights["SAFE"].history()
    both = np.flatnonzero(h.delivered.any(axis=0) & (h.served & ~h.delivered).any(axis=0))
    loop = int(both[0])  # one that was served with and without success
    show_curves(fig, curves(flights, k, loop), "SAFE")
    show_cycle(fig, k)
    for policy, flight in flights.items():
        h = flight.history()
        np.testing.assert_array_equal(fig.sources["series"].data[policy], h.rmse)
        np.testing.assert_allclose(fig.sources["focus"].data[policy], h.v_normalised[:, loop])
        x, y = lines(fig.sources["rmse"])[policy]
        np.testing.assert_array_equal(x, np.sort(h.rmse[: k + 1]))
        np.testing.assert_allclose(y, np.arange(1, k + 2) / (k + 1))
        x, y = lines(fig.sources["v"])[policy]
        seen = h.v_normalised[: k + 1]
        np.testing.assert_allclose(y, [(seen >= np.float32(v)).mean() for v in x])
        assert (x[-1], y[-1]) == (seen.max(), 1 / seen.size)
        x, y = lines(fig.sources["delay"])[policy]
        delays = h.command_delay_ms[h.delay_cycle <= k]
        np.testing.assert_allclose(y[1::2], [(delays <= v).mean() for v in x[1::2]])
    service = fig.sources["service"].data
    h = flights["SAFE"].history()
    kinds = dict(zip(service["cycle"], service["kind"], strict=True))
    wanted = {c: "delivered" if h.delivered[c, loop] else "lost" for c in np.flatnonzero(h.served[:, loop])}
    assert kinds == wanted
    assert set(wanted.values()) == {"delivered", "lost"}
    modes = fig.sources["modes"].data
    for row, policy in enumerate(modes["policy"]):
        shares = [modes[f"right{m}"][row] - modes[f"left{m}"][row] for m in MODE_COLOUR]
        assert [modes[f"share{m}"][row] for m in MODE_COLOUR] == pytest.approx(shares, abs=1e-12)
        mode = flights[policy].history().mode[: k + 1]
        np.testing.assert_allclose(shares, [(mode == m).mean() for m in MODE_COLOUR])
    assert [c.location for c in fig.cursors] == [k, k]
    assert fig.changes == []


def test_coverage_is_counted_cycle_by_cycle_and_anew_after_a_change(
    changed: dict[str, Flight], flights: dict[str, Flight], fig: FlightFigure
) -> None:
    for found in (flights, changed):
        flight = found["SAFE"]
        show_curves(fig, curves(found, 13, LOOP), "SAFE")
        data, h = fig.sources["coverage"].data, flight.history()
        starts = [s.start for s in flight.segments]
        for k in range(h.cycles):
            start = max(s for s in starts if s <= k)
            so_far = h.covered[start : k + 1].sum() / h.routes[start : k + 1].sum()
            assert data["covered"][k] == pytest.approx(h.covered[k].sum() / h.routes[k].sum())
            assert data["so_far"][k] == pytest.approx(so_far)
            assert data["promised"][k] == 1.0 - flight.scenario_at(k).twin.beta
        assert fig.plots["coverage"].y_range.start < min(np.nanmin(data["so_far"]), data["promised"][0])


def test_yardsticks_are_the_flawless_flight_and_the_lag(flights: dict[str, Flight]) -> None:
    found, flight = curves(flights, 5, LOOP), flights["SAFE"]
    errors = flawless_errors(flight.scenario, 2)
    np.testing.assert_allclose(found.flawless, np.sqrt((errors**2).sum(axis=2).mean(axis=1)))
    np.testing.assert_allclose(found.lag, flight.scenario.mission.speed_mps / ControlModel.of(flight.scenario).k)
    np.testing.assert_array_equal(found.distributions["rmse"][FLAWLESS][0], np.sort(found.flawless[:6]))


def test_distributions_shares_and_numbers_never_pool_across_a_change(
    changed: dict[str, Flight], flights: dict[str, Flight], fig: FlightFigure
) -> None:
    flight, k = changed["SAFE"], 11
    assert [since(flight, at) for at in (0, 5, 6, 11)] == [0, 0, 6, 6]
    found = curves(changed, k, LOOP)
    assert found.changes == (6,)
    show_curves(fig, found, "SAFE")
    assert [[mark.location for mark in pair] for pair in fig.changes] == [[6, 6]]
    for policy, other in changed.items():
        h = other.history()
        np.testing.assert_array_equal(lines(fig.sources["rmse"])[policy][0], np.sort(h.rmse[6 : k + 1]))
        assert lines(fig.sources["v"])[policy][0][-1] == h.v_normalised[6 : k + 1].max()
        np.testing.assert_allclose(found.shares[policy], [(h.mode[6 : k + 1] == m).mean() for m in range(4)])
        assert found.numbers[policy]["slots_used"] == pytest.approx(h.slots_used[6 : k + 1].mean())
        np.testing.assert_array_equal(fig.sources["series"].data[policy], h.rmse)  # over time all of it is drawn
    gain = [ControlModel.of(flight.scenario_at(at)).k for at in (0, 6)]
    assert gain[0] != gain[1]
    speed = flight.scenario.mission.speed_mps
    np.testing.assert_allclose(found.lag[[5, 6]], [speed / g for g in gain])
    assert counted(found) == "cycles 6 to 11, since the last change"
    early = curves(changed, 4, LOOP)
    np.testing.assert_array_equal(early.distributions["rmse"]["SAFE"][0], np.sort(flight.history().rmse[:5]))
    assert "0 to 4" in counted(early)
    show_curves(fig, curves(flights, k, LOOP), "SAFE")
    assert [[mark.location for mark in pair] for pair in fig.changes] == [[None, None]], (
        "the other flight has no change"
    )


def test_the_whole_mission_has_the_numbers_of_its_run(flights: dict[str, Flight]) -> None:
    flight = flights["SAFE"]
    found = curves(flights, flight.cycles - 1, LOOP)
    assert found.numbers["SAFE"] == pytest.approx({name: flight.summary()[name] for name in NUMBERS})
    text = numbers_html(found, "SAFE")
    for name in NUMBERS:
        assert METRICS[name].sentence.split(",")[0].split("'")[0] in text
    best = min(found.numbers.values(), key=lambda n: n["mean_rmse_m"])
    assert f"class=best>{best['mean_rmse_m']:.2f}<" in text


def test_a_policy_that_is_not_there_yet_is_drawn_over_time_only_and_says_how_far_it_is(
    flights: dict[str, Flight],
) -> None:
    late = Flight(Flight.of(flights["SAFE"].scenario, "Fixed-Service", 2).key)
    late.reach(7)
    both = {"SAFE": flights["SAFE"], "Fixed-Service": late}
    found = curves(both, 13, LOOP)
    assert late.ended == 7, "drawing flies nothing"
    assert set(found.distributions["v"]) == set(found.shares) == set(found.numbers) == {"SAFE"}
    np.testing.assert_array_equal(np.isfinite(found.rmse["Fixed-Service"]), np.arange(late.cycles) < 7)
    text = chips_html(both, found, "SAFE")
    assert f"Fixed-Service: 7 of {late.cycles}" in text


def test_the_number_beside_a_policy_is_the_mean_of_the_cycles_that_are_said_to_count(
    flights: dict[str, Flight],
) -> None:
    found = curves(flights, 13, LOOP)
    text = chips_html(flights, found, "SAFE")
    assert "Means of cycles 0 to 13<" in text
    for policy, flight in flights.items():
        said = re.search(rf'data-policy="{policy}".*?: ([\d.]+) m<', text)
        assert said is not None
        assert float(said[1]) == pytest.approx(flight.history().rmse[:14].mean(), abs=0.051)
    assert f"flawless {found.flawless[:14].mean():.1f} m" in text


def test_a_tail_keeps_its_largest_values_and_steps_every_value() -> None:
    x, y = tail(np.arange(10_000.0))
    assert x[-1] == 9999.0
    assert y[-1] == pytest.approx(1e-4)
    assert y[0] == 1.0
    assert len(x) <= 120
    np.testing.assert_allclose(y, (10_000 - x) / 10_000)
    assert [len(c) for c in (*tail([]), *steps([]))] == [0, 0, 0, 0]
    x, y = steps([2.0, 1.0, 2.0, 4.0])
    assert list(zip(x, y, strict=True)) == [(1, 0), (1, 0.25), (2, 0.25), (2, 0.75), (4, 0.75), (4, 1)]


def test_a_visitors_zoom_survives_a_step(flights: dict[str, Flight]) -> None:
    fig = flight_figure(POLICY_NAMES)
    show_curves(fig, curves(flights, 10, LOOP), "SAFE")
    zoomed = fig.plots["series"].x_range
    zoomed.start, zoomed.end = 4, 9
    show_curves(fig, curves(flights, 11, LOOP), "SAFE")
    assert (zoomed.start, zoomed.end) == (4, 9)


def test_modes_and_policies_share_no_colour() -> None:
    assert not set(MODE_COLOUR.values()) & set(POLICY_COLOUR.values())
