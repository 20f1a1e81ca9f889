"""A plug-in: two policies and a metric of your own, in one file.

python -m core simulate --plugins largest_error.py --policy Largest-Error --seed 3
"""

import numpy as np

from core.simulation import ByScore, Decision, Policy, register, register_metric


@register
class LargestError(Policy):
    """Serves the loops with the largest V first, each with its cheapest admitted action."""

    name = "Largest-Error"

    def decide(self, view):
        c, s, admitted = view.candidates, view.states, view.admit().admitted
        choice, left = np.full(len(s), -1), view.budget
        for i in np.argsort(-s.V):
            rows = np.flatnonzero((c.loop == i) & admitted & (c.slots <= left))
            if len(rows):
                choice[i] = rows[np.argmin(c.slots[rows])]
                left -= c.slots[choice[i]]
        return Decision.of(choice)


@register
class OldestFirst(ByScore):
    """Serves the loops that have waited longest first; whom to serve with what is left to `ByScore`."""

    name = "Oldest-First"

    def scores(self, view):
        return 1.0 + view.states.c


@register_metric(unit="", direction="lower")
def far_share(run):
    """Share of loop-cycles that end more than 10 m from the reference."""
    distance = np.linalg.norm(run.positions - run.references, axis=2)  # (cycles, N) [m]
    return (distance > 10.0).mean()
