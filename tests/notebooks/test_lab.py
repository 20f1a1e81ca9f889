"""`make lab`: JupyterLab lists the lessons, and every lesson's widgets work there without asking anybody outside."""

import json
import re
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import NOTEBOOKS, PATIENCE_S, TOKEN, Server
from playwright.sync_api import Locator, Page, TimeoutError

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


def in_view(page: Page, wanted: Locator) -> Locator:
    """Scroll as a reader does until something is there: JupyterLab draws only the cells in view."""
    notebook = page.locator(".jp-WindowedPanel-outer").first
    end, pause_ms = time.monotonic() + 2 * PATIENCE_S, 500
    while not wanted.count():
        assert time.monotonic() < end, f"never seen: {wanted}"
        at_end = notebook.evaluate(
            "n => { const y = n.scrollTop; n.scrollTop += 0.6 * n.clientHeight; return n.scrollTop === y }"
        )
        page.wait_for_timeout(pause_ms)  # time to draw: it does so when it has nothing else to do
        if at_end:  # nothing seen on the way: go again, slower
            notebook.evaluate("n => { n.scrollTop = 0 }")
            pause_ms = min(2 * pause_ms, 8000)
    wanted.first.scroll_into_view_if_needed()
    return wanted.first


def run_all(page: Page, code: Locator) -> None:
    """Run > Run All Cells, again when JupyterLab was not listening yet; back when the kernel has come to rest."""
    idle = page.locator("[data-status=idle]")
    idle.first.wait_for()  # the kernel is up
    for _ in range(5):
        code.click()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        try:
            prompt = page.locator(".jp-CodeCell .jp-InputPrompt")
            prompt.filter(has_text=re.compile(r"\[(\*|\d+)\]")).first.wait_for(timeout=PATIENCE_S / 8 * 1000)
            break
        except TimeoutError:
            continue
    rest = 0
    while rest < 6:
        page.wait_for_timeout(250)
        rest = rest + 1 if idle.count() else 0


def move(page: Page, control: Locator) -> None:
    """Drag a slider, or take the last choice of a list: JupyterLab keeps some keys to itself."""
    if control.evaluate("c => c.tagName") == "SELECT":
        control.select_option(index=control.locator("option").count() - 1)
        return
    control.hover()
    page.mouse.down()
    box = control.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 5, steps=5)
    page.mouse.up()


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
    # on a busy machine JupyterLab may ask something first (which kernel, whether to wait): as a student would, agree
    page.add_locator_handler(page.locator(".jp-Dialog"), lambda dialog: dialog.locator("button").last.click())
    page.goto(f"{lab.root}/lab/tree/{path.name}?reset&token={TOKEN}")
    code = page.locator(".jp-Notebook .jp-CodeCell .cm-content").first
    code.wait_for()
    run_all(page, code)
    control = in_view(page, page.locator(".noUi-handle, select.bk-input"))
    before = page.evaluate(FINGERPRINT)
    move(page, control)
    page.wait_for_function(f"before => ({FINGERPRINT})() !== before", arg=before)

    asked = next(e for i in range(1, 5) if (e := exercise(f"{path.name[:2]}.{i}")).matcher.typed)
    for answer, reply in (("nonsense", INK[False][1]), (as_typed(asked.matcher.read(asked.answer())), INK[True][1])):
        box = in_view(page, page.get_by_placeholder(asked.matcher.form, exact=True))
        box.fill(answer)
        box.press("Enter")
        in_view(page, page.get_by_text(f"Exercise {asked.id} {reply}"))
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert [u for u in visitor.outside if "jupyter" not in u] == []
    assert visitor.errors == []
