"""A repair of Panel 1.9: with several processes every visitor gets a whole page.

`panel serve --num-procs 2 --warm --reuse-sessions warm` makes the page that visitors start from before it forks, and on Python
3.11 leaves it empty: no frame, no fonts, no formulas, and figures that are never drawn. So each process makes its own after the
fork. `panel serve --setup` runs this file there, as its first act, in place of --warm.
"""

from __future__ import annotations

from bokeh.command.util import build_single_handler_applications
from panel.command.serve import Serve

from core.folders import PAGE


def warm_worker() -> None:
    """What --warm does, in this process."""
    applications = build_single_handler_applications([str(PAGE)], {str(PAGE): []})
    Serve.warm_applications(None, applications, "warm")


if __name__ == "panel_setup_module":
    warm_worker()
