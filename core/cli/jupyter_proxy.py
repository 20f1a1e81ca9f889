"""The page behind a Jupyter server: jupyter-server-proxy, where it is installed, finds this by its entry point."""

from __future__ import annotations

import sys
from typing import Any


def launcher() -> dict[str, Any]:
    """How to start the page below the Jupyter server's own address, and its tile in the launcher of JupyterLab.

    Jupyter's own login stands before it, and its server checks where a connection comes from; the page listens on the
    loopback interface alone.
    """
    serve = [sys.executable, "-P", "-m", "core", "app", "--port", "{port}", "--origin", "*"]
    return {
        "command": [*serve, "--", "--prefix", "{base_url}safe-explorer"],
        "absolute_url": True,
        "timeout": 180,
        "new_browser_tab": True,
        "launcher_entry": {"title": "SAFE Explorer", "path_info": "safe-explorer/app"},
    }
