"""What each kind of work of a page would cost, from how long cycles take in this process."""

from __future__ import annotations

from collections.abc import Sequence

from app.jobs.price import Price
from app.picture import Inputs, Picture
from core.instant import Flight, FlightKey, Focus
from core.instant.cost import BENCHMARK, CURVES, CYCLE_TIMES, INSTANT, WALK
from core.instant.rivals import cycles_to_watch
from core.instant.scene import geometry

EXPORT = Price(1.0, "Drawing for paper", "export")
"""Of a file, whatever is in it: seconds of drawing, which hold up others more than computing does."""


def picture_price(inputs: Inputs) -> Price:
    """Of a picture."""
    key, k = inputs.key, inputs.cycle
    each_s = CYCLE_TIMES.cycle_s(key.scenario.mission.uavs)
    walked = k if geometry(inputs.scenario) != geometry(key.at(k)) else 0
    seconds = _flight_s(key, k) + (INSTANT + WALK * walked) * each_s
    return Price(seconds, _flying(key, k), ("picture", key), lambda: _far(key, k))


def mission_price(flight: Flight) -> Price:
    """Of flying the rest of a mission."""
    key, k = flight.key, flight.cycles - 1
    return Price(_rest_s(flight, k), _flying(key, k), ("mission", key), lambda: f"cycle {flight.flown:,} of {k:,}")


def race_price(flights: Sequence[Flight], k: int) -> Price:
    """Of flying several flights to the end of a cycle."""
    behind = [flight for flight in flights if flight.ended <= flight.at(k)]
    if not behind:
        return Price(0.0)
    names = [flight.key.policy.name for flight in behind]
    who = f" under {names[0]}" if len(names) == 1 else f" under each of {len(names)} policies"
    return Price(
        sum(_rest_s(flight, k + 1) for flight in behind),
        f"{_flying(flights[0].key, flights[0].at(k))}{who}",
        ("race", tuple(flight.key for flight in flights)),
        lambda: f"{', '.join(str(flight.ended) for flight in flights)} cycles are flown",
    )


def rivals_price(picture: Picture, names: Sequence[str]) -> Price:
    """Of asking other policies at an instant: those that remember look at every cycle before it."""
    instant, uavs = picture.instant, picture.flight.scenario.mission.uavs
    cycles = cycles_to_watch(instant, names) * len(names)
    what = f"Asking {len(names)} policies about {uavs:,} UAVs in {instant.cycle:,} cycles"
    return Price((cycles + INSTANT) * CYCLE_TIMES.cycle_s(uavs), what, ("rivals", picture.flight.key))


def benchmark_price(picture: Picture) -> Price:
    """Of P1 over every action."""
    uavs = picture.flight.scenario.mission.uavs
    return Price(BENCHMARK * CYCLE_TIMES.cycle_s(uavs), f"Solving P1 for {uavs:,} UAVs", "P1")


def curves_price(focus: Focus) -> Price:
    """Of the curves of Solve for."""
    uavs = focus.instant.scenario.mission.uavs
    return Price(CURVES * CYCLE_TIMES.cycle_s(uavs), f"Computing curves for {uavs:,} UAVs", "curves")


def _flight_s(key: FlightKey, k: int) -> float:
    """Of a flight that need not be there yet."""
    known, cycles = Flight.known(key), key.scenario.cycles
    if known is not None:
        return _rest_s(known, k)
    return (k if k < cycles - 1 else cycles) * CYCLE_TIMES.cycle_s(key.scenario.mission.uavs)


def _rest_s(flight: Flight, k: int) -> float:
    return flight.cycles_to(k) * CYCLE_TIMES.cycle_s(flight.scenario.mission.uavs)


def _flying(key: FlightKey, k: int) -> str:
    return f"Flying {key.scenario.mission.uavs:,} UAVs to cycle {k:,}"


def _far(key: FlightKey, k: int) -> str:
    known = Flight.known(key)
    return f"cycle {known.flown:,} of {k:,}" if known is not None and known.flown < k else ""
