"""A server started with plug-ins: own policies on every tab, what is broken said, nothing blank."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_files import EXAMPLE, ROOT, broken

from core.plugins import VARIABLE


@pytest.mark.slow
def test_own_policies_on_the_page_and_in_what_if(tmp_path: Path) -> None:
    good = shutil.copy(EXAMPLE, tmp_path / "mine.py")
    bad = tmp_path / "bad.py"
    bad.write_text("import numpy\nnumpy.zeros(2)[0] = 1 // 0\n")
    breaks = broken(tmp_path / "breaks.py", "Breaks", "return 1 / 0")
    script = ROOT / "tests" / "support" / "page_with_plugins.py"
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(script.parent)]),
        "SAFE_EXPLORER_RESULTS": str(tmp_path / "results"),
        VARIABLE: os.pathsep.join(map(str, (good, bad, breaks))),
    }
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("all of it\n"), done.stderr[-3000:]
