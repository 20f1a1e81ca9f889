"""`panel serve notebooks/*.ipynb`: every page renders, two are used as a student would, nothing is fetched from outside."""

import re
from pathlib import Path

import nbformat
import panel as pn
import pytest
from bokeh.client import pull_session
from bokeh.document import Document
from bokeh.models import Div, Plot
from harness import NOTEBOOKS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("notebook-server")]


def texts(document: Document) -> str:
    return "\n".join(str(m.text) for m in document.models if isinstance(getattr(m, "text", None), str))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_page_renders(path: Path, served) -> None:
    assert pn.__version__  # its models must be known before the document is read
    session = pull_session(url=f"{served.root}/{path.stem}")
    document = session.document
    try:
        shown = texts(document)
        nb = nbformat.read(path, 4)
        for heading in re.findall(
            r"^##? (.+)$", "\n".join(c.source for c in nb.cells if c.cell_type == "markdown"), re.M
        ):
            assert heading in shown.replace("&amp;", "&"), heading
        assert not set(shown) & set("\x07\x08\x0b\x0c"), "a backslash in the markdown was read as an escape"
        assert [m for m in document.models if isinstance(m, Plot)] or path.name.startswith("00")
        marks = [m.text for m in document.models if isinstance(m, Div) and "Not answered yet" in m.text]
        assert len(marks) == sum("-answer-" in c.id for c in nb.cells)
    finally:
        session.close()
    assert not re.search(r"Traceback|ERROR|Warning", served.lines()), served.lines()


def test_sliders_and_answers_work_in_the_page(served, watch) -> None:
    visitor = watch(served)
    page = visitor.page
    page.goto(f"{served.root}/02_from_snr_to_a_certificate")
    page.locator(".noUi-handle").first.wait_for()
    line = page.locator(".bk-Div").filter(has_text="dB minus margin")
    before = line.inner_text()
    page.locator(".noUi-handle").first.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    line.filter(has_not_text=before).wait_for()
    box = page.get_by_placeholder("a whole number of failures")
    box.fill("4")
    box.press("Enter")
    page.get_by_text("the exponent is L − 1").wait_for()
    box.fill("5")
    box.press("Enter")
    page.get_by_text("✔ Right.").wait_for()
    assert visitor.outside == []
    assert visitor.errors == []


def test_the_dashboards_figures_follow_the_slider(served, watch) -> None:
    visitor = watch(served)
    page = visitor.page
    page.goto(f"{served.root}/05_frontier_and_slots")
    label = "loops are served with"
    line = page.locator(".bk-Div").filter(has_text=label)
    line.wait_for()
    before = line.inner_text()
    slots = page.locator(".noUi-handle").last
    slots.scroll_into_view_if_needed()
    slots.focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    page.locator(".bk-Div").filter(has_text=label).filter(has_not_text=before).wait_for()
    assert page.locator(".bk-Figure").count() == 5
    assert visitor.outside == []
    assert visitor.errors == []
