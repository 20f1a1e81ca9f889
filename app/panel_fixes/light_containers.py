"""A repair of Bokeh 3.9: what is empty takes no room.

Every list and dict of every model, most of them empty, carries a set of those who own it, 216 bytes when empty too: 1.4 of the
3.9 MB of a page. Nearly all have one owner or none, and a tuple holds those in a fraction.
"""

from __future__ import annotations

import functools
from typing import Any

from bokeh.core.property.wrappers import PropertyValueContainer


@functools.cache
def lighten_containers() -> None:
    """From now on, containers keep their owners in tuples. Once per process, before there are models."""

    def begin(self: Any, *args: Any, **options: Any) -> None:
        self._owners = ()
        super(PropertyValueContainer, self).__init__(*args, **options)

    def register(self: Any, owner: Any, descriptor: Any) -> None:
        if (owner, descriptor) not in self._owners:
            self._owners = (*self._owners, (owner, descriptor))

    def unregister(self: Any, owner: Any, descriptor: Any) -> None:
        self._owners = tuple(pair for pair in self._owners if pair != (owner, descriptor))

    PropertyValueContainer.__init__ = begin
    PropertyValueContainer._register_owner = register
    PropertyValueContainer._unregister_owner = unregister
