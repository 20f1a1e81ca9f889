"""Random valid scenarios over the whole range of every field, each a function of its number alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.errors import ScenarioError
from core.scenario import Scenario, field_names, quantity_of

DRAWN = tuple(name for name in field_names() if quantity_of(name).own is None)
"""Fields that are drawn: those that stand for a file of one's own stay empty."""


def random_scenarios(
    first: int = 0, *, most_uavs: int | None = None, most_s: float | None = None
) -> Iterator[Scenario]:
    """Scenarios of the numbers first, first + 1, … without end.

    Args:
        first: number of the first one.
        most_uavs, most_s: smaller upper ends of swarm size and duration [s]; those of the fields when None.
    """
    for number in itertools.count(first):
        yield random_scenario(number, most_uavs=most_uavs, most_s=most_s)


def random_scenario(number: int, *, most_uavs: int | None = None, most_s: float | None = None) -> Scenario:
    """One of them. Between two fields and all of them are drawn; those that a refusal names are drawn again."""
    rng = np.random.default_rng([number, 61])
    tops = {"mission.uavs": most_uavs, "mission.duration_s": most_s}
    chosen = rng.choice(DRAWN, size=int(rng.integers(2, len(DRAWN) + 1)), replace=False)
    changes = {str(name): _value(str(name), rng, tops.get(str(name))) for name in chosen}
    while True:
        try:
            return Scenario().replace(**changes)
        except ScenarioError as error:
            for name in [name for name in DRAWN if name in str(error)]:
                changes[name] = _value(name, rng, tops.get(name))


def _value(name: str, rng: np.random.Generator, top: float | None) -> Any:
    """Any value that a field may have: both ends now and then, the orders of magnitude of a wide range alike."""
    q, default = quantity_of(name), Scenario().value(name)
    if isinstance(default, bool):
        return bool(rng.integers(2))
    if isinstance(default, tuple):
        count = int(rng.integers(1, (q.most or 8) + 1))
        if q.choices:
            return tuple(str(x) for x in rng.permutation(q.choices)[:count])
        return tuple(dict.fromkeys(int(_number(rng, q.lo, q.hi)) for _ in range(count)))
    if q.choices:
        return str(rng.choice(q.choices))
    high = q.hi if top is None else top
    number = _number(rng, q.lo, high)
    return int(number) if isinstance(default, int) else float(number)


def _number(rng: np.random.Generator, low: float | None, high: float | None) -> float:
    assert low is not None
    assert high is not None
    kind = rng.random()
    if kind < 0.1:
        return low if kind < 0.05 else high
    if low > 0.0 and high / low > 20.0 and kind < 0.6:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))
    return float(rng.uniform(low, high))
