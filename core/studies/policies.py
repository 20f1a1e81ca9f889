"""Names of policies as a study spells them, with the nearest known name for a wrong one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from core.errors import StudyError
from core.simulation import POLICIES


def checked_policies(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each known and given once; StudyError with the nearest known name otherwise."""
    found: list[str] = []
    for name in names:
        if not name:
            raise StudyError(f"A policy's name is empty; there are {', '.join(POLICIES)}.")
        if name not in POLICIES:
            folded = {p.casefold(): p for p in POLICIES}
            near = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.4)
            hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
            raise StudyError(f"Unknown policy {name!r}; there are {', '.join(POLICIES)}.{hint}")
        if name in found:
            raise StudyError(f"The policy {name!r} is given twice.")
        found.append(name)
    if not found:
        raise StudyError(f"A study needs at least one policy; there are {', '.join(POLICIES)}.")
    return tuple(found)
