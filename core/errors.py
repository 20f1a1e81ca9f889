"""One exception root: everything the user can put right is a SafeExplorerError with advice in its message."""


class SafeExplorerError(Exception):
    """Root of every error raised on purpose; its message says what to change."""


class ScenarioError(SafeExplorerError, ValueError):
    """A scenario field is unknown, has the wrong type, or lies outside its bounds."""


class OwnFileError(ScenarioError):
    """A mission, building or link file that somebody brought cannot be used; the message says which row and why."""


class InfeasibleError(SafeExplorerError):
    """The LMI (eq:lmi-certificate) has no solution for this control setting."""


class SolverError(SafeExplorerError):
    """A solver returned something that does not pass verification."""


class CalibrationError(SafeExplorerError):
    """A calibration file is missing, malformed or made for another scenario."""


class StudyError(SafeExplorerError, ValueError):
    """A what-if study is ill-defined or would mix results that do not belong together."""


class PluginError(SafeExplorerError):
    """A plug-in cannot be loaded; the message names its file, and the line where there is one."""


class PolicyError(SafeExplorerError):
    """A policy failed when it was asked, or answered what cannot be flown.

    Args:
        message: names the policy, and of a user's own its file and line.
        policy: name.
    """

    def __init__(self, message: str, policy: str = "") -> None:
        super().__init__(message)
        self.policy = policy


class MetricError(SafeExplorerError):
    """A metric of the user's own failed; the message names it, its file and line."""
