"""SAFE: certified wireless resource allocation for UAV swarms, free of any user interface."""

from core.scenario import Scenario

__all__ = ["Scenario"]
__version__ = "0.1.0"
