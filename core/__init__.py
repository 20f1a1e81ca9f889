"""SAFE: certified wireless resource allocation for UAV swarms, free of any user interface."""

from core.compiled import keep_kernels

keep_kernels()  # before anything is compiled

from core.plugins import load_plugins  # noqa: E402
from core.scenario import Scenario  # noqa: E402

__all__ = ["Scenario", "load_plugins"]
__version__ = "0.2.0"
