"""What a callback of the page holds is gone when it has run, without a garbage collection."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from bokeh.document import Document, without_document_lock
from bokeh.document.callbacks import DocumentCallbackManager

from app.panel_fixes.spent_callbacks import free_spent_callbacks


class Numbers:
    """Something large."""


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def held_after_running(add: Callable[[Document, Callable[[], Any]], Any]) -> bool:
    doc, seen = Document(), []
    numbers = Numbers()
    there = weakref.ref(numbers)
    callback = add(doc, functools.partial(lambda x: seen.append(type(x)), numbers))
    del numbers
    callback.callback()
    del callback
    assert seen == [Numbers]
    assert doc.session_callbacks == []
    return there() is not None


def soon(doc: Document, callback: Callable[[], Any]) -> Any:
    return doc.add_next_tick_callback(callback)


def later(doc: Document, callback: Callable[[], Any]) -> Any:
    return doc.add_timeout_callback(callback, 50)


@pytest.mark.parametrize("add", [soon, later])
def test_bokeh_alone_holds_on(
    add: Callable[[Document, Callable[[], Any]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    patched = DocumentCallbackManager.add_session_callback
    monkeypatch.setattr(DocumentCallbackManager, "add_session_callback", getattr(patched, "__wrapped__", patched))
    assert held_after_running(add), "Bokeh lets go: this repair can go (app.panel_fixes.spent_callbacks)"


@pytest.mark.parametrize("add", [soon, later])
def test_with_the_repair_it_is_free(add: Callable[[Document, Callable[[], Any]], Any]) -> None:
    free_spent_callbacks()
    assert not held_after_running(add)


def test_a_callback_without_the_lock_and_one_that_comes_again_stay_what_they_are() -> None:
    free_spent_callbacks()
    doc, ran = Document(), []
    assert doc.add_next_tick_callback(without_document_lock(lambda: None)).callback.nolock
    again = doc.add_periodic_callback(lambda: ran.append(1), 100)
    again.callback()
    again.callback()
    assert ran == [1, 1]
