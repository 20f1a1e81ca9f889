"""Control laws without a certificate matrix: the refusal, and changes of the scenario that are known to help."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from core.control.lifted import FloatArray
from core.control.lmi import certificate_matrix, largest_gain
from core.control.lqr import lqr_gain
from core.errors import InfeasibleError, SolverError
from core.scenario import ControlFields, quantity_of


def certified_gain(control: ControlFields) -> tuple[float, FloatArray]:
    """LQR gain k [1/s] of a setting and its certificate matrix X, shape (H+1, H+1).

    Raises:
        InfeasibleError, SolverError: there is no such matrix; the message names changes that help.
    """
    k = lqr_gain(control.Ts, control.Q, control.R)
    try:
        return k, _matrix(control, k)
    except (InfeasibleError, SolverError) as error:
        raise type(error)(f"{error} In a scenario any of these helps: {'; '.join(_remedies(control))}.") from error


def _matrix(control: ControlFields, k: float) -> FloatArray:
    return certificate_matrix(H=control.H, h_max=control.h_max, a=control.Ts * k, split=control.split, eps=control.eps)


def _works(control: ControlFields, **changes: Any) -> bool:
    changed = dataclasses.replace(control, **changes)
    try:
        _matrix(changed, lqr_gain(changed.Ts, changed.Q, changed.R))
    except (InfeasibleError, SolverError):
        return False
    return True


def _remedies(control: ControlFields) -> list[str]:
    """Changes within the bounds of their fields, each of which gives a certificate matrix."""
    Ts, Q, R, split = control.Ts, control.Q, control.R, control.split
    most = largest_gain(control.H, control.h_max, Ts * lqr_gain(Ts, Q, R), split)
    found = []
    heavier = _first(lambda n: Ts * lqr_gain(Ts, Q, n / 100) <= most, math.floor(100 * R) + 1, _hundredths("R", 1))
    if heavier is not None and _works(control, R=heavier / 100):
        found.append(f"raise control.R to {heavier / 100:g} or more")
    lighter = _first(lambda n: Ts * lqr_gain(Ts, -n / 100, R) <= most, 1 - math.ceil(100 * Q), -_hundredths("Q", 0))
    if lighter is not None and _works(control, Q=-lighter / 100):
        found.append(f"lower control.Q to {-lighter / 100:g} or less")
    shorter = next((h for h in range(control.h_max - 1, 0, -1) if _works(control, h_max=h)), None)
    if shorter is not None:
        found.append(f"lower control.h_max to {shorter}")
    return found or [
        "lower control.w_u to 0 and lower control.w_d to 0"
    ]  # what is decided on board comes without delay


def _hundredths(name: str, end: int) -> int:
    meta = quantity_of(f"control.{name}")
    bounds = (meta.lo, meta.hi)
    return round(100 * float(bounds[end] or 0.0))


def _first(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """The smallest whole number from low to high for which it holds, by bisection; None when there is none."""
    if low > high or not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
