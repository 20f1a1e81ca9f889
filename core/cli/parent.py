"""Commands that the dashboard starts end with it, however it ends: their standard input closes."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Callable


def add_stop_on_eof(parser: argparse.ArgumentParser) -> None:
    """The option the dashboard gives; not for people, whose terminal may well be closed."""
    parser.add_argument("--stop-on-eof", action="store_true", help=argparse.SUPPRESS)


def when_input_ends(stop: Callable[[], None]) -> None:
    """Call `stop` from another thread when standard input closes."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        stop()

    threading.Thread(target=wait, daemon=True).start()
