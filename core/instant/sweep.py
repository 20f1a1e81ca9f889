"""One loop and one action of it at many values of one quantity: each stage is run again only where the quantity reaches it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.allocation import appraise
from core.errors import SafeExplorerError
from core.instant.instant import Instant
from core.instant.vary import STATE, Variable
from core.lazy import cached_property
from core.network import Routes, find_routes
from core.scenario import Affects, fields_affecting
from core.twin import Candidates, Exchange, certify


class Reading(NamedTuple):
    """What is read at one value, all of it about one loop; nan where there is none.

    Attributes:
        refused: why the value cannot be asked for; then everything else is empty.
        actions: actions on offer.
        certified: those that have a certificate.
        admitted: those that are admitted.
        certifiable: those that have a certificate and are admitted.
        cheapest: slots of the cheapest admitted one.
        on_offer: whether the held action is among them; the next ones are its own.
        slots, phi, g, rho_ul, rho_dl, U: cost [slots], drift [m²], tolerance, deliveries [-], value [m²].
        passes: whether it is admitted.
        chosen: whether the allocator sends it.
        served: whether the loop gets slots.
        mode: how the loop spends the cycle, core.allocation.Mode.
        V_max: edge of the domain [m²].
    """

    refused: str = ""
    actions: int = 0
    certified: int = 0
    admitted: int = 0
    certifiable: int = 0
    cheapest: float = math.nan
    on_offer: bool = False
    slots: float = math.nan
    phi: float = math.nan
    g: float = math.nan
    rho_ul: float = math.nan
    rho_dl: float = math.nan
    U: float = math.nan
    passes: bool = False
    chosen: bool = False
    served: bool = False
    mode: int = -1
    V_max: float = math.nan


class Sweep:
    """Reads the loop at any value of the quantity.

    Args:
        variable: what is varied, where, and for which loop.
        held: the action to read; None = there is none.
    """

    def __init__(self, variable: Variable, held: Exchange | None) -> None:
        self.variable, self.held, self.loop = variable, held, variable.loop
        name, at_once = variable.name, fields_affecting(Affects.CERTIFICATES)
        self._same_candidates = name != "c_fail" and name not in at_once
        self._same_routes = name in STATE or (
            not name.startswith("network.") and name not in fields_affecting(Affects.LINKS)
        )

    @property
    def light(self) -> bool:
        """Whether neither an action need be certified anew nor the control side worked out."""
        return self.variable.name in ("v_ratio", "sigma_share", "c", "network.slots")

    def at(self, x: float) -> Reading:
        """The reading at one value."""
        try:
            return self._read(self.variable.at(x))
        except SafeExplorerError as error:
            return Reading(refused=str(error))

    def _read(self, now: Instant) -> Reading:
        q, whole = self._candidates(now)
        allocation = now.allocate(q)
        found = appraise(allocation, whole)
        may, sent = found.admitted, int(allocation.choice[self.loop])
        reading = Reading(
            actions=len(whole.slots),
            certified=int(whole.certified.sum()),
            admitted=int(may.sum()),
            certifiable=int((may & whole.certified).sum()),
            cheapest=float(whole.slots[may].min()) if may.any() else math.nan,
            served=sent >= 0,
            mode=int(allocation.mode[self.loop]),
            V_max=now.model.V_max,
        )
        row = -1 if self.held is None else self.held.row_in(whole)
        if row < 0:
            return reading
        return reading._replace(
            on_offer=True,
            slots=float(whole.slots[row]),
            phi=float(found.admission.terms.phi[row]),
            g=float(whole.g[row]),
            rho_ul=float(whole.rho_ul[row]),
            rho_dl=float(whole.rho_dl[row]),
            U=float(found.U[row]),
            passes=bool(may[row]),
            chosen=sent >= 0 and Exchange.of(q, sent) == self.held,
        )

    def _candidates(self, now: Instant) -> tuple[Candidates, Candidates]:
        """What the allocator chooses from, and every action of the loop."""
        if self._same_candidates:
            return self._present
        if self.variable.name == "network.slots":
            q, whole = self._of_longest
            return q.within(now.scenario.network.slots), whole.within(now.scenario.network.slots)
        return self._certify(now)

    def _certify(self, now: Instant, frame: int | None = None) -> tuple[Candidates, Candidates]:
        # not through the instant's own caches: they hold what visitors look at, and a curve has hundreds of values
        s, facts, failed, learnt = now.scenario, now.calibration, now.states.c_fail, now.flight.online(now.cycle)
        links = self.variable.instant.topology if self._same_routes else now.topology
        routes = self._routes if self._same_routes else find_routes(s, links)
        q = certify(s, links, facts, failed, routes=routes, frame=frame, online=learnt)
        only = np.array([self.loop])
        return q, certify(s, links, facts, failed, routes=routes, frame=frame, online=learnt, full=True, loops=only)

    @cached_property
    def _present(self) -> tuple[Candidates, Candidates]:
        now = self.variable.instant
        return now.candidates, now.whole_set(self.loop)

    @cached_property
    def _of_longest(self) -> tuple[Candidates, Candidates]:
        now = self.variable.instant
        return self._certify(now, now.longest)

    @property
    def _routes(self) -> tuple[Routes, Routes]:
        q = self.variable.instant.candidates
        return q.ul_routes, q.dl_routes
