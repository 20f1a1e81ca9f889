"""What other policies would send at an instant: the flown policy's own answer is what it flew, and memories are those of the flight."""

from __future__ import annotations

import numpy as np
import pytest

from core.allocation import Mode, pack_frame
from core.errors import SafeExplorerError
from core.folders import DATA
from core.instant import Change, Flight, PolicyFrame, flight, rivals
from core.scenario import Scenario
from core.simulation import POLICIES, CycleView, Decision, Policy, Simulation, register
from core.simulation.policies import FixedService, Safe
from core.twin import load_calibration
from core.wanted import Superseded, while_wanted

SMALL = Scenario().replace(
    **{"mission.uavs": 7, "network.slots": 40, "mission.duration_s": 4.0, "network.snr_offset_db": -1.5}
)
OTHER = SMALL.replace(**{"network.slots": 60, "network.carrier_ghz": 5.0, "twin.beta": 0.2})


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight, "_flights", flight._Flights())
    rivals._watch.cache_clear()


@pytest.mark.parametrize("policy", list(POLICIES))
def test_the_flown_policy_would_send_what_it_sent(policy: str) -> None:
    """Its memory too: it watched itself."""
    found = Flight.of(SMALL, policy, 3)
    for record in Simulation(SMALL, policy, 3):
        if record.k not in (0, 1, 9, 14):
            continue
        (mine,) = found.instant(record.k).other_policies([policy])
        np.testing.assert_array_equal(mine.choice, record.choice)
        np.testing.assert_array_equal(mine.frame.slot, record.frame.slot)
        assert (mine.policy, mine.slots_used) == (policy, record.slots_used)
        np.testing.assert_array_equal(mine.served, record.served)
        np.testing.assert_array_equal(mine.uncertified, record.mode == Mode.SYNCHRONISATION)


@pytest.mark.parametrize("policy", ["Fixed-Service", "Whittle-Age", "SAFE-paper", "Rollout"])
def test_it_holds_in_a_flight_that_changed_on_the_way(policy: str) -> None:
    found = Flight.of(SMALL, policy, 3).changed(6, OTHER)
    simulation = Simulation(SMALL, policy, 3)
    while simulation.k < 12:
        if simulation.k == 6:
            simulation.scenario = OTHER
        record = simulation.step()
    (mine,) = found.instant(11).other_policies([policy])
    np.testing.assert_array_equal(mine.choice, record.choice)


def test_watchers_see_what_the_flown_policy_saw_also_with_another_calibration() -> None:
    class Diary(Safe):
        """Writes down what it is shown."""

        def __init__(self) -> None:
            self.seen: list[tuple[float, ...]] = []

        def decide(self, view: CycleView) -> Decision:
            c = view.candidates
            self.seen.append((c.rho_ul.sum(), float(c.g.sum()), view.states.V.sum(), view.budget))
            return super().decide(view)

    clear = load_calibration(DATA / "calibration" / "clear-sky")
    key = Flight.of(SMALL, Diary, 3).key._replace(changes=(Change(6, OTHER, clear),))
    simulation = Simulation(SMALL, Diary, 3)
    while simulation.k < 12:
        if simulation.k == 6:
            simulation.change(OTHER, clear)
        simulation.step()
    diary = rivals._watch(key).before([Diary], 12)[Diary]
    assert diary.seen == simulation.policy.seen
    assert Flight.keyed(key).calibration_at(5) is not clear
    assert Flight.keyed(key).calibration_at(6) is clear
    Flight.keyed(key).reach(12)
    assert Flight.keyed(key)._running().policy.seen == simulation.policy.seen


def watched(cls: type[Policy], seed: int, k: int) -> np.ndarray:
    """What a policy answers in cycle k after it was asked in every cycle that SAFE flew."""
    simulation, watcher = Simulation(SMALL, "SAFE", seed), cls()
    while True:
        decision = watcher.decide(simulation._view(simulation.states()))
        if simulation.k == k:
            return decision.choice
        simulation.step()


@pytest.mark.parametrize("policy", ["Fixed-Service", "Whittle-Age", "VoI-Sched"])
def test_a_policy_remembers_the_flight_that_it_watched(policy: str) -> None:
    found = Flight.of(SMALL, "SAFE", 5)
    for k in (13, 2, 8):  # forwards and backwards
        (mine,) = found.instant(k).other_policies([policy])
        np.testing.assert_array_equal(mine.choice, watched(POLICIES[policy], 5, k))


