"""From positions to actions: channel, packet error, topology, routes, options, slot patterns (Section II-B)."""

from core.network.actions import Actions, combine
from core.network.fading import FadingTables, attempt_failure, block_of, fading_table, table_failure
from core.network.layout import Layout, slot_layouts
from core.network.link_cost import link_costs
from core.network.obstacle import all_boxes, building_box, length_inside_box, segment_hits_box
from core.network.options import Options, direction_options, either_fails
from core.network.packet_error import packet_error
from core.network.path_loss import (
    free_space_loss_db,
    uma_av_los_probability,
    uma_av_path_loss_db,
    uma_av_shadowing_db,
)
from core.network.pruning import prune_options
from core.network.routes import Routes, find_routes
from core.network.shadowing import (
    Shadowing,
    measured_shadowing_db,
    shadowing_correlation,
    shadowing_spread_db,
    start_shadowing,
    step_shadowing,
)
from core.network.topology import (
    Links,
    Topology,
    draw_los,
    link_budget_db,
    links_at,
    node_positions,
    noise_dbm,
    topology,
)

__all__ = [
    "Actions",
    "FadingTables",
    "Layout",
    "Links",
    "Options",
    "Routes",
    "Shadowing",
    "Topology",
    "all_boxes",
    "attempt_failure",
    "block_of",
    "building_box",
    "combine",
    "direction_options",
    "draw_los",
    "either_fails",
    "fading_table",
    "find_routes",
    "free_space_loss_db",
    "length_inside_box",
    "link_budget_db",
    "link_costs",
    "links_at",
    "measured_shadowing_db",
    "node_positions",
    "noise_dbm",
    "packet_error",
    "prune_options",
    "segment_hits_box",
    "shadowing_correlation",
    "shadowing_spread_db",
    "slot_layouts",
    "start_shadowing",
    "step_shadowing",
    "table_failure",
    "topology",
    "uma_av_los_probability",
    "uma_av_path_loss_db",
    "uma_av_shadowing_db",
]
