"""The shipped tour says nothing false: every sentence is checked against the picture of its own step, and against core."""

from __future__ import annotations

import re

import numpy as np
import pytest

from app.page import SCENERY
from app.picture import Picture, compute
from app.stage import state_of
from app.state import metadata_of
from app.touring.catalogue import tour
from app.touring.named_numbers import NAME, NUMBERS, TERM, filled, known
from core.allocation import Verdict
from core.control import DriftTerm

STORY = tour("paper", SCENERY).steps


def picture(number: int, **changes: object) -> Picture:
    """The picture of a step, counted from 1, with its control moved."""
    state = state_of(STORY[number - 1])
    state.apply(changes)
    return compute(state)


def test_eight_steps_with_eight_pictures_and_a_control_each() -> None:
    assert len(STORY) == 8
    assert len({(state_of(step).tab, step.show) for step in STORY}) == 8
    assert all(step.control and step.look and step.show for step in STORY)


@pytest.mark.parametrize("step", STORY, ids=lambda step: step.title)
def test_no_number_is_typed_by_hand(step) -> None:
    typed = re.findall(r"[0-9]+", NAME.sub("", f"{step.title} {step.say} {step.look}"))
    assert set(typed) <= {"0"}  # of Φ = 0


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_every_number_in_a_sentence_is_that_of_the_picture(number: int) -> None:
    shown, step = picture(number), STORY[number - 1]
    said = filled(step.say, shown, {})
    assert "…" not in said
    assert "–" not in said
    assert "{" not in said


def test_step_1_the_cheapest_exchange_is_refused_by_the_drift_bound_until_the_snr_is_raised() -> None:
    shown = picture(1)
    held = shown.focus.held
    assert held.slots == shown.focus.offer.whole.slots.min()
    assert held.phi > 0
    assert held.verdict is Verdict.REFUSED_DRIFT
    assert shown.focus.explanation.term is DriftTerm.V
    assert NUMBERS["term"].read(shown) == TERM[DriftTerm.V]
    assert "refused" in filled(STORY[0].say, shown, {})
    raised = picture(1, snr_offset_db=5.0)
    assert raised.focus.held.key == held.key
    assert "so it is admitted" in filled(STORY[0].say, raised, {})


def test_step_2_the_mirrored_exchange_is_sent_and_this_one_refused_because_of_the_downlink() -> None:
    focus = picture(2).focus
    held, chosen = focus.held, focus.chosen
    assert held.slots == chosen.slots
    assert (held.rho_ul, held.rho_dl) == pytest.approx((chosen.rho_dl, chosen.rho_ul))
    assert held.rho_dl < held.rho_ul
    assert (held.admitted, chosen.admitted) == (False, True)
    less = picture(2, w_d=0.3).focus
    assert less.held.key == held.key
    assert less.held.admitted


def test_step_3_more_confidence_costs_margin_admission_and_slots() -> None:
    now, sure, bold = picture(3), picture(3, beta=0.005), picture(3, beta=0.5)
    margins = [p.focus.ways[0].margin_db for p in (bold, now, sure)]
    admitted = [p.focus.counts["admitted"] for p in (bold, now, sure)]
    chosen = [p.focus.chosen.slots for p in (bold, now, sure)]
    assert margins == sorted(margins)
    assert admitted == sorted(admitted, reverse=True)
    assert admitted[0] > admitted[1] > admitted[2]
    assert chosen[-1] > chosen[0]


def test_step_4_whoever_is_not_on_the_frontier_is_beaten_by_one_that_is() -> None:
    offer = picture(4).focus.offer
    q, on = offer.whole, np.flatnonzero(offer.frontier)
    rest = np.flatnonzero(offer.appraisal.admission.admitted & ~offer.frontier)
    better = (
        (q.slots[on, None] <= q.slots[rest])
        & (q.rho_ul[on, None] >= q.rho_ul[rest])
        & (q.rho_dl[on, None] >= q.rho_dl[rest])
        & (q.T_cert[on, None] <= q.T_cert[rest])
        & (q.D_ul[on, None] <= q.D_ul[rest])
        & (q.D_dl[on, None] <= q.D_dl[rest])
    )
    assert better.any(axis=0).all()
    assert len(on) < 0.05 * len(rest)
    near, far = (picture(4, v_ratio=v).focus.counts["admitted"] for v in (0.02, 0.8))
    assert far < near


def test_step_5_the_frame_is_what_its_sentence_says() -> None:
    shown = picture(5)
    a = shown.instant.allocation
    said = filled(STORY[4].say, shown, {})
    assert f"{a.slots_used} of {a.budget} slots and serves {(a.choice >= 0).sum()} of {len(a.choice)} UAVs" in said
    fewer = picture(5, slots=80).instant.allocation
    assert (fewer.choice >= 0).sum() < (a.choice >= 0).sum()


def test_step_6_there_is_a_corner_and_the_command_is_worth_more_the_further_one_looks() -> None:
    shown = picture(6)
    legs = np.diff(shown.focus.paths.references, axis=0)
    turn = np.degrees(
        np.arccos(np.clip(legs @ legs[0] / np.linalg.norm(legs, axis=1) / np.linalg.norm(legs[0]), -1, 1))
    )
    assert turn.max() > 30
    paths = shown.focus.paths
    assert paths.off(paths.without)[-1] > 1.5 * paths.off(paths.at_end)[-1]
    near = picture(6, lookahead_cycles=1)
    assert near.focus.rank > shown.focus.rank
    assert near.focus.paths.G < shown.focus.paths.G
    assert "after 1 cycle it" in filled(STORY[5].say, near, {})


def test_names_in_braces_are_documented_and_controls_count_too() -> None:
    assert {"admitted", "beta", "v_ratio"} <= known()
    shown = picture(4)
    for name, number in NUMBERS.items():
        assert number.meaning
        assert filled(f"{{{name}}}", shown, {}) not in ("", "…"), name
    assert filled("{beta} {v_ratio} {c}", shown, {}).split()[0] == f"{shown.inputs.scenario.twin.beta:g}"
    assert metadata_of("v_ratio").symbol == "V/V_max"
