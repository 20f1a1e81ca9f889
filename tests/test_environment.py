"""pyproject.toml, constraints.txt and environment.yml name one and the same set of packages."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements() -> dict[str, Requirement]:
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["notebooks"], *extras["dev"]]
    return {canonicalize_name(Requirement(line).name): Requirement(line) for line in lines}


def pinned() -> dict[str, str]:
    rows = [line.split("==") for line in (ROOT / "constraints.txt").read_text().split()]
    return {canonicalize_name(name): version for name, version in rows}


def conda() -> dict[str, Requirement]:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    plain = [d for d in listed if isinstance(d, str) and not re.match(r"(python|pip)\b", d)]
    by_pip = next(d["pip"] for d in listed if isinstance(d, dict))
    found = [Requirement(d) for d in [*plain, *by_pip] if not d.startswith("-e")]
    return {canonicalize_name(r.name): r for r in found}


def test_environment_yml_equals_pyproject() -> None:
    assert {n: str(r.specifier) for n, r in conda().items()} == {n: str(r.specifier) for n, r in requirements().items()}


def test_environment_yml_installs_the_project_and_its_python() -> None:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    assert f"python{PROJECT['requires-python']}" in listed
    assert "-e ." in next(d["pip"] for d in listed if isinstance(d, dict))


@pytest.mark.parametrize("name", sorted(requirements()))
def test_tested_version_meets_the_lower_bound(name: str) -> None:
    assert requirements()[name].specifier.contains(Version(pinned()[name]), prereleases=True)


def test_constraints_are_plain_versions() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+", line), line


@pytest.mark.xdist_group("grouped")
def test_groups_keep_tests_that_share_a_server_on_one_worker(request: pytest.FixtureRequest) -> None:
    """pytest 9.2 silently made xdist forget its groups; without workers there is nothing to keep together."""
    assert request.node.nodeid.endswith("@grouped") or not hasattr(request.config, "workerinput")


def test_what_the_benchmarks_name_beside_their_figures_is_installed() -> None:
    listed = re.search(
        r"^PACKAGES = (\(.*?^\))", (ROOT / "benchmarks" / "__main__.py").read_text(), re.DOTALL | re.MULTILINE
    )
    assert listed is not None
    assert {canonicalize_name(name) for name in ast.literal_eval(listed[1])} <= requirements().keys()
