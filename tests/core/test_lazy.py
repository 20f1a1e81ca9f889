"""A property that one object works out keeps no other object waiting."""

from __future__ import annotations

import threading

from core.lazy import cached_property


class Patient:
    """Works out its value once it may."""

    def __init__(self, go: threading.Event) -> None:
        self.go, self.begun, self.times = go, threading.Event(), 0

    @cached_property
    def value(self) -> object:
        """Once worked out it stays."""
        self.times += 1
        self.begun.set()
        assert self.go.wait(timeout=30)
        return object()


def test_it_is_worked_out_once_and_is_an_attribute_from_then_on() -> None:
    go = threading.Event()
    go.set()
    one = Patient(go)
    assert one.value is one.value
    assert one.times == 1
    assert one.__dict__["value"] is one.value
    assert "stays" in (Patient.value.__doc__ or "")


def test_objects_do_not_wait_for_each_other_and_threads_agree() -> None:
    go, now = threading.Event(), threading.Event()
    now.set()
    slow, found = Patient(go), []
    threads = [threading.Thread(target=lambda: found.append(slow.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert slow.begun.wait(timeout=30)
    assert Patient(now).value is not None  # `functools.cached_property` would wait here for ever before Python 3.12
    go.set()
    for thread in threads:
        thread.join()
    assert found[0] is found[1] is slow.value
