"""What can be varied at an instant without another flight: most numeric fields of the scenario, and the state of one loop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.control import ControlModel
from core.errors import ScenarioError
from core.instant.flight import Floats
from core.instant.instant import Instant
from core.lazy import cached_property
from core.numerals import numeral
from core.scenario import Affects, Quantity, Scenario, field_names, fields_affecting, quantity_of

MOST_VALUES = 501
"""Values of a curve; a quantity with more steps is looked at in wider ones."""

STATE: Mapping[str, Quantity] = MappingProxyType({
    "v_ratio": Quantity(
        "", "V/V_max", "Tracking energy of the focused loop, as a share of the admissible domain; 1 is its edge.",
        "eq:safe-certification-domain", "ours", 0.0, 1.2, 0.01),
    "sigma_share": Quantity(
        "of the domain", "tr Σ", "Estimation uncertainty of the focused loop: 0 is σ_min, 1 is σ_max.",
        "eq:safe-certification-domain", "ours", 0.0, 1.2, 0.01),
    "c": Quantity(
        "cycles", "c", "Staleness: cycles since the focused loop's last bidirectional success (holds count too).",
        "D11", "ours", 0, 12, 1),
    "c_fail": Quantity(
        "failures", "c_fail", "Failed attempts in a row: the first widens the twin's margin, the paper's gate c < g counts them all.",
        "D11", "ours", 0, 12, 1),
})  # fmt: skip
"""The state of one loop, by the names of its sliders."""

_WHOLE_STATE = ("c", "c_fail")
_PLAIN = Scenario()


def varied() -> tuple[str, ...]:
    """Everything that `solve` can vary: state of the loop, then fields by dotted name.

    A field that shapes the flight or asks for a new calibration is not among them: no value of it but the present one
    has an answer at this instant.
    """
    fixed = {*fields_affecting(Affects.FLIGHT), *fields_affecting(Affects.CALIBRATION)}
    numbers = (n for n in field_names() if isinstance(_PLAIN.value(n), (int, float)) and quantity_of(n).step)
    return (*STATE, *(name for name in numbers if name not in fixed))


@dataclass(frozen=True)
class Variable:
    """One quantity that is varied for one loop of an instant, everything else as it is there.

    Args:
        name: out of `varied()`.
        instant: where.
        loop: whose state; counted from 0.
    """

    name: str
    instant: Instant
    loop: int

    def __post_init__(self) -> None:
        if self.name in STATE or self.name in varied():
            return
        try:
            quantity_of(self.name)
        except ScenarioError as error:
            raise ScenarioError(f"{error} The state of the loop is called {', '.join(STATE)}.") from None
        raise ScenarioError(
            f"{self.name} cannot be varied at an instant: another value asks for another flight or calibration, or is "
            f"not a number. Choose one of {', '.join(varied())}."
        )

    @cached_property
    def meta(self) -> Quantity:
        """Unit, symbol, help, bounds and step."""
        return STATE[self.name] if self.name in STATE else quantity_of(self.name)

    @property
    def whole(self) -> bool:
        """Whether only whole numbers make sense."""
        return self.name in _WHOLE_STATE if self.name in STATE else isinstance(_PLAIN.value(self.name), int)

    @property
    def step(self) -> float:
        """Step of its slider."""
        assert self.meta.step is not None
        return self.meta.step

    @cached_property
    def here(self) -> float:
        """Present value."""
        if self.name not in STATE:
            return float(self.instant.scenario.value(self.name))
        states, m, i = self.instant.states, self.instant.model, self.loop
        if self.name == "v_ratio":
            return float(states.V[i] / m.V_max)
        if self.name == "sigma_share":
            return float((states.tr_sigma[i] - m.sigma_min) / (m.sigma_max - m.sigma_min))
        return float(getattr(states, self.name)[i])

    def values(self, most: int = MOST_VALUES) -> Floats:
        """Every step of its slider in rising order, or about `most` of them, and the present value among them."""
        lo, hi = self.meta.lo, self.meta.hi
        assert lo is not None
        assert hi is not None
        if self.name == "network.slots":
            hi = self.instant.longest
        count = round((hi - lo) / self.step)
        every = max(1, math.ceil(count / max(most - 1, 1)))
        at = np.unique([*range(0, count + 1, every), count])
        return np.unique([*np.round(lo + at * self.step, self.meta.digits), self.here])

    def at(self, x: float) -> Instant:
        """The instant with another value; the present one gives the instant itself.

        A state that was replaced keeps its place in the domain when the domain changes: V/V_max and its share of tr Σ.
        """
        now, name = self.instant, self.name
        if x == self.here:
            return now
        if name not in STATE:
            scenario = now.scenario.replace(**{name: int(x) if self.whole else float(x)})
            if not name.startswith("control.") or (now.V is None and now.tr_sigma is None):
                return now.replace(scenario=scenario, given=now.calibration)
            return now.replace(scenario=scenario, given=now.calibration, **self._kept(ControlModel.of(scenario)))
        if now.focus not in (None, self.loop):
            raise ScenarioError(f"The state of UAV {now.focus + 1} is replaced here; vary that of the same UAV.")
        m = now.model
        if name == "v_ratio":
            return now.replace(focus=self.loop, V=float(x) * m.V_max)
        if name == "sigma_share":
            return now.replace(focus=self.loop, tr_sigma=m.sigma_min + float(x) * (m.sigma_max - m.sigma_min))
        return now.replace(focus=self.loop, **{name: int(x)})

    def _kept(self, then: ControlModel) -> dict[str, float]:
        now, m = self.instant, self.instant.model
        found = {}
        if now.V is not None:
            found["V"] = now.V / m.V_max * then.V_max
        if now.tr_sigma is not None:
            share = (now.tr_sigma - m.sigma_min) / (m.sigma_max - m.sigma_min)
            found["tr_sigma"] = then.sigma_min + share * (then.sigma_max - then.sigma_min)
        return found

    def text(self, x: float) -> str:
        """A value as its slider shows it, with its unit; one between two steps with two digits more."""
        on_step = abs(x / self.step - round(x / self.step)) < 1e-6
        return numeral(x, f".{self.meta.digits + (0 if on_step else 2)}f")
