"""`PYTHONPATH=benchmarks:tests/support python -m load [CHECKOUT …]`: checkouts side by side, in turn."""

from __future__ import annotations

import argparse
from pathlib import Path

from load.classroom import Opened, come_and_go, move_sliders, rush, soak
from load.server import HERE, serving


def main() -> None:
    """Print one line per measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[HERE])
    parser.add_argument("--procs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--only", nargs="*", default=["open", "move"], choices=["open", "move", "uneven", "sixty", "leak", "soak"])  # fmt: skip
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--hz", type=float, default=2)
    args = parser.parse_args()
    for i in range(args.rounds):
        for checkout in args.checkouts:
            with serving(checkout.resolve(), args.procs) as server:
                rush(server, 2)  # whatever only the first visitors pay
                say = f"{i} {checkout.resolve().name:8s}"
                if "open" in args.only:
                    print(say, told(rush(server)), flush=True)
                splits = {"move": (12, 12), "uneven": (22, 2), "sixty": (30, 30)}
                for name in splits.keys() & set(args.only):
                    split = splits[name] if args.procs == 2 else (sum(splits[name]),)
                    m = move_sliders(server, hz=args.hz, seconds=args.seconds, split=split)
                    print(say, f"{m.split} p50 {m.p50_ms:.0f} p95 {m.p95_ms:.0f} ms, {m.cpu_ms:.1f} CPU-ms, {m.messages:.1f} messages and {m.bytes / 1e3:.1f} kB a move, {m.errors} errors", flush=True)  # fmt: skip
                if "leak" in args.only:
                    before, after = come_and_go(server)
                    print(say, f"50 came and went: {(after - before) / 50 * 1e3:.0f} kB each", flush=True)
                if "soak" in args.only:
                    for s in soak(server, hz=args.hz, minutes=args.minutes):
                        print(say, f"{s.minute:5.1f} min {s.rss_mb:7.1f} MB RSS {s.pss_mb:7.1f} MB PSS {s.moves} moves", flush=True)  # fmt: skip


def told(o: Opened) -> str:
    """An opening in a line."""
    return (
        f"{len(o.drawn_s)} opened on {o.split}: all in {o.all_s:.1f} s, {o.cpu_s:.2f} CPU-s, {o.rss_mb:.1f} MB RSS, {o.pss_mb:.1f} MB PSS each; "
        f"document {o.document / 1e3:.0f} kB, {o.models} models, first tab {o.first_tab / 1e3:.0f} kB"
    )


if __name__ == "__main__":
    main()
