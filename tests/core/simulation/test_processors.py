"""The same mission on another kind of processor: last bits may differ, decisions and published digits may not."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import Scenario
from core.simulation import POLICIES, Run, simulate

pytestmark = pytest.mark.slow  # other processes, each with its own start

SCENARIO = Scenario().replace(**{"mission.uavs": 30, "mission.duration_s": 10.0, "network.slots": 100})
SEED = 27
OTHER = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V4,X86_V3",
    "OPENBLAS_CORETYPE": "Zen",
    "NUMBA_CPU_NAME": "x86-64",
    "NUMBA_CPU_FEATURES": "",
}
"""numpy, BLAS and numba as an older processor would run them."""
SCRIPT = """
import sys
from core import Scenario
from core.simulation import POLICIES, simulate
scenario = Scenario.from_yaml(sys.argv[1])
for policy in POLICIES:
    simulate(scenario, policy, int(sys.argv[2])).save(f"{sys.argv[3]}/{policy}.npz")
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of every policy in a process that believes to be on another processor."""
    folder = tmp_path_factory.mktemp("elsewhere")
    SCENARIO.to_yaml(folder / "scenario.yaml")
    script = folder / "fly.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, **OTHER, "NUMBA_CACHE_DIR": str(folder / "kernels")}
    words = [sys.executable, str(script), str(folder / "scenario.yaml"), str(SEED), str(folder)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("policy", POLICIES)
def test_every_decision_and_every_published_digit_is_the_same(policy: str, elsewhere: Path) -> None:
    here, there = simulate(SCENARIO, policy, SEED), Run.load(elsewhere / f"{policy}.npz")
    for name in ("served", "mode", "uplink", "downlink", "slots_used", "c", "c_fail"):
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
    assert np.allclose(here.rmse, there.rmse, rtol=1e-9)
    assert np.allclose(here.v_normalised, there.v_normalised, rtol=1e-5)  # the solver's X is good to about 1e-6
