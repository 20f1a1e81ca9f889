"""The page in a real browser: every named control moves numbers and pictures the way the model says."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Visitor, running_app
from playwright.sync_api import Browser, expect

from app.picture import compute
from app.state import State
from core import Scenario
from core.twin import own_path

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

HELD = "?focus=1&action=1-0.900.0_0-1.1200.0_ul-first"
"""An action of the default flight, held: its numbers can be compared whatever moves."""


def moved(visitor: Any, link: str, control: str, key: str, times: int) -> float:
    """How much a number of the chain changed after a slider was moved by keyboard."""
    before = visitor.raw(link)
    visitor.press(control, key, times)
    visitor.settled(control)
    return visitor.raw(link) - before


def test_all_tabs_are_drawn_and_the_chain_reads_as_a_chain(visit: Any) -> None:
    visitor = visit()
    for name in ("SNR", "ε", "ρ_ul", "ρ_dl", "g", "T_cert", "ᾱ", "Φ", "verdict"):
        assert visitor.link(name)
    assert visitor.column("boundary.candidates", "g")
    assert len(visitor.column("boundary.line", "y")) >= 20
    visitor.open_tab("Certified frontier")
    visitor.until("find('frontier.actions')?.data['x'].length > 5")
    visitor.open_tab("Allocation")
    visitor.until("find('allocation.frame')?.data['left'].length > 5")
    visitor.until("find('allocation.curve').data['F'].length > 100")
    visitor.open_tab("Flight")
    visitor.page.get_by_text("Follow UAV").wait_for()
    visitor.open_tab("Reproduction")
    visitor.page.get_by_text("Where the paper is silent").wait_for()


def test_channel_and_twin_sliders_move_the_candidates(visit: Any) -> None:
    visitor = visit(HELD)
    before = visitor.column("boundary.candidates", "y")
    assert moved(visitor, "ρ_ul", "snr_offset_db", "ArrowRight", 4) > 0
    assert visitor.column("boundary.candidates", "y") != before
    assert moved(visitor, "ρ_ul", "snr_offset_db", "ArrowLeft", 8) < 0
    assert moved(visitor, "ρ_ul", "beta", "ArrowRight", 20) > 0
    dots = visitor.column("boundary.candidates", "g")
    assert moved(visitor, "g", "delta_T", "End", 1) < 0
    assert visitor.column("boundary.candidates", "g") != dots
    phi = visitor.raw("Φ")
    assert moved(visitor, "g", "H_T", "End", 1) > 0
    assert visitor.raw("Φ") >= phi
    assert visitor.value("H_T") == "100"


def test_state_sliders_move_boundary_frontier_and_allocation(visit: Any) -> None:
    visitor = visit(HELD + "&c=0&delta_T=0.4&H_T=1")
    x, y = (visitor.column("boundary.state", name)[0] for name in "xy")
    assert moved(visitor, "Φ", "v_ratio", "ArrowRight", 5) != 0
    assert visitor.column("boundary.state", "x")[0] > x
    assert moved(visitor, "Φ", "sigma_share", "ArrowRight", 5) < 0
    assert visitor.column("boundary.state", "y")[0] > y
    assert moved(visitor, "Φ", "c", "ArrowRight", 5) > 0
    visitor.open_tab("Certified frontier")
    visitor.until("find('frontier.actions')?.data['y'].length > 5")
    before = visitor.column("frontier.actions", "y")
    visitor.press("v_ratio", "ArrowLeft", 20)
    visitor.settled("v_ratio")
    visitor.until("Math.abs(Math.max(...find('frontier.actions').data['y']) - arg) > 1e-6", max(before))
    visitor.open_tab("Allocation")
    row = visitor.page.locator("tr.marked")
    row.wait_for()
    before = row.inner_text()
    visitor.press("v_ratio", "ArrowRight", 10)
    visitor.settled("v_ratio")
    assert row.inner_text() != before


def test_state_sliders_show_the_flight_until_moved_and_again_when_reset(visit: Any) -> None:
    visitor = visit()
    picture = compute(State())
    note = visitor.page.locator(".control", has=visitor.page.locator('[data-control="v_ratio"]')).locator(".note")
    number = visitor.page.locator('[data-number="v_ratio"]')
    visitor.page.wait_for_function("(n) => n.textContent === 'as flown'", arg=note.element_handle())
    expect(number).to_have_value(f"{picture.focus.flown['v_ratio']:.2f}")
    assert visitor.column("boundary.state", "x") == [picture.focus.flown["v_ratio"]]
    reset = visitor.page.locator('[data-reset="v_ratio"]')
    assert not reset.is_visible()
    visitor.press("v_ratio", "ArrowRight", 3)
    visitor.settled("v_ratio")
    visitor.page.wait_for_function("(n) => n.textContent.includes('m²')", arg=note.element_handle())
    reset.click()
    visitor.page.wait_for_url(lambda url: "v_ratio" not in url)
    visitor.until("find('boundary.state').data['x'][0] === arg", picture.focus.flown["v_ratio"])
    expect(number).to_have_value(f"{picture.focus.flown['v_ratio']:.2f}")
    box = visitor.page.locator('[data-timeline="focus"]')
    box.fill("2")  # another loop: the sliders follow it
    box.press("Enter")
    other = State()
    other.apply({"focus": 2})
    flown = compute(other).focus.flown["v_ratio"]
    visitor.page.wait_for_function("([n, v]) => n.value === v", arg=[number.element_handle(), f"{flown:.2f}"])
    assert "v_ratio" not in visitor.page.url


def test_table_sorts_and_a_row_takes_the_focus(visit: Any) -> None:
    visitor = visit("?tab=allocation")
    first = visitor.page.locator("tbody tr").first
    first.wait_for()
    visitor.page.get_by_role("button", name="V / V_max").click()
    visitor.page.get_by_role("button", name="V / V_max ▲").click()
    visitor.page.get_by_role("button", name="V / V_max ▼").wait_for()
    shares = [float(t) for t in visitor.page.locator("tbody tr td:nth-child(2)").all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    uav = first.locator("td").first.inner_text()
    visitor.page.locator("tbody tr").nth(3).click()
    visitor.page.wait_for_url("**focus=*")
    assert f"focus={uav}" not in visitor.page.url


def test_frame_slider_changes_who_is_served(visit: Any) -> None:
    visitor = visit("?tab=2&slots=60")
    visitor.until("find('allocation.frame')?.data['left'].length > 1")
    before = len(visitor.column("allocation.frame", "left"))
    visitor.press("slots", "ArrowRight", 40)
    visitor.until("find('allocation.frame').data['left'].length > arg", before)


def test_failed_run_reaches_the_gate_of_the_paper_only(visit: Any) -> None:
    visitor = visit("?formulation=paper&c=0&v_ratio=0.02&sigma_share=1&c_fail=1&eta=1")
    assert visitor.link("verdict") != "refused by the gate"
    visitor.page.get_by_text("All settings").click()
    visitor.page.locator("[data-search]").fill("c_fail")
    visitor.press("c_fail", "ArrowRight", 11)
    visitor.page.locator('.chain [data-link="verdict"]', has_text="refused by the gate").wait_for()


def test_formulation_switch_changes_the_drift(visit: Any) -> None:
    visitor = visit()
    before = visitor.link("Φ")
    visitor.page.get_by_role("button", name="paper", exact=True).click()
    visitor.page.locator(f'.chain [data-link="Φ"] .value:not(:text-is("{before}"))').wait_for()
    assert "formulation=paper" in visitor.page.url


def test_a_click_in_the_state_plane_moves_the_loop(visit: Any) -> None:
    visitor = visit()
    box = visitor.page.locator(".bk-Figure").nth(2).bounding_box()
    before = visitor.value("v_ratio")
    visitor.page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.3 * box["height"])
    visitor.until("Math.abs(find('boundary.state').data['x'][0] - arg) > 0.05", float(before))
    assert visitor.value("v_ratio") != before


def test_the_line_says_what_the_last_move_changed_on_every_tab_until_dismissed(visit: Any) -> None:
    visitor = visit()
    visitor.press("beta", "ArrowRight", 3)
    line = visitor.page.get_by_text("β 0.05 → 0.065: The 14-slot exchange")
    line.wait_for()
    visitor.open_tab("Allocation")
    line.wait_for()
    visitor.page.get_by_role("button", name="Forget the picture before the move").click()
    line.wait_for(state="detached")
    visitor.page.get_by_text("Move a slider").wait_for()


def test_the_action_is_held_while_sliders_move_unless_one_follows_the_allocator(visit: Any) -> None:
    visitor = visit("?beta=0.3")
    rho = visitor.raw("ρ_ul")
    assert moved(visitor, "ρ_ul", "beta", "Home", 1) < 0  # not of another action that the allocator now prefers
    visitor.page.get_by_text("The allocator now prefers").wait_for()
    visitor.page.wait_for_url("**action=*")
    held = visitor.raw("ρ_ul")
    visitor.page.locator('[data-timeline="hold"]').uncheck()
    visitor.page.wait_for_url(lambda url: "action=" not in url)
    visitor.page.locator(f'.chain [data-link="ρ_ul"]:not([data-raw="{held}"])').wait_for()
    assert visitor.raw("ρ_ul") != rho


@pytest.mark.parametrize("typed", ["9", "-1", "1e9"])
def test_a_number_out_of_bounds_does_not_stay_in_its_box(visit: Any, typed: str) -> None:
    visitor = visit()
    box = visitor.page.locator('[data-number="beta"]')
    box.fill(typed)
    box.press("Enter")
    visitor.page.get_by_text(f"β goes from 0.005 to 0.5; {typed} was not taken.").wait_for()
    expect(box).to_have_value("0.050")
    box.fill("0.1234")  # on the slider's steps
    box.press("Enter")
    visitor.settled("beta")
    expect(box).to_have_value("0.125")
    assert visitor.value("beta") == "0.125"
    assert visitor.page.get_by_text("was not taken").count() == 0


@pytest.mark.parametrize(
    ("words", "found"), [("corridor", "corridor_radius_m"), ("c_fail", "c_fail"), ("telemetry payload", "bits_ul")]
)
def test_any_setting_is_found_by_symbol_name_or_a_word_of_its_sentence(visit: Any, words: str, found: str) -> None:
    visitor = visit()
    control = visitor.page.locator(f'input[data-control="{found}"]')
    assert not control.is_visible()
    visitor.page.get_by_text("All settings").click()
    search = visitor.page.locator("[data-search]")
    search.fill(words)
    control.wait_for()
    assert visitor.page.locator("details.all .control:visible").count() < 12
    search.fill("")
    control.wait_for(state="hidden")
    search.fill("zzzz")
    visitor.page.get_by_text("0 settings").wait_for()


def test_small_screens_start_with_the_sidebar_folded_and_nothing_scrolls_sideways(
    browser: Browser, server: Any
) -> None:
    page = browser.new_page(viewport={"width": 820, "height": 1180})
    visitor = Visitor.at(page, server)
    visitor.page.get_by_label("Open drawer").wait_for()
    wide = "[...document.querySelectorAll('main, main > *, .header')].filter((e) => e.scrollWidth > innerWidth).length"
    assert page.evaluate(wide) == 0
    assert page.evaluate("document.documentElement.scrollWidth") == 820
    assert page.get_by_label("Toggle theme").bounding_box()["x"] < 790
    visitor.page.get_by_label("Open drawer").click()
    visitor.page.locator('input[data-control="beta"]').click()
    page.close()


def test_link_round_trip_between_two_browsers(visit: Any) -> None:
    first = visit()
    first.press("beta", "ArrowRight", 3)
    first.press("slots", "ArrowLeft", 7)
    first.press("c", "ArrowRight", 2)
    first.open_tab("Certified frontier")
    first.page.wait_for_url("**/app?*beta=0.065*")
    first.page.wait_for_url("**tab=frontier*")
    second = visit(first.page.url.removeprefix(f"{first.root}/app"))
    for control in ("beta", "slots", "c", "snr_offset_db"):
        assert second.value(control) == first.value(control)
    for name in ("ρ_ul", "g", "Φ", "verdict"):
        assert second.link(name) == first.link(name)
    second.until("find('frontier.actions')?.data['x'].length > 0")


@pytest.mark.parametrize(
    "query",
    [
        "?beta=true&slots=120",
        "?slots=120?beta=2",
        "?slots=120&c=%3Cscript%3Ealert(1)%3C/script%3E",
        "?slots=120&" + "x" * 3000 + "=1",
    ],
)
def test_malformed_links_open_with_a_notice(visit: Any, query: str) -> None:
    visitor = visit(query)
    visitor.page.locator("[role=alert]:visible, .MuiAlert-root:visible").first.wait_for()
    assert visitor.value("beta") == "0.05"
    if "slots=120&" in query or query.endswith("slots=120"):
        assert visitor.value("slots") == "120"


def test_reset_brings_the_default_back(visit: Any) -> None:
    visitor = visit("?beta=0.2")
    assert visitor.value("beta") == "0.2"
    visitor.page.locator('[data-reset="beta"]').click()
    visitor.page.wait_for_url(lambda url: "beta" not in url)
    assert visitor.value("beta") == "0.05"


def test_a_combination_that_cannot_be_is_refused_in_words_and_the_page_lives_on(visit: Any) -> None:
    visitor = visit()
    visitor.page.get_by_text("All settings").click()
    visitor.page.get_by_text("Control law").click()
    visitor.press("w_u", "End")
    visitor.page.get_by_text("must be ≤ 1").first.wait_for()
    visitor.press("beta", "ArrowRight", 2)
    visitor.page.wait_for_url("**beta=0.06*")


def test_preset_download_and_upload(visit: Any, tmp_path: Any) -> None:
    visitor = visit("?slots=123")
    with visitor.page.expect_download() as download:
        visitor.pick("Share", "Save scenario")
    path = tmp_path / "scenario.yaml"
    download.value.save_as(path)
    assert "slots: 123" in path.read_text()
    visitor.page.get_by_role("combobox").filter(has_text="custom").click()
    visitor.page.get_by_role("menuitem", name="stressed").click()
    visitor.page.wait_for_url("**slots=110*")
    path.write_text("network: {slots: 77}\n")
    visitor.page.locator('input[data-menu="load"]').set_input_files(path)
    visitor.page.wait_for_url("**slots=77*")
    visitor.page.get_by_role("combobox").filter(has_text="custom").wait_for()
    path.write_text("control: {Ts: 0.274}\nnetwork: {slots: 450, slot_ms: 0.55}\n")  # which fit only with every digit
    visitor.page.locator('input[data-menu="load"]').set_input_files(path)
    visitor.page.wait_for_url("**Ts=0.274*")
    expect(visitor.page.locator('input[data-number="Ts"]')).to_have_value("0.274")
    expect(visitor.page.locator('input[data-number="slot_ms"]')).to_have_value("0.55")
    visitor.page.get_by_text("All settings").click()
    visitor.page.get_by_text("Control law").click()
    visitor.press("Ts", "ArrowRight")  # and from there onto the steps of the slider
    visitor.page.wait_for_url("**Ts=0.3&*")
    path.write_text("network: {slotz: 77}\n")
    visitor.page.locator('input[data-menu="load"]').set_input_files(path)
    visitor.page.get_by_text("was not loaded").first.wait_for()


def test_copy_as_python_shows_lines_that_name_the_change(visit: Any) -> None:
    visitor = visit("?slots=123")
    visitor.pick("Share", "Copy as Python")
    visitor.page.locator("textarea").first.wait_for()
    assert "'network.slots': 123" in visitor.page.locator("textarea").first.input_value()
    ground = "(e) => getComputedStyle(e).backgroundColor"
    dialog = visitor.page.locator(".MuiDialog-paper").first.evaluate(ground)
    assert dialog != visitor.page.locator(".header").first.evaluate(ground), "text of the page on the colour of the bar"


def test_dark_mode_keeps_the_numbers(visit: Any) -> None:
    visitor = visit()
    before = visitor.link("Φ")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = visitor.page.evaluate(paper)
    visitor.page.get_by_label("Toggle theme").click()
    visitor.until(f"{paper} !== arg", light)
    assert visitor.link("Φ") == before


def test_a_file_that_is_too_large_is_refused_in_words(visit: Any, tmp_path: Any) -> None:
    large = tmp_path / "large.yaml"
    large.write_bytes(b"# filler\n" * 3_000_000)  # 27 MB
    visitor = visit("?slots=120")
    visitor.page.locator('input[data-menu="load"]').set_input_files(large)
    visitor.page.get_by_text("The file was not loaded").first.wait_for()
    visitor.press("slots", "ArrowRight")
    visitor.settled("slots")
    assert visitor.value("slots") != "120"


def test_after_a_restart_of_the_server_the_page_comes_back_as_it_was(browser: Browser) -> None:
    with running_app() as server:
        visitor = Visitor.at(browser.new_page(), server)
        visitor.press("beta", "ArrowRight", 2)
        visitor.settled("beta")
        shown = visitor.raw("ρ_ul")
    visitor.page.get_by_text("This page comes back by itself").wait_for()
    visitor.page.evaluate("window.before = true")
    with running_app(port=server.port):
        visitor.page.wait_for_function("!window.before")  # the old page is gone
        visitor.wait_until_live()
        visitor.settled("beta")
        assert visitor.raw("ρ_ul") == shown
        visitor.press("beta", "ArrowRight", 2)
        visitor.settled("beta")
        assert visitor.raw("ρ_ul") > shown
    assert visitor.outside == []
    visitor.page.close()


def test_a_scenario_without_calibration_says_so_and_is_calibrated_on_request(visit: Any) -> None:
    made = own_path(Scenario().replace(**{"mission.building_height_m": 75.0}))
    for suffix in (".npz", ".yaml"):
        made.with_suffix(suffix).unlink(missing_ok=True)
    visitor = visit("?building_height_m=75&uavs=6&duration_s=3")
    visitor.page.get_by_text("calibrated with mission.building_height_m = 90.0 (now 75.0)").wait_for()
    before = visitor.raw("ρ_ul")
    try:
        visitor.page.get_by_role("button", name="Calibrate now").click()
        visitor.page.get_by_text("missions flown").wait_for()
        visitor.page.get_by_text("The twin is calibrated for these settings").wait_for()
        visitor.page.get_by_role("button", name="Cancel").wait_for(state="detached")
        visitor.page.locator(f'.chain [data-link="ρ_ul"]:not([data-raw="{before}"])').wait_for()
        assert made.with_suffix(".npz").is_file()
    finally:
        for suffix in (".npz", ".yaml"):
            made.with_suffix(suffix).unlink(missing_ok=True)
