"""What `safe-explorer app` gives `panel serve`, and where `safe-explorer lab` puts the lessons."""

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import core
from core.__main__ import main, parser
from core.cli import COMMANDS, lab
from core.cli.app import SERVE_OPTIONS, origins, serve_command
from core.cli.jupyter_proxy import launcher
from core.folders import NOTEBOOKS, PAGE, made_in, shipped_in


def app(*words: str) -> argparse.Namespace:
    return parser(["app"]).parse_args(["app", *words])


def test_the_page_is_for_this_machine_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOKEH_ALLOW_WS_ORIGIN", raising=False)
    words = serve_command(app("--port", "8080"))
    assert words[words.index("--address") + 1] == "127.0.0.1"
    assert str(PAGE) in words
    assert " ".join(SERVE_OPTIONS) in " ".join(words)
    assert "--num-procs" not in words
    assert origins(app("--port", "8080")) == ["localhost:8080", "127.0.0.1:8080"]


def test_other_names_and_processes_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOKEH_ALLOW_WS_ORIGIN", raising=False)
    assert origins(app("--origin", "a.example.org", "--origin", "b.example.org")) == ["a.example.org", "b.example.org"]
    assert origins(app("--address", "10.0.0.5")) == ["localhost:5006", "127.0.0.1:5006", "10.0.0.5:5006"]
    assert origins(app("--address", "0.0.0.0")) == ["localhost:5006", "127.0.0.1:5006"]
    words = serve_command(app("--num-procs", "2", "--", "--basic-auth", "users.json"))
    assert words[words.index("--num-procs") + 1] == "2"
    assert Path(words[words.index("--setup") + 1]).is_file()
    assert "--warm" not in words, "Panel would make an empty page before it forks"
    assert words[-2:] == ["--basic-auth", "users.json"]
    monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", "safe.example.org")
    assert origins(app()) == []
    assert "--allow-websocket-origin" not in serve_command(app())


def test_no_process_at_all_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["app", "--num-procs", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err


def test_the_server_s_threads_share_one_heap_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    look = [sys.executable, "-c", "import os, sys; sys.exit(int(os.environ['MALLOC_ARENA_MAX']))"]
    monkeypatch.setattr("core.cli.app.supervise", lambda _command: subprocess.run(look, check=False).returncode)
    monkeypatch.setenv("MALLOC_ARENA_MAX", "4")
    assert main(["app"]) == 4
    monkeypatch.delenv("MALLOC_ARENA_MAX")
    assert main(["app"]) == 1


def test_the_jupyter_launcher_starts_the_same_command() -> None:
    found = launcher()
    words = found["command"][found["command"].index("app") + 1 :]
    port = words.index("{port}")
    args = app(*words[:port], "5008", *words[port + 1 :])
    assert args.address == "127.0.0.1"
    assert serve_command(args)[-2:] == ["--prefix", "{base_url}safe-explorer"]


def test_lessons_are_copied_once_and_nobody_s_work_is_overwritten(tmp_path: Path) -> None:
    names = [p.name for p in sorted(NOTEBOOKS.glob("*.ipynb"))]
    assert len(names) >= 8
    folder = tmp_path / "new" / "lessons"
    assert [p.name for p in lab.copy_lessons(folder)] == names
    (folder / names[0]).write_text("mine")
    (folder / names[1]).unlink()
    assert [p.name for p in lab.copy_lessons(folder)] == [names[1]]
    assert (folder / names[0]).read_text() == "mine"


def test_lab_says_in_words_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else there(name))
    assert main(["lab", "--folder", str(tmp_path / "lessons")]) == 2
    assert "[notebooks]" in capsys.readouterr().err
    assert not (tmp_path / "lessons").exists()


def test_lab_says_when_there_is_no_room(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["lab", "--folder", str(tmp_path / "file" / "lessons")]) == 2
    assert "--folder" in capsys.readouterr().err


@pytest.mark.parametrize("called", ["python -m core", "safe-explorer"])
def test_help_names_the_program_as_it_was_called(called: str) -> None:
    top = parser(COMMANDS, called)
    assert f"usage: {called}" in top.format_help()
    for name in COMMANDS:
        one = parser([name], called)._subparsers._group_actions[0].choices[name]  # type: ignore[union-attr]
        text = one.format_help()
        assert f"{called} {name}" in text
        assert called == "python -m core" or "python -m core" not in text


def test_version_is_said() -> None:
    done = subprocess.run([sys.executable, "-m", "core", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"safe-explorer {core.__version__}\n"


def test_shipped_and_made_things_are_found_in_place_and_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert (shipped_in(tmp_path), made_in(tmp_path)) == (tmp_path, tmp_path / "results")
    (tmp_path / "safe_explorer" / "data").mkdir(parents=True)
    assert (shipped_in(tmp_path), made_in(tmp_path)) == (
        tmp_path / "safe_explorer",
        tmp_path / "home" / "safe-explorer",
    )
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert made_in(tmp_path) == tmp_path / ".local" / "share" / "safe-explorer"
