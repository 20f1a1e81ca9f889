"""What the flight tab is asked to show, and everything beside the scene that answers it; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.picture import Inputs, Picture
from app.tabs.flight.pinned import Pinned, pinned_flights
from core.errors import PolicyError
from core.figures.arrays.flight import Curves, curves
from core.instant import Flight


@dataclass(frozen=True, eq=False)
class Request:
    """What the tab is to show: flights of these policies, the inspected one first, at the inputs' cycle, and one loop.

    Flights that are drawn already are handed on: those of a large swarm do not all fit into the cache of flights.
    """

    inputs: Inputs
    policies: tuple[str, ...]
    loop: int
    known: dict[str, Flight] = field(default_factory=dict)
    pinned: Picture | None = None
    pinned_name: str = ""
    pinned_known: dict[str, Flight] = field(default_factory=dict)

    @property
    def course(self) -> tuple[object, ...]:
        """What its flights have in common: take-off, changes, seed."""
        start, changes, _, seed = self.inputs.place[:4]
        return start, changes, seed


@dataclass(frozen=True, eq=False)
class Drawing:
    """A request answered as far as its flights are flown."""

    request: Request
    flights: dict[str, Flight]
    curves: Curves
    grounded: dict[str, str]
    """Policies that cannot take off at all, and why."""
    pinned: Pinned | None = None


def drawing(request: Request) -> Drawing:
    """Everything beside the scene; nothing is flown for it."""
    found, grounded = dict(request.known), {}
    for policy in reversed(request.policies):  # the inspected one last: the cache drops what was used longest ago
        try:
            found[policy] = request.known.get(policy) or request.inputs.flight(policy)
        except PolicyError as error:
            if policy == request.policies[0]:
                raise
            grounded[policy] = str(error)
    flights = {policy: found[policy] for policy in request.policies if policy not in grounded}
    first, k = flights[request.policies[0]], request.inputs.cycle
    loop = min(request.loop, first.scenario.mission.uavs - 1)
    made, kept = curves(flights, k, loop), request.pinned
    if kept is None:
        return Drawing(request, flights, made, grounded)
    pinned = pinned_flights(kept, request.pinned_name, flights, made, loop, request.pinned_known)
    return Drawing(request, flights, made, grounded, pinned)


def same(a: Request | None, b: Request) -> bool:
    """Whether two requests ask for the same flights, cycle and loop; sliders that only ask "what if" do not count."""
    if a is None or a.pinned is not b.pinned or a.pinned_name != b.pinned_name:
        return False
    return (a.policies, a.loop, a.inputs.place) == (b.policies, b.loop, b.inputs.place)
