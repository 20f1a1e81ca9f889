"""What the tab Solve for draws, recomputed from the curves and, at the present value, from the focus itself."""

from __future__ import annotations

import math

import numpy as np
from brute_solve import ranges

from app.tabs.solve.figure import LABELLED, SolveFigure
from core.allocation import Mode
from core.instant import Solution

BANDS = {
    (True, False): "this action",
    (False, False): "another action",
    (True, True): "this action, without a certificate",
    (False, True): "another action, without a certificate",
}


def check_solve(fig: SolveFigure, solution: Solution) -> None:
    """Every source, title and axis of the tab."""
    c, s, focus = solution.curves, fig.sources, solution.focus
    data = s["curves"].data
    np.testing.assert_array_equal(data["x"], c.x)
    for name in ("admitted", "certified"):
        np.testing.assert_array_equal(data[name], np.where(c.asked, getattr(c, name), np.nan))
    for name in ("cheapest", "g", "rho_ul", "rho_dl", "slots"):
        np.testing.assert_array_equal(data[name], getattr(c, name))
    for i in range(len(c.x)):
        phi = c.phi[i] / c.V_max[i] if c.g[i] > 0 else math.nan
        np.testing.assert_array_equal(data["phi"][i], phi)
        np.testing.assert_array_equal(data["U"][i], c.U[i] / c.V_max[i])
    check_here(fig, solution)
    for name, holds in {
        "admitted": c.certifiable > 0, "cheapest": c.certifiable > 0, "phi": c.passes, "U": c.chosen, "service": c.served,
    }.items():  # fmt: skip
        check_marks(fig, solution, name, holds & c.asked)
        axis = fig.plots[name].y_range
        if name != "service":
            seen = np.asarray(data[name], dtype=float)
            seen = seen[np.isfinite(seen)]
            assert len(seen) == 0 or axis.reset_start <= seen.min() <= seen.max() <= axis.reset_end
    check_bands(fig, solution)
    assert fig.x_range.reset_start <= c.x[0] < c.x[-1] <= fig.x_range.reset_end
    meta = solution.variable.meta
    label = f"{meta.symbol} [{meta.unit}]" if meta.unit else meta.symbol
    assert {fig.plots[n].below[0].axis_label for n in ("cheapest", "U")} == {label}
    assert f"UAV {focus.loop + 1}" in fig.plots["service"].title.text


def check_here(fig: SolveFigure, solution: Solution) -> None:
    """The marks of the present value stand where the strip's own numbers are."""
    focus, held = solution.focus, solution.focus.held
    V_max = focus.model.V_max
    now = {
        "admitted": focus.counts["admitted"],
        "cheapest": min(focus.offer.whole.slots[focus.offer.appraisal.admitted].tolist(), default=math.nan),
        "phi": held.phi / V_max if held is not None and held.g > 0 else math.nan,
        "U": held.U / V_max if held is not None else math.nan,
    }
    for name, value in now.items():
        at = fig.sources[f"{name}.here"].data
        assert at["x"][0] == solution.variable.here
        np.testing.assert_array_equal(at["y"][0], value, err_msg=name)


def check_marks(fig: SolveFigure, solution: Solution, name: str, holds: np.ndarray) -> None:
    """Dashed lines stand at the ends of the ranges, and their labels say which end."""
    c, v = solution.curves, solution.variable
    asked = c.x[c.asked]
    expected = []
    for first, last in ranges(c.x, holds):
        expected += [(first, f"from {v.text(first)}")] if first != asked[0] else []
        expected += [(last, f"to {v.text(last)}")] if last != asked[-1] else []
    data = fig.sources[f"{name}.marks"].data
    assert list(data["x"]) == [x for x, _ in expected]
    assert list(data["text"]) == [t if len(expected) <= LABELLED else "" for _, t in expected]
    title = fig.plots[name].title.text
    if solution.held is None and name in ("phi", "U"):
        assert title == "No action in focus"
    elif name != "cheapest" and not expected:
        assert ("at no value" in title) == (not holds.any())
        assert ("at every value" in title) == bool(holds.any())


def check_bands(fig: SolveFigure, solution: Solution) -> None:
    """Every value lies in the band of what the loop gets there, or in none."""
    c, bands = solution.curves, fig.sources["bands"].data
    for i, x in enumerate(c.x):
        inside = [
            what
            for left, right, what in zip(bands["left"], bands["right"], bands["service"], strict=True)
            if left < x < right or (x in (c.x[0], c.x[-1]) and left <= x <= right)
        ]
        served = bool(c.asked[i] and c.served[i])
        kind = BANDS[bool(c.chosen[i]), bool(c.mode[i] == Mode.SYNCHRONISATION)]
        assert inside == ([kind] if served else []), (x, inside)
        if not c.asked[i]:
            assert fig.sources["curves"].data["service"][i] == "refused"
        elif not served:
            assert fig.sources["curves"].data["service"][i] == "no slots"
        else:
            assert fig.sources["curves"].data["service"][i] == kind
