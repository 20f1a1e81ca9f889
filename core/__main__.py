"""`python -m core <command>`, installed also as `safe-explorer <command>`: the model, the page and the course."""

from __future__ import annotations

import argparse
import errno
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from core import __version__
from core.cli import COMMANDS
from core.cli.plugin_option import add_plugins_option, load_named
from core.errors import SafeExplorerError

MODULE, SCRIPT = "python -m core", "safe-explorer"


def parser(commands: Sequence[str] = COMMANDS, called: str = MODULE) -> argparse.ArgumentParser:
    """The parser with the given commands, as far as they are installed; its texts name the program as it was called."""
    top = argparse.ArgumentParser(
        prog=called,
        description="SAFE: certified slot allocation for UAV swarms. The page, the course, and the model behind them.",
        epilog=f"{called} COMMAND --help says more, with examples.",
    )
    top.add_argument("--version", action="version", version=f"{SCRIPT} {__version__}")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in commands:
        if importlib.util.find_spec(f"core.cli.{name}") is not None:
            importlib.import_module(f"core.cli.{name}").add_parser(subparsers)
    for one in subparsers.choices.values():
        one.description, one.epilog = ((text or "").replace(MODULE, called) for text in (one.description, one.epilog))
        add_plugins_option(one)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; what the user can put right is one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters shows question marks
    words = sys.argv[1:] if arguments is None else list(arguments)
    named = words[:1] if words and words[0] in COMMANDS else COMMANDS  # one command does not pay for loading them all
    called = SCRIPT if Path(sys.argv[0]).stem == SCRIPT else MODULE
    try:
        _check(words)
        load_named(words)  # before the help lists policies
        args = parser(named, called).parse_args(words)
        code = int(importlib.import_module(f"core.cli.{args.command}").run(args))
        sys.stdout.flush()
        return code
    except SafeExplorerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever reads has had enough: `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"error: {_reason(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _check(words: Sequence[str]) -> None:
    """Refuse `--seed=--`: argparse takes it for a list of no values, which no command expects."""
    for word in words:
        if word.startswith("--") and word.endswith("=--"):
            raise SafeExplorerError(f"{word.removesuffix('=--')[:80]} is given no value; write one behind the '='.")


def _reason(error: OSError) -> str:
    """What the system refused, and what may help."""
    where = f" ({error.filename})" if error.filename else ""
    said = f"{error.strerror or error or type(error).__name__}{where}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{said}. Free some space or choose another place; what was finished before is kept."
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{said}. Choose a place where you may write."
    return f"{said}."


if __name__ == "__main__":
    sys.exit(main())
