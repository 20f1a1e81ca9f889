"""`--plugins my_file.py`, known to every command; the files are loaded before a command lists what there is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.plugins import VARIABLE, try_plugins


def add_plugins_option(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--plugins",
        action="append",
        metavar="FILE.py",
        help=f"your own policies and metrics (docs/EXTENDING.md); may be repeated, also as {VARIABLE}",
    )


def load_named(words: Sequence[str]) -> None:
    """Load what the words of a command, the environment and installed packages name.

    Raises:
        PluginError: a file cannot be loaded. Of a broken installed plug-in a note is printed.
    """
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_plugins_option(first)
    files = first.parse_known_args(words)[0].plugins or ()
    for file, error in try_plugins(*files):
        if file:
            raise error
        print(f"note: {error}", file=sys.stderr)
