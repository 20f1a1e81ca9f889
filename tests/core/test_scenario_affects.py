"""What a change of a field asks for is written on the field: the lists are made from it, and each entry can be seen at work."""

import dataclasses

import numpy as np
import pytest

from core import Scenario, folders
from core.files.links import LinkTrace, keep_links
from core.files.mission import Mission, Track, keep_mission
from core.instant.scene import geometry, radio
from core.instant.takeoff import FLOWN, takeoff
from core.scenario import Affects, field_names, fields_affecting, quantity_of
from core.scenario import scenario as module
from core.simulation import needs_restart, reference
from core.twin import calibration_key, default_calibration

FIELDS = list(field_names())


@pytest.fixture(autouse=True)
def own_results(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "RESULTS", tmp_path)


def own_value(name: str) -> str:
    """A file that goes together with the defaults."""
    if name == "mission.buildings":
        return "-30 -30 30 30 80"
    if name == "network.link_trace":
        return keep_links(LinkTrace(np.array([0.0]), np.array([0]), np.array([1]), np.array([3.0])))
    flown = reference(Scenario(), 0).positions
    t = Scenario().control.Ts * np.arange(len(flown))
    return keep_mission("built-in", Mission(tuple(Track.along(t, flown[:, i]) for i in range(flown.shape[1]))))


def moved(name: str) -> Scenario:
    """The default scenario with one field at another value that goes together with the rest."""
    s, q = Scenario(), quantity_of(name)
    value = s.value(name)
    if isinstance(value, bool):
        tries = [not value]
    elif q.own is not None:
        tries = [own_value(name)]
    elif isinstance(value, str):
        tries = [c for c in q.choices if c != value]
    elif isinstance(value, tuple):
        tries = [value[:-1]]
    else:
        tries = [value + q.step, value - q.step]
    for other in tries:
        try:
            return s.replace(**{name: other})
        except module.ScenarioError:
            continue
    raise AssertionError(f"no other value of {name} goes together with the defaults")


@pytest.mark.parametrize("name", FIELDS)
def test_every_effect_is_seen_exactly_where_the_field_declares_it(name):
    before, after = Scenario(), moved(name)
    affects = quantity_of(name).affects
    assert (calibration_key(before) != calibration_key(after)) == (Affects.CALIBRATION in affects)
    assert (geometry(before) != geometry(after)) == (Affects.LINKS in affects)
    assert (radio(before) != radio(after)) == (Affects.CERTIFICATES in affects)
    assert bool(needs_restart(before, after)) == (Affects.FLIGHT in affects) == (name in FLOWN)
    if Affects.FLIGHT in affects:
        assert takeoff(after) != takeoff(before)


def test_a_calibration_holds_every_field_it_depends_on_and_no_other():
    needed = fields_affecting(Affects.CALIBRATION)
    assert set(default_calibration().key) <= set(needed)
    missing = set(needed) - set(default_calibration().key)
    assert all(quantity_of(name).neutral for name in missing), "made before these fields, which changed nothing"


def test_a_new_field_with_a_neutral_default_leaves_old_calibrations_valid(monkeypatch):
    name = "mission.groups"
    old = default_calibration()
    before_it = dataclasses.replace(old, key={n: v for n, v in old.key.items() if n != name})
    assert before_it.mismatches(Scenario()) == [name]  # what the runs were flown with is unknown
    assert "mission.groups = unknown (now 4)" in before_it.notice(Scenario())
    known = module._quantities()
    neutral = dataclasses.replace(known[name], neutral=True)
    monkeypatch.setattr(module, "_quantities", lambda: {**known, name: neutral})
    assert before_it.mismatches(Scenario()) == []
    assert before_it.notice(Scenario()) == old.notice(Scenario())
    other = Scenario().replace(**{name: 3})
    assert before_it.mismatches(other) == [name]
    assert "mission.groups = 4 (now 3)" in before_it.notice(other)


def test_a_field_says_its_own_effect_or_has_that_of_its_group():
    assert quantity_of("network.carrier_ghz").affects == type(Scenario().network).affects
    assert quantity_of("network.slots").affects == Affects.CERTIFICATES
    assert all(quantity_of(n).affects is not None for n in FIELDS)
