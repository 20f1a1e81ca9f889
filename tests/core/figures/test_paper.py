"""Files for paper opened again: their numbers are the model's, their captions say the settings, the same input gives the same bytes."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import core.figures as paper
from core.allocation import Mode
from core.errors import SafeExplorerError
from core.figures import Figure, Stamp, Table
from core.figures.arrays.fields import Certificate
from core.figures.arrays.marks import marks_over_g
from core.figures.paper.canvas import WIDTH_IN
from core.figures.paper.typeset import latex, typeset
from core.figures.snapshot import snapshot
from core.figures.study import study_words
from core.instant import Flight, Focus
from core.numerals import numeral
from core.scenario import Scenario
from core.studies import Axis, Study

SWARM = Scenario().replace(**{"mission.uavs": 9, "network.slots": 60, "mission.duration_s": 6.0})
ASKED = {"network.snr_offset_db": 2.0, "twin.beta": 0.1}
OF_A_LOOP: tuple[Callable[..., Figure], ...] = (
    paper.safety_boundary,
    paper.uplink_downlink,
    paper.state_plane,
    paper.certified_frontier,
    paper.prediction,
    paper.slot_allocation,
    paper.solved,
)


LABELS = {
    "safety_boundary": ("interactionindexg[opportunities]", "1−ρul", "Φ/Vmax"),
    "uplink_downlink": ("1−ρul", "1−ρdl", "Φ/Vmax"),
    "state_plane": ("trackingenergyV/Vmax", "uncertaintytrΣ[m²]", "UAV3"),
    "certified_frontier": ("slotcosts[slots]", "valueU/Vmax", "Tcert[s]"),
    "prediction": ("x[m]", "cyclesahead", "distance[m]", "withoutservice"),
    "solved": ("ΔSNR[dB]", "admittedactions", "Φ/Vmax", "U/Vmax"),
    "slot_allocation": ("slotsb", "uplink", "frame,S=60"),
}
"""What must be read on each, without its blanks: indices are pieces of their own."""


@pytest.fixture(scope="module")
def focus() -> Focus:
    now = Flight.of(SWARM, "SAFE", 3).instant(9)
    return now.replace(scenario=SWARM.replace(**ASKED), focus=2, c=3).on(2)


@pytest.fixture(scope="module")
def flights() -> dict[str, Flight]:
    return {policy: Flight.of(SWARM, policy, 3) for policy in ("SAFE", "VoI-Sched")}


def read(content: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(content), comment="#")


def texts(svg: bytes) -> str:
    return " ".join("".join(e.itertext()) for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))


@pytest.mark.parametrize("made", OF_A_LOOP)
@pytest.mark.slow
def test_the_same_instant_gives_the_same_bytes_with_labels_and_stamp(made: Callable[..., Figure], focus: Focus) -> None:
    figure, again = (made(focus, "?cycle=9") for _ in range(2))
    svg = figure.render("svg")
    assert svg == again.render("svg")
    stamp = figure.stamp
    assert (stamp.scenario, stamp.calibration) == (focus.instant.scenario.digest(), focus.instant.calibration.digest)
    assert stamp.text.encode() in svg
    width = re.search(rb'<svg [^>]*?width="([\d.]+)pt"', svg)
    assert width is not None
    assert float(width[1]) == pytest.approx(72 * WIDTH_IN["column"])
    said = "".join(texts(svg).split())
    assert [text for text in LABELS[made.__name__] if text not in said] == []
    assert read(figure.render("csv")).shape == figure.frame.shape


@pytest.mark.parametrize("made", OF_A_LOOP)
def test_a_caption_says_what_differs_from_the_default(made: Callable[..., Figure], focus: Focus) -> None:
    caption = made(focus).caption
    flown, asked = caption.split(" Asked at this cycle only: ")
    assert "Cycle 9 of a flight of SAFE, seed 3" in flown
    for name, value in SWARM.differences().items():
        assert re.search(rf"= {value:g}( \w+)? \({re.escape(name)}\)", flown), name
    for name, value in ASKED.items():
        assert re.search(rf"= {value:g}( \w+)? \({re.escape(name)}\)", asked), name
    assert "State of UAV 3 that was not flown: c = 3 cycles." in asked
    plain = made(Flight.of(SWARM, "SAFE", 3).instant(9).on(2)).caption
    assert "Asked" not in plain
    assert "not flown" not in plain


def test_a_pdf_embeds_its_type_and_has_no_date(focus: Focus) -> None:
    figure = paper.certified_frontier(focus)
    first = figure.render("pdf")
    assert first == figure.render("pdf")
    assert b"/FontFile2" in first
    assert b"/Type3" not in first
    assert b"CreationDate" not in first
    assert b"MediaBox [ 0 0 252 " in first
    assert figure.render("png").startswith(b"\x89PNG")


def test_the_frontier_on_paper_is_the_loops_own(focus: Focus) -> None:
    figure = paper.certified_frontier(focus)
    actions = read(figure.render("csv")).query("layer == 'actions'")
    d = focus.distinct
    np.testing.assert_allclose(actions["slots"], d["slots"])
    np.testing.assert_allclose(actions["U_over_V_max"], d["U"] / focus.model.V_max, rtol=1e-6)
    assert (actions["frontier"].astype(bool).to_numpy() == d["frontier"]).all()
    svg = ET.fromstring(figure.render("svg"))
    diamonds = svg.findall(".//*[@id='PathCollection_1']//{http://www.w3.org/2000/svg}use")
    assert len(diamonds) == int(d["frontier"].sum())
    assert "slot cost s [slots]" in texts(figure.render("svg"))


def test_the_boundary_on_paper_marks_every_mark_and_its_field_is_phi(focus: Focus) -> None:
    figure = paper.safety_boundary(focus)
    table = read(figure.render("csv"))
    c, s = Certificate.of(focus), focus.state
    field = table.query("layer == 'field'").sample(40, random_state=1)
    phi = focus.model.drift(
        s.V, s.tr_sigma, s.c_for_drift, field["rho_ul"].to_numpy(), c.rho_dl, field["g"].to_numpy(dtype=np.int64), c.h_ul, c.h_dl
    ).phi  # fmt: skip
    np.testing.assert_allclose(field["phi_over_V_max"], phi / focus.model.V_max, rtol=1e-9, atol=1e-12)
    marked, _ = marks_over_g(focus, c)
    assert len(table.query("layer == 'actions'")) == len(marked["x"])


def test_the_allocation_on_paper_is_the_frame(focus: Focus) -> None:
    table = read(paper.slot_allocation(focus).render("csv"))
    a = focus.allocation
    blocks = table.query("layer == 'frame'")
    assert set(blocks["uav"].astype(int)) == set((np.flatnonzero(a.choice >= 0) + 1).tolist())
    value = table.query("layer == 'value'")
    np.testing.assert_allclose(value["F_over_V_max"], focus.instant.curve / focus.model.V_max)
    spent = table.query("layer == 'spent'").iloc[0]
    assert spent["slots"] == a.room
    assert spent["F_over_V_max"] == pytest.approx(a.value / focus.model.V_max)
    modes = {int(Mode.HOLD), int(Mode.CERTIFIED)}
    assert modes & set(a.mode.tolist())


def test_flights_on_paper_are_their_history(flights: dict[str, Flight]) -> None:
    figure = paper.flight_series(flights, 11, 4)
    table = read(figure.render("csv")).query("layer == 'series'")
    for policy, flight in flights.items():
        mine = table[table["policy"] == policy]
        np.testing.assert_allclose(mine["rmse_m"], flight.history().rmse[:12])
    said = texts(figure.render("svg", "page"))
    assert all(policy in said for policy in flights)
    numbers = paper.flight_numbers(flights, 11)
    assert numbers.rows[0][1] == f"{flights['SAFE'].summary(['mean_rmse_m'], 0, 12)['mean_rmse_m']:.2f}"
    shares = paper.flight_modes(flights, 11, 0).data["shares"]
    np.testing.assert_allclose(shares.groupby("policy")["share"].sum(), 1.0)
    assert {"rmse", "v", "delay"} == set(paper.flight_distributions(flights, 11, 0).frame["distribution"])


def test_a_table_shows_the_same_numbers_in_both_formats(focus: Focus) -> None:
    table = paper.loops(focus)
    values, tex = read(table.render("csv")), table.render("tex").decode()
    np.testing.assert_allclose(values["V / V_max"], focus.instant.states.V / focus.model.V_max)
    rows = [line for line in tex.splitlines() if line.startswith("{}")]
    assert len(rows) == len(values)
    assert f"& {values['V / V_max'][4]:.3f} &" in rows[4]
    assert r"{tr $\Sigma$} \\ {[m$^2$]}" in tex
    assert r"\toprule" in tex
    assert tex.isascii()


HOSTILE = r"50% & <b>_x_</b> #1 {a} \input{/etc/passwd} ~^ $y$ 漢 ρ_ul"


def test_what_comes_from_outside_is_escaped(focus: Focus) -> None:
    made = latex(HOSTILE)
    assert r"\textbackslash{}input\{/etc/passwd\}" in made
    assert r"50\% \&" in made
    assert "[U+6F22]" in made
    assert r"$\rho_{\mathrm{ul}}$" in made
    assert typeset("cost 5 $ of V_max") == r"cost 5 \$ of $V_\mathrm{max}$"
    page = snapshot(focus, '?a="><script>alert(1)</script><img src=x>')
    assert "<script" not in page
    assert "<img" not in page
    table = Table("t", "line\n\\input{x}", Stamp("a", "b", "?x\n\\input{y}"), ("[m]", "b"), [["[1]", "2"]])
    lines = table.render("tex").decode().splitlines()
    assert not [line for line in lines if line.startswith(r"\input")]


def test_a_snapshot_needs_nothing_else_and_says_what_the_page_says(focus: Focus) -> None:
    page = snapshot(focus, "?cycle=9")
    assert page.count("<svg") == len(OF_A_LOOP) - 1  # a solution is about other instants too
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert "url(http" not in page
    assert focus.sentence.replace("'", "&#x27;") in page
    assert (
        numeral(focus.held.phi / focus.model.V_max, "+.4f") in page if focus.held is not None and focus.held.g else True
    )
    assert "network.snr_offset_db" in page
    assert focus.instant.scenario.digest() in page
    assert "default-src &#x27;none&#x27;" in page


def test_an_empty_frontier_is_drawn_too() -> None:
    nothing = SWARM.replace(**{"network.snr_offset_db": -20.0, "network.slots": 1})
    empty = Flight.of(SWARM, "SAFE", 3).instant(9).replace(scenario=nothing).on(0)
    for made in OF_A_LOOP:
        assert made(empty).render("svg", "page")


def test_a_wrong_ending_is_refused_in_words(focus: Focus, tmp_path: object) -> None:
    figure = paper.prediction(focus)
    with pytest.raises(SafeExplorerError, match="does not say what to write"):
        figure.export(f"{tmp_path}/figure.docx")
    with pytest.raises(SafeExplorerError, match="no width"):
        figure.render("pdf", "poster")
    with pytest.raises(SafeExplorerError, match="cannot be written"):
        figure.export(f"{tmp_path}/nowhere/figure.csv")


def test_a_solution_on_paper_is_the_solution(focus: Focus) -> None:
    found = focus.solve("twin.beta")
    figure = paper.solution(found)
    np.testing.assert_array_equal(figure.data["curves"]["twin.beta"], found.curves.x)
    np.testing.assert_array_equal(figure.data["curves"]["admitted_actions"], found.curves.admitted)
    assert str(found.said) in figure.caption


def test_the_caption_of_a_study_whose_varied_field_does_not_fit_at_its_default() -> None:
    """160 slots of 2.05 ms do not fit into the control period; 50 do, and what is varied is not said of the scenario."""
    base = Scenario().replace(**{"network.slots": 50, "network.slot_ms": 2.0})
    said = study_words(Study(base, (Axis("network.slots", (40, 50)),), ("SAFE",), (0,)), pd.DataFrame())
    assert "T_slot = 2 ms" in said
    assert "S = 50" not in said
