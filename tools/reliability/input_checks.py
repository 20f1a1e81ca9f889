"""What comes in: addresses, messages, files, faults told, listeners, random scenarios (checks 9, 10, 12 to 16, and fuzz)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.jobs.price import LIGHT_S
from tools.reliability import ROOT
from tools.reliability.check import Check, Figure
from tools.reliability.suites import Tested, run_tests
from tools.reliability.tree import Tree

LISTENERS = ("tests/browser/test_server.py::test_it_listens_on_loopback_only", "tests/core/cli/test_app_and_lab.py")
FAULTS = (
    "tests/core/test_advice.py",
    "tests/properties/test_valid_scenarios_open.py",
    "tests/app/components/test_chain.py",
    "tests/app/components/test_export.py",
)
RESTART = (
    "tests/browser/test_page.py::test_after_a_restart_of_the_server_the_page_comes_back_as_it_was",
    "tests/browser/test_page.py::test_a_file_that_is_too_large_is_refused_in_words",
)
SLOW_S = 2.0
LARGEST, SCENARIOS = 1000, 200
FUZZED = 10_000


def suite(*paths: str, k: str = "") -> Callable[[Tree], Figure]:
    """A check that is a set of tests, of which those that are not there yet are left out."""

    def measure(tree: Tree) -> Figure:
        there = [p for p in paths if (ROOT / p.partition("::")[0]).exists()]
        found = run_tests(tree, *there, k=k)
        return Figure(str(found), found.good)

    return measure


def fuzzers(factor: float, *paths: str) -> Callable[[Tree], Figure]:
    """A check that is one or more fuzzers with this factor on their budgets."""

    def measure(tree: Tree) -> Figure:
        rows, tests = fuzzed(tree, factor, *paths)
        if not tests.asked:
            return Figure(str(tests), tests.good)
        tried, faults = sum(r["tried"] for r in rows), sum(len(r["faults"]) for r in rows)
        return Figure(f"{tried:,} inputs: {faults} faults; {tests}", bool(tried) and not faults and tests.good)

    return measure


def fuzzed(tree: Tree, factor: float, *paths: str, **environment: str) -> tuple[list[dict[str, Any]], Tested]:
    """Run fuzzers; the count of each, and of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        there = [p for p in paths if (ROOT / p).exists()]
        tests = run_tests(
            tree, *there, SAFE_EXPLORER_FUZZ=str(factor), SAFE_EXPLORER_FUZZ_REPORT=str(report), **environment
        )
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    return [json.loads(line) for line in lines], tests


def everything(tree: Tree) -> Figure:
    """All fuzzers together, until so many inputs are tried."""
    rows, tests = fuzzed(tree, 2.5, "tests/fuzz")
    if not tests.asked:
        return Figure(str(tests), tests.good)
    tried, faults = sum(r["tried"] for r in rows), sum(len(r["faults"]) for r in rows)
    for row in rows:
        print(f"    {row['kind']:<44}{row['tried']:>7,} tried {row['taken']:>7,} taken {row['refused']:>7,} refused {len(row['faults']):>4} faults")  # fmt: skip
    return Figure(
        f"{tried:,} inputs of {len(rows)} kinds: {faults} tracebacks", tried >= FUZZED and not faults and tests.good
    )


def chain(tree: Tree) -> Figure:
    """Random valid scenarios of up to 1,000 UAVs through every stage; the stages that took long."""
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times.jsonl"
        rows, tests = fuzzed(
            tree,
            SCENARIOS / 40,
            "tests/fuzz/test_chain.py",
            SAFE_EXPLORER_LARGEST=str(LARGEST),
            SAFE_EXPLORER_CHAIN_TIMES=str(times),
        )
        flown = [json.loads(line) for line in times.read_text(encoding="utf-8").splitlines()] if times.exists() else []
    if not tests.asked:
        return Figure(str(tests), tests.good)
    stages = [
        (s, stage, row["uavs"], row["announced"].get(stage, 0.0))
        for row in flown
        for stage, s in row["seconds"].items()
    ]
    slow = [told for s, _, _, told in stages if s > SLOW_S]
    unannounced = sum(told < LIGHT_S for told in slow)
    faults = sum(len(r["faults"]) for r in rows)
    tried = sum(r["tried"] for r in rows)
    worst = max(stages, default=(0.0, "none", 0, 0.0))
    said = (
        f"{tried} scenarios: {faults} faults; {len(slow)} stages over {SLOW_S:g} s, {unannounced} of them not announced; "
        f"slowest {worst[1]} {worst[0]:.1f} s at N = {worst[2]}"
    )
    return Figure(said, bool(tried) and not faults and not unannounced and tests.good)


CHECKS = (
    Check("9", "malformed and hostile query strings", "no blank page, good values kept, message shown", fuzzers(16, "tests/fuzz/test_query_strings.py"), "the same with a smaller budget", beside=True),
    Check("10", "protocol fuzz", "refused, no path in an answer, log bounded", fuzzers(3, "tests/fuzz/test_protocol.py"), "the same with a smaller budget", beside=True),
    Check("12", "each fault type notifies, with advice that helps", "all", suite(*FAULTS), "the same tests", beside=True),
    Check("13", "server restart; oversized upload", "state back within 35 s; visible message", suite(*RESTART), "the same tests", beside=True),
    Check("14", "listeners", "none beyond loopback unless asked for", suite(*LISTENERS), "the same tests", beside=True),
    Check("15", f"{SCENARIOS} random valid scenarios, N up to {LARGEST:,}, through the whole chain", "no crash, no undocumented NaN; over 2 s only where announced before", chain, "tests/fuzz/test_chain.py, N up to 60"),
    Check("16", "damaged and misplaced records of a study", "all refused", fuzzers(4, "tests/fuzz/test_record_files.py", "tests/core/studies/test_record_file.py"), "the same with a smaller budget", beside=True),
    Check("fuzz", "all fuzzers together", f"no traceback in {FUZZED:,} inputs", everything, "the same with a smaller budget", beside=True),
)  # fmt: skip
