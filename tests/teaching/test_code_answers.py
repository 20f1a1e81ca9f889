"""Functions that students write: judged on inputs that the notebook does not show, and never able to break the check."""

import math
from typing import Any

import numpy as np
import pytest

from app.teaching import check
from app.teaching.answers.lesson_02 import SWARM, _margins
from app.teaching.exercise import EXERCISES, LESSONS, exercise
from core.allocation import dominates, solve_knapsack
from core.control.factors import growth_factor
from core.studies.statistics import paired_difference
from core.twin import conformal_margin

for _lesson in LESSONS:
    exercise(f"{_lesson}.1")
CODE = sorted(id for id, e in EXERCISES.items() if not e.matcher.typed and not id.startswith("08"))

pytestmark = pytest.mark.xdist_group("exercises")


def raises(*_: Any) -> Any:
    raise RuntimeError("oops")


def leaves(*_: Any) -> Any:
    raise SystemExit


def recurses(*arguments: Any) -> Any:
    return recurses(*arguments)


def spoils(*arguments: Any) -> Any:
    for a in arguments:
        if isinstance(a, np.ndarray):
            a[...] = 0
        if isinstance(a, list):
            a.clear()
    return 0.0


WRONG = {
    "raises": (raises, "RuntimeError: oops"),
    "leaves": (leaves, "SystemExit"),
    "recurses": (recurses, "RecursionError"),
    "returns nothing": (lambda *_: None, "does every way through it return?"),
    "takes nothing": (lambda: 1.0, "TypeError"),
    "words": (lambda *_: "three", "numbers are wanted"),
    "an object": (lambda *_: object(), "numbers are wanted"),
    "ragged": (lambda *_: [[1], [1, 2]], "numbers are wanted"),
    "another shape": (lambda *_: np.zeros((7, 7)), "unseen inputs differ"),
    "spoils its arguments": (spoils, "unseen inputs differ"),
    "not a number": (lambda *_: math.nan, "unseen inputs differ"),
}


def test_every_lesson_after_the_first_has_a_piece_to_write() -> None:
    assert {id[:2] for id in CODE} == set(LESSONS) - {"00", "08"}
    assert set(CODE) == {"01.2", "02.2", "03.3", "04.1", "05.1", "05.2", "06.1", "06.2", "07.2"}


@pytest.mark.parametrize("id", CODE)
@pytest.mark.parametrize("name", WRONG)
def test_whatever_a_function_does_the_reply_is_a_sentence(id: str, name: str) -> None:
    given, said = WRONG[name]
    mark = check(id, given)
    assert mark.right is False
    assert said in str(mark)
    assert check(id, exercise(id).answer()).right is True, "the inputs were not spoilt"


@pytest.mark.parametrize("id", CODE)
def test_a_stub_is_not_answered_yet(id: str) -> None:
    assert check(id, lambda *_: ...).right is None


