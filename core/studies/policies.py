"""Policies as a study spells them: a registered name, or one with other constants, `Fixed-Service(usable=0.5)`."""

from __future__ import annotations

import ast
import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.errors import StudyError
from core.simulation import POLICIES, Policy
from core.studies.rotation import CertRotation

TRIED: dict[str, type[Policy]] = {CertRotation.name: CertRotation}
"""Policies that only studies fly, by name."""
_SPELLED = re.compile(r"(?P<name>[^()]+)\((?P<constants>[^()]*)\)")


def split_policies(text: str) -> tuple[str, ...]:
    """The names of a comma-separated list; commas between the constants of one policy do not separate."""
    return tuple(part.strip() for part in re.split(r",(?![^()]*\))", text))


def checked_policies(names: Iterable[str]) -> tuple[str, ...]:
    """The names in one spelling, each known and given once; StudyError with the nearest known name otherwise."""
    found: list[str] = []
    for text in names:
        name, constants = parsed(text)
        spelling = spelled_policy(name, constants)
        if spelling in found:
            raise StudyError(f"The policy {spelling!r} is given twice.")
        found.append(spelling)
    if not found:
        raise StudyError(f"A study needs at least one policy; there are {', '.join(POLICIES)}.")
    return tuple(found)


def spelled_policy(name: str, constants: Mapping[str, Any]) -> str:
    """A policy with these constants, the way studies spell it."""
    inside = ", ".join(f"{n}={v!r}" for n, v in sorted(constants.items()))
    return f"{name}({inside})" if inside else name


def parsed(text: str) -> tuple[str, dict[str, Any]]:
    """Name of the policy and its constants, in the type they have in the class."""
    found = _SPELLED.fullmatch(text.strip())
    name = found["name"].strip() if found else text.strip()
    policy = _known(name)
    constants: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in (found["constants"] if found else "").split(","))):
        constant, _, value = (part.strip() for part in item.partition("="))
        constants[constant] = _constant(name, policy, constant, value)
    return name, constants


def base_policy(text: str) -> type[Policy] | None:
    """The class without a study's constants; None when nobody here knows the name."""
    name = text.partition("(")[0].strip()
    return POLICIES.get(name) or TRIED.get(name)


def policy_to_fly(text: str) -> str | type[Policy]:
    """What the simulator is given: a registered name as it is, otherwise the class with its constants."""
    return text if text in POLICIES else _with_constants(_known(text.partition("(")[0].strip()), text)


def constants_of(text: str) -> dict[str, Any]:
    """Every constant of the policy that flies, by name: what a class attribute says now, and what a study sets."""
    policy = base_policy(text)
    if policy is None:
        return {}
    found = {name: getattr(policy, name) for name in sorted(_constants(policy))}
    tables = {n: dict(v) for c in reversed(policy.__mro__) for n, v in vars(c).items() if _table(n, v)}
    return found | tables | (parsed(text)[1] if "(" in text else {})


@functools.lru_cache(maxsize=256)
def _with_constants(policy: type[Policy], text: str) -> type[Policy]:
    return type(policy.__name__, (policy,), parsed(text)[1])


def _known(name: str) -> type[Policy]:
    policy = POLICIES.get(name) or TRIED.get(name)
    if policy is not None:
        return policy
    if not name:
        raise StudyError(f"A policy's name is empty; there are {', '.join(POLICIES)}.")
    folded = {p.casefold(): p for p in POLICIES}
    near = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.4)
    hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
    raise StudyError(f"Unknown policy {name!r}; there are {', '.join(POLICIES)}.{hint}")


def _constant(name: str, policy: type[Policy], constant: str, text: str) -> Any:
    known = list(_constants(policy))
    if constant not in known:
        there = f"its constants are {', '.join(known)}" if known else "it has none"
        raise StudyError(f"The policy {name} has no constant {constant!r}; {there}.")
    now = getattr(policy, constant)
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError) as error:
        raise StudyError(f"{name}({constant}={text}) is not a value; write it like {constant}={now!r}.") from error
    if isinstance(now, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(now):
        raise StudyError(f"{name}({constant}={text}) must be of the kind of {constant}={now!r}.")
    return value


def _table(name: str, value: Any) -> bool:
    return isinstance(value, Mapping) and not name.startswith("_") and bool(value)


def _constants(policy: type[Policy]) -> Iterator[str]:
    """Names of the plain values among a policy's class attributes, what its instances keep for themselves left out."""
    seen = {"name"}
    for cls in policy.__mro__:
        for name, value in vars(cls).items():
            if not name.startswith("_") and name not in seen and isinstance(value, (bool, int, float, str)):
                seen.add(name)
                yield name
