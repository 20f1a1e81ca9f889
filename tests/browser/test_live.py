"""The live tab in a real browser: it flies while the page stays usable."""

from __future__ import annotations

from typing import Any

import pytest

from app.state import State
from core.simulation import simulate

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]


def flown(visitor: Any) -> int:
    return len(visitor.column("live.series", "t"))


def test_step_start_pause_reset_and_a_slider_on_the_way(visit: Any) -> None:
    visitor = visit("?tab=3&uavs=8&slots=40&duration_s=300")
    button = visitor.page.get_by_role("button", name="Step", exact=True)
    button.click()
    visitor.until("find('live.series').data['t'].length === 1")
    assert len(visitor.column("live.uavs", "x")) == 8
    assert len(visitor.column("live.rmse", "policy")) == 5
    visitor.page.get_by_role("button", name="Start", exact=True).click()
    visitor.until("find('live.series').data['t'].length > 5")
    visitor.press("beta", "ArrowRight", 2)
    visitor.page.wait_for_url("**beta=0.06*")
    before = flown(visitor)
    visitor.until("find('live.series').data['t'].length > arg", before)
    visitor.page.get_by_role("button", name="Pause", exact=True).click()
    visitor.page.get_by_role("button", name="Start", exact=True).wait_for()
    visitor.page.get_by_role("button", name="Reset", exact=True).click()
    visitor.until("find('live.series').data['t'].length === 0")


def test_a_full_mission_of_five_policies_leaves_the_page_usable_and_ends_with_the_numbers_of_simulate(
    visit: Any,
) -> None:
    visitor, other = visit("?tab=3"), visit()
    visitor.page.bring_to_front()
    speed = visitor.page.get_by_role("slider", name="Speed")
    speed.press("Home")  # slow while the sliders are tried: the end of the run must not come first on a busy machine
    visitor.page.get_by_role("button", name="Start", exact=True).click()
    visitor.until("find('live.series').data['t'].length > 1")
    for page in (visitor, other):
        page.press("v_ratio", "ArrowRight", 3)  # the focused loop's state: no field of the run
        page.settled("v_ratio")
    state = State()
    cycles = state.scenario.cycles
    assert flown(visitor) < cycles, "the sliders were answered only after the run"
    visitor.page.bring_to_front()
    speed.press("End")
    visitor.page.get_by_text(f"Cycle {cycles} of {cycles}").wait_for()
    visitor.page.get_by_role("button", name="Start", exact=True).wait_for()
    rows = visitor.page.locator("table tr:has(td)").all_inner_texts()
    expected = []
    for policy in state.policies:
        m = simulate(state.scenario, policy, state.seed).summary()
        expected.append(
            f"{policy} {m['mean_rmse_m']:.2f} {m['p95_rmse_m']:.2f} {m['mean_v']:.3f} {m['p95_v']:.3f} "
            f"{m['mean_delay_ms']:.2f} {m['p95_delay_ms']:.2f}"
        )
    assert [" ".join(row.split()) for row in rows] == expected
