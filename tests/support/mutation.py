"""Good files made bad: every change a pure function of a generator, so that the same seed gives the same inputs."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np

Generator = np.random.Generator

NUMBERS = (
    "0", "-0", "1", "-1", "2", "7", "0.5", "1e3", "120", "1000", "1e-9", "1e15", "1e308", "1e309", "1e999999999", "-1e400",
    "9" * 40, "9" * 5000, "0." + "3" * 400, "nan", ".nan", "inf", "-.inf", "+inf", "Infinity", "0x10", "0o17", "0120",
    "3_0", "٣", "１２", "2:40", "1,5", "1e", "--1", "1 2", "+", ".", "-", "1j", "1/2",
)  # fmt: skip
WORDS = (
    "", " ", "true", "no", "null", "~", "None", "SAFE", "VoI-Sched", "paper", "drift", "<script>alert(1)</script>", "'", '"', "é",
    "🚁", "a" * 10_000, "{}", "[]", "[1, 2]", "{a: 1}", "*a", "&a", "!!python/object/apply:os.system [echo]", "!!binary x",
    "2026-01-01", "../../etc/passwd", "/dev/zero", ".", "..", "C:\\x", "%s%n", "{0}", "\t", "\\u0000", "\ufeff", "\u2028", "\x7f",
    "# ", "---", "...", "? ", ": ", "- ", "|", ">", "@", "`",
)  # fmt: skip
ATOMS = NUMBERS + WORDS
TOKEN = re.compile(r"\d+(?:\.\d+)?|\w+|\s+|[^\w\s]")


def atom(rng: Generator) -> str:
    """A nasty word or number."""
    return str(ATOMS[int(rng.integers(len(ATOMS)))])


def mutated_text(rng: Generator, text: str, most: int = 3) -> str:
    """A text with one to `most` tokens replaced, dropped, doubled, swapped or added, or cut short."""
    tokens = TOKEN.findall(text)
    for _ in range(int(rng.integers(1, most + 1))):
        i = int(rng.integers(len(tokens))) if tokens else 0
        way = int(rng.integers(7))
        if way <= 1 or not tokens:
            tokens[i : i + 1] = [atom(rng)]
        elif way == 2:
            del tokens[i]
        elif way == 3:
            tokens.insert(i, tokens[i])
        elif way == 4:
            j = int(rng.integers(len(tokens)))
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif way == 5:
            tokens.insert(i, atom(rng))
        elif rng.uniform() < 0.2:
            tokens = tokens[:i]
        else:  # another number of about its size
            tokens[i] = _near(rng, tokens[i])
    return "".join(tokens)


def _near(rng: Generator, token: str) -> str:
    try:
        value = float(token)
    except ValueError:
        return token
    return f"{value * float(rng.choice([-1.0, 0.5, 0.9, 1.1, 2.0, 10.0])):g}" if math.isfinite(value) else token


def mutated_bytes(rng: Generator, content: bytes) -> bytes:
    """Bytes with bits flipped, a run overwritten, dropped, doubled or moved, cut short, or with something behind them."""
    found = bytearray(content)
    way, i = int(rng.integers(8)), int(rng.integers(len(found)))
    n = int(rng.integers(1, 64))
    if way <= 2:
        for bit in rng.integers(8 * len(found), size=int(rng.choice([1, 1, 1, 2, 16]))):
            found[bit // 8] ^= 1 << (int(bit) % 8)
    elif way == 3:
        found[i : i + n] = rng.bytes(len(found[i : i + n]))
    elif way == 4:
        del found[i : i + n]
    elif way == 5:
        found[i:i] = found[max(0, i - n) : i]
    elif way == 6:
        del found[i:]
    else:
        found += rng.bytes(n)
    return bytes(found)


def mutated_plain(rng: Generator, values: Any) -> Any:
    """Nested plain values (what JSON and YAML give) with one of them replaced, dropped or doubled somewhere."""
    if isinstance(values, dict) and values and rng.uniform() < 0.8:
        key = list(values)[int(rng.integers(len(values)))]
        if rng.uniform() < 0.15:
            return {k: v for k, v in values.items() if k != key}
        if rng.uniform() < 0.1:
            return {**values, atom(rng)[:100]: values[key]}
        return {**values, key: mutated_plain(rng, values[key])}
    if isinstance(values, list) and values and rng.uniform() < 0.8:
        i = int(rng.integers(len(values)))
        way = rng.uniform()
        if way < 0.1:
            return values[:i] + values[i + 1 :]
        if way < 0.2:
            return [*values, values[i]]
        return [*values[:i], mutated_plain(rng, values[i]), *values[i + 1 :]]
    return plain(rng)


PLAIN: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 120, 10**6, 10**18, 10**400, -(10**30), 0.0, -0.0, 0.5, 1e-12, 1e300, math.nan, math.inf, -math.inf,
    "", "x", "120", "nan", "SAFE", "a" * 5000, "\ud800", "\x00", [], {}, [[]], [None], [1, "a", None], {"a": {}}, {"": 0}, [[1, 2], [3]],
)  # fmt: skip


def plain(rng: Generator) -> Any:
    """A nasty plain value."""
    return PLAIN[int(rng.integers(len(PLAIN)))]


def bombs() -> dict[str, str]:
    """Small texts that a careless reader of YAML or JSON never finishes with, or dies of."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    doubled = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in itertools.pairwise(letters))
    merged = "a: &a {x: 1}\n" + "".join(
        f"{b}: &{b} {{<<: [*{a}, *{a}], {b}{b}: 1}}\n" for a, b in itertools.pairwise(letters)
    )
    return {
        "aliases": doubled,
        "merged aliases": merged,
        "alias to itself": "a: &a [*a]\n",
        "nested lists": "[" * 20_000 + "]" * 20_000,
        "nested mappings": "{a: " * 5_000 + "1" + "}" * 5_000,
        "nested json": '{"a":' * 20_000 + "1" + "}" * 20_000,
        "open lists": "[" * 60_000,
        "nested blocks": "".join(" " * i + "a:\n" for i in range(300)),
        "nested sequences": "- " * 20_000,
        "many keys": "".join(f"k{i}: {i}\n" for i in range(4_000)),
        "long number": "network: {slots: " + "9" * 50_000 + "}",
        "long exponent": "network: {slots: 1e" + "9" * 5_000 + "}",
        "long text": "formulation: " + "a" * 60_000,
        "long key": "a" * 60_000 + ": 1",
        "tags": "!!python/object/apply:time.sleep [60]",
        "many tags": "!!set {" + ", ".join(f"a{i}" for i in range(5_000)) + "}",
        "quotes": '"' * 60_000,
        "anchors": "".join(f"&a{i} " for i in range(10_000)),
        "documents": "---\n" * 10_000,
        "question marks": "? " * 10_000,
        "comments": "#" * 60_000,
        "carriage returns": "\r" * 60_000,
        "folded": "a: >\n" + " b\n\n" * 10_000,
        "escapes": 'a: "' + "\\u0041" * 9_000 + '"',
        "nul": "\x00" * 1_000,
        "lone surrogate": 'a: "\\ud800"',
    }
