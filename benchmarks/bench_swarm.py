"""Large swarms against an older revision of this repository: a cycle, a mission, the first picture, another instant.

The older tree is taken from git into a temporary folder and timed by the same code in a process of its own, taking turns with
today's; both must fly the same (the RMSE and the predicted links are compared bit for bit). Times are the fewest of some rounds,
each with a seed of its own, so that nothing is remembered from the round before; read the ratios. "first picture" is a flight from take-off to
cycle 40 and the instant there, "another instant" one cycle earlier, "snapshot" cycle 100 without flying.

Run: python benchmarks/bench_swarm.py [--against REVISION] [N ...]      (default 663baa5, 50 200 1000)
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from results import Figure, publish

ROOT = Path(__file__).resolve().parents[1]
BEFORE = "663baa5"
"""The last revision that worked out every link in every cycle."""
ROUNDS, PICTURE, LATE = 3, 40, 100


def measure(n: int, seed: int) -> dict[str, Any]:
    """Milliseconds of each piece of work, and a digest of what came out of it."""
    from core.instant import Flight, takeoff
    from core.scenario import Scenario
    from core.simulation import Simulation, simulate, snapshot

    def timed(work: Callable[[], Any]) -> tuple[float, Any]:
        start = time.perf_counter()
        found = work()
        return (time.perf_counter() - start) * 1e3, found

    small = Scenario().replace(**{"mission.uavs": 8, "network.slots": 40})
    Flight.of(takeoff(small), "SAFE", seed).instant(2).allocation  # noqa: B018 (compiles)
    snapshot(small, seed, 2)
    scenario = Scenario().replace(**{"mission.uavs": n, "network.slots": min(450, 160 * n // 50)})
    ms, bits = {}, hashlib.sha256()
    simulation = Simulation(scenario, "SAFE", seed)
    steps = [timed(simulation.step) for _ in range(12)]
    ms["cycle"] = min(t for t, _ in steps[2:])
    bits.update(repr([r.rmse for _, r in steps]).encode())
    if n <= 50:
        ms["30 s mission"], run = timed(lambda: simulate(scenario, "SAFE", seed + 100))
        bits.update(run.rmse.tobytes())

    def picture(k: int) -> Any:
        instant = Flight.of(takeoff(scenario), "SAFE", seed + 200).instant(k)
        return instant.topology, instant.allocation

    ms["first picture"], (links, _) = timed(lambda: picture(PICTURE))
    ms["another instant"], (earlier, _) = timed(lambda: picture(PICTURE - 1))
    ms["snapshot"], scene = timed(lambda: snapshot(scenario, seed + 300, LATE))
    for found in (links, earlier, scene.topology):
        bits.update(found.snr_db.tobytes())
    return {"ms": ms, "bits": bits.hexdigest()}


def child(tree: Path, n: int, seed: int) -> dict[str, Any]:
    """`measure` in a process that imports a tree's own code."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", str(n), str(seed)],
        env={**os.environ, "PYTHONPATH": str(tree)},
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def figures(old: Path, revision: str, sizes: list[int]) -> Iterator[Figure]:
    for n in sizes:
        rounds = [{tree: child(tree, n, seed) for tree in (old, ROOT)} for seed in range(900, 900 + ROUNDS)]
        if any(r[old]["bits"] != r[ROOT]["bits"] for r in rounds):
            raise SystemExit(f"N = {n}: the two revisions do not fly the same")
        for work in rounds[0][ROOT]["ms"]:
            before, now = (min(r[tree]["ms"][work] for r in rounds) for tree in (old, ROOT))
            yield Figure(work, f"N = {n}", now, "ms", f"revision {revision}, same bits", before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[50, 200, 1000], metavar="N")
    parser.add_argument("--against", default=BEFORE, metavar="REVISION")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(*options.sizes)))
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", options.against], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)
        for tree in (Path(folder), ROOT):
            child(tree, 8, 900)  # compiles, apart from the rounds
        publish(figures(Path(folder), options.against, options.sizes))


if __name__ == "__main__":
    main()
