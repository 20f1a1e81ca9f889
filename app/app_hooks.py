"""What `panel serve app` runs around its sessions; Bokeh knows the file and the function by their names."""

from typing import Any

from app.panel_fixes.even_doors import share_visitors
from app.panel_fixes.full_collections import collect_in_quiet_moments
from app.panel_fixes.ready_pages import keep_pages_ready
from app.session import full, open_sessions

share_visitors(open_sessions)  # this file is read before there are several processes


def on_server_loaded(server_context: Any) -> None:
    """In every process, once it serves."""
    collect_in_quiet_moments()
    keep_pages_ready(server_context.application_context, room=lambda: not full())
