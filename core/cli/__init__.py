"""Commands of `python -m core`, one module each with `add_parser(subparsers)` and `run(args) -> int`."""

COMMANDS = ("links", "calibrate", "simulate", "tune", "standing", "reproduce", "study", "sensitivity", "claims")
"""Modules of this package in the order the help lists them; each imports what it needs only when it runs."""
