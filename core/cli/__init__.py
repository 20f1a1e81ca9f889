"""Commands of `python -m core` and of `safe-explorer`, which is the same; one module each with `add_parser(subparsers)` and `run(args) -> int`."""

COMMANDS = (
    "app",
    "lab",
    "links",
    "calibrate",
    "simulate",
    "tune",
    "standing",
    "reproduce",
    "study",
    "sensitivity",
    "claims",
    "schema",
    "figure",
)
"""Modules of this package in the order the help lists them; each imports what it needs only when it runs."""
