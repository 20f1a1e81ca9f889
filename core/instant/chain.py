"""The chain as numbers for one action: SNR → ε → ρ → g, T_cert → ᾱ → Φ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.network import Options, Routes, attempt_failure
from core.network.arrays import Floats
from core.scenario import Scenario
from core.twin import Candidates


@dataclass(frozen=True)
class Way:
    """One direction of an action, at the hop whose attempts fail most in the worst case.

    Args:
        snr_db: mean SNR that the twin predicts for it [dB].
        margin_db: by how much the confidence set lowers every hop of the route (β), inf = no margin [dB].
        eps: failure of one attempt at the lowered SNR [-].
        rho: certified delivery of the whole route [-].
        hop: which hop, counted from 0.
    """

    snr_db: float
    margin_db: float
    eps: float
    rho: float
    hop: int


def ways(scenario: Scenario, c: Candidates, row: int) -> tuple[Way, Way]:
    """Uplink and downlink of one action.

    Args:
        scenario: payloads and fading.
        c: the candidates.
        row: which.
    """
    bits = scenario.network.bits_ul, scenario.network.bits_dl
    up = _way(scenario, c.ul_options, c.ul_routes, c.margin_ul_db, int(c.actions.ul[row]), bits[0], c.rho_ul[row])
    down = _way(scenario, c.dl_options, c.dl_routes, c.margin_dl_db, int(c.actions.dl[row]), bits[1], c.rho_dl[row])
    return up, down


def _way(
    scenario: Scenario, options: Options, routes: Routes, margins: Floats, option: int, bits: int, rho: float
) -> Way:
    r = int(options.route[option])
    snr, margin = routes.snr_db[r, : routes.hops[r]], float(margins[r])
    eps = attempt_failure(scenario, snr - margin, routes.rayleigh[r, : routes.hops[r]], int(options.n[option]), bits)
    hop = int(np.lexsort((snr, -eps))[0])
    return Way(float(snr[hop]), margin, float(eps[hop]), float(rho), hop)
