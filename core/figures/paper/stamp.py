"""Where a figure or a table comes from, so that it can be made again."""

from __future__ import annotations

from dataclasses import dataclass

import core
from core.instant import Instant
from core.scenario import Scenario
from core.twin import calibration_for


@dataclass(frozen=True)
class Stamp:
    """What was computed, by which version.

    Args:
        scenario: digest of the settings; several joined by a comma.
        calibration: digest of the twin's calibration; several joined by a comma.
        link: query string of the page that shows the same; "" = made without the page.
        version: of this project.
    """

    scenario: str
    calibration: str
    link: str = ""
    version: str = core.__version__

    @classmethod
    def of(cls, scenario: Scenario, link: str = "") -> Stamp:
        """Of what was made at these settings."""
        return cls(scenario.digest(), calibration_for(scenario).digest, link)

    @classmethod
    def of_instant(cls, instant: Instant, link: str = "") -> Stamp:
        """Of what was made at one cycle of a flight."""
        return cls(instant.scenario.digest(), instant.calibration.digest, link)

    @property
    def lines(self) -> tuple[str, ...]:
        """One fact a line, in characters that every file format takes."""
        told = [f"SAFE Explorer {self.version}", f"scenario {self.scenario}", f"calibration {self.calibration}"]
        return (*told, f"link {_ascii(self.link)}") if self.link else tuple(told)

    @property
    def text(self) -> str:
        """All of it in one line."""
        return "; ".join(self.lines)


def _ascii(text: str) -> str:
    """Printable ASCII alone: a link may come from outside."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)
