"""The page's first HTML extends panel-material-ui's own: what it replaces must be there, or it would replace nothing."""

import re

from panel_material_ui.template.base import BASE_TEMPLATE

from app.opening import TEMPLATE


def test_every_block_it_fills_exists() -> None:
    filled = re.findall(r"{% block (\w+) %}", TEMPLATE.read_text(encoding="utf-8"))
    assert filled
    assert set(filled) <= set(BASE_TEMPLATE.blocks)


def test_the_error_of_the_connection_has_the_name_it_reads() -> None:
    with open(BASE_TEMPLATE.filename, encoding="utf-8") as file:
        assert "_wsError" in file.read()
