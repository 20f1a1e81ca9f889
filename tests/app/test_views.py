"""Views without a server: layouts build, sources carry the picture's numbers, captions tell cause and effect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.captions import what_changed
from app.chain import chain_html
from app.live import LiveRun, Player
from app.page import TABS, Page
from app.picture import LoopState, benchmark, compute
from app.session import Session, handle_fault
from app.state import State
from app.views import base
from app.views.allocation import AllocationView
from app.views.base import TabView
from app.views.boundary import BoundaryView
from app.views.frontier import FrontierView
from app.views.live import LiveView
from app.views.reproduction import ReproductionView, decisions, numbers_html
from core.allocation import RULE_WORDS
from core.control import ControlModel
from core.instant import takeoff
from core.scenario import Scenario
from core.simulation import Simulation, simulate

PINNED = "0.600.0-0.900.0-0"


def session(**values: object) -> Session:
    made = Session()
    made.state.action = PINNED
    if values:
        made.state.apply(values)
    made.pipeline.request()
    return made


@pytest.fixture
def small() -> Session:
    return session(uavs=8, slots=40, duration_s=3.0)


def shown(view: type[TabView], made: Session) -> TabView:
    found = view(made)
    found.__panel__()
    found.refresh(made.pipeline.picture)
    return found


def test_boundary_sources_hold_the_picture(small: Session) -> None:
    small.state.apply({"v_ratio": 0.35})
    view = shown(BoundaryView, small)
    picture, s = small.pipeline.picture, view.figure.sources
    assert s["state"].data["x"][0] == pytest.approx(0.35)
    assert s["state"].data["y"][0] == pytest.approx(picture.loop.tr_sigma)
    image = s["plane"].data["image"][0]
    assert image.shape[0] > 50
    # the pixel nearest to the state has the sign of the action's own drift
    row = round(
        (picture.loop.tr_sigma - picture.model.sigma_min)
        / (1.2 * (picture.model.sigma_max - picture.model.sigma_min))
        * (image.shape[0] - 1)
    )
    column = round(small.state.v_ratio / 1.2 * (image.shape[1] - 1))
    assert image[row, column] == pytest.approx(picture.action.phi / picture.model.V_max, abs=0.01)


def test_boundary_line_separates_the_signs_of_the_map(small: Session) -> None:
    view = shown(BoundaryView, small)
    image = view.figure.sources["map"].data["image"][0]
    line = np.asarray(view.figure.sources["line"].data["y"])[::2]
    rho = np.linspace(0, 1, image.shape[0])
    for g, threshold in enumerate(line):
        if np.isfinite(threshold):
            assert (image[rho > threshold + 0.02, g] <= 1e-9).all()
            assert (image[rho < threshold - 0.02, g] > 0).all()


def test_a_tap_in_the_plane_sets_the_state(small: Session) -> None:
    view = shown(BoundaryView, small)
    picture = small.pipeline.picture
    event = type("Tap", (), {"x": 0.2, "y": picture.model.sigma_max})
    view._set_state(event)
    assert small.state.v_ratio == pytest.approx(0.2)
    assert small.state.sigma_share == pytest.approx(1.0)


@pytest.mark.parametrize(("rule", "words"), RULE_WORDS.items())
def test_every_rule_of_admission_is_named_for_what_it_does(small: Session, rule: str, words: str) -> None:
    small.state.apply({"admission": rule, "v_ratio": 0.9})
    picture = small.pipeline.picture
    frontier, boundary = shown(FrontierView, small), shown(BoundaryView, small)
    assert f"{picture.counts['admitted']} {words}" in frontier.figure.plot.title.text
    assert (r"\Phi\le 0" in frontier.equation.object) == (rule == "drift")
    assert ("Admission is" in boundary.legend.object) == (rule != "drift")
    shown(AllocationView, small)


def test_frontier_layers_nest_and_a_click_explains(small: Session) -> None:
    view = shown(FrontierView, small)
    s = view.figure.sources
    assert len(s["frontier"].data["x"]) == small.pipeline.picture.counts["frontier"]
    assert len(s["frontier"].data["x"]) <= len(s["safe"].data["x"]) <= len(s["candidates"].data["x"])
    key = s["frontier"].data["key"][0]
    s["frontier"].selected.indices = [0]
    assert small.state.action == key
    view.refresh(small.pipeline.picture)
    assert small.pipeline.picture.action.key == key
    assert small.pipeline.picture.chain["sentence"] in view.explanation.object.replace("&#x27;", "'").replace(
        "&lt;", "<"
    ).replace("&gt;", ">")


def test_every_verdict_is_a_sentence(small: Session) -> None:
    actions = small.pipeline.picture.actions
    for index in np.linspace(0, len(actions.slots) - 1, 40).astype(int):
        said = actions.verdict(actions.action(int(index)))
        assert said["sentence"].endswith(".")
        assert said["verdict"]


def test_allocation_frame_fits_and_the_table_is_complete(small: Session) -> None:
    view = shown(AllocationView, small)
    frame = view.figure.sources["frame"].data
    assert max(frame["right"]) <= 40
    order = np.argsort(frame["left"])
    assert (np.asarray(frame["right"])[order][:-1] <= np.asarray(frame["left"])[order][1:]).all()
    assert [row[0] for row in view.table.rows] == list(range(1, 9))
    assert "regret" in view.regret.object
    assert np.all(np.diff(view.figure.sources["curve"].data["F"]) >= -1e-12)


def test_benchmark_never_loses_to_the_allocation(small: Session) -> None:
    picture = small.pipeline.picture
    assert benchmark(picture).value >= picture.allocation.value - 1e-9


@pytest.mark.parametrize(
    ("change", "key", "sign"),
    [
        ({"snr_offset_db": 2.0}, "rho_ul", 1),
        ({"snr_offset_db": -2.0}, "rho_ul", -1),
        ({"beta": 0.3}, "rho_ul", 1),
        ({"delta_T": 0.5}, "g", -1),
        ({"H_T": 1}, "g", -1),
        ({"sigma_share": 1.0}, "phi", -1),
        ({"v_ratio": 0.8}, "phi", -1),
        ({"c": 6}, "alpha_bar", 1),
        ({"c": 6}, "phi", 1),
    ],
)
def test_each_named_control_moves_the_chain_the_way_the_model_says(
    change: dict[str, object], key: str, sign: int
) -> None:
    # a certificate with a small g: at a larger one c* = max(c, g − 1) has reached the buffer's depth already
    made = session(c=0, **({"delta_T": 0.4, "H_T": 1} if "c" in change else {}))
    before = made.pipeline.picture
    made.state.apply(change)
    after = made.pipeline.picture
    assert after.focus == before.focus
    assert sign * (after.chain[key] - before.chain[key]) > 0


def test_failed_run_matters_through_the_gate_in_the_paper_formulation() -> None:
    made = session(formulation="paper", v_ratio=0.02, sigma_share=1.0, eta=1.0, c_fail=1)
    before = made.pipeline.picture.counts["admitted"]
    made.state.apply({"c_fail": 12})
    assert made.pipeline.picture.counts["admitted"] < before
    assert made.pipeline.picture.chain["verdict"] == "refused by the gate"


def test_what_is_written_under_the_map_is_what_is_computed() -> None:
    made = session(c_fail=2)
    view = shown(BoundaryView, made)
    assert "X_{00}" in view.equation.object
    assert len(view.figure.sources["gate"].data["right"]) == 0
    made.state.apply({"formulation": "paper"})
    view.refresh(made.pipeline.picture)
    assert "X_{00}" not in view.equation.object
    assert "c<g" in view.equation.object
    assert view.figure.sources["gate"].data["right"] == [2.5]  # the gate refuses g = 1 and g = 2 after two failures
    dots = view.figure.sources["candidates"].data
    assert not np.any(dots["admitted"][dots["g"] <= 2])


def test_a_promise_beyond_its_horizon_is_called_vacuous() -> None:
    made = session()
    assert "vacuous" not in made.pipeline.picture.chain["sentence"]
    made.state.apply({"H_T": 1, "delta_T": 0.005})
    picture = made.pipeline.picture
    assert picture.action.g > 1
    assert "exceeds H_T = 1" in picture.chain["sentence"]
    assert "g &gt; H_T" in chain_html(picture)


def test_caption_names_the_cause_and_an_effect(small: Session) -> None:
    before = small.pipeline.picture
    small.state.apply({"snr_offset_db": -6.0})
    text = what_changed(before, small.pipeline.picture)
    assert text.startswith("ΔSNR 0 → -6: ")
    assert "→" in text.split(": ", 1)[1]


def test_the_caption_of_a_drag_starts_where_the_drag_started(small: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    view = BoundaryView(small)
    view.refresh(small.pipeline.picture)
    for beta in (0.055, 0.06, 0.065):
        small.state.apply({"beta": beta})
        view.refresh(small.pipeline.picture)
    assert "β 0.05 → 0.065: " in view.caption.object
    small.state.apply({"v_ratio": 0.5})  # another control: another cause
    view.refresh(small.pipeline.picture)
    assert f"V/V_max {small.pipeline.picture.flown['v_ratio']:.3g} (as flown) → 0.5: " in view.caption.object
    assert "β" not in view.caption.object.split(": ")[0]
    monkeypatch.setattr(base, "REST_S", -1.0)  # let go and taken up again
    small.state.apply({"v_ratio": 0.6})
    view.refresh(small.pipeline.picture)
    assert "V/V_max 0.5 → 0.6: " in view.caption.object


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


def test_page_builds_every_tab_on_its_first_visit_only() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"], "tab": [b"2"]})
    page.start()
    assert page._drawn == {2}
    page.session.state.tab = 1
    assert page._drawn == {1, 2}
    assert page.controls.address == "?slots=40&uavs=8&tab=1"
    assert len(page.views) == len(TABS)
    page.session.close()


def test_controls_refuse_hostile_values_and_show_the_truth_again() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"]})
    page.start()
    for bad in ({"beta": 9.0}, {"beta": "x"}, {"slots": float("nan")}, {"policies": ["evil"]}, {"nobody": 1}):
        page.controls.values = {**page.controls.values, **bad}
        assert page.session.state.beta == 0.05
        assert page.controls.values == page.session.state.values()
    page.controls.values = {**page.controls.values, "beta": 0.1}
    assert page.session.state.beta == 0.1
    page.session.close()


def test_live_run_ends_with_the_numbers_of_simulate() -> None:
    scenario = Scenario().replace(**{"mission.uavs": 6, "network.slots": 30, "mission.duration_s": 5.0})
    run = LiveRun(scenario, ("SAFE", "VoI-Sched"), seed=3)
    while not run.done:
        run.advance()
    for policy, track in run.tracks.items():
        expected = simulate(scenario, policy, seed=3).summary()
        for name, value in track.summary().items():
            np.testing.assert_equal(value, expected[name])


def test_live_view_steps_changes_and_restarts(small: Session) -> None:
    view = shown(LiveView, small)
    assert view._restart()
    player: Player = view.player
    for expected in (1, 2):
        player._one()
        assert view.poll() == 1
        assert len(view.figure.sources["series"].data["t"]) == expected
    small.state.apply({"beta": 0.2})
    player._one()
    assert player.run.scenario.twin.beta == 0.2
    view.poll()
    small.state.apply({"seed": 5})
    assert player.run.seed == 5
    assert view.figure.sources["series"].data["t"] == []
    view.close()
    assert player.run is None


def test_live_run_refuses_a_change_that_needs_a_new_run() -> None:
    scenario = Scenario().replace(**{"mission.uavs": 4, "network.slots": 30})
    run = LiveRun(scenario, ("SAFE",), seed=0)
    with pytest.raises(ValueError, match="in flight"):
        run.change(scenario.replace(**{"mission.uavs": 5}))
    assert run.scenario == scenario


def test_decisions_are_all_listed() -> None:
    numbers = [number for number, *_ in decisions()]
    assert numbers[:20] == [f"D{i}" for i in range(1, 21)]


def test_reproduction_view_builds_with_or_without_the_shipped_result(
    small: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.views import reproduction
    from core.errors import SafeExplorerError

    assert shown(ReproductionView, small).content is not None

    def missing() -> None:
        raise SafeExplorerError("No reproduction; make one with `python -m core reproduce`.")

    monkeypatch.setattr(reproduction, "shipped", missing)
    view = ReproductionView(small)
    assert "python -m core reproduce" in view.content[0].object


def test_reproduction_table_has_every_policy_once() -> None:
    from core.simulation import reproduce

    scenario = Scenario().replace(**{"mission.uavs": 3, "network.slots": 30, "mission.duration_s": 1.0})
    result = reproduce(scenario, trials=2, first_seed=0)
    table = numbers_html(result)
    for policy in result.policies:
        assert table.count(f">{policy}<") == 1


def flown_run(state: State) -> Simulation:
    """The run behind tabs 1 to 3, flown without any cache to the cycle shown."""
    run = Simulation(takeoff(state.scenario), "SAFE", state.seed)
    while run.k < min(state.cycle, run.trace.cycles - 1):
        run.step()
    return run


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"seed": 4, "cycle": 9, "slots": 25, "beta": 0.2, "snr_offset_db": -3.0},
        {"cycle": 2400, "Q": 2.0, "formulation": "paper", "uavs": 5},
        {"Ts": 0.3, "H": 6, "speed_mps": 12.0},
    ],
)
def test_every_loop_stands_where_the_flight_has_it(changes: dict[str, Any]) -> None:
    state = State()
    state.apply({"uavs": 8, "slots": 40, "duration_s": 6.0, **changes})
    picture, run = compute(state), flown_run(state)
    states = run.states()
    for name in ("tr_sigma", "c", "c_fail", "safe", "z", "u"):
        np.testing.assert_array_equal(getattr(picture.states, name), getattr(states, name))
    np.testing.assert_allclose(picture.states.V, ControlModel.of(state.scenario).lyapunov(states.z))
    np.testing.assert_array_equal(picture.instant.plan.references[0], run.trace.positions[run.k])
    assert picture.instant.cycle == run.k


def test_the_default_page_allocates_what_the_policy_did_in_that_cycle() -> None:
    state = State()
    record = flown_run(state).step()
    picture = compute(state)
    np.testing.assert_array_equal(picture.allocation.choice, record.choice)
    np.testing.assert_array_equal(picture.candidates.rho_dl, record.candidates.rho_dl)
    np.testing.assert_array_equal(picture.frame.slot, record.frame.slot)


def test_sliders_of_the_state_act_on_the_focused_loop_and_return_to_the_flight(small: Session) -> None:
    before = small.pipeline.picture
    i, m = before.focus, before.model
    small.state.apply({"v_ratio": 0.6, "sigma_share": 0.9, "c": 5, "c_fail": 2})
    moved = small.pipeline.picture
    assert (moved.focus, moved.flown) == (i, before.flown)
    assert moved.loop == LoopState(0.6 * m.V_max, m.sigma_min + 0.9 * (m.sigma_max - m.sigma_min), 5, 2, 5)
    others = np.arange(8) != i
    for name in ("V", "tr_sigma", "c", "c_fail", "z"):
        np.testing.assert_array_equal(getattr(moved.states, name)[others], getattr(before.states, name)[others])
    small.state.apply(dict.fromkeys(("v_ratio", "sigma_share", "c", "c_fail")))
    assert small.pipeline.picture.loop == before.loop


def test_no_slider_but_those_of_the_mission_flies_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state = State()
    state.apply({"uavs": 6, "slots": 30, "duration_s": 6.0, "seed": 77})
    compute(state)
    flown: list[int] = []
    step = Simulation.step
    monkeypatch.setattr(Simulation, "step", lambda self: (flown.append(self.k), step(self))[1])
    sliders = {
        "beta": 0.2,
        "snr_offset_db": 3.0,
        "slots": 44,
        "Q": 2.0,
        "eta": 0.3,
        "corridor_radius_m": 40.0,
        "c": 3,
        "focus": 2,
    }
    for name, value in {**sliders, "formulation": "paper", "carrier_ghz": 5.0, "v_ratio": 0.5, "cycle": 12}.items():
        state.apply({name: value})
        compute(state)
    assert flown == []
    state.apply({"hotspot_cycles": 8})
    compute(state)
    assert flown == list(range(12))


def test_the_page_says_which_cycle_is_shown_and_what_is_as_flown() -> None:
    page = Page(Session(), {"uavs": [b"8"], "slots": [b"40"], "duration_s": [b"3"], "cycle": [b"2000"], "c": [b"4"]})
    page.start()
    picture = page.session.pipeline.picture
    assert picture.instant.cycle == 11
    assert "11" in page.controls.notes["cycle"]
    assert [n for n, text in page.controls.notes.items() if text == "as flown"] == ["v_ratio", "sigma_share", "c_fail"]
    assert page.controls.flown == picture.flown
    assert page.controls.values["v_ratio"] is None
    page.controls.values = {**page.controls.values, "v_ratio": 0.5}
    assert page.session.pipeline.picture.loop.V / picture.model.V_max == pytest.approx(0.5)
    page.controls.values = {**page.controls.values, "v_ratio": None}
    assert page.session.state.v_ratio is None
    page.session.close()