@pytest.mark.parametrize("id", CODE)
def test_no_input_is_in_the_notebooks(id: str, notebook_sources: str) -> None:
    """A constant function, or one that knows the lesson's own numbers, is wrong somewhere: outputs differ among inputs."""
    outputs = exercise(id).matcher.read(exercise(id).answer())
    assert len(outputs) >= 18
    assert len({o.tobytes() for o in outputs}) > (1 if id == "05.1" else len(outputs) // 2)


SHIPPED = {
    "02.2": (conformal_margin, lambda scores, beta: conformal_margin(scores, beta)),
    "03.3": (growth_factor, lambda X, M: growth_factor(X, M)),
    "05.1": (dominates, lambda a, b: dominates(a, b) and any(a != b)),
    "05.2": (solve_knapsack, lambda v, s, b: (lambda: solve_knapsack(v, s, b).curve)()),
    "07.2": (paired_difference, lambda x, y: (paired_difference(x, y).mean, 0.0, 0.0)),
}


@pytest.mark.parametrize("id", SHIPPED)
def test_the_function_of_core_is_no_answer_and_neither_is_one_that_asks_it(id: str) -> None:
    for given in SHIPPED[id]:
        mark = check(id, given)
        assert mark.right is False
        assert "of core does this already; write it yourself" in str(mark)


def test_a_counterexample_is_named() -> None:
    mark = str(check("02.2", lambda scores, beta: float(np.sort(scores)[-1])))
    assert "first margin(scores = [" in mark
    assert "core " in mark


def test_twenty_scores_tell_the_plus_one_from_its_absence() -> None:
    """With nineteen scores and β = 0.1 both ranks are the same, and forgetting the + 1 would pass."""
    assert any(len(scores) == 20 and beta == 0.1 for scores, beta in _margins())
    without = lambda scores, beta: sorted(scores)[math.ceil(len(scores) * (1 - beta)) - 1]  # noqa: E731
    mark = check("02.2", without)
    assert mark.right is False
    assert "the fresh score counts too" in str(mark)
    nineteen = np.arange(19.0)
    assert without(nineteen, 0.1) == conformal_margin(nineteen, 0.1)
    assert without(np.arange(20.0), 0.1) != conformal_margin(np.arange(20.0), 0.1)


def test_plain_solutions_of_students_are_right() -> None:
    """Written with other tools than core's own: lists, loops, scipy."""
    import scipy.linalg
    import scipy.stats

    from core.control import ControlModel, mode_matrix, run_matrix

    m, c = ControlModel.of(SWARM), SWARM.control

    def one_cycle(z: Any, arrived: Any, lost: int) -> Any:
        if arrived == (0, 0):
            return run_matrix(lost + 1, 1, 1, H=c.H, a=m.a) @ z
        return mode_matrix(arrived, 1, 1, H=c.H, a=m.a, split=c.split) @ z

    def margin(scores: Any, beta: float) -> float:
        rank = math.ceil((len(scores) + 1) * (1 - beta))
        return sorted(scores)[rank - 1] if rank <= len(scores) else math.inf

    def drift(V: float, tr_sigma: float, alpha_bar: float, rho_ul: float, h_ul: int, model: ControlModel) -> float:
        delta = model.tr_meas + h_ul * model.tr_proc - tr_sigma - model.tr_proc
        psi = model.tr_proc + max(delta, rho_ul * delta)
        return (alpha_bar - 1) * V + model.lam * psi + model.noise_term

    def beats(a: Any, b: Any) -> bool:
        better = [a[i] < b[i] for i in (0, 1, 2, 5)] + [a[i] > b[i] for i in (3, 4)]
        worse = [a[i] > b[i] for i in (0, 1, 2, 5)] + [a[i] < b[i] for i in (3, 4)]
        return any(better) and not any(worse)

    def best_values(values: Any, slots: Any, budget: int) -> list[float]:
        F = [0.0] * (budget + 1)
        for v, s in zip(values, slots, strict=True):
            F = [
                max([F[b], *(F[b - int(n)] + x for x, n in zip(v, s, strict=True) if n <= b)])
                for b in range(budget + 1)
            ]
        return F

    def two_paths(e: Any, u: Any, steps: Any, k: float, Ts: float) -> list[list[Any]]:
        paths = []
        for velocity in (u, -k * e):
            x, path = e, []
            for step in steps:
                x = x + Ts * velocity - step
                path.append(x)
            paths.append(path)
        return paths

    def value(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
        G = np.mean(V_without - V_served)
        return (rho_dl * G if G >= 0 else G) + lam * rho_ul * T

    def paired(x: Any, y: Any) -> tuple[float, float, float]:
        d = x - y
        half = scipy.stats.t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d))
        return d.mean(), d.mean() - half, d.mean() + half

    solutions = {
        "01.2": one_cycle,
        "02.2": margin,
        "03.3": lambda X, M: scipy.linalg.eigh(M.T @ X @ M, X, eigvals_only=True)[-1],
        "04.1": drift,
        "05.1": beats,
        "05.2": best_values,
        "06.1": two_paths,
        "06.2": value,
        "07.2": paired,
    }
    assert {id: check(id, solution).right for id, solution in solutions.items()} == dict.fromkeys(CODE, True)


def test_the_drift_that_is_asked_for_is_the_allocators(notebook_sources: str) -> None:
    from app.teaching.answers.lesson_04 import _states, drift

    assert "def drift(V, tr_sigma, alpha_bar, rho_ul, h_ul, model):" in notebook_sources
    for V, tr_sigma, _, rho_ul, h_ul, model in _states():
        terms = model.drift(V, tr_sigma, 1, rho_ul, 0.9, 2, h_ul, 1)
        assert drift(V, tr_sigma, float(terms.alpha_bar), rho_ul, h_ul, model) == pytest.approx(float(terms.phi))
