"""The calibration runner and its command."""

from pathlib import Path

import numpy as np
import pytest

from core import Scenario
from core.__main__ import main
from core.errors import CalibrationError
from core.network import find_routes, uma_av_shadowing_db
from core.simulation import snapshot
from core.simulation.calibrate import SNR_OFFSETS_DB, _route_keys, calibrate, calibration_run, check_seeds
from core.twin import ROUTE_CLASSES, link_budget_db, load_calibration

SHORT = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0})


def test_a_run_is_reproducible_and_depends_on_its_seed() -> None:
    a, b, c = calibration_run(SHORT, 7), calibration_run(SHORT, 7), calibration_run(SHORT, 8)
    assert np.array_equal(a.score, b.score)
    assert np.array_equal(a.first, b.first)
    assert a.score.shape != c.score.shape or not np.array_equal(a.score, c.score)


def test_records_line_up() -> None:
    run = calibration_run(SHORT.replace(**{"network.snr_offset_db": -10.0}), 3)
    assert run.route_class.shape == run.score.shape == run.recent_failure.shape
    assert run.failure_nominal.shape == run.first.shape == run.second.shape
    assert set(run.route_class) <= set(range(len(ROUTE_CLASSES)))
    assert run.recent_failure.any()
    assert not run.recent_failure.all()
    assert run.first.any()


def test_with_perfect_estimates_the_score_of_a_direct_link_is_its_shadowing() -> None:
    """Nearly noiseless plant and sensor, no gusts, no link measurements (D21): what is left is X_e, with the spread TR 36.777 gives it."""
    calm = Scenario().replace(
        **{
            "control.sigma_meas_m": 0.01,
            "control.sigma_proc_m": 0.01,
            "mission.gust_min_mps2": 0.0,
            "mission.gust_max_mps2": 0.0,
            "mission.duration_s": 5.0,
            "twin.link_quality": False,
        }
    )
    direct = np.concatenate([calibration_run(calm, seed).scores_of(0, after_failure=False) for seed in range(4)])
    low, high = (
        float(uma_av_shadowing_db(h, True)) for h in (calm.mission.altitude_max_m, calm.mission.altitude_min_m)
    )
    assert low - 0.3 < direct.std() < high + 0.3
    assert abs(direct.mean()) < 0.5


@pytest.mark.parametrize("measured", [False, True])
def test_a_failure_tells_of_bad_shadowing_unless_links_are_measured(measured: bool) -> None:
    """Without D21 a route that has just failed sits in worse shadowing than its class; with it little is left to learn."""
    change = {"network.snr_offset_db": -4.0, "mission.duration_s": 10.0, "twin.link_quality": measured}
    runs = [calibration_run(Scenario().replace(**change), s) for s in (0, 1)]
    calm = np.concatenate([r.scores_of(0, after_failure=False) for r in runs])
    failed = np.concatenate([r.scores_of(0, after_failure=True) for r in runs])
    assert (np.median(failed) > np.median(calm) + 1.0) != measured


def test_measured_links_shrink_the_scores() -> None:
    spread = []
    for measured in (True, False):
        scenario = Scenario().replace(**{"mission.duration_s": 5.0, "twin.link_quality": measured})
        spread.append(calibration_run(scenario, 5).scores_of(0, after_failure=False).std())
    assert spread[0] < 0.75 * spread[1]


def test_failures_come_in_bursts() -> None:
    """Shadowing persists over cycles: a failure is likelier after a failure than after a success."""
    runs = [calibration_run(SHORT.replace(**{"network.snr_offset_db": -8.0}), seed) for seed in range(4)]
    first, second = (np.concatenate([getattr(r, x) for r in runs]) for x in ("first", "second"))
    assert second[first].mean() > second[~first].mean() + 0.2


def test_a_route_is_known_again_though_the_last_uav_has_none() -> None:
    """At −15 dB which UAVs have a route changes from cycle to cycle; the name of a route must not."""
    scenario = SHORT.replace(**{"network.snr_offset_db": -15.0})
    names: dict[tuple[int, ...], int] = {}
    largest = set()
    for cycle in range(scenario.cycles):
        for routes in find_routes(scenario, snapshot(scenario, seed=1, cycle=cycle).topology):
            largest.add(int(routes.nodes.max()))
            for path, key in zip(map(tuple, routes.nodes.tolist()), _route_keys(routes).tolist(), strict=True):
                assert names.setdefault(path, key) == key
    assert len(largest) > 1  # otherwise the case does not occur
    assert len(set(names.values())) == len(names)


def test_watched_actions_change_nothing_that_is_flown(monkeypatch: pytest.MonkeyPatch) -> None:
    many = calibration_run(SHORT, 7)
    monkeypatch.setattr("core.simulation.calibrate.MORE_ACTIONS_PER_LOOP", 1)
    few = calibration_run(SHORT, 7)
    assert np.array_equal(few.score, many.score)
    assert np.array_equal(few.recent_failure, many.recent_failure)
    assert few.first.size < many.first.size


def test_calibration_holds_every_budget_and_their_pool() -> None:
    steps: list[tuple[int, int]] = []
    made = calibrate(SHORT, [1, 0], progress=lambda done, total: steps.append((done, total)))
    assert made.seeds == (0, 1)
    assert len(made.scores) == len(SNR_OFFSETS_DB) + 1
    for cls in range(len(ROUTE_CLASSES)):
        assert made.scores[-1][cls][0].n == sum(stratum[cls][0].n for stratum in made.scores[:-1])
    assert steps[-1] == (2 * len(SNR_OFFSETS_DB), 2 * len(SNR_OFFSETS_DB))
    assert link_budget_db(SHORT) in made.budgets_db
    assert made.mismatches(SHORT) == []
    assert made.mismatches(SHORT.replace(**{"mission.speed_mps": 5.0})) == ["mission.speed_mps"]


@pytest.mark.parametrize("seeds", [[], [7], [7, 7], [1000, 1001], [10_000, 10_001], [-1, 0], [0, 999, 1000]])
def test_evaluation_seeds_are_refused(seeds: list[int]) -> None:
    with pytest.raises(CalibrationError, match="seed"):
        check_seeds(seeds)


def test_the_command_writes_a_file_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "short.yaml"
    SHORT.to_yaml(scenario, only_changes=True)
    out = tmp_path / "made"
    assert main(["calibrate", "--seeds", "0:2", "--scenario", str(scenario), "--out", str(out), "--quiet"]) == 0
    assert load_calibration(out).mismatches(SHORT) == []
    assert "2 seeds" in capsys.readouterr().out


@pytest.mark.parametrize(
    "seeds", ["990:1010", "10000,10001", "a:b", "0:0", "5", "1;2", "0:2000000000", "-5:5", "9" * 5000]
)
def test_the_command_refuses_bad_seeds_in_one_line(
    seeds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", f"--seeds={seeds}", "--out", str(tmp_path / "x"), "--quiet"]) == 2
    assert "error:" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("out", ["", "file/under", "folder"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_flown(
    out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def flown(*_: object) -> None:
        raise AssertionError("flown")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("core.cli.calibrate.calibrate", flown)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    assert main(["calibrate", "--seeds", "0:2", "--out", out, "--quiet"]) == 2
    assert "--out" in capsys.readouterr().err
    assert {p.name for p in tmp_path.rglob("*")} == {"file", "folder"}
