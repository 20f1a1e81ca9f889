"""After a lost connection; that the page really comes back, tests/browser/test_server.py sees in a browser."""

import panel as pn
from bokeh.document import Document
from bokeh.events import ConnectionLost

from app.panel_fixes.lost_connection import COME_BACK_JS, come_back


def test_panel_alone_stays_away() -> None:
    assert pn.config.param.reconnect.default is False, (
        "Panel connects again by itself; if a server that was started anew is found too, this repair can go (app.panel_fixes.lost_connection)"
    )


def test_with_the_repair_the_browser_has_its_instruction() -> None:
    doc = Document()
    come_back(doc)
    (script,) = doc.callbacks._js_event_callbacks[ConnectionLost.event_name]
    assert script.code == COME_BACK_JS
