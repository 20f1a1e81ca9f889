"""The scenario's groups of fields: the only home of every default value."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

from core.scenario.own import own_buildings, stored_links, stored_mission
from core.scenario.quantity import Affects
from core.scenario.quantity import quantity as q

SLOT_PATTERNS = ("ul-first", "dl-first", "interleaved", "gap")
ADMISSIONS = ("drift", "reach", "none")
NOTHING, CALIBRATION, LINKS, CERTIFICATES, FLIGHT = (
    Affects.NOTHING,
    Affects.CALIBRATION,
    Affects.LINKS,
    Affects.CERTIFICATES,
    Affects.FLIGHT,
)
MOST_ENTRIES = 8
"""Entries of a list field: the number of actions grows with the product of the lists, squared over the directions."""


class Group:
    """Checks every field against its Quantity when the frozen dataclass is made."""

    title: ClassVar[str] = ""
    affects: ClassVar[Affects] = Affects.NOTHING
    """What a field of the group affects unless it says otherwise."""
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        group = type(self).__name__.removesuffix("Fields").lower()
        for f in dataclasses.fields(self):
            value = f.metadata["quantity"].check(f"{group}.{f.name}", getattr(self, f.name), f.default)
            object.__setattr__(self, f.name, value)


# A table, two lines a field at most: the formatter would give every argument a line.
# fmt: off
@dataclass(frozen=True)
class ControlFields(Group):
    """Plant, LQR law, Lyapunov certificate, admissible domain, local safe mode."""

    title: ClassVar[str] = "Controller"
    affects: ClassVar[Affects] = CALIBRATION

    Ts: float = q(0.25, "s", "T_s", "Control period: one exchange opportunity per period.", "Table I", "paper",
                  lo=0.1, hi=1.0, step=0.05, affects=CALIBRATION | LINKS | CERTIFICATES | FLIGHT)
    Q: float = q(1.0, "", "Q", "LQR weight on the tracking error.", "eq:lqr-law", lo=0.1, hi=10.0, step=0.1)
    R: float = q(0.15, "s²", "R", "LQR weight on the velocity command; smaller is more aggressive.",
                 "eq:lqr-law", lo=0.01, hi=2.0, step=0.01)
    H: int = q(4, "cycles", "H", "Depth of the delay buffer in the lifted state.", "D4", lo=1, hi=6, step=1,
               affects=FLIGHT)
    h_max: int = q(1, "cycles", "h_max", "Largest one-way delay index in the success family; must be below H.",
                   "D4", lo=1, hi=4, step=1, affects=NOTHING)
    w_u: float = q(0.2, "", "w_u", "Share of the feedback authority that rides on the uplink sample.", "D1",
                   lo=0.0, hi=1.0, step=0.05, affects=NOTHING)
    w_d: float = q(0.6, "", "w_d", "Share of the feedback authority that rides on the downlink command.", "D1",
                   lo=0.0, hi=1.0, step=0.05, affects=NOTHING)
    eps: float = q(1.0, "", "ε", "Margin of the LMI; scales X and V together.", "eq:lmi-certificate",
                   lo=0.01, hi=10.0, step=0.01, affects=NOTHING)
    sigma_meas_m: float = q(0.5, "m", "σ_meas", "Position-measurement noise per axis (GNSS grade).",
                            "eq:safe-certification-domain", lo=0.01, hi=5.0, step=0.01)
    sigma_proc_m: float = q(0.15, "m", "σ_proc", "Process noise per axis and control period.",
                            "eq:plant-dynamics", lo=0.01, hi=2.0, step=0.01)
    corridor_radius_m: float = q(30.0, "m", "r_c", "Radius of the safety corridor; sets V_max.",
                                 "eq:safe-certification-domain", lo=5.0, hi=100.0, step=1.0, affects=NOTHING)
    sigma_span_cycles: int = q(20, "cycles", "n_σ", "σ_max is the noise floor plus this many cycles of process noise.",
                               "eq:safe-certification-domain", lo=1, hi=100, step=1, affects=NOTHING)
    eta: float = q(0.1, "", "η", "Weight of estimation uncertainty: λ_Σ = η·V_max/σ_max.",
                   "eq:augmented-lyapunov", lo=0.0, hi=2.0, step=0.01, affects=NOTHING)
    kappa: float = q(0.75, "", "κ", "Gain of the onboard safe-mode law relative to the LQR gain.", "D12",
                     lo=0.1, hi=1.0, step=0.05, affects=NOTHING)
    safe_contraction: float = q(0.8, "", "a_safe", "Per-cycle contraction of the safe-mode map towards V_eq.",
                                "D12", lo=0.1, hi=0.99, step=0.01, affects=NOTHING)
    supervisor: bool = q(True, "", "sup", "Switch loops that may neither be served nor hold to local safe mode.",
                         "D12", affects=NOTHING)
    feed_forward: bool = q(False, "", "ff", "Add the reference velocity to the command (removes the tracking lag).",
                           "D20")

    @property
    def split(self) -> tuple[float, float, float]:
        """Authority split (w₀, w_u, w_d), D1; w₀ takes what the other two leave."""
        return (1.0 - self.w_u - self.w_d, self.w_u, self.w_d)


@dataclass(frozen=True)
class NetworkFields(Group):
    """TDMA frame, radio, payloads, routes, channel."""

    title: ClassVar[str] = "Network"
    affects: ClassVar[Affects] = CALIBRATION | LINKS | CERTIFICATES

    slots: int = q(160, "slots", "S", "TDMA slots per control period: the shared budget.", "Table I", "paper",
                   lo=0, hi=450, step=1, affects=CERTIFICATES)
    slot_ms: float = q(0.5, "ms", "T_slot", "Slot duration.", "Table I", "paper", lo=0.1, hi=5.0, step=0.05,
                       affects=LINKS | CERTIFICATES)
    guard_ms: float = q(0.05, "ms", "T_guard", "Guard interval after each slot.", "eq:directional-delay",
                        lo=0.0, hi=1.0, step=0.01, affects=LINKS | CERTIFICATES)
    deadline_ms: float = q(125.0, "ms", "D_max", "Control deadline of each direction.", "Table I", "paper",
                           lo=5.0, hi=1000.0, step=5.0, affects=CERTIFICATES)
    carrier_ghz: float = q(2.4, "GHz", "f_c", "Carrier frequency.", "Table I", "paper", lo=0.5, hi=6.0, step=0.1)
    snr_offset_db: float = q(0.0, "dB", "ΔSNR", "Offset added to every link budget: the SNR slider.",
                             "eq:dt-state-map", lo=-20.0, hi=20.0, step=0.5, affects=CERTIFICATES)
    tx_power_dbm: float = q(10.0, "dBm", "P_tx", "Transmit power of every node.", "eq:dt-state-map",
                            lo=-10.0, hi=30.0, step=0.5, affects=CERTIFICATES)
    noise_figure_db: float = q(9.0, "dB", "F_NF", "Receiver noise figure.", "eq:dt-state-map",
                               lo=0.0, hi=20.0, step=0.5, affects=LINKS | CERTIFICATES)
    bandwidth_khz: float = q(500.0, "kHz", "B_ch", "Channel bandwidth.", "eq:dt-state-map",
                             lo=50.0, hi=20000.0, step=50.0, affects=LINKS | CERTIFICATES)
    extra_margin_db: float = q(17.0, "dB", "M_x", "Interference and airframe loss: the scarcity knob.",
                               "eq:dt-state-map", lo=0.0, hi=40.0, step=0.5, affects=LINKS | CERTIFICATES)
    symbols_per_slot: int = q(150, "symbols", "B_eff·T_slot", "Coded symbols that fit in one slot.",
                              "eq:feasible-action-set", lo=10, hi=5000, step=10, affects=LINKS | CERTIFICATES)
    bits_ul: int = q(1600, "bit", "k_ul", "Telemetry payload.", "eq:feasible-action-set", lo=50, hi=10000, step=50)
    bits_dl: int = q(1600, "bit", "k_dl", "Command payload.", "eq:feasible-action-set", lo=50, hi=10000, step=50)
    blocklengths: tuple[int, ...] = q((600, 900, 1200), "symbols", "n", "Coded blocklengths on offer.",
                                      "eq:feasible-action-set", lo=50, hi=20000, most=MOST_ENTRIES)
    retransmissions: tuple[int, ...] = q((0, 1, 2), "", "n_re", "Retransmission limits on offer.",
                                         "eq:feasible-action-set", lo=0, hi=5, most=MOST_ENTRIES)
    patterns: tuple[str, ...] = q(SLOT_PATTERNS, "", "σ", "Slot patterns on offer.",
                                  "eq:opportunity-spacing", choices=SLOT_PATTERNS, most=MOST_ENTRIES,
                                  affects=CERTIFICATES)
    processing_gap_slots: int = q(4, "slots", "g_p", "Slots between uplink and downlink in the 'gap' pattern.",
                                  "eq:opportunity-spacing", lo=0, hi=50, step=1, affects=CERTIFICATES)
    max_hops: int = q(3, "hops", "L_max", "Longest route.", "eq:dt-state-map", lo=1, hi=3, step=1)
    routes_per_direction: int = q(4, "routes", "|P|", "Routes kept per loop and direction: the most reliable of each hop count, through different relays.",
                                  "D22", lo=1, hi=6, step=1)
    min_link_snr_db: float = q(-5.0, "dB", "γ_min", "Links predicted below this mean SNR are not offered to routing.",
                               "eq:dt-state-map", lo=-30.0, hi=20.0, step=0.5)
    gcs_x_m: float = q(-330.0, "m", "x_GCS", "Ground station, east.", "eq:dt-state-map",
                       lo=-5000.0, hi=5000.0, step=5.0)
    gcs_y_m: float = q(0.0, "m", "y_GCS", "Ground station, north.", "eq:dt-state-map",
                       lo=-5000.0, hi=5000.0, step=5.0)
    gcs_z_m: float = q(25.0, "m", "z_GCS", "Antenna height; UMa-AV assumes 25 m.", "D14", lo=1.0, hi=100.0, step=1.0)
    rician_k_db: float = q(9.0, "dB", "K", "Rician factor of line-of-sight fading; Rayleigh otherwise.", "D16",
                           lo=-10.0, hi=30.0, step=1.0)
    shadow_corr_los_m: float = q(37.0, "m", "d_LOS", "Correlation distance of line-of-sight shadowing.",
                                 "eq:dt-state-map", lo=1.0, hi=500.0, step=1.0)
    shadow_corr_nlos_m: float = q(50.0, "m", "d_NLOS", "Correlation distance of non-line-of-sight shadowing.",
                                  "eq:dt-state-map", lo=1.0, hi=500.0, step=1.0)
    shadow_scale: float = q(1.0, "", "κ_σ", "Factor on the spread of the shadowing; 1 is that of UMa-AV.",
                            "eq:dt-state-map", lo=0.0, hi=3.0, step=0.05, neutral=True)
    wall_loss_db: float = q(47.4, "dB", "L_wall", "Loss of a link that crosses the building (two high-loss walls).",
                            "D15", lo=0.0, hi=100.0, step=0.1)
    indoor_loss_db_per_m: float = q(0.5, "dB/m", "L_in", "Loss per metre inside the building.", "D15",
                                    lo=0.0, hi=5.0, step=0.1)
    link_trace: str = q("", "", "links", "Recorded links, replayed where there are records; empty = the channel model alone.",
                        "D27", affects=CALIBRATION | LINKS | CERTIFICATES | FLIGHT, neutral=True, own=stored_links)

    @property
    def tau_slot_s(self) -> float:
        """τ_slot = T_slot + T_guard [s]."""
        return (self.slot_ms + self.guard_ms) * 1e-3

    @property
    def frame_s(self) -> float:
        """Length of the TDMA frame, S·τ_slot: the latest a command can arrive in its cycle [s]."""
        return self.slots * self.tau_slot_s

    @property
    def gcs(self) -> tuple[float, float, float]:
        """Position of the ground control station [m]."""
        return (self.gcs_x_m, self.gcs_y_m, self.gcs_z_m)


@dataclass(frozen=True)
class TwinFields(Group):
    """What the digital twin promises: coverage, interaction reliability, calibration confidence."""

    title: ClassVar[str] = "Digital twin"
    affects: ClassVar[Affects] = CALIBRATION | LINKS | CERTIFICATES

    beta: float = q(0.05, "", "β", "Probability that the channel may leave the twin's confidence set.",
                    "eq:dt-confidence-set", lo=0.005, hi=0.5, step=0.005, affects=CERTIFICATES)
    online_beta: bool = q(False, "", "β_t", "Let the confidence set learn in flight from measured links: β then holds in the long run.",
                          "D26", affects=CERTIFICATES)
    online_gamma: float = q(0.05, "", "γ", "Step size of the adaptation of β: larger forgets faster.", "D26",
                            lo=0.001, hi=0.5, step=0.001, affects=NOTHING)
    delta_T: float = q(0.05, "", "δ_T", "Probability that a failure run may exceed the certified interval.",
                       "eq:markov-failure-tolerance", lo=0.001, hi=0.5, step=0.001, affects=CERTIFICATES)
    H_T: int = q(20, "opportunities", "H_T", "Horizon over which the interaction interval is certified.",
                 "D19", lo=1, hi=100, step=1, affects=CERTIFICATES)
    link_quality: bool = q(True, "", "lq", "The twin corrects its channel map with measured link qualities.", "D21")
    link_age_cycles: int = q(1, "cycles", "a_lq", "Age of the newest link-quality measurements when they are used.",
                             "D21", lo=1, hi=20, step=1, affects=CALIBRATION | LINKS | CERTIFICATES | FLIGHT)
    link_noise_db: float = q(1.0, "dB", "ν_lq", "Error of one link-quality measurement.", "D21",
                             lo=0.0, hi=10.0, step=0.1)
    clearance_m: float = q(3.0, "m", "d_c", "The twin counts links that pass the building closer than this as blocked.",
                           "eq:dt-state-map", lo=0.0, hi=10.0, step=0.5)
    chain_confidence: float = q(0.95, "", "1−α_CP", "Confidence of the Clopper–Pearson bound on p₁₁.",
                                "eq:markov-failure-tail", lo=0.5, hi=0.999, step=0.001, affects=CERTIFICATES)
    min_failures: int = q(30, "failures", "n_min", "A bin of predicted failure with fewer observed failures inherits the next worse bin.",
                          "eq:markov-failure-tail", lo=1, hi=10000, step=1, affects=CERTIFICATES)


@dataclass(frozen=True)
class AllocationFields(Group):
    """Switches of the allocator that the paper leaves open."""

    title: ClassVar[str] = "Allocation"
    affects: ClassVar[Affects] = CERTIFICATES

    lookahead_cycles: int = q(4, "cycles", "L", "Cycles over which the value of a command is predicted.",
                              "D23", lo=1, hi=6, step=1)
    admission: str = q("drift", "", "adm", "Certificate an action needs: the paper's drift test, staying in its corridor (reach), or none.",
                       "D24", choices=ADMISSIONS)
    sync_exchanges: int = q(1, "exchanges", "s_sync", "Cheapest exchanges reserved for uncertified synchronisation; 0 = off.",
                            "D13", lo=0, hi=10, step=1)
    directional_pruning: bool = q(True, "", "D17", "Drop dominated options of one direction before the product is formed.",
                                  "D17")


@dataclass(frozen=True)
class MissionFields(Group):
    """Swarm, building, reference trajectories, gusts.

    Swarm size and duration ask for no calibration by measurement: margins are conditional on the class of a route, and
    those made with 50 UAVs cover the routes of 8, 20 and 150 (docs/CALIBRATION.md).
    """

    title: ClassVar[str] = "Mission"
    affects: ClassVar[Affects] = CALIBRATION | LINKS | CERTIFICATES | FLIGHT

    uavs: int = q(50, "UAVs", "N", "Number of UAVs, one control loop each.", "Table I", "paper", lo=1, hi=1000, step=1,
                  affects=LINKS | CERTIFICATES | FLIGHT)
    speed_mps: float = q(15.0, "m/s", "v", "Reference speed.", "Table I", "paper", lo=1.0, hi=30.0, step=0.5)
    duration_s: float = q(30.0, "s", "T", "Mission horizon.", "Table I", "paper", lo=1.0, hi=600.0, step=1.0,
                          affects=LINKS | CERTIFICATES | FLIGHT)
    building_side_m: float = q(60.0, "m", "b", "Side of the square building footprint.", "Table I", "paper",
                               lo=10.0, hi=200.0, step=5.0)
    building_height_m: float = q(90.0, "m", "h_b", "Building height; the altitude band straddles the roof.", "D15",
                                 lo=0.0, hi=200.0, step=5.0)
    facade_offset_m: float = q(20.0, "m", "d_f", "Distance of the facade passes from the wall.", "Table I", "paper",
                               lo=5.0, hi=100.0, step=1.0)
    altitude_min_m: float = q(
        70.0, "m", "z_min", "Lowest flight layer.", "Table I", "paper", lo=23.0, hi=300.0, step=1.0
    )
    altitude_max_m: float = q(
        100.0, "m", "z_max", "Highest flight layer.", "Table I", "paper", lo=23.0, hi=300.0, step=1.0
    )
    layer_spacing_m: float = q(
        10.0, "m", "Δz", "Vertical spacing of the flight layers.", "sec:evaluation", lo=1.0, hi=50.0, step=1.0
    )
    safety_distance_m: float = q(10.0, "m", "d_safe", "Smallest distance the references keep.", "Table I", "paper",
                                 lo=0.0, hi=50.0, step=1.0)
    groups: int = q(4, "groups", "n_g", "Groups that rotate through cruise, hotspot and recovery.", "Table I", "paper",
                    lo=1, hi=10, step=1)
    hotspot_cycles: int = q(6, "cycles", "k_h", "Length of a hotspot visit.", "Table I", "paper", lo=1, hi=60, step=1)
    recovery_cycles: int = q(
        4, "cycles", "k_r", "Length of the recovery after it.", "Table I", "paper", lo=0, hi=60, step=1
    )
    hotspot_leg_cycles: int = q(3, "cycles", "k_l", "Length of one hotspot leg.", "sec:evaluation", lo=1, hi=20, step=1)
    vertical_fraction: float = q(0.95, "", "f_z", "Largest vertical share of the reference speed in a hotspot leg.",
                                 "sec:evaluation", lo=0.0, hi=1.0, step=0.05)
    gust_cycles_min: int = q(2, "cycles", "k_g", "Shortest gust.", "Table I", "paper", lo=0, hi=60, step=1)
    gust_cycles_max: int = q(6, "cycles", "K_g", "Longest gust.", "Table I", "paper", lo=0, hi=60, step=1)
    gust_min_mps2: float = q(
        2.0, "m/s²", "a_g", "Weakest gust acceleration.", "Table I", "paper", lo=0.0, hi=20.0, step=0.5
    )
    gust_max_mps2: float = q(
        4.0, "m/s²", "A_g", "Strongest gust acceleration.", "Table I", "paper", lo=0.0, hi=20.0, step=0.5
    )
    file: str = q("", "", "mission", "Mission from a file of your own; empty = the built-in inspection of the building.",
                  "D27", neutral=True, own=stored_mission)
    buildings: str = q("", "", "buildings", "Boxes that stand in the way: west south east north height; empty = the square building.",
                       "D27", neutral=True, own=own_buildings)
# fmt: on
