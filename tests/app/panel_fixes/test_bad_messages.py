"""What a client is told of a message that failed; how often it may fail stands in tests/fuzz/test_protocol.py, on a real server."""

import subprocess
import sys

from app.panel_fixes.bad_messages import REFUSED, refuse_bad_messages

BY_BOKEH = """
from bokeh.protocol.messages.error import error
try:
    open("/nowhere")
except OSError as fault:
    print(error.create("1", repr(fault)).content["traceback"])
"""


def test_bokeh_alone_sends_the_traceback_with_its_paths() -> None:
    told = subprocess.run([sys.executable, "-c", BY_BOKEH], capture_output=True, text=True, check=True).stdout
    assert 'File "<string>"' in told, (
        "Bokeh keeps its tracebacks to itself: this repair can go (app.panel_fixes.bad_messages), if it also closes a "
        "connection that goes on sending nonsense"
    )


def test_with_the_repair_it_learns_nothing() -> None:
    from bokeh.protocol.messages.error import error

    refuse_bad_messages()
    try:
        raise OSError("/nowhere")
    except OSError as fault:
        content = error.create("1", repr(fault)).content
    assert content == {"text": REFUSED, "traceback": None}
