"""Kernels are compiled anew when any source they may call has changed."""

import subprocess
import sys
from pathlib import Path

from core.compiled import KEPT, choose_folder, sources_digest

SCALAR = "from numba import njit\n\n@njit(cache=True)\ndef scalar(x):\n    return {0} * x\n"
KERNEL = """import sys
sys.path.insert(0, {0!r})
import core
from numba import njit
from scalar_file import scalar

@njit(cache=True)
def kernel(x):
    return scalar(x)
"""


def test_only_sources_with_kernels_count(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text(SCALAR.format(2))
    before = sources_digest(tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    assert sources_digest(tmp_path) == before
    (tmp_path / "b.py").write_text(SCALAR.format(3))
    assert sources_digest(tmp_path) != before


def test_folders_of_long_gone_states_are_removed(tmp_path):
    (tmp_path / "b.py").write_text(SCALAR.format(2))
    for i in range(KEPT + 2):
        (tmp_path / "__pycache__" / f"kernels-{i}").mkdir(parents=True)
    mine = choose_folder(tmp_path)
    mine.mkdir()
    assert len(list((tmp_path / "__pycache__").glob("kernels-*"))) == KEPT + 1
    assert choose_folder(tmp_path) == mine
    assert mine.exists()


def test_a_kernel_never_runs_with_the_old_scalar_of_another_file(tmp_path):
    """What numba alone gets wrong, with the real numba in processes of their own."""
    folder, scalar = tmp_path / "core", tmp_path / "core" / "scalar_file.py"
    folder.mkdir()
    real = Path(__file__).parents[2] / "core" / "compiled.py"
    (folder / "compiled.py").write_text(real.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "__init__.py").write_text("from core.compiled import keep_kernels\nkeep_kernels()\n")
    (folder / "kernel_file.py").write_text(KERNEL.format(str(folder)))

    def run() -> str:
        code = "from core.kernel_file import kernel; print(kernel(10.0))"
        found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        return found.stdout.strip()

    scalar.write_text(SCALAR.format(2))
    assert run() == "20.0"
    scalar.write_text(SCALAR.format(3))
    assert run() == "30.0"
