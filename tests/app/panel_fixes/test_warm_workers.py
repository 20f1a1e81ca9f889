"""What `panel serve --warm` does when there are several processes."""

import inspect
import subprocess
import sys

import pytest
from panel.command.serve import Serve

MADE = "from panel import state; print(state._sessions['/app'].document.title)"


def test_panel_makes_no_page_before_it_forks() -> None:
    assert "initialize_session = not (args.num_procs != 1" in inspect.getsource(Serve.customize_kwargs), (
        "Panel treats several processes like one, or in a new way: look whether this repair can go (app.panel_fixes.warm_workers)"
    )


@pytest.mark.slow
def test_with_the_repair_a_process_makes_its_own() -> None:
    code = f"from app.panel_fixes.warm_workers import warm_worker; warm_worker(); {MADE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "SAFE Explorer", done.stderr
