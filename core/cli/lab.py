"""`python -m core lab`: the course in JupyterLab, on a copy of the notebooks."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
from pathlib import Path

from core.cli.supervisor import supervise
from core.errors import SafeExplorerError
from core.folders import NOTEBOOKS

FOLDER = Path("safe-explorer-lessons")
EXAMPLE = """examples:
  python -m core lab
  python -m core lab --folder ~/lessons -- --no-browser --port 8899        (what stands after -- goes to JupyterLab)

Lessons that are in the folder already are left as they are, so that nobody's work is lost."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "lab",
        help="open the course in JupyterLab",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where the copy is kept (default {FOLDER})")
    parser.add_argument("options", nargs="*", metavar="-- OPTION", help="further options of JupyterLab")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Copy what is missing and open it."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise SafeExplorerError(
            'The notebooks need JupyterLab, which is not installed; install it with pip install "safe-explorer[notebooks]", '
            'in the repository with pip install ".[notebooks]".'
        )
    copied = copy_lessons(args.folder)
    print(f"{len(copied)} lessons copied to {args.folder.resolve()}, the others were there", file=sys.stderr)
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    lab = [sys.executable, "-P", "-m", "jupyterlab", f"--ServerApp.root_dir={args.folder.resolve()}"]
    return supervise([*lab, *as_root, *args.options])


def copy_lessons(folder: Path) -> list[Path]:
    """Copy the notebooks that the folder does not have yet; the copies."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        missing = [p for p in sorted(NOTEBOOKS.glob("*.ipynb")) if not (folder / p.name).exists()]
        return [Path(shutil.copyfile(p, folder / p.name)) for p in missing]
    except OSError as error:
        raise SafeExplorerError(
            f"The lessons cannot be copied to {folder}: {error.strerror}; choose another --folder."
        ) from error
