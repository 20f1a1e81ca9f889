"""Where something was measured: processor, interpreter and packages."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from results import processor

PACKAGES = ("panel", "bokeh", "numba", "numpy", "pyarrow")
LOOK = """
import json, platform
from importlib.metadata import distributions
print(json.dumps([platform.python_version(), {d.name: d.version for d in distributions()}]))
"""


@dataclass(frozen=True)
class Machine:
    """One machine with the environment of a tree.

    Args:
        processor: what it calls itself.
        cores: how many it has.
        python: version of the interpreter that ran the tree.
        packages: versions of those that matter.
    """

    processor: str
    cores: int
    python: str
    packages: Mapping[str, str]

    def __str__(self) -> str:
        packages = "".join(f", {name} {version}" for name, version in self.packages.items())
        return f"{self.processor}, {self.cores} cores, Python {self.python}{packages}"


@cache
def this_machine(python: str) -> Machine:
    """This machine with an interpreter, named by its path."""
    done = subprocess.run([python, "-c", LOOK], capture_output=True, text=True, check=True)
    version, installed = json.loads(done.stdout)
    packages = {name: installed[name] for name in PACKAGES if name in installed}
    return Machine(processor(), os.cpu_count() or 0, version, packages)
