"""`python -m core <command>`: the model from the command line."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Sequence

from core.cli import COMMANDS
from core.errors import SafeExplorerError


def parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser with the given commands, as far as they are installed."""
    top = argparse.ArgumentParser(prog="python -m core", description="SAFE: certified slot allocation for UAV swarms.")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="command")
    for name in commands:
        if importlib.util.find_spec(f"core.cli.{name}") is not None:
            importlib.import_module(f"core.cli.{name}").add_parser(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what the user can put right is one line on stderr and exit code 2."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    named = words[:1] if words and words[0] in COMMANDS else COMMANDS  # one command does not pay for loading them all
    args = parser(named).parse_args(words)
    try:
        return int(importlib.import_module(f"core.cli.{args.command}").run(args))
    except SafeExplorerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
