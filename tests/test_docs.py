"""The README and the documents are true: links lead somewhere, commands run, results equal the shipped file."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
COMMAND = re.compile(r"python -m core (\w+)[^`\n]*")


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: p.name)
def test_links_lead_somewhere(doc: Path) -> None:
    for target in LINK.findall(doc.read_text(encoding="utf-8")):
        assert (doc.parent / target).exists(), f"{doc.name} links to {target}"


@pytest.mark.parametrize("doc", DOCS, ids=lambda p: p.name)
def test_commands_parse(doc: Path) -> None:
    from core.__main__ import parser

    text = re.sub(r"\\\n\s*", " ", doc.read_text(encoding="utf-8"))  # a command may run over several lines
    for found in COMMAND.finditer(text):
        words = shlex.split(found[0].split("#")[0].split("python -m core ")[1])
        if any(mark in found[0] for mark in ("…", "<", "[")) or len(words) == 1 or "--help" in words:
            assert words[0] in parser().format_help()
            continue
        parser().parse_args(words)


def readme_block(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


def test_readme_commands_run(tmp_path: Path) -> None:
    lines = [line for block in readme_block("sh") for line in block.splitlines() if ".venv/bin/python -m core" in line]
    assert len(lines) >= 4
    for line in lines:
        words = shlex.split(line)[1:]
        if "reproduce" in words:  # thirty trials take minutes; the same command on one small trial
            words[words.index("--trials") + 1] = "1"
            words += ["--scenario", "teaching-swarm", "--first-seed", "900", "--policies", "SAFE,VoI-Sched"]
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr[-2000:]}"


def test_readme_python_runs() -> None:
    (code,) = readme_block("python")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 5.0 < float(done.stdout) < 30.0


def test_readme_results_are_the_shipped_ones() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"<!-- results:.*?-->\n(.*?)<!-- /results -->", text, re.S)
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    table = (ROOT / "data" / "reproduction" / "table.md").read_text(encoding="utf-8")
    assert len(rows) > 5
    assert [row for row in rows if row not in table] == []


def test_the_grid_in_the_documents_is_the_shipped_one() -> None:
    text = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"<!-- grid:.*?-->\n(.*?)<!-- /grid -->", text, re.S)
    assert shown.strip() == (ROOT / "data" / "reproduction" / "grid.md").read_text(encoding="utf-8").strip()


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.M), target
