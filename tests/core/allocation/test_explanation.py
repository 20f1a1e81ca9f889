"""Every verdict is explained by a sentence that carries its numbers."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from definitions import knapsack_by_recurrence

from core.allocation import (
    VERDICTS,
    Mode,
    Others,
    Sentence,
    Verdict,
    allocate,
    coordinates,
    dominates,
    loss_if_forced,
    solve_knapsack_csr,
)
from core.control import ControlModel, DriftTerm, LoopStates
from core.twin import Exchange


def first(allocation, verdict, where=None):
    rows = np.flatnonzero(allocation.verdict == verdict.code)
    if where is not None:
        rows = rows[where[rows]]
    assert rows.size, verdict
    return int(rows[0])


def test_every_verdict_is_a_sentence():
    assert all(v.value.endswith(".") and len(v.value) > 20 for v in VERDICTS)
    assert [v.code for v in VERDICTS] == list(range(len(VERDICTS)))


def test_every_candidate_of_a_swarm_can_be_explained(case, paper_case):
    seen = set()
    for some in (case, paper_case):
        a = allocate(*some.parts)
        rng = np.random.default_rng(0)
        for index in rng.choice(a.U.size, 60, replace=False):
            e = a.explain(int(index))
            assert e.verdict is a.verdict_of(index)
            assert e.sentence[0].isupper()
            assert e.sentence.endswith(".")
            assert e.numbers["phi"] == pytest.approx(a.phi[index])
            seen.add(e.verdict)
    assert len(seen) >= 4


def test_chosen(case):
    a = allocate(*case.parts)
    index = first(a, Verdict.CHOSEN)
    e = a.explain(index)
    assert e.sentence.startswith(f"Chosen: {a.candidates.slots[index]} slots")
    assert f"U = {a.U[index]:.4g} m²" in e.sentence
    assert (e.term, e.dominator, e.better_in) == (None, None, ())


def test_dominated_names_the_action_and_the_coordinates(case):
    a = allocate(*case.parts)
    coords = coordinates(a.candidates)
    for index in np.flatnonzero(a.verdict == Verdict.DOMINATED.code)[:40]:
        e = a.explain(int(index))
        assert a.frontier[e.dominator]
        assert a.candidates.loop[e.dominator] == a.candidates.loop[index]
        assert dominates(coords[e.dominator], coords[index])
        differs = {n for n, x, y in zip(e.numbers, coords[e.dominator], coords[index], strict=False) if x != y}
        assert set(e.better_in) == differs
        best = Exchange.of(a.candidates, e.dominator)
        assert e.rivals == (best.key,)
        assert f"Dominated by the {a.candidates.slots[e.dominator]}-slot exchange {best.route}" in e.sentence


def test_equal_actions_are_called_equal(make_case):
    full = make_case(uavs=4, full=True)  # ul-first and dl-first cost and certify the same
    a = allocate(*full.parts)
    rows = np.flatnonzero(a.verdict == Verdict.DOMINATED.code)
    equal = [e for e in (a.explain(int(i)) for i in rows[:: max(1, rows.size // 300)]) if not e.better_in]
    assert equal
    assert all("Equal to the" in e.sentence and e.rivals for e in equal)


def test_refused_by_each_term_of_the_drift(case):
    scenario, model, q, states = case.parts
    n = len(states)
    none = np.zeros(n, np.int64)
    big = LoopStates(np.full(n, 0.5 * model.V_max), np.full(n, model.tr_meas), none + 6, none, none > 0)
    a = allocate(scenario, model, q, big)
    index = first(a, Verdict.REFUSED_DRIFT, q.rho_ul < 0.9)
    e = a.explain(index)
    assert e.term is DriftTerm.V
    assert f"Φ = {a.phi[index]:+.4g} m² > 0" in e.sentence
    assert "tracking-error term (ᾱ−1)V decides" in e.sentence
    total = e.numbers["v_term"] + e.numbers["sigma_term"] + e.numbers["noise_term"]
    assert total == pytest.approx(e.numbers["phi"])
    rest = allocate(scenario, model, q, LoopStates.at_rest(n, model.tr_meas + model.tr_proc))
    e = rest.explain(first(rest, Verdict.REFUSED_DRIFT, q.rho_ul > 0.999))
    assert e.term is DriftTerm.NOISE
    assert "process-noise term decides" in e.sentence
    fresh = LoopStates.at_rest(n, model.tr_meas)  # nothing to refresh: the estimate can only lose
    e = (b := allocate(scenario, model, q, fresh)).explain(first(b, Verdict.REFUSED_DRIFT))
    assert e.term is DriftTerm.SIGMA
    assert "covariance term λ_Σ·Ψ_Σ decides" in e.sentence


def test_refused_by_the_gate_only_in_the_printed_formulation(paper_case):
    a = allocate(*paper_case.parts)
    index = first(a, Verdict.REFUSED_GATE)
    e = a.explain(index)
    assert e.numbers["c_fail"] >= e.numbers["g"]
    assert f"tolerates g = {a.candidates.g[index]}" in e.sentence
    assert e.term is None


def test_no_bound_says_which_bound_is_missing(case):
    scenario, model, q, states = case.parts
    no_data = dataclasses.replace(q, g=q.g * 0, p11=q.p11 * np.nan)
    no_run = dataclasses.replace(q, g=q.g * 0, p11=q.p11 * 0 + 1.0)
    a, b = (allocate(scenario, model, x, states) for x in (no_data, no_run))
    e = a.explain(first(a, Verdict.NO_BOUND))
    assert "calibration" in e.sentence
    assert e.term is None
    e = b.explain(first(b, Verdict.NO_BOUND))
    assert "p₁₁ = 1.000" in e.sentence
    assert f"H_T = {scenario.twin.H_T}" in e.sentence


def test_frontier_but_not_worth_it(case):
    a = allocate(*case.parts)
    e = a.explain(first(a, Verdict.FRONTIER, a.U <= 0))
    assert "does at least as well" in e.sentence
    assert e.numbers["U"] <= 0


def loss_by_recurrence(allocation, index):
    """P2's value less that of the printed recurrence with one action imposed on its loop."""
    q, offsets = allocation.candidates, allocation.candidates.offsets
    taking_part = allocation.frontier | (np.arange(allocation.U.size) == index)
    rows = [np.flatnonzero(taking_part[a:b]) + a for a, b in itertools.pairwise(offsets)]
    values, slots = [allocation.U[r] for r in rows], [q.slots[r] for r in rows]
    loop = int(q.loop[index])
    forced = (loop, rows[loop].tolist().index(index))
    room = allocation.budget - allocation.reserve
    return allocation.value - knapsack_by_recurrence(values, slots, room, forced=forced)[1]


