"""How every fuzzer counts: each input gives a valid result or a SafeExplorerError, in bounded time and memory."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from core.errors import SafeExplorerError

FACTOR = float(os.environ.get("SAFE_EXPLORER_FUZZ", "1"))
"""Makes every fuzzer's budget larger or smaller; the first inputs stay the same."""
REPORT = os.environ.get("SAFE_EXPLORER_FUZZ_REPORT", "")
"""File to which every fuzzer adds one line of JSON with its counts; "" = none."""
HANG_S = 60
"""An input that takes more processor time than this would never end: hundreds of times what any of them needs."""
MOST_MB = 400
"""Memory that reading one small file may take."""


class Hung(BaseException):
    """Not an Exception: no `except Exception` of the code under test may swallow it."""


def budget(inputs: int) -> int:
    """How many inputs to try, of as many as the usual budget has."""
    return max(1, round(inputs * FACTOR))


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """Raise Hung in this thread, which must be the main one, when its block takes more processor time: a busy machine costs none."""
    assert threading.current_thread() is threading.main_thread()

    def hung(*_: Any) -> None:
        raise Hung(f"took more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, hung)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass
class Fuzz:
    """The count of one kind of input; as a context it reports at the end and fails when there was a fault.

    Args:
        kind: what is fuzzed, as tables name it.
        least_taken, least_refused: shares of inputs that must be taken and refused, so that neither half is fuzzed in vain.
    """

    kind: str
    least_taken: float = 0.01
    least_refused: float = 0.05
    taken: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def tried(self) -> int:
        return self.taken + self.refused + len(self.faults)

    def attempt(self, given: object, use: Callable[[], object]) -> Any:
        """Use one input; what it gave, or None when it was refused in words or is a fault.

        Args:
            given: the input, for the report of a fault.
            use: reads it and checks what came of it (AssertionError = fault).
        """
        before = _peak_mb()
        try:
            with ending_within(HANG_S):
                found = use()
        except SafeExplorerError as error:
            if not str(error).strip():
                return self._fault(given, "a refusal without words")
            self.refused += 1
            self.reasons[f"{type(error).__name__}: {error!s:.60}"] += 1
            return None
        except (Exception, Hung) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            return self._fault(given, f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})")
        if _peak_mb() - before > MOST_MB:
            return self._fault(given, f"took more than {MOST_MB} MB")
        self.taken += 1
        return found

    def _fault(self, given: object, what: str) -> None:
        self.faults.append(f"{what[:600]}\n    {given!r:.600}")

    def __enter__(self) -> Fuzz:
        return self

    def __exit__(self, kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        print(
            f"{self.kind}: {self.tried} inputs, {self.taken} taken, {self.refused} refused, {len(self.faults)} faults"
        )
        if REPORT:
            row = {"kind": self.kind, "tried": self.tried, "taken": self.taken, "refused": self.refused}
            with Path(REPORT).open("a", encoding="utf-8") as file:
                file.write(json.dumps({**row, "faults": self.faults}) + "\n")
        if kind is None:
            assert not self.faults, "\n".join(self.faults[:10])
            assert self.taken >= self.least_taken * self.tried, "nearly everything was refused"
            assert self.refused >= self.least_refused * self.tried, "nearly nothing was refused"


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
