"""An audit in a thread of its own, whose findings the page takes as they come."""

from __future__ import annotations

import logging
import queue
import threading

from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.studies.claims import Finding, audit

log = logging.getLogger("app")

ONE_AT_A_TIME = threading.Semaphore(1)
"""One audit per server process, so that a class of visitors does not stop the page for everybody."""


class Auditor:
    """An audit in a background thread; findings and progress wait in a queue for the page to fetch them."""

    def __init__(self, scenario: Scenario) -> None:
        self.events: queue.Queue[Finding | tuple[float, str] | str] = queue.Queue()
        self.cancel = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(scenario,), daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the thread is still at work."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def take(self) -> list[Finding | tuple[float, str] | str]:
        """What came in since the last call."""
        found = []
        while not self.events.empty():
            found.append(self.events.get())
        return found

    def _work(self, scenario: Scenario) -> None:
        while not ONE_AT_A_TIME.acquire(timeout=0.5):
            self.events.put((0.0, "waiting for another visitor's audit"))
            if self.cancel.is_set():
                return
        try:
            for finding in audit(scenario, cancel=self.cancel, on_progress=lambda s, what: self.events.put((s, what))):
                self.events.put(finding)
        except SafeExplorerError as error:
            self.events.put(str(error))
        except Exception:
            log.exception("the audit failed")
            self.events.put("An unexpected error stopped the audit; the server's log has the details.")
        finally:
            ONE_AT_A_TIME.release()