def test_a_rotation_goes_on_where_it_stood_and_asking_does_not_move_it() -> None:
    here = Flight.of(SMALL, "SAFE", 5).instant(9)
    (first,), (again,) = here.other_policies(["Fixed-Service"]), here.other_policies(["Fixed-Service"])
    np.testing.assert_array_equal(first.choice, again.choice)
    fresh = FixedService().decide(rivals._view(here, FixedService)).choice
    assert not np.array_equal(first.choice, fresh)


def test_all_policies_answer_and_their_frames_hold_whom_they_serve() -> None:
    here = Flight.of(SMALL, "SAFE", 5).instant(9)
    found = here.other_policies()
    assert [f.policy for f in found] == list(POLICIES)
    B = here.allocation.valuation.B.sum()
    for f in found:
        assert f.slots_used <= 40
        assert set(f.frame.loop.tolist()) == set(np.flatnonzero(f.served).tolist())
        expected = pack_frame(SMALL, f.candidates, f.choice)
        np.testing.assert_array_equal(f.frame.slot, expected.slot)
        assert f.saved == pytest.approx(worth(here, f))
        assert f.change == pytest.approx(B - worth(here, f))
        assert (f.U[~f.served] == 0.0).all()
    mine = next(f for f in found if f.policy == "SAFE")
    np.testing.assert_array_equal(mine.choice, here.allocation.choice)
    assert mine.saved == pytest.approx(here.allocation.U[mine.choice[mine.served]].sum())
    assert len({round(f.saved, 3) for f in found}) > 6


def worth(here: object, f: PolicyFrame) -> float:
    """Σ ρ_dl·G + λ_Σ·ρ_ul·T over the served loops, harm in full."""
    paths = [here.paths(i) for i in range(7)]
    total = 0.0
    for i in np.flatnonzero(f.served):
        row, p = f.choice[i], paths[i]
        rho_ul, rho_dl = f.candidates.rho_ul[row], f.candidates.rho_dl[row]
        total += (rho_dl * p.G if p.G >= 0 else p.G) + rho_ul * p.telemetry
    return total


def test_what_if_changes_what_they_send_now_and_not_what_they_remember() -> None:
    here = Flight.of(SMALL, "SAFE", 5).instant(9)
    wide = here.replace(scenario=SMALL.replace(**{"network.slots": 80}))
    (now,), (then,) = here.other_policies(["Fixed-Service"]), wide.other_policies(["Fixed-Service"])
    assert then.served.sum() > now.served.sum()
    first = np.flatnonzero(now.served)
    assert then.served[first].all()  # the same rotation, further
    assert then.frame.slots == 80


def test_the_flown_policys_own_wishes_are_undone_for_the_others() -> None:
    paper = Flight.of(SMALL, "SAFE-paper", 5).instant(9)
    assert paper.scenario.formulation == "paper"
    safe, printed = paper.other_policies(["SAFE", "SAFE-paper"])
    plain = paper.replace(scenario=SMALL)
    np.testing.assert_array_equal(safe.choice, plain.allocation.choice)
    np.testing.assert_array_equal(printed.choice, paper.allocation.choice)
    assert safe.saved != pytest.approx(printed.saved)


def test_a_policy_of_ones_own_may_keep_what_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.simulation.policy.POLICIES", dict(POLICIES))

    class Late(Policy):
        """Begins to remember only when it is first asked."""

        name = "Late"

        def decide(self, view: object) -> Decision:
            self.asked = getattr(self, "asked", 0) + 1
            choice = np.full(len(view.states), -1)
            loop = (self.asked - 1) % len(choice)
            choice[loop] = view.candidates.offsets[loop]
            return Decision.of(choice)

    register(Late)
    (mine,) = Flight.of(SMALL, "SAFE", 5).instant(3).other_policies(["Late"])
    assert np.flatnonzero(mine.served).tolist() == [3]


def test_an_unknown_policy_and_an_impatient_visitor() -> None:
    here = Flight.of(SMALL, "SAFE", 5).instant(9)
    with pytest.raises(SafeExplorerError, match="Unknown policy"):
        here.other_policies(["Nobody"])
    with pytest.raises(Superseded), while_wanted(lambda: False):
        here.other_policies(["Fixed-Service"])
