"""One value of a link: as it is written, read back, and told of when it is not usable."""

from __future__ import annotations

import re
from typing import Any

from app.state import default_of, metadata_of, sample_of
from core.scenario.plain_numbers import number_text, plain_number

MAX_LENGTH = 400
MAX_OWN = 4000
"""Characters of buildings in a link."""


def parsed_value(name: str, text: str) -> Any:
    """Text of a link in the control's type; raises ValueError when it does not read as one."""
    default, own = default_of(name), metadata_of(name).own is not None
    if len(text) > (MAX_OWN if own else MAX_LENGTH):
        raise ValueError("too long")
    text = text.strip()
    if isinstance(default, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    if isinstance(default, tuple):
        items = [item.strip() for item in text.split(",") if item.strip()]
        return tuple(items) if isinstance(default[0], str) else tuple(_number(item) for item in items)
    return text if isinstance(default, str) else _number(text)


def _number(text: str) -> float:
    return float(plain_number(text))


def value_text(value: Any) -> str:
    """A value as a link has it."""
    if value is None:
        return "(as flown)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value_text(item) for item in value)
    return number_text(value) if isinstance(value, float) else str(value)


def usable(name: str) -> str:
    """What a control takes, in words."""
    sample, meta = sample_of(name), metadata_of(name)
    if isinstance(sample, bool):
        return "true or false"
    if meta.own is not None:
        return f"what the page itself puts into a link, or leave {name} out"
    if meta.choices:
        several = "one or more of " if isinstance(sample, tuple) else ""
        return several + ", ".join(meta.choices)
    whole = (
        "whole numbers" if isinstance(sample, tuple) else "a whole number" if isinstance(sample, int) else "a number"
    )
    most = f", at most {meta.most} of them" if isinstance(sample, tuple) and meta.most else ""
    unit = f" {meta.unit}" if meta.unit else ""
    return f"{whole} from {meta.lo:g} to {meta.hi:g}{unit}{most}"


def plain(text: Any, length: int = 40) -> str:
    """Outside text reduced to harmless characters, so that no pane or notification can run it."""
    clean = re.sub(r"[^\w .,+\-]", "·", str(text))
    return clean[:length] + ("…" if len(clean) > length else "")
