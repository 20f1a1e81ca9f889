"""`make lab`: JupyterLab lists the lessons, and every lesson's widgets work there without asking anybody outside."""

import json
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import NOTEBOOKS, PATIENCE_S, TOKEN, Server
from playwright.sync_api import Error, Locator, Page, TimeoutError

from app.teaching.exercise import exercise
from app.teaching.feedback import INK

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("notebook-server")]


def test_lab_lists_the_lessons(lab) -> None:
    request = urllib.request.Request(f"{lab.root}/api/contents", headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        found = json.load(answer)
    assert sorted(item["name"] for item in found["content"] if item["type"] == "notebook") == sorted(
        p.name for p in NOTEBOOKS
    )


FINGERPRINT = """() => (window.Bokeh?.documents ?? []).flatMap(doc => Array.from(doc._all_models.values())).map(m =>
  m.type === 'ColumnDataSource' ? JSON.stringify(Object.fromEntries(m.data instanceof Map ? m.data : Object.entries(m.data)),
                          (_, v) => ArrayBuffer.isView(v) ? Array.from(v).join() : v)
         : m.text ?? '').join('|')"""
"""Everything the widgets of a page show: the columns of all figures and all texts."""


NOTEBOOK = "window.jupyterapp?.shell.currentWidget"
"""The open notebook, as JupyterLab's own scripts see it (--expose-app-in-browser)."""
READY = f"async () => {{ const n = {NOTEBOOK}; await n.context.ready; await n.sessionContext.ready }}"
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
WIDGETS = f"""() => Array.from({NOTEBOOK}.model.cells).flatMap((cell, i) => cell.type === 'code' && cell.outputs.toJSON().some(
  o => 'application/vnd.holoviews_exec.v0+json' in (o.data ?? {{}})) ? [i] : [])"""
"""Which cells show something of Panel."""
SHOW = f"""async i => {{ const n = {NOTEBOOK}.content; n.activeCellIndex = i; await n.scrollToItem(i, 'center');
  return n.widgets[i].node.isConnected && n.widgets[i].node.querySelector('.bk-panel-models-layout-Column, [data-root-id]') !== null }}"""
"""Bring a cell into view, as a reader scrolls: JupyterLab draws only what is in view; whether its widget is drawn."""


def promised(page: Page, script: str) -> Any:
    """What a script promises, once it is kept; a question of JupyterLab's meanwhile is answered (which kernel, whether to wait)."""
    page.evaluate(f"() => {{ window.kept = undefined; ({script})().then(value => {{ window.kept = [value] }}) }}")
    end = time.monotonic() + 2 * PATIENCE_S
    while not page.evaluate("window.kept"):
        assert time.monotonic() < end, f"never kept: {script}; the notebook says\n{said(page)}"
        for button in page.locator(".jp-Dialog-button.jp-mod-accept").all():
            with suppress(Error):  # it went by itself
                button.click(timeout=1000)
        page.wait_for_timeout(100)
    return page.evaluate("window.kept[0]")


def in_view(page: Page, wanted: Locator) -> Locator:
    """Go through the cells with widgets until something is seen."""
    end = time.monotonic() + PATIENCE_S
    while not wanted.count():
        assert time.monotonic() < end, f"never seen: {wanted}; the notebook says\n{said(page)}"
        for cell in page.evaluate(WIDGETS):
            while not page.evaluate(SHOW, cell) and time.monotonic() < end:
                page.wait_for_timeout(100)
            if wanted.count():
                break
    wanted.first.scroll_into_view_if_needed()
    return wanted.first


def said(page: Page) -> str:
    """What the cells have printed, without widgets: for the message of a test that fails."""
    return str(
        page.evaluate(f"""() => Array.from({NOTEBOOK}.model.cells).map((cell, i) => i + ': ' + (cell.type === 'code' ?
      `[${{cell.executionCount}}] ` + JSON.stringify(cell.outputs.toJSON().map(o => o.text ?? o.evalue ?? Object.keys(o.data ?? {{}}))) : 'text')).join('\\n')""")
    )


def move(page: Page, control: Locator, by_px: int) -> None:
    """Drag a slider, or take the last choice of a list: JupyterLab keeps some keys to itself."""
    if control.evaluate("c => c.tagName") == "SELECT":
        control.select_option(index=control.locator("option").count() - 1)
        return
    control.hover()
    page.mouse.down()
    box = control.bounding_box()
    page.mouse.move(box["x"] + by_px, box["y"] + 5, steps=5)
    page.mouse.up()


def move_until_it_shows(page: Page, control: Locator) -> None:
    """Move a control until the pictures follow. JupyterLab measures cells and typesets formulas while one drags, and what
    moves away under the pointer is not dragged: one takes hold again, as a reader would, there and half of the way back."""
    before = page.evaluate(FINGERPRINT)
    end = time.monotonic() + PATIENCE_S
    while page.evaluate(FINGERPRINT) == before:
        assert time.monotonic() < end, f"nothing follows the control; the notebook says\n{said(page)}"
        for by_px in (60, -30):
            move(page, control, by_px)
            with suppress(TimeoutError):
                page.wait_for_function(f"before => ({FINGERPRINT})() !== before", arg=before, timeout=PATIENCE_S * 50)
                break


def as_typed(value: Any) -> str:
    """An answer the way a student types it."""
    if isinstance(value, frozenset | np.ndarray):
        return str(sorted(value) if isinstance(value, frozenset) else value.tolist())
    return str(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_lesson_lives_in_lab(lab: Server, watch: Any, path: Path) -> None:
    """Run all cells; the first control changes what is shown; an exercise is failed, then solved."""
    visitor = watch(lab)
    page = visitor.page
    page.goto(f"{lab.root}/lab/tree/{path.name}?reset&token={TOKEN}")
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.wait_for()
    page.wait_for_function(f"{NOTEBOOK}?.context")
    promised(page, READY)
    assert promised(page, RUN_ALL), said(page)  # back when the last cell has run
    control = in_view(page, page.locator(".noUi-handle, select.bk-input"))
    move_until_it_shows(page, control)

    asked = next(e for i in range(1, 5) if (e := exercise(f"{path.name[:2]}.{i}")).matcher.typed)
    for answer, reply in (("nonsense", INK[False][1]), (as_typed(asked.matcher.read(asked.answer())), INK[True][1])):
        box = in_view(page, page.get_by_placeholder(asked.matcher.form, exact=True))
        box.fill(answer)
        box.press("Enter")
        in_view(page, page.get_by_text(f"Exercise {asked.id} {reply}"))
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert [u for u in visitor.outside if "jupyter" not in u] == []
    assert visitor.errors == []
