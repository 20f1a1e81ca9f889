"""The Export dialog: every tab's figures and tables become files, a fault is a sentence, nothing is built before it is asked for."""

from __future__ import annotations

import base64
import io
import zipfile

import pytest

from app.exports import everything, formats
from app.page import TABS, Page
from app.session import Session
from core.errors import SafeExplorerError
from core.figures import certified_frontier

SMALL = {"uavs": [b"7"], "slots": [b"30"], "duration_s": [b"3"], "cycle": [b"5"], "snr_offset_db": [b"2"]}


@pytest.fixture(scope="module")
def page() -> Page:
    page = Page(Session(), SMALL)
    page.start()
    return page


def test_the_dialog_costs_nothing_until_it_is_opened(page: Page) -> None:
    assert Page(Session(), SMALL).export.dialog is None


@pytest.mark.parametrize("view", TABS, ids=lambda v: v.title)
@pytest.mark.slow
def test_what_a_tab_offers_can_be_drawn(page: Page, view: type) -> None:
    page.session.state.tab = view.name_in_link
    makers = page._offer()
    for title, make in makers.items():
        made = make()
        kind = formats(title)[-1]
        assert made.render(kind)
        assert made.caption
    page.export.open()
    assert page.export.what.options == list(makers)
    assert page.export.save.disabled == (not makers)


@pytest.mark.slow
def test_a_file_is_saved_with_the_numbers_and_the_link_of_the_page(page: Page) -> None:
    page.session.state.tab = "frontier"
    page.export.open()
    page.export.what.value = "Certified frontier"
    page.export.format.value = "csv"
    page.export._make(page.export._one())
    content = base64.b64decode(page.export.download.content).decode()
    assert page.export.download.filename == "certified-frontier.csv"
    picture = page.session.pipeline.picture
    assert picture is not None
    rows = certified_frontier(picture.focus).render("csv").decode().splitlines()
    assert (
        content.splitlines()[-len(picture.focus.distinct["slots"]) :] == rows[-len(picture.focus.distinct["slots"]) :]
    )
    assert "snr_offset_db=2" in content.splitlines()[4]
    assert "Saved certified-frontier.csv" in page.export.status.object
    page.export._make(page.export._html())
    assert page.export.download.filename == "snapshot.html"
    assert b"network.snr_offset_db" in base64.b64decode(page.export.download.content)


@pytest.mark.slow
def test_all_at_once_is_a_zip_that_comes_out_the_same(page: Page) -> None:
    page.session.state.tab = "frontier"
    makers = page._offer()
    first = everything(makers)
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert {"certified-frontier-column.pdf", "certified-frontier-page.svg", "prediction.csv", "captions.txt"} <= set(
        names
    )
    assert everything(makers) == first


def test_a_fault_is_said_in_words(page: Page) -> None:
    def broken() -> tuple[str, bytes, str]:
        raise SafeExplorerError("There is no <b>ink</b>.")

    page.export.open()
    page.export._make(broken)
    assert "There is no &lt;b&gt;ink" in page.export.status.object
    page.export._make(lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    assert "could not be made" in page.export.status.object
