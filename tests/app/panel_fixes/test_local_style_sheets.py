"""Style sheets of a component that joins a document before its page is written."""

import panel as pn
from bokeh.document import Document
from panel.io.resources import CDN_DIST, LOCAL_DIST

from app.panel_fixes.local_style_sheets import use_local_style_sheets


def addresses(doc: Document) -> list[str]:
    place = pn.Column()
    root = place.get_root(doc)
    place.append(pn.pane.HTML("late"))
    return [sheet.url for sheet in root.children[0].stylesheets if hasattr(sheet, "url")]


def test_panel_alone_asks_a_content_network() -> None:
    assert any(url.startswith(CDN_DIST) for url in addresses(Document())), (
        "Panel takes its own files before a page is written: this repair can go (app.panel_fixes.local_style_sheets)"
    )


def test_with_the_repair_the_page_s_own_server_is_asked() -> None:
    doc = Document()
    use_local_style_sheets(doc)
    found = addresses(doc)
    assert found
    assert all(url.startswith(LOCAL_DIST) for url in found)
