"""One exception root: everything the user can put right is a SafeExplorerError with advice in its message."""


class SafeExplorerError(Exception):
    """Root of every error raised on purpose; its message says what to change."""


class ScenarioError(SafeExplorerError, ValueError):
    """A scenario field is unknown, has the wrong type, or lies outside its bounds."""


class InfeasibleError(SafeExplorerError):
    """The LMI (eq:lmi-certificate) has no solution for this control setting."""


class SolverError(SafeExplorerError):
    """A solver returned something that does not pass verification."""


class CalibrationError(SafeExplorerError):
    """A calibration file is missing, malformed or made for another scenario."""


class StudyError(SafeExplorerError, ValueError):
    """A what-if study is ill-defined or would mix results that do not belong together."""
