"""What was worked out is kept for whoever asks next, as long as all of it together does not take too much memory."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from core.wanted import holding


class Measured(Protocol):
    """Something that knows its size."""

    @property
    def nbytes(self) -> int:
        """Memory, roughly [bytes]."""


P = ParamSpec("P")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Measured)


class Kept(Generic[K, V]):
    """Values by key; the least recently used ones go first, the one asked for last stays whatever it takes.

    Who asks for a value in the making waits for it, who asks for any other one does not.

    Args:
        most_bytes: that all may take together, asked each time, for values may grow [bytes].
        most: values at most.
    """

    def __init__(self, most_bytes: Callable[[], int], most: int | None = None) -> None:
        self._most_bytes, self._most = most_bytes, most
        self._lock = threading.Lock()
        # least recently used first; a plain dict, for going through an OrderedDict hashes every key, and scenarios hash slowly
        self._values: dict[K, V] = {}
        self._making: dict[K, threading.Lock] = {}

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, made if it is not kept."""
        found = self._used(key)
        if found is not None:
            return found
        try:
            with holding(self._making.setdefault(key, threading.Lock())):
                found = self._used(key)
                return found if found is not None else self._keep(key, make())
        finally:
            self._making.pop(key, None)

    def _used(self, key: K) -> V | None:
        with self._lock:
            found = self._values.pop(key, None)
            if found is not None:
                self._values[key] = found
                self._drop()
        return found

    def _keep(self, key: K, value: V) -> V:
        with self._lock:
            self._values[key] = value
            self._drop()
        return value

    def _drop(self) -> None:
        while self._most is not None and len(self._values) > self._most:
            self._pop_oldest()
        taken, most = sum(value.nbytes for value in self._values.values()), self._most_bytes()
        while len(self._values) > 1 and taken > most:
            taken -= self._pop_oldest().nbytes

    def _pop_oldest(self) -> V:
        return self._values.pop(next(iter(self._values)))

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()

    def __len__(self) -> int:
        return len(self._values)


class Remembered(Generic[P, V]):
    """A function that keeps what it gave, by its arguments; see `remembered`."""

    def __init__(self, function: Callable[P, V], kept: Kept[Any, V]) -> None:
        functools.update_wrapper(self, function)
        self._function, self.kept = function, kept

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> V:
        """What the function gives, from memory if it is there."""
        return self.kept.get((args, *kwargs.items()), lambda: self._function(*args, **kwargs))

    def known(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Whether what the function gives is there already."""
        return (args, *kwargs.items()) in self.kept


def remembered(most_bytes: int, most: int | None = None) -> Callable[[Callable[P, V]], Remembered[P, V]]:
    """`functools.lru_cache` by memory, for functions of hashable arguments; see `Kept`."""
    return lambda function: Remembered(function, Kept(lambda: most_bytes, most))
