"""A plain `pip install .` into another environment, used from a folder of somebody else's: nothing of the repository is needed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from pathlib import Path

import psutil
import pytest
from harness import PATIENCE_S, free_port, running

import core

ROOT = Path(__file__).resolve().parents[1]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("server")]


def project_files() -> list[str]:
    """Files that git knows or would take."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in found if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing of an earlier build gets in."""
    copy = tmp_path_factory.mktemp("source")
    for name in project_files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    out = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--wheel-dir", out, copy], check=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; the packages it needs are borrowed from this one, the repository is not among them."""
    place = tmp_path_factory.mktemp("place")
    venv.create(place, with_pip=False)
    (packages,) = place.glob("lib/python3*/site-packages")
    pip = [sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", wheel], check=True)
    (packages / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"])
    return place


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """A user who has never been here, and whose own folders have our packages' names."""
    for name in ("app", "core"):
        (tmp_path / "work" / name).mkdir(parents=True)
        (tmp_path / "work" / name / "__init__.py").write_text("raise SystemExit('this is not SAFE Explorer')")
    dropped = ("PYTHONPATH", "NUMBA_CACHE_DIR", "SAFE_EXPLORER_RESULTS", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "HOME": str(tmp_path / "home")}


def test_everything_shipped_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        inside = set(file.namelist())
    shipped = [n for n in project_files() if n.startswith(("data/", "docs/", "notebooks/")) and "/." not in n]
    code = [n for n in project_files() if n.startswith(("app/", "core/"))]
    assert len(shipped) > 100
    assert {*code, *(f"safe_explorer/{name}" for name in (*shipped, "CITATION.cff"))} - inside == set()
    own = {name.split("/")[1] for name in inside if name.startswith("safe_explorer/")}
    assert own == {"data", "docs", "notebooks", "CITATION.cff"}
    others = {n.partition("/")[0] for n in inside} - {"app", "core", "safe_explorer"}
    assert others == {f"safe_explorer-{core.__version__}.dist-info"}


def test_commands_and_the_page_work_from_a_foreign_folder_and_end_when_told(
    place: Path, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    """One test, since a new place compiles its kernels once."""
    command, work = place / "bin" / "safe-explorer", tmp_path / "work"

    def said(*words: str) -> str:
        done = subprocess.run([command, *words], cwd=work, env=elsewhere, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said("--version") == f"safe-explorer {core.__version__}\n"
    short = "mission: {duration_s: 2, uavs: 4}\n"
    (work / "short.yaml").write_text(short)
    assert "mean_rmse_m" in said("simulate", "--scenario", "short.yaml", "--seed", "5")

    port = free_port()
    serve = [str(command), "app", "--port", str(port), "--num-procs", "2"]
    with running(serve, port, cwd=work, **elsewhere) as server:
        with urllib.request.urlopen(server.url, timeout=PATIENCE_S) as answer:
            assert "<title>SAFE Explorer</title>" in answer.read().decode()
        everybody = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
        assert len(everybody) >= 4, "the command, the parent and its two workers"
        os.kill(server.pid, signal.SIGTERM)  # the command alone, as a supervisor or a container's init does
        _, left = psutil.wait_procs(everybody, timeout=PATIENCE_S)
        assert left == []
    assert sorted(p.name for p in work.iterdir()) == ["app", "core", "short.yaml"], (
        "nothing was written where it was used"
    )


def test_results_of_an_installed_copy_are_the_user_s(place: Path, elsewhere: dict[str, str], tmp_path: Path) -> None:
    code = "from core.folders import DATA, DOCS, NOTEBOOKS, RESULTS; print(DATA, DOCS, NOTEBOOKS, RESULTS, sep='\\n')"
    told = [place / "bin" / "python", "-P", "-c", code]
    lines = subprocess.run(told, cwd=tmp_path / "work", env=elsewhere, capture_output=True, text=True, check=True)
    *shipped, results = map(Path, lines.stdout.splitlines())
    assert all(p.is_dir() and p.is_relative_to(place) for p in shipped)
    assert results == tmp_path / "home" / ".local" / "share" / "safe-explorer"
