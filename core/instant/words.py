"""What is said about a loop and its actions; every number in a sentence has a name and comes from the objects passed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.allocation import Mode, Part, Sentence
from core.allocation.sentence import Value
from core.instant.action import SHORT, Action
from core.instant.offer import Offer
from core.twin import Exchange
from core.twin.exchange import route_name

if TYPE_CHECKING:
    from core.instant.focus import Focus
    from core.instant.instant import Instant

NO_ACTION = "no action"
NOT_ON_OFFER = "not on offer"


def short(focus: Focus) -> str:
    """The verdict on the action in focus in a few words."""
    if focus.held is not None:
        return SHORT[focus.held.verdict]
    return NOT_ON_OFFER if focus.wanted else NO_ACTION


def verdict(focus: Focus) -> Sentence:
    """The verdict on the action in focus, or why there is none."""
    action, found = focus.held, focus.explanation
    if action is None or found is None:
        return missing(focus) if focus.wanted else _nothing(focus)
    said = Sentence()
    if not focus.wanted and not focus.served:
        said = named("UAV {uav} gets no slots; nearest to it is ", uav=focus.uav) + action_name("held", action)
        said += Sentence((Part("."),))
    said = said.then(found.said)
    if action.beyond_horizon:
        said = said.then(
            named(
                "Its g = {g} exceeds H_T = {H_T}: no run that long fits into the horizon, so the interval promise is "
                "vacuous (D19); raise H_T.",
                g=action.g,
                H_T=focus.instant.scenario.twin.H_T,
            )
        )
    return said if action.searched else said.then(_not_searched(focus, action))


def _not_searched(focus: Focus, action: Action) -> Sentence:
    """That the allocator does not look at the action, and why it need not."""
    q = focus.allocation.candidates
    own = slice(int(q.offsets[focus.loop]), int(q.offsets[focus.loop + 1]))
    patterns = {int(p) for p in q.actions.pattern[own]}
    pattern = int(focus.offer.whole.actions.pattern[action.row])
    if patterns and pattern not in patterns:
        why = "it tries one compact slot pattern, which no other beats"
    else:
        why = "one direction of it is beaten before directions are combined (D17)"
    return Sentence.of(f"The allocator does not search it: {why}.")


def _nothing(focus: Focus) -> Sentence:
    """Why the loop has no action at all."""
    routes = focus.offer.whole.ul_routes, focus.offer.whole.dl_routes
    up, down = (int(r.offsets[focus.loop + 1] - r.offsets[focus.loop]) for r in routes)
    if up == 0 or down == 0:
        way = "to the ground station" if up == 0 else "from the ground station"
        return named(f"UAV {{uav}} has no usable route {way}, so it cannot be served.", uav=focus.uav)
    more = focus.instant.whole_set(focus.loop, focus.instant.longest)
    network = focus.instant.scenario.network
    if len(more.slots) == 0:
        text = (
            "No exchange of UAV {uav} meets the deadline of {deadline_ms:g} ms per direction, so it cannot be served."
        )
        return named(text, uav=focus.uav, deadline_ms=network.deadline_ms)
    return named(
        "The cheapest exchange of UAV {uav} needs {cheapest} slots and the frame has {budget}, so it cannot be served.",
        uav=focus.uav,
        cheapest=int(more.slots.min()),
        budget=focus.allocation.budget,
    )


def missing(focus: Focus) -> Sentence:
    """Why the action that is wanted is not on offer here."""
    exchange = Exchange.parse(focus.wanted)
    if exchange is None:
        return Sentence((Part("There is no action "), Part(focus.wanted, focus.wanted, "wanted"), Part(".")))
    said = named("The exchange {route} is not on offer: ", route=exchange.route)
    if exchange.loop != focus.loop:
        return said + named("it belongs to UAV {other}, not to UAV {uav}.", other=exchange.loop + 1, uav=focus.uav)
    c, network = focus.offer.whole, focus.instant.scenario.network
    for nodes, routes, arrow in ((exchange.ul, c.ul_routes, "↑"), (exchange.dl, c.dl_routes, "↓")):
        mine = routes.nodes[routes.offsets[focus.loop] : routes.offsets[focus.loop + 1]].tolist()
        if list(nodes) not in [[node for node in path if node >= 0] for path in mine]:
            text = f"{{lost}} {arrow} is not among the routes that the twin predicts now."
            return said + named(text, lost=route_name(nodes))
    for values, offered, what in (
        (exchange.n, network.blocklengths, "blocklength"),
        (exchange.n_re, network.retransmissions, "retransmission limit"),
        ((exchange.pattern,), network.patterns, "slot pattern"),
    ):
        if gone := [value for value in values if value not in offered]:
            return said + named(f"the {what} {{gone}} is not on offer.", gone=gone[0])
    more = Offer(focus.allocation, focus.loop, focus.instant.whole_set(focus.loop, focus.instant.longest))
    row = more.row_of(exchange)
    if row < 0:
        return said + named("it misses the deadline of {deadline_ms:g} ms.", deadline_ms=network.deadline_ms)
    needed, budget = int(more.whole.slots[row]), focus.allocation.budget
    return said + named("it needs {needed} slots and the frame has {budget}.", needed=needed, budget=budget)


def why(focus: Focus) -> Sentence:
    """Why a loop is served, or why it is not, from what the prediction says an exchange is worth."""
    a, i = focus.allocation, focus.loop
    numbers: dict[str, Value] = {
        "uav": focus.uav,
        "rank": focus.rank,
        "N": len(a.states),
        "worth": float(a.valuation.worth[i]),
        "c": int(a.states.c[i]),
    }
    if focus.chosen is not None:
        numbers |= {"U": focus.chosen.U, "slots": focus.chosen.slots}
        if a.needy[i]:
            said = Sentence.of("UAV {uav} is served by ", numbers) + action_name("chosen", focus.chosen)
            text = ", without a certificate: P2 passes it over, and it was last heard {c} cycles ago (D13)."
            return said + Sentence.of(text, numbers)
        numbers["price"] = max(0.0, float(focus.offer.others.loss(0.0, 0)))
        said = Sentence.of("UAV {uav} is served by ", numbers) + action_name("chosen", focus.chosen)
        said += _worth(focus, numbers) + Sentence.of(
            ", U = {U:.4g} m². Without it the total would be {price:.4g} m² lower.", numbers
        )
        return said
    idle = {Mode.HOLD: "It holds its last command.", Mode.SAFE: "The onboard law flies it."}[focus.mode]
    return _passed_over(focus, numbers).then(Sentence.of(idle))


def _worth(focus: Focus, numbers: dict[str, Value]) -> Sentence:
    """What an exchange is worth to the loop and where that puts it; predicted, or else by the certificates."""
    found = focus.allocation.predicted
    if found is None:
        return Sentence.of(", place {rank} of {N} by W", numbers)
    numbers |= {"G": float(found.G[focus.loop]), "telemetry": focus.model.lam * float(found.T[focus.loop])}
    text = ": the command is worth G = {G:.4g} m², the telemetry {telemetry:.3g} m², place {rank} of {N} by both"
    return Sentence.of(text, numbers)


def _passed_over(focus: Focus, numbers: dict[str, Value]) -> Sentence:
    a, offer = focus.allocation, focus.offer
    if offer.counts["candidates"] == 0:
        return _nothing(focus)
    numbers |= {"candidates": offer.counts["candidates"], "budget": a.budget, "reserve": a.reserve}
    if offer.counts["certified"] == 0 and a.admission.rule != "none":
        text = "UAV {uav} gets no slots: none of its {candidates} actions has a certificate."
        return Sentence.of(text, numbers)
    if offer.counts["admitted"] == 0:
        return Sentence.of("UAV {uav} gets no slots: none of its {candidates} actions is admitted.", numbers)
    best = focus.offer.action(offer.nearest)
    U = float(offer.appraisal.U[offer.frontier].max())
    numbers |= {"best_U": U, "loss": best.loss}
    said = Sentence.of("UAV {uav} gets no slots", numbers) + _worth(focus, numbers)
    if U <= 0.0:
        return said + Sentence.of("; no admitted action is worth anything, the best U = {best_U:+.4g} m².", numbers)
    if not math.isfinite(best.loss):
        return said + Sentence.of("; none of its frontier actions fits into the slots that P2 may spend.")
    if best.loss <= a.rounding:
        return said + Sentence.of("; serving it would be equally good, but ties go to fewer slots and earlier loops.")
    said += Sentence.of("; serving it would cost at least {loss:.4g} m² of the total, with ", numbers)
    return said + action_name("nearest", best) + Sentence.of(".")


def longer_frame(instant: Instant) -> Sentence:
    """Which longer frame would be worth more, read off `Instant.curve`: values U and reserve are those of this frame."""
    more, S, longest = instant.next_useful, instant.allocation.budget, instant.longest
    if longest <= S:
        return named("The frame already has all the {budget} slots that it may have in a control period.", budget=S)
    if more is None:
        text = "At the values of this frame no longer one, up to the {longest} slots it may have, would be worth more."
        return named(text, longest=longest)
    values: dict[str, Value] = {
        "next.slots": more.slots,
        "next.gain": more.gain,
        "next.uav": more.loop + 1,
        "budget": S,
    }
    if more.slots == S + 1:
        text = "At the values of this frame one slot more than {budget} is worth {next.gain:.4g} m²"
    else:
        text = "At the values of this frame the next useful one has {next.slots} slots and is worth {next.gain:.4g} m² more"
    return Sentence.of(text + ", most of it for UAV {next.uav}.", values)


def action_name(name: str, action: Action) -> Sentence:
    """An action by slots and route, with the source of both."""
    values: dict[str, Value] = {f"{name}.slots": action.slots, f"{name}.route": action.exchange.route}
    return Sentence.of(f"the {{{name}.slots}}-slot exchange {{{name}.route}}", values)


def named(template: str, **values: Value) -> Sentence:
    """A sentence from named values."""
    return Sentence.of(template, values)
