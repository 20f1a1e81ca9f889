"""The predicted value respects the order of certificates, so pruning never changes the optimum (D23, D24)."""

from dataclasses import replace

import numpy as np
import pytest
from flown import SWARM, allocation_of, at_cycle, scaled, whole_set
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import DynamicProgram

FEW = SWARM.replace(**{"mission.uavs": 4, "network.slots": 30})
RULES = ("drift", "reach", "none")


@pytest.fixture(scope="module")
def views():
    """A cycle of a flight by rule: the online set and the whole product of actions."""
    found = {}
    for rule in RULES:
        simulation, view = at_cycle(FEW.replace(**{"allocation.admission": rule}), 22)
        found[rule] = (view, whole_set(simulation, view))
    return found


def curve(allocation, rows):
    q = allocation.candidates
    return DynamicProgram.of(np.where(rows, allocation.U, -np.inf), q.slots, q.offsets, allocation.budget).curve


@pytest.mark.parametrize("rule", RULES)
@given(factor=st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4), spread=st.floats(0.0, 1.0))
def test_pruning_never_changes_the_optimum(views, rule, factor, spread):
    """P2 over the frontier, over all admitted actions and over the online set: the same value at every budget."""
    online, whole = views[rule]
    m = online.model
    sigma = np.full(4, m.sigma_min + spread * (m.sigma_max - m.sigma_min))
    states = replace(scaled(online, np.array(factor)), tr_sigma=sigma)
    a, b = allocation_of(online, states=states), allocation_of(whole, states=states)
    everything = curve(b, b.admitted)
    tolerance = 1e-9 * max(1.0, everything[-1])
    assert curve(b, b.frontier) == pytest.approx(everything, abs=tolerance)
    assert curve(a, a.frontier) == pytest.approx(everything, abs=tolerance)


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_a_stronger_certificate_is_worth_no_less_and_stays_admitted(views, rule, data):
    """Raise ρ_ul or ρ_dl, or lower g: U never falls, and what was admitted stays so."""
    view, _ = views[rule]
    q = view.candidates
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    up = data.draw(st.sampled_from(["rho_ul", "rho_dl"]))
    raised = getattr(q, up) + rng.random(q.loop.size) * (1 - getattr(q, up))
    fewer = np.where(q.g >= 1, np.maximum(1, q.g - rng.integers(0, 3, q.g.size)), q.g)
    factor = np.array(data.draw(st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4)))
    states = scaled(view, factor)
    before = allocation_of(view, states=states)
    after = allocation_of(view, states=states, candidates=replace(q, **{up: raised, "g": fewer}))
    assert (before.U - 1e-12 * np.maximum(1.0, np.abs(before.U)) <= after.U).all()
    assert (after.admitted | ~before.admitted).all()


@given(factor=st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4))
def test_the_value_depends_on_nothing_but_the_two_reliabilities(views, factor):
    view, _ = views["none"]
    q, states = view.candidates, scaled(view, np.array(factor))
    other = replace(q, g=q.g + 3, T_cert=q.T_cert + 1.0, D_ul=q.D_ul * 2, D_dl=q.D_dl * 2, mu1=q.mu1 * 0)
    assert (allocation_of(view, states=states).U == allocation_of(view, states=states, candidates=other).U).all()
