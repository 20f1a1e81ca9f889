"""What a tree does not have that a check asks for, read from the error that says so; "" = the error is a failure like any other."""

from __future__ import annotations

import re

NAMED = re.compile(r"(?:ImportError|ModuleNotFoundError|AttributeError|TypeError): (.+)")
FIXTURE = re.compile(r"fixture '\w+' not found")
IN_TESTS = re.compile(r"\btests/[\w/]+\.py:\d+: \w+$")
"""Last line of a traceback whose error was raised by a test or its support, not by the code under test."""
ACTED = re.compile(r"Locator\.(?!wait_for\b)\w+: Timeout .*?waiting for (\S.*?)\s*$", re.S)
"""The browser was to use something that never came; `wait_for` is how a test asks whether it comes."""


def from_page(error: str) -> str:
    """What the page does not have, from an error of the browser."""
    found = ACTED.search(error)
    return f"its page has no {found[1]}" if found else ""


def from_test(message: str, told: str) -> str:
    """What a failed test did not find.

    Args:
        message: of the error, with its type.
        told: its traceback.
    """
    if fixture := FIXTURE.search(told):
        return fixture[0]
    named = NAMED.match(message)
    if named and IN_TESTS.search(told.strip()):
        return _short(named[1])
    return from_page(message)


def from_loading(told: str) -> str:
    """Why tests cannot be loaded, from the output of pytest."""
    lines = re.findall(r"^E +(.+)", told, re.M)
    named = NAMED.match(lines[-1]) if lines else None
    return _short(named[1] if named else lines[-1]) if lines else "they cannot be loaded"


def _short(text: str) -> str:
    """Without the file from which something could not be imported."""
    return re.sub(r" \(/\S*\)$", "", text.strip().splitlines()[0])
