"""Properties that are worked out once, without keeping anybody else waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:
        """`functools.cached_property` without its lock.

        Before Python 3.12 one lock of each property serves all objects of a class: while the allocation of one visitor's large
        swarm is worked out, nobody else gets any. Here two threads that ask one object at once may both work the value out,
        and both get the one that was there first.
        """

        def __init__(self, func: Any) -> None:
            self.func, self.__doc__ = func, func.__doc__

        def __set_name__(self, owner: type[Any], name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            return self if instance is None else instance.__dict__.setdefault(self.name, self.func(instance))


__all__ = ["cached_property"]
