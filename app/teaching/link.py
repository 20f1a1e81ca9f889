"""One radio hop from distance to certificate (lesson 02)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import panel as pn

from app.teaching.charts import line_chart
from app.teaching.explorer import Explorer, choice, field_slider, slider
from core.network import Topology, attempt_failure, packet_error, uma_av_path_loss_db
from core.scenario import Scenario
from core.twin import (
    ROUTE_CLASSES,
    calibration_for,
    certify,
    link_budget_db,
    run_violation_probability,
    sound_onset,
    union_bound,
)

LOS, OBSTRUCTED = ROUTE_CLASSES.index("1 hop, line of sight"), ROUTE_CLASSES.index("1 hop, obstructed")


@dataclass(frozen=True)
class HopCertificate:
    """Everything on the way from a distance to a failure tolerance, one hop up and the same hop down.

    Args:
        snr_db: predicted mean SNR [dB].
        margin_db: conformal margin at β [dB].
        rho_ul, rho_dl: guarantee of each direction at the worst SNR of the confidence set [-].
        mu1: bound on bidirectional failure [-].
        p11: calibrated persistence of failures; nan when the calibration has no bound [-].
        g: failure tolerance; None when there is no certificate.
    """

    snr_db: float
    margin_db: float
    rho_ul: float
    rho_dl: float
    mu1: float
    p11: float
    g: int | None


def link_snr_db(scenario: Scenario, distance_m: float, height_m: float = 85.0, los: bool = True) -> float:
    """Predicted mean SNR of a link to the ground station: the link budget of eq:dt-state-map without shadowing [dB]."""
    return float(
        link_budget_db(scenario) - uma_av_path_loss_db(distance_m, height_m, scenario.network.carrier_ghz, los)
    )


def hop_certificate(
    scenario: Scenario, distance_m: float, *, los: bool = True, n: int = 900, n_re: int = 1, height_m: float = 85.0
) -> HopCertificate:
    """Certificate of an exchange over one hop of this length.

    Args:
        scenario: radio, payloads, β, δ_T, H_T and the confidence of p₁₁.
        distance_m: length of the link [m].
        los: line of sight; otherwise Rayleigh fading and the larger margin.
        n: blocklength [symbols].
        n_re: reserved retransmissions.
        height_m: of the UAV [m].
    """
    return certificate_at(scenario, link_snr_db(scenario, distance_m, height_m, los), los=los, n=n, n_re=n_re)


def certificate_at(scenario: Scenario, snr_db: float, *, los: bool, n: int, n_re: int) -> HopCertificate:
    """Certificate of an exchange over one hop of this SNR: what `core.twin.certify` says of a swarm of one UAV."""
    calibration = calibration_for(scenario)
    margin = float(calibration.margins(scenario.twin.beta)[LOS if los else OBSTRUCTED, 0])
    q = certify(_only(scenario, n, n_re), _one_link(snr_db, los), calibration, np.zeros(1, dtype=np.int64), full=True)
    if not q.g.size:  # below network.min_link_snr_db, or longer than the deadline: nobody would send it
        return HopCertificate(snr_db, margin, 0.0, 0.0, 1.0, np.nan, None)
    rho_ul, rho_dl, mu1, p11 = (float(x[0]) for x in (q.rho_ul, q.rho_dl, q.mu1, q.p11))
    return HopCertificate(snr_db, margin, rho_ul, rho_dl, mu1, p11, int(q.g[0]) if q.certified[0] else None)


def _one_link(snr_db: float, los: bool) -> Topology:
    """The ground station and one UAV, the same link both ways."""
    between = ~np.eye(2, dtype=np.bool_)
    return Topology(np.where(between, snr_db, -np.inf), between & (not los), between & False, ~between | los)


def _only(scenario: Scenario, n: int, n_re: int) -> Scenario:
    """The scenario with one coding on offer and a frame that holds it."""
    net = scenario.network
    needed = 2 * (1 + n_re) * -(-n // net.symbols_per_slot)
    return scenario.replace(
        **{
            "network.blocklengths": (n,),
            "network.retransmissions": (n_re,),
            "network.patterns": ("ul-first",),
            "network.slots": max(net.slots, needed),
        }
    )


def explore_link(scenario: Scenario) -> Explorer:
    """Drag the UAV away, change coding and caution, and watch the guarantee and the failure tolerance."""
    snr = np.linspace(-10.0, 30.0, 161)
    error = line_chart(
        "Failure of one attempt: where does the link stand?",
        "mean SNR [dB]",
        "failure [-]",
        dict.fromkeys(("no fading", "with fading", "predicted", "worst in the set"), (snr, snr)),
        log_y=True,
        dots=("predicted", "worst in the set"),
        y_range=(1e-6, 1.5),
    )
    runs = np.arange(1, 13)
    tail = line_chart(
        "How long can failures last?",
        "run of at least L failures",
        "P within H_T [-]",
        {"union bound": (runs, runs), "exact law": (runs, runs), "budget δ_T": (runs, runs)},
        log_y=True,
        dots=("union bound", "exact law"),
        y_range=(1e-6, 1.5),
    )

    def update(distance_m: float, los: bool, n: int, n_re: int, beta: float, delta_T: float, H_T: int) -> str:
        s = scenario.replace(**{"twin.beta": beta, "twin.delta_T": delta_T, "twin.H_T": H_T})
        q = hop_certificate(s, distance_m, los=los, n=n, n_re=n_re)
        one = attempt_failure(s, snr, not los, n, s.network.bits_ul)
        at = [float(attempt_failure(s, x, not los, n, s.network.bits_ul)) for x in (q.snr_db, q.snr_db - q.margin_db)]
        error.draw(
            {
                "no fading": (snr, packet_error(snr, n, s.network.bits_ul)),
                "with fading": (snr, one),
                "predicted": ([q.snr_db], at[:1]),
                "worst in the set": ([q.snr_db - q.margin_db], at[1:]),
            }
        )
        p11 = 1.0 if np.isnan(q.p11) else q.p11
        bound = [union_bound(q.mu1, p11, int(j), H_T) for j in runs]
        exact = [run_violation_probability(q.mu1, sound_onset(q.mu1, p11), p11, int(j), H_T) for j in runs]
        tail.draw(
            {"union bound": (runs, bound), "exact law": (runs, exact), "budget δ_T": (runs, [delta_T] * len(runs))}
        )
        p11_text = "unknown" if np.isnan(q.p11) else f"{q.p11:.2f}"
        head = (
            f"SNR {q.snr_db:.1f} dB minus margin {q.margin_db:.1f} dB → ρ_ul = {q.rho_ul:.5f}, ρ_dl = {q.rho_dl:.5f}, "
            f"μ₁ = {q.mu1:.2g}, p₁₁ = {p11_text}"
        )
        if q.g is None:
            return head + ": no finite run of failures meets the budget, so there is no certificate."
        empty = (
            f" No run of {q.g} fits into H_T = {H_T} exchanges, so this promises nothing (D19)." if q.g > H_T else ""
        )
        return head + f" → g = {q.g}: T_cert = {q.g * s.control.Ts:.2f} s.{empty}"

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
