"""`python -m core app`: serve the dashboard."""

from __future__ import annotations

import argparse
import os
import sys

from core.cli.supervisor import supervise
from core.errors import SafeExplorerError
from core.folders import PAGE
from core.plugins import environment
from core.scenario.plain_numbers import whole_number

PORT = 5006
SERVE_OPTIONS = ("--warm", "--reuse-sessions")
"""For a fast first page: compute it before the first visitor comes, and send every visitor its frame at once."""
SETUP = PAGE / "panel_fixes" / "warm_workers.py"
"""What several processes have in place of --warm, one by one."""
ONE_HEAP = ("MALLOC_ARENA_MAX", "1")
"""All threads of a process share one heap of the C library: with a heap for each, every one keeps holes, and memory grows."""
EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses that mean every interface and are no name of the machine."""
EXAMPLE = """examples:
  python -m core app
  python -m core app --port 8080 --num-procs 2 --origin safe.example.org
  python -m core app -- --basic-auth users.json        (what stands after -- goes to `panel serve`)

The page is served at http://localhost:5006/app, to this machine only. docs/DEPLOYMENT.md says how to serve a class."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "app",
        help="serve the dashboard",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=whole_number, default=PORT, help=f"port (default {PORT})")
    parser.add_argument("--address", default="127.0.0.1", help="interface (default 127.0.0.1: this machine only)")
    parser.add_argument(
        "--origin",
        action="append",
        metavar="HOST[:PORT]",
        help="name under which browsers reach the page when it is not this machine's own; may be repeated "
        "(default: the address, and BOKEH_ALLOW_WS_ORIGIN)",
    )
    parser.add_argument("--num-procs", type=whole_number, default=1, metavar="N", help="server processes (default 1)")
    parser.add_argument("options", nargs="*", metavar="-- OPTION", help="further options of `panel serve`")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until stopped; workers end with the command."""
    if args.num_procs < 1:
        raise SafeExplorerError(f"--num-procs {args.num_procs} must be at least 1; one per core is a good number.")
    os.environ.update(environment())  # the server's processes load what --plugins named
    os.environ.setdefault(*ONE_HEAP)
    return supervise(serve_command(args))


def serve_command(args: argparse.Namespace) -> list[str]:
    """The `panel serve` behind the options; -P keeps a folder of the user's that is called `app` or `core` out of it."""
    place = ["--address", args.address, "--port", str(args.port)]
    allowed = [word for origin in origins(args) for word in ("--allow-websocket-origin", origin)]
    several = ["--num-procs", str(args.num_procs), "--setup", str(SETUP), *SERVE_OPTIONS[1:]]
    serve = [sys.executable, "-P", "-m", "panel", "serve", str(PAGE)]
    return [*serve, *place, *allowed, *(several if args.num_procs > 1 else SERVE_OPTIONS), *args.options]


def origins(args: argparse.Namespace) -> list[str]:
    """Names under which a page may open its connection; none = what BOKEH_ALLOW_WS_ORIGIN says."""
    if args.origin:
        return list(args.origin)
    if os.environ.get("BOKEH_ALLOW_WS_ORIGIN"):
        return []
    own = [] if args.address in EVERYWHERE else [args.address]
    return [f"{host}:{args.port}" for host in dict.fromkeys(("localhost", "127.0.0.1", *own))]
