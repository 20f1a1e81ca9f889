"""One action whose verdict is to be explained, with all that its sentence may draw on."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.allocation.appraisal import Appraisal
from core.allocation.forcing import Others
from core.allocation.outlook import Outlook
from core.allocation.result import Allocation
from core.allocation.sentence import Sentence, Value
from core.allocation.verdict import Verdict
from core.twin import Candidates, Exchange


@dataclass(frozen=True, eq=False)
class Case:
    """One action whose verdict is to be explained.

    Args:
        allocation: of all loops.
        own: the candidates that the action is one of.
        row: which.
        verdict: on it.
        numbers: by name; sentences add what they say.
        ahead: predicted paths of the loop, None unless the value is predicted.
        others: P2 without the loop.
        dominator: row of the allocation's candidates that dominates it, None unless DOMINATED.
        better_in: coordinates in which the dominator is strictly better.
        rivals: keys of the actions named so far.
    """

    allocation: Allocation
    own: Appraisal
    row: int
    verdict: Verdict
    numbers: dict[str, Value]
    ahead: Outlook | None
    others: Others
    dominator: int | None = None
    better_in: tuple[str, ...] = ()
    rivals: list[str] = field(default_factory=list)

    def number(self, name: str) -> float:
        """One of the numbers."""
        value = self.numbers[name]
        assert not isinstance(value, str)
        return value

    def say(self, template: str, **more: Value) -> Sentence:
        """A sentence from the numbers and some more, which join them."""
        self.numbers.update(more)
        return Sentence.of(template, self.numbers)

    @property
    def loop(self) -> int:
        """Loop of the action."""
        return int(self.own.candidates.loop[self.row])

    def rival(self, name: str, q: Candidates, row: int) -> Sentence:
        """ "the 14-slot exchange 17–G ↑ G–17 ↓", with its coding where slots and route are the action's own."""
        exchange, mine = Exchange.of(q, row), Exchange.of(self.own.candidates, self.row)
        slots = int(q.slots[row])
        self.rivals.append(exchange.key)
        named: dict[str, Value] = {f"{name}.slots": slots, f"{name}.route": exchange.route}
        said = self.say(f"the {{{name}.slots:g}}-slot exchange {{{name}.route}}", **named)
        if (slots, exchange.route) == (self.numbers["slots"], mine.route):
            said += self.say(f" ({{{name}.coding}})", **{f"{name}.coding": exchange.coding})
        return said
