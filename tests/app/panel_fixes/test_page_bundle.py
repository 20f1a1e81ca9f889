"""The script that draws the page."""

import panel_material_ui as pmui
from panel_material_ui.template.base import BASE_TEMPLATE

from app.panel_fixes.page_bundle import page_bundle


def test_panel_material_ui_alone_fetches_it_only_with_the_document() -> None:
    with open(BASE_TEMPLATE.filename, encoding="utf-8") as file:
        assert "importShim(" not in file.read(), (
            "panel-material-ui's page fetches its script early: this repair can go (app.panel_fixes.page_bundle)"
        )


def test_the_address_is_a_file_that_the_server_has() -> None:
    folder, _, name = page_bundle().partition("?")[0].rpartition("/")
    assert folder == "./static/extensions/panel-material-ui"
    package = pmui.__path__[0]
    with open(f"{package}/dist/{name}", encoding="utf-8") as file:
        assert file.read(1)
