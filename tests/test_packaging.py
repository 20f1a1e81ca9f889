"""What stands around the code says the same as the code: version, citation, container, binder, workflow."""

import re
import shlex
import tomllib
from pathlib import Path

import yaml

import core

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_has_one_home() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "core.__version__"}
    assert CITATION["version"] == core.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", core.__version__)


def test_the_citation_is_complete() -> None:
    """Required by the format (cffconvert --validate passed), and what a reference manager needs."""
    assert {"cff-version", "message", "title", "authors", "license", "keywords", "abstract"} <= set(CITATION)
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert [a["name"] for a in CITATION["authors"]] == [a["name"] for a in PROJECT["project"]["authors"]]
    paper = CITATION["preferred-citation"]
    assert paper["title"] in read("README.md")
    assert [f"{a['given-names'][0]}. {a['family-names']}" for a in paper["authors"]] == [
        "Q. Luo",
        "J. Wang",
        "W. Cheng",
    ]


def steps(dockerfile: str) -> list[tuple[str, str]]:
    """Instruction and argument of each step, continued lines joined, comments left out."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in joined.splitlines() if line.strip()]


def test_the_image_is_built_from_the_tested_versions_and_runs_without_rights() -> None:
    found = steps(read("Dockerfile"))
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in found} <= known
    (install,) = [text for name, text in found if name == "RUN" and "pip install" in text]
    assert "--constraint constraints.txt" in install
    assert shlex.split(install)[-1] == "."
    names = [name for name, _ in found]
    last_user = dict(found)["USER"]
    assert f"useradd --create-home --uid 1000 {last_user}" in read("Dockerfile")
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert not [
        line for line in read(".dockerignore").split() if line in ("app", "core", "data", "docs", "notebooks", "*.md")
    ]


def test_the_images_are_the_python_that_is_tested() -> None:
    wanted = PROJECT["project"]["requires-python"].removeprefix(">=")
    for image in re.findall(r"^FROM (\S+)", read("Dockerfile"), re.M):
        assert image.startswith(f"python:{wanted}-")
    assert read("binder/runtime.txt").strip() == f"python-{wanted}"


def test_binder_installs_the_project_with_the_tested_versions() -> None:
    lines = [line for line in read("binder/requirements.txt").splitlines() if not line.startswith("#")]
    (constraints,) = [line.removeprefix("-c ") for line in lines if line.startswith("-c ")]
    assert (
        ROOT / "binder" / constraints
    ).resolve() == ROOT / "constraints.txt"  # pip reads it from the file's own folder
    assert "-e .[notebooks]" in lines
    assert (ROOT / "binder" / "postBuild").stat().st_mode & 0o111
    assert "jupyter_serverproxy_servers" in PROJECT["project"]["entry-points"]


def test_the_public_workflow_runs_the_two_commands() -> None:
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    run = "\n".join(step["run"] for job in jobs.values() for step in job["steps"] if "run" in step)
    assert "make lint test" in run
    assert "make lint test" in read(".ci/run")
    assert re.search(r"^make app\b", run, re.M)
    assert "pip install --quiet --constraint constraints.txt ." in run
    assert all(
        job["container"] == "debian:bookworm" for job in jobs.values()
    )  # Debian with Python 3.11, as the README says


def test_each_target_of_make_installs_its_own() -> None:
    text = read("Makefile")
    for target, extra in {"app": ".", "lab": '".[notebooks]"', "test": '".[dev,notebooks]"'}.items():
        assert f".venv/.{target}: $(LISTS) | .venv/bin/python\n\t$(INSTALL) {extra}\n" in text
    assert "app: .venv/.app\n" in text
    assert "lab: .venv/.lab\n" in text
    assert "setup: .venv/.test\n" in text
