"""The link budget written out one link at a time in plain Python, by other means than the kernels: exact fractions for the box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from core.network import node_positions
from core.scenario import Scenario

Point = Sequence[float]


def share_inside(a: Point, b: Point, lo: Point, hi: Point) -> Fraction | None:
    """Share of segment a–b inside the closed box lo–hi in exact arithmetic; None where they do not even touch.

    The segment is clipped at the three slabs. A point, or a segment that only touches, has share 0.
    """
    enter, leave = Fraction(0), Fraction(1)
    for p, q, low, high in zip(*(map(Fraction, map(float, x)) for x in (a, b, lo, hi)), strict=True):
        if p == q:
            if not low <= p <= high:
                return None
        else:
            ends = sorted(((low - p) / (q - p), (high - p) / (q - p)))
            enter, leave = max(enter, ends[0]), min(leave, ends[1])
    return leave - enter if enter <= leave else None


def path_loss(d: float, h: float, f: float, los: bool) -> float:
    """TR 36.777 UMa-AV with the clamps of D14, from metres and GHz [dB]."""
    friis = 20.0 * math.log10(4.0 * math.pi * d * f * 1e9 / 299_792_458.0)
    line = max(28.0 + 22.0 * math.log10(d) + 20.0 * math.log10(f), friis)
    scatter = -17.5 + (46.0 - 7.0 * math.log10(h)) * math.log10(d) + 20.0 * math.log10(40.0 * math.pi * f / 3.0)
    return line if los else max(line, scatter)


def links(scenario: Scenario, positions: np.ndarray, los: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean SNR without shadowing [dB] and blockage of every link, (N+1, N+1) each; UAVs above 10 m, links over 1 m."""
    net, nodes = scenario.network, node_positions(scenario, positions)
    half, height = scenario.mission.building_side_m / 2, scenario.mission.building_height_m
    lo, hi = (-half, -half, 0.0), (half, half, height)
    noise_dbm = -174.0 + 10.0 * math.log10(net.bandwidth_khz * 1e3) + net.noise_figure_db
    snr, blocked = np.full((len(nodes),) * 2, -np.inf), np.zeros((len(nodes),) * 2, dtype=bool)
    for a in range(len(nodes)):
        for b in range(len(nodes)):
            if a == b:
                continue
            d, line = math.dist(nodes[a], nodes[b]), min(a, b) > 0 or bool(los[a, b])
            loss = path_loss(d, nodes[max(a, b), 2], net.carrier_ghz, line)
            share = share_inside(nodes[a], nodes[b], lo, hi) if height > 0 else None
            if share is not None:
                blocked[a, b] = True
                loss += net.wall_loss_db + net.indoor_loss_db_per_m * float(share) * d
            snr[a, b] = net.tx_power_dbm - loss - noise_dbm - net.extra_margin_db + net.snr_offset_db
    return snr, blocked
