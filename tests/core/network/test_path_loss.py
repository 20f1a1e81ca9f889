"""Propagation against TR 36.777 reference values and ns-3."""

import csv
import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from core.network import (
    free_space_loss_db,
    uma_av_los_probability,
    uma_av_path_loss_db,
    uma_av_shadowing_db,
)
from core.network.path_loss import NEAR_M, free_space_db, path_loss_db

DATA = Path(__file__).resolve().parents[2] / "data"


def column(name: str, key: str, **match: str) -> np.ndarray:
    rows = list(csv.DictReader((DATA / name).open()))
    return np.array([float(r[key]) for r in rows if all(r[k] == v for k, v in match.items())])


def uma_av(key: str) -> np.ndarray:
    return column("uma_av_path_loss.csv", key)


@pytest.mark.parametrize(("los", "key"), [(True, "PL_LOS_dB"), (False, "PL_NLOS_dB")])
def test_path_loss_equals_the_reference(los: bool, key: str) -> None:
    loss = uma_av_path_loss_db(uma_av("d3D_m"), uma_av("hUT_m"), uma_av("fc_GHz"), los, clamp=False)
    np.testing.assert_allclose(loss, uma_av(key), rtol=0, atol=1e-6)


def test_los_probability_and_shadowing_equal_the_reference() -> None:
    probability = uma_av_los_probability(uma_av("d2D_m"), uma_av("hUT_m"))
    np.testing.assert_allclose(probability, uma_av("P_LOS"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(uma_av_shadowing_db(uma_av("hUT_m"), True), uma_av("SF_LOS_dB"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(uma_av_shadowing_db(uma_av("hUT_m"), False), uma_av("SF_NLOS_dB"), rtol=0, atol=1e-9)


def test_ns3_uma_los_equals_uma_av_los() -> None:
    match = {"model": "ThreeGppUmaPropagationLossModel", "condition": "LOS"}
    d2d, a, b = (column("ns3_path_loss.csv", k, **match) for k in ("d2D_m", "hA_m", "hB_m"))
    loss = uma_av_path_loss_db(np.hypot(d2d, a - b), np.maximum(a, b), 2.4, True, clamp=False)
    np.testing.assert_allclose(loss, column("ns3_path_loss.csv", "loss_dB", **match), rtol=0, atol=1e-6)


def test_ns3_friis_equals_free_space() -> None:
    match = {"model": "FriisPropagationLossModel"}
    d2d, a, b = (column("ns3_path_loss.csv", k, **match) for k in ("d2D_m", "hA_m", "hB_m"))
    loss = free_space_loss_db(np.hypot(d2d, a - b), 2.4)
    np.testing.assert_allclose(loss, column("ns3_path_loss.csv", "loss_dB", **match), rtol=0, atol=1e-6)


def test_clamp_starts_at_168_m() -> None:
    """D14: the LOS law falls below free space under 168 m; NLOS never falls below LOS."""
    d = np.linspace(1.0, 2000.0, 4001)
    printed = uma_av_path_loss_db(d, 80.0, 2.4, True, clamp=False)
    clamped = uma_av_path_loss_db(d, 80.0, 2.4, True)
    changed = d[clamped > printed + 1e-12]
    assert 167.0 < changed.max() < 168.0
    assert np.all(clamped >= free_space_loss_db(d, 2.4) - 1e-12)
    for h in (10.0, 25.0, 70.0, 100.0, 300.0):
        assert np.all(uma_av_path_loss_db(d, h, 2.4, False) >= clamped)


def test_uav_links_are_close_to_umi_av() -> None:
    """D14: TR 36.777 has no UAV–UAV law; the LOS law stays within 2 dB of UMi-AV from 20 to 500 m."""
    d = np.linspace(20.0, 500.0, 200)
    for h in (70.0, 85.0, 100.0):
        umi = 30.9 + (22.25 - 0.5 * np.log10(h)) * np.log10(d) + 20.0 * np.log10(2.4)
        umi = np.maximum(umi, free_space_loss_db(d, 2.4))
        assert np.max(np.abs(uma_av_path_loss_db(d, h, 2.4, True) - umi)) < 2.0


def test_scalars_in_scalars_out() -> None:
    assert np.ndim(uma_av_path_loss_db(100.0, 80.0, 2.4, True)) == 0
    assert np.ndim(uma_av_los_probability(100.0, 80.0)) == 0
    assert uma_av_los_probability(5000.0, 101.0) == 1.0
    assert np.isfinite(uma_av_path_loss_db(0.0, 0.0, 2.4, False))


def test_many_links_are_the_kernels_scalar_one_by_one() -> None:
    """What a notebook sees is what the loop over links adds up."""
    rng = np.random.default_rng(4)
    d, h = rng.uniform(0.0, 3000.0, 200), rng.uniform(0.0, 300.0, 200)
    for los, clamp in itertools.product((True, False), repeat=2):
        one = [
            path_loss_db(math.log10(max(x, NEAR_M)), y, math.log10(2.4), los, clamp) for x, y in zip(d, h, strict=True)
        ]
        np.testing.assert_allclose(uma_av_path_loss_db(d, h, 2.4, los, clamp), one, rtol=1e-14)
    one = [free_space_db(math.log10(max(x, NEAR_M)), math.log10(2.4)) for x in d]
    np.testing.assert_allclose(free_space_loss_db(d, 2.4), one, rtol=1e-14)


def test_broadcasting() -> None:
    loss = uma_av_path_loss_db(
        np.array([50.0, 500.0])[:, None], np.array([70.0, 90.0, 100.0]), 2.4, [True, False, True]
    )
    assert loss.shape == (2, 3)
    assert loss[1, 1] == uma_av_path_loss_db(500.0, 90.0, 2.4, False)
