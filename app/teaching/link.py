"""One radio hop from distance to certificate (lesson 02)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import panel as pn

from app.teaching.charts import line_chart
from app.teaching.explorer import Explorer, choice, field_slider, slider
from core.network import attempt_failure, noise_dbm, packet_error, uma_av_path_loss_db
from core.scenario import Scenario
from core.twin import ROUTE_CLASSES, calibration_for, failure_tolerance, run_violation_probability, union_bound

LOS, OBSTRUCTED = ROUTE_CLASSES.index("1 hop, line of sight"), ROUTE_CLASSES.index("1 hop, obstructed")


@dataclass(frozen=True)
class HopCertificate:
    """Everything on the way from a distance to a failure tolerance, one hop up and the same hop down.

    Args:
        snr_db: predicted mean SNR [dB].
        margin_db: conformal margin at β [dB].
        failure, failure_worst: failure of one direction, predicted and at the worst SNR of the confidence set [-].
        rho: 1 − failure_worst, the guarantee of each direction [-].
        mu1: bound on bidirectional failure [-].
        p01, p11: calibrated onset and persistence of failures [-].
        g: failure tolerance; None when no run length meets the budget.
    """

    snr_db: float
    margin_db: float
    failure: float
    failure_worst: float
    rho: float
    mu1: float
    p01: float
    p11: float
    g: int | None


def link_snr_db(scenario: Scenario, distance_m: float, height_m: float = 85.0, los: bool = True) -> float:
    """Predicted mean SNR of a link to the ground station: the link budget of eq:dt-state-map without shadowing [dB]."""
    net = scenario.network
    loss = uma_av_path_loss_db(distance_m, height_m, net.carrier_ghz, los)
    return float(net.tx_power_dbm - loss - noise_dbm(scenario) - net.extra_margin_db + net.snr_offset_db)


def hop_certificate(
    scenario: Scenario, distance_m: float, *, los: bool = True, n: int = 900, n_re: int = 1, height_m: float = 85.0
) -> HopCertificate:
    """Certificate of an exchange over one hop.

    Args:
        scenario: radio, payload, β, δ_T and H_T.
        distance_m: length of the link [m].
        los: line of sight; otherwise Rayleigh fading and the larger margin.
        n: blocklength [symbols].
        n_re: reserved retransmissions.
        height_m: of the UAV [m].
    """
    net, twin, calibration = scenario.network, scenario.twin, calibration_for(scenario)
    snr = link_snr_db(scenario, distance_m, height_m, los)
    margin = float(calibration.margins(twin.beta)[LOS if los else OBSTRUCTED, 0])
    nominal, worst = (
        float(attempt_failure(scenario, x, not los, n, net.bits_ul)) ** (1 + n_re) for x in (snr, snr - margin)
    )
    rho = 1.0 - worst
    mu1 = 1.0 - max(0.0, 2 * rho - 1.0)
    both = 1.0 - (1.0 - nominal) ** 2
    p11, p01 = float(calibration.p11(both)), float(calibration.p01(both))
    g = None if np.isnan(p11) else failure_tolerance(mu1, p11, twin.H_T, twin.delta_T)
    return HopCertificate(snr, margin, nominal, worst, rho, mu1, p01, p11, g)


def explore_link(scenario: Scenario) -> Explorer:
    """Drag the UAV away, change coding and caution, and watch the guarantee and the failure tolerance."""
    snr = np.linspace(-10.0, 30.0, 161)
    error = line_chart(
        "Failure of one attempt: where does the link stand?", "mean SNR [dB]", "failure [-]",
        dict.fromkeys(("no fading", "with fading", "predicted", "worst in the set"), (snr, snr)),
        log_y=True, dots=("predicted", "worst in the set"), y_range=(1e-6, 1.5),
    )  # fmt: skip
    runs = np.arange(1, 13)
    tail = line_chart(
        "How long can failures last?", "run of at least L failures", "P within H_T [-]",
        {"union bound": (runs, runs), "exact law": (runs, runs), "budget δ_T": (runs, runs)},
        log_y=True, dots=("union bound", "exact law"), y_range=(1e-6, 1.5),
    )  # fmt: skip

    def update(distance_m: float, los: bool, n: int, n_re: int, beta: float, delta_T: float, H_T: int) -> str:
        s = scenario.replace(**{"twin.beta": beta, "twin.delta_T": delta_T, "twin.H_T": H_T})
        q = hop_certificate(s, distance_m, los=los, n=n, n_re=n_re)
        one = attempt_failure(s, snr, not los, n, s.network.bits_ul)
        at = [float(attempt_failure(s, x, not los, n, s.network.bits_ul)) for x in (q.snr_db, q.snr_db - q.margin_db)]
        error.draw({
            "no fading": (snr, packet_error(snr, n, s.network.bits_ul)), "with fading": (snr, one),
            "predicted": ([q.snr_db], at[:1]), "worst in the set": ([q.snr_db - q.margin_db], at[1:]),
        })  # fmt: skip
        p11 = 1.0 if np.isnan(q.p11) else q.p11
        bound = [union_bound(q.mu1, p11, int(j), H_T) for j in runs]
        exact = [run_violation_probability(q.mu1, min(q.mu1, q.p01), p11, int(j), H_T) for j in runs]
        tail.draw(
            {"union bound": (runs, bound), "exact law": (runs, exact), "budget δ_T": (runs, [delta_T] * len(runs))}
        )
        head = f"SNR {q.snr_db:.1f} dB minus margin {q.margin_db:.1f} dB → ρ = {q.rho:.5f}, μ₁ = {q.mu1:.2g}, p₁₁ = {q.p11:.2f}"
        if q.g is None:
            return head + ": no finite run of failures meets the budget, so there is no certificate."
        return head + f" → g = {q.g}: T_cert = {q.g * s.control.Ts:.2f} s."

    net = scenario.network
    return Explorer(
        {
            "distance_m": slider("distance [m]", 50, 800, 10, 330),
            "los": pn.widgets.Checkbox(name="line of sight", value=True, width=150),
            "n": choice("blocklength n [symbols]", net.blocklengths, net.blocklengths[1]),
            "n_re": choice("retransmissions n_re", net.retransmissions, net.retransmissions[1]),
            "beta": field_slider("twin.beta"),
            "delta_T": field_slider("twin.delta_T"),
            "H_T": field_slider("twin.H_T"),
        },
        [[error, tail]],
        update,
    )
