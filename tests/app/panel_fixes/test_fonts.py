"""The letters of Roboto that a page asks for."""

import re

from app.panel_fixes.fonts import FOLDER, NAME, SHEET, faces


def test_panel_material_ui_alone_offers_every_script_under_one_name() -> None:
    scripts = set(re.findall(r"/roboto-([a-z-]+?)-\d+-normal", SHEET.read_text(encoding="utf-8")))
    assert scripts > {"latin", "greek"}, (
        "panel-material-ui ships only these letters: this repair can go (app.panel_fixes.fonts)"
    )


def test_with_the_repair_the_page_knows_latin_and_greek_only_and_every_file_is_there() -> None:
    rules = faces().split("@font-face")[1:]
    assert len(rules) >= 2
    for rule in rules:
        assert f"font-family:'{NAME}'" in rule
        for path in re.findall(rf'url\("{FOLDER}/([^")]+)"', rule):
            assert re.search(r"roboto-(latin|greek)-\d", path)
            assert (SHEET.parent / path).exists()
