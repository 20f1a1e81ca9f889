"""Kernels are compiled anew when any source they may call has changed."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert mine is not None
    assert mine.is_dir()
    assert len(list((tmp_path / "__pycache__").glob("kernels-*"))) == KEPT + 1
    assert choose_folder(tmp_path) == mine
    assert mine.exists()


@pytest.fixture
def tree(tmp_path):
    """A package of two files with kernels, and the real core/compiled.py."""
    folder = tmp_path / "core"
    folder.mkdir()
    real = Path(__file__).parents[2] / "core" / "compiled.py"
    (folder / "compiled.py").write_text(real.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "__init__.py").write_text("from core.compiled import keep_kernels\nkeep_kernels()\n")
    (folder / "kernel_file.py").write_text(KERNEL.format(str(folder)))
    (folder / "scalar_file.py").write_text(SCALAR.format(2))
    return tmp_path


def run(tree, before="", **environment):
    """What the kernel gives in a process of its own, and where numba keeps it."""
    code = f"{before}\nfrom core.kernel_file import kernel; print(kernel(10.0))\nprint(getattr(kernel.stats, 'cache_path', None))"
    clean = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=False, env=clean | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_kernel_never_runs_with_the_old_scalar_of_another_file(tree):
    """What numba alone gets wrong, with the real numba in processes of their own."""
    assert run(tree)[0] == "20.0"
    (tree / "core" / "scalar_file.py").write_text(SCALAR.format(3))
    assert run(tree)[0] == "30.0"


def read_only(tree):
    """A regular file where the folder for compiled files would be: nobody can write there, not even root."""
    (tree / "core" / "__pycache__").write_text("")
    return {"PYTHONDONTWRITEBYTECODE": "1"}


def test_in_a_read_only_tree_kernels_are_kept_in_the_user_s_cache(tree):
    known = read_only(tree) | {"XDG_CACHE_HOME": str(tree / "cache")}
    value, kept = run(tree, **known)
    assert value == "20.0"
    assert Path(kept).is_relative_to(tree / "cache" / "safe-explorer")
    assert list(Path(kept).glob("*.nbc"))
    (tree / "core" / "scalar_file.py").write_text(SCALAR.format(3))  # the guarantee of the digest holds there too
    assert run(tree, **known)[0] == "30.0"


def test_without_a_home_they_are_kept_in_a_temporary_folder_of_this_user_alone(tree):
    known = read_only(tree) | {"XDG_CACHE_HOME": str(tree / "core" / "__init__.py"), "TMPDIR": str(tree)}
    value, kept = run(tree, **known)
    own = tree / f"safe-explorer-{os.getuid()}"
    assert value == "20.0"
    assert Path(kept).is_relative_to(own)
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    own.chmod(0o777)  # anybody could have put a kernel there
    value, kept = run(tree, **known)
    assert value == "20.0"
    assert Path(kept).is_relative_to(tree)
    assert not Path(kept).is_relative_to(own)


def test_where_nothing_can_be_written_every_process_compiles_for_itself(tree):
    nowhere = str(tree / "core" / "__init__.py" / "below")
    known = read_only(tree) | {"XDG_CACHE_HOME": nowhere, "HOME": nowhere, "NUMBA_CACHE_DIR": nowhere}
    assert run(tree, before=f"import tempfile; tempfile.tempdir = {nowhere!r}", **known) == ["20.0", "None"]


def test_a_folder_of_the_user_s_own_is_taken(tree):
    _, kept = run(tree, NUMBA_CACHE_DIR=str(tree / "mine"))
    assert Path(kept).is_relative_to(tree / "mine")
