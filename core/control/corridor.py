"""Scenarios that local safe mode cannot keep safe: the refusal of D12, and changes that are known to help."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from core.control.safe_mode import SafeMode
from core.errors import ScenarioError
from core.scenario import quantity_of

MakeSafeMode = Callable[..., SafeMode]
"""The safe mode of a control setting with kappa, speed_mps or feed_forward changed by keyword."""


def check_corridor(make: MakeSafeMode, corridor_radius_m: float, speed_mps: float) -> SafeMode:
    """The safe mode of a setting, or ScenarioError unless the corridor is wide enough for both conditions of D12.

    Args:
        make: the safe mode of the setting, changed or not.
        corridor_radius_m: radius r_c of the safety corridor [m].
        speed_mps: reference speed v [m/s].
    """
    safe = make()
    if corridor_radius_m >= safe.radius_m:
        return safe
    if math.isinf(safe.radius_m):
        raise ScenarioError(
            f"control.kappa = {safe.kappa:g} is too weak for local safe mode (D12): the onboard law does not bring V "
            f"down from everywhere in the domain, whatever the corridor; "
            f"{_stronger(make, safe.kappa, corridor_radius_m, speed_mps)}."
        )
    if safe.law_radius_m >= safe.hold_radius_m:
        reason = "does not keep V ≤ V_max from everywhere in the domain"
    else:
        reason = "settles where holding can never become admissible again (V_eq > V_max/α_(H))"
    raise ScenarioError(
        f"control.corridor_radius_m = {corridor_radius_m:g} m is too narrow for local safe mode (D12): "
        f"following the reference at {speed_mps:g} m/s with a lag of {safe.lag_m:.1f} m, the onboard law {reason}. "
        f"Any of these helps: {'; '.join(_remedies(make, corridor_radius_m, speed_mps))}."
    )


def smallest_kappa(make: MakeSafeMode, above: float, corridor_radius_m: float) -> float | None:
    """Smallest κ in hundredths, above a given one, with which the corridor is wide enough; None when there is none.

    Searched one by one: the radius that the law needs is not monotone in κ for every X.

    Args:
        make: the safe mode of the setting.
        above: the κ that is not enough [-].
        corridor_radius_m: radius r_c of the safety corridor [m].
    """
    steps = range(math.floor(100 * above) + 1, math.floor(100 * _bounds("control.kappa")[1] + 1e-9) + 1)
    return next((n / 100 for n in steps if make(kappa=n / 100).radius_m <= corridor_radius_m), None)


def _stronger(make: MakeSafeMode, kappa: float, corridor_radius_m: float, speed_mps: float) -> str:
    """What to do about a law that contracts nothing: κ alone when that is enough, else the largest κ and one thing more."""
    enough = smallest_kappa(make, kappa, corridor_radius_m)
    if enough is not None:
        return f"raise control.kappa to {enough:g}"
    most = _bounds("control.kappa")[1]

    def strongest(**changes: Any) -> SafeMode:
        return make(**{"kappa": most, **changes})

    more = _remedies(strongest, corridor_radius_m, speed_mps)
    return "; or ".join(f"raise control.kappa to {most:g} and {remedy}" for remedy in more)


def _remedies(make: MakeSafeMode, corridor_radius_m: float, speed_mps: float) -> list[str]:
    """Changes within the bounds of their fields, each of which makes `check_corridor` pass.

    Single fields where one is enough, else each together with the widest corridor.
    """
    safe, found = make(), []
    wider = math.ceil(safe.radius_m * 10) / 10
    if wider <= _bounds("control.corridor_radius_m")[1]:
        found.append(f"raise control.corridor_radius_m to {wider:g} or more")
    slower = _largest_speed(make, corridor_radius_m, speed_mps)
    if slower is not None:
        found.append(f"lower mission.speed_mps to {slower:g} or less")
    kappa = smallest_kappa(make, safe.kappa, corridor_radius_m)
    if kappa is not None:
        found.append(f"raise control.kappa to {kappa:g}")
    if make(feed_forward=True).radius_m <= corridor_radius_m:
        found.append("switch control.feed_forward on")
    widest = _bounds("control.corridor_radius_m")[1]
    if found or corridor_radius_m >= widest:
        return found or ["lower control.sigma_proc_m"]  # only noise is left when feed-forward does not help
    return [f"raise control.corridor_radius_m to {widest:g} and {r}" for r in _remedies(make, widest, speed_mps)]


def _largest_speed(make: MakeSafeMode, corridor_radius_m: float, speed_mps: float) -> float | None:
    """Largest speed in tenths with which the corridor is wide enough, by bisection: both radii grow with the speed."""
    low, high = math.ceil(10 * _bounds("mission.speed_mps")[0]), math.ceil(10 * speed_mps)
    if make(speed_mps=low / 10).radius_m > corridor_radius_m:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if make(speed_mps=middle / 10).radius_m <= corridor_radius_m else (low, middle)
    return low / 10


def _bounds(name: str) -> tuple[float, float]:
    q = quantity_of(name)
    return -math.inf if q.lo is None else q.lo, math.inf if q.hi is None else q.hi