@pytest.mark.parametrize("budget", [20, 60])
def test_the_loss_is_that_of_the_recurrence_with_the_action_imposed(case, budget):
    a = allocate(*case.parts, budget=budget)
    verdicts = (Verdict.FRONTIER, Verdict.DOMINATED, Verdict.REFUSED_DRIFT)
    rows = [np.flatnonzero(a.verdict == v.code) for v in verdicts]
    sample = np.concatenate([r[:: max(1, r.size // 8)] for r in rows])
    losses = [loss_if_forced(a, int(i)) for i in sample]
    assert losses == pytest.approx([loss_by_recurrence(a, int(i)) for i in sample], rel=1e-9, abs=1e-9 * a.value)
    assert len({round(x, 6) for x in losses}) > 5


def test_an_action_dearer_than_the_frame_cannot_be_forced(case):
    a = allocate(*case.parts, budget=8)
    index = int(np.argmax(a.candidates.slots))
    assert loss_if_forced(a, index) == loss_by_recurrence(a, index) == math.inf


def test_frontier_but_its_slots_are_worth_more_elsewhere(case):
    a = allocate(*case.parts)
    fits = a.candidates.slots <= a.budget - a.reserve
    rows = np.flatnonzero((a.verdict == Verdict.FRONTIER.code) & (a.U > 0) & fits)
    for index in rows[:: max(1, rows.size // 12)]:
        e = a.explain(int(index))
        loss = loss_by_recurrence(a, int(index))
        assert loss > 1e-9 * a.value
        assert e.numbers["loss"] == pytest.approx(loss)
        said = Sentence.of(
            "forcing it would lower the total by {loss:.4g} of {all:.4g} m²", {"loss": loss, "all": a.value}
        )
        assert str(said) in e.sentence


def test_frontier_but_too_dear(case):
    a = allocate(*case.parts, budget=8)
    room = a.budget - a.reserve
    e = a.explain(first(a, Verdict.FRONTIER, (a.U > 0) & (a.candidates.slots > room)))
    assert f"exceed the {room} that P2 may spend" in e.sentence


def test_forcing_what_is_chosen_costs_nothing(case):
    a = allocate(*case.parts)
    for index in a.choice[a.mode == Mode.CERTIFIED]:
        assert loss_if_forced(a, int(index)) == pytest.approx(0.0, abs=1e-9 * a.value)


def test_a_tie_is_called_a_tie(case):
    a = allocate(*case.parts)
    q = a.candidates
    room = a.budget - a.reserve
    served = np.isin(q.loop, np.flatnonzero(a.mode == Mode.CERTIFIED))
    other = first(a, Verdict.FRONTIER, served & (q.slots <= room))
    chosen = int(a.choice[q.loop[other]])
    U = a.U.copy()
    U[other] += loss_if_forced(a, other)
    e = dataclasses.replace(a, valuation=dataclasses.replace(a.valuation, U=U)).explain(other)
    assert "equally good" in e.sentence
    assert f"{q.slots[chosen]}-slot exchange {Exchange.of(q, chosen).route}" in e.sentence
    assert e.rivals == (Exchange.of(q, chosen).key,)


def test_synchronisation_says_why_and_how_likely(case):
    a = allocate(*case.parts)
    index = first(a, Verdict.SYNCHRONISATION)
    e = a.explain(index)
    assert "uncertified synchronisation (D13)" in e.sentence
    assert f"predicted delivery {e.numbers['delivery']:.3f}" in e.sentence
    scenario, model, q, states = case.parts
    none = dataclasses.replace(q, g=q.g * 0)
    b = allocate(scenario, model, none, states)
    assert "it has no certificate" in b.explain(first(b, Verdict.SYNCHRONISATION)).sentence


def test_outside_the_domain_is_said(case):
    scenario, model, q, states = case.parts
    V = states.V.copy()
    V[:] = 1.5 * model.V_max
    a = allocate(scenario, model, q, dataclasses.replace(states, V=V))
    e = a.explain(0)
    assert e.outside
    assert "left its admissible domain (V = 1.50·V_max" in e.sentence
    V[:] = 0.1 * model.V_max
    inside = allocate(scenario, model, q, dataclasses.replace(states, V=V)).explain(0)
    assert not inside.outside
    assert "domain" not in inside.sentence


def test_unknown_candidate_is_refused(case):
    a = allocate(*case.parts)
    with pytest.raises(IndexError, match="no candidate"):
        a.explain(a.U.size)


def test_every_number_of_a_sentence_stands_in_it_as_its_value_reads(case, paper_case):
    """Plain words hold no numbers of their own, so a sentence can be checked value by value."""
    for some in (case, paper_case):
        a = allocate(*some.parts)
        for index in np.random.default_rng(1).choice(a.U.size, 80, replace=False):
            e = a.explain(int(index))
            assert "".join(part.text for part in e.said) == e.sentence
            for part in e.said:
                if part.source:
                    assert e.numbers[part.source] == part.value
                else:
                    words = part.text
                    for symbol in ("P2", "D8", "D13", "> 0", "≤ 0", "(ᾱ−1)V"):
                        words = words.replace(symbol, "")
                    assert not set("0123456789") & set(words), part


def test_rivals_and_uavs_are_named_and_never_by_row(case):
    a = allocate(*case.parts)
    for index in np.random.default_rng(2).choice(a.U.size, 80, replace=False):
        sentence = a.explain(int(index)).sentence
        assert "action " not in sentence or "action predicted" in sentence or "the action tolerates" in sentence
        assert "loop " not in sentence or "the loop" in sentence


def test_who_would_be_pushed_out_is_who_p2_serves_now_and_then_no_longer(case):
    """Against P2 solved again with the others' candidates alone on what the imposed action leaves."""
    seen = set()
    for budget in (40, 60):
        a = allocate(*case.parts, budget=budget)
        q, room = a.candidates, a.budget - a.reserve
        for index in np.flatnonzero(a.verdict == Verdict.FRONTIER.code)[::7]:
            loop, slots = int(q.loop[index]), int(q.slots[index])
            if slots > room:
                continue
            others = np.where(a.frontier & (q.loop != loop), a.U, -np.inf)
            then = solve_knapsack_csr(others, q.slots, q.offsets, room - slots).choice
            served = (a.mode == Mode.CERTIFIED) & (np.arange(len(then)) != loop)
            out = Others.of(a, loop).pushed_out(slots)
            assert out == tuple(np.flatnonzero(served & (then < 0)))
            seen.add(len(out))
    assert len(seen) > 1


def test_large_numbers_are_written_in_digits() -> None:
    said = Sentence.of(
        "{a:.4g}, {b:+.4g}, {c:.3g}, {d:.4g}", {"a": 12_441.7, "b": -1_234_567.0, "c": 0.000123456, "d": 1234.4}
    )
    assert str(said) == "12440, −1235000, 0.000123, 1234"


@pytest.mark.parametrize(
    ("value", "at_least", "at_most"),
    [(0.99993, "0.999", "1.000"), (1.0, "1.000", "1.000"), (0.915, "0.915", "0.915"), (0.0004, "0.000", "0.001")],
)
def test_a_bound_is_rounded_away_from_what_it_promises(value, at_least, at_most) -> None:
    said = Sentence.of("ρ ≥ {x:.3f↓}, μ ≤ {x:.3f↑}", {"x": value})
    assert str(said) == f"ρ ≥ {at_least}, μ ≤ {at_most}"


def test_the_printed_formula_does_not_blame_a_delivery_that_would_not_help(case):
    scenario, _, q, states = case.parts
    printed = scenario.replace(formulation="paper")
    a = allocate(printed, ControlModel.of(printed), q, states)
    index = first(a, Verdict.REFUSED_DRIFT, q.rho_dl > 0.99)
    e = a.explain(index)
    assert e.term is DriftTerm.V
    assert DriftTerm.V.value not in e.sentence
    assert e.numbers["alpha_bar"] >= min(f.run[0] for f in ControlModel.of(printed).factors.values()) > 1.0
    assert "however reliable" in e.sentence
