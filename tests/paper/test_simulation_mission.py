"""Table I and Section V-A as flown."""

import numpy as np
import pytest

from core import Scenario
from core.network import building_box
from core.simulation import POLICIES, Phase, reference


def test_table_1():
    s = Scenario()
    trace = reference(s, 0)
    assert trace.positions.shape == (121, 50, 3)
    assert s.network.slots == 160
    assert s.network.slot_ms == 0.5
    lo, hi = building_box(s)
    assert (hi - lo)[:2].tolist() == [60.0, 60.0]
    assert trace.positions[..., 2].min() == 70.0
    assert trace.positions[..., 2].max() == 100.0
    assert np.linalg.norm(trace.velocity, axis=-1).max() == pytest.approx(15.0)


def test_hotspot_legs_are_short_and_vertical_and_gusts_match_across_policies():
    trace = reference(Scenario(), 0)
    hot = trace.phase == Phase.HOTSPOT
    assert hot.mean() == pytest.approx(6 / 40, abs=0.01)
    assert np.abs(trace.velocity[hot][:, 2]).min() > 0.8 * 15.0
    acceleration = np.linalg.norm(np.diff(trace.gust, axis=0), axis=-1) / 0.25
    steady = acceleration[(acceleration > 0) & hot[1:] & hot[:-1]]
    assert np.mean((steady >= 1.0) & (steady <= 4.0 + 1e-9)) > 0.7  # onset is half a step, the end is a drop
    assert reference(Scenario(), 0) is trace  # one object for every policy


def test_the_five_policies_of_section_v_b():
    assert {"Fixed-Service", "Cert-Fixed", "DynTx-HLC", "VoI-Sched", "SAFE"} <= set(POLICIES)
