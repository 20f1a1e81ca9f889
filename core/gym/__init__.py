"""The closed loop as a Gymnasium environment, for those who learn policies: `SwarmEnv`, and what it shows, `observe`.

Gymnasium is an optional dependency, needed by `SwarmEnv` alone: a learned policy flies without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.gym.observation import FEATURES, LIMIT, observe

if TYPE_CHECKING:
    from core.gym.environment import SwarmEnv

__all__ = ["FEATURES", "LIMIT", "SwarmEnv", "observe"]


def __getattr__(name: str) -> Any:
    if name == "SwarmEnv":
        from core.gym.environment import SwarmEnv

        return SwarmEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
