"""The certificate matrix: verified, cached, scaled, thread-safe, and never silent when there is none."""

import re
import threading
import warnings

import cvxpy as cp
import numpy as np
import pytest

from core.control import certificate_matrix, constraint_slack, contraction_factors, lmi, mode_matrix
from core.errors import InfeasibleError, ScenarioError, SolverError

DEFAULT = {"H": 4, "h_max": 1, "a": 0.47, "split": (0.2, 0.2, 0.6)}
THIRDS = {"H": 3, "h_max": 1, "a": 0.35, "split": (1 / 3, 1 / 3, 1 / 3)}
DEEP = {"H": 4, "h_max": 3, "a": 0.3, "split": (0.4, 0.3, 0.3)}
FULL_GRID = {"H": 2, "h_max": 2, "a": 0.2, "split": (0.0, 0.5, 0.5)}


@pytest.mark.parametrize("setting", [DEFAULT, THIRDS, DEEP, FULL_GRID])
def test_every_constraint_holds_on_the_returned_matrix(setting):
    """Written out constraint by constraint, apart from the code's own verification."""
    X = certificate_matrix(**setting)
    n, tolerance = setting["H"] + 1, 1e-6 * np.linalg.norm(X, 2)
    np.testing.assert_array_equal(X, X.T)
    assert np.linalg.eigvalsh(X - np.eye(n)).min() >= -tolerance
    for u in range(setting["h_max"] + 1):
        for d in range(setting["h_max"] + 1):
            M = mode_matrix((1, 1), u, d, H=setting["H"], a=setting["a"], split=setting["split"])
            assert np.linalg.eigvalsh(X - M.T @ X @ M - np.eye(n)).min() >= -tolerance


def test_slack_is_negative_for_a_matrix_that_does_not_certify():
    X = certificate_matrix(**DEFAULT)
    assert constraint_slack(X, **DEFAULT) >= -1e-6 * np.linalg.norm(X, 2)
    assert constraint_slack(np.eye(5), **DEFAULT) < -0.5
    assert constraint_slack(0.9 * X, **DEFAULT) < -0.05


def printed_problem(H, h_max, a, split, *, axes=3, weight=None):
    """Eq. (eq:lmi-certificate) as printed, in axes·(H+1) dimensions, for the objective tr(weight·X) (default tr X)."""
    n = axes * (H + 1)
    X = cp.Variable((n, n), symmetric=True)
    constraints = [X >> np.eye(n)]
    for u in range(h_max + 1):
        for d in range(h_max + 1):
            M = np.kron(mode_matrix((1, 1), u, d, H=H, a=a, split=split), np.eye(axes))
            constraints.append(X - M.T @ X @ M >> np.eye(n))
    problem = cp.Problem(cp.Minimize(cp.trace(X if weight is None else weight @ X)), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate", as in the reduced form at the defaults
        problem.solve(solver=cp.CLARABEL)
    return 0.5 * (X.value + X.value.T)


@pytest.mark.parametrize("setting", [DEFAULT, THIRDS, DEEP])
def test_trace_is_least(setting):
    """No certified matrix of the same setting, found by asking for something else, has a smaller trace."""
    X, n = certificate_matrix(**setting), setting["H"] + 1
    rng = np.random.default_rng(3)
    others = []
    for strength in (0.02, 0.1, 0.4, 0.4, 0.4):
        tilt = rng.normal(size=(n, n)) / np.sqrt(n)
        weight = np.eye(n) + strength * (tilt + tilt.T) / 2 if strength < 0.4 else np.diag(rng.uniform(0.1, 2.0, n))
        other = printed_problem(**setting, axes=1, weight=weight)
        assert constraint_slack(other, **setting) >= -1e-6 * np.linalg.norm(other, 2)
        others.append(np.trace(other) / np.trace(X))
    assert min(others) >= 1 - 1e-6  # the accuracy to which the constraints hold
    assert max(others) > 1 + 1e-3  # the other objectives do ask for something else


@pytest.mark.parametrize(("H", "a"), [(2, 0.3), (2, 0.47), (4, 0.47)])
def test_reduced_problem_equals_the_full_one(H, a):
    """D5: X = X_s ⊗ I₃ is exact; same trace and same factors as the full 3(H+1) problem."""
    setting = {"H": H, "h_max": 1, "a": a, "split": (0.2, 0.2, 0.6)}
    full, reduced = printed_problem(**setting), certificate_matrix(**setting)
    assert np.trace(full) == pytest.approx(3 * np.trace(reduced), rel=1e-6)
    np.testing.assert_allclose(full, np.kron(reduced, np.eye(3)), atol=1e-4 * np.linalg.norm(reduced, 2))
    factors = contraction_factors(reduced, **setting)
    root = np.linalg.cholesky(full).T
    for outcome, alpha in factors.raw.items():
        M = [mode_matrix(outcome, u, d, H=H, a=a, split=setting["split"]) for u in (0, 1) for d in (0, 1)]
        growth = [np.linalg.norm(root @ np.kron(m, np.eye(3)) @ np.linalg.inv(root), 2) ** 2 for m in M]
        assert max(growth) == pytest.approx(alpha, rel=1e-5)


def test_margin_scales_the_matrix():
    np.testing.assert_allclose(certificate_matrix(**DEFAULT, eps=0.25), 0.25 * certificate_matrix(**DEFAULT))
    assert constraint_slack(certificate_matrix(**DEFAULT, eps=5.0), **DEFAULT, eps=5.0) >= -1e-4


def test_the_same_setting_is_never_solved_twice():
    certificate_matrix(**DEFAULT)
    before = lmi._solved.cache_info()
    first, second = certificate_matrix(**DEFAULT), certificate_matrix(**DEFAULT, eps=2.0)
    after = lmi._solved.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 2)
    first[:] = 0  # what a caller does to its copy must not reach the cache
    np.testing.assert_allclose(2 * certificate_matrix(**DEFAULT), second)


def test_threads_get_what_one_thread_gets():
    gains = [0.2 + 0.01 * i for i in range(12)]
    found = {}

    def work(share):
        for a in share:
            found[a] = certificate_matrix(H=2, h_max=1, a=a, split=(0.3, 0.3, 0.4))

    threads = [threading.Thread(target=work, args=(gains[i::4],)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    lmi._solved.cache_clear()
    for a in gains:
        np.testing.assert_array_equal(found[a], certificate_matrix(H=2, h_max=1, a=a, split=(0.3, 0.3, 0.4)))


def test_order_of_solves_does_not_matter():
    """A re-solve of the compiled problem gives what a fresh one gives."""
    certificate_matrix(**{**DEFAULT, "a": 0.2})
    warm = certificate_matrix(**{**DEFAULT, "a": 0.31})
    lmi._solved.cache_clear()
    lmi._problem.cache_clear()
    np.testing.assert_array_equal(certificate_matrix(**{**DEFAULT, "a": 0.31}), warm)


@pytest.mark.parametrize("setting", [{"h_max": 3, "a": 0.877}, {"h_max": 1, "a": 1.9}, {"h_max": 4, "a": 0.9}])
def test_too_strong_a_gain_is_infeasible_and_the_advice_works(setting):
    with pytest.raises(InfeasibleError) as caught:
        certificate_matrix(**{**DEFAULT, **setting})
    message = str(caught.value)
    for word in ("lower a to", "h_max", "split", "H does not matter"):
        assert word in message
    advised = float(re.search(r"lower a to ([\d.]+) or less", message)[1])
    assert 0 < advised < setting["a"]
    certificate_matrix(**{**DEFAULT, **setting, "a": advised})
    certificate_matrix(**{**DEFAULT, **setting, "h_max": 0})
    certificate_matrix(**{**DEFAULT, **setting, "split": (1.0, 0.0, 0.0)})


def test_depth_of_the_buffer_is_never_to_blame():
    for H in (1, 2, 4, 6):
        certificate_matrix(H=H, h_max=1, a=1.0, split=(0.2, 0.2, 0.6))
        with pytest.raises(InfeasibleError):
            certificate_matrix(H=H, h_max=1, a=1.3, split=(0.2, 0.2, 0.6))


@pytest.mark.parametrize(
    ("a", "advice"), [(0.0, "raise a above 0"), (-0.2, "raise a above 0"), (2.0, "lower a below 2")]
)
def test_gains_that_nothing_else_can_save(a, advice):
    with pytest.raises(InfeasibleError, match=advice):
        certificate_matrix(**{**DEFAULT, "a": a})


def test_a_buffer_shorter_than_the_delays_is_refused():
    with pytest.raises(InfeasibleError, match="raise H to at least h_max"):
        certificate_matrix(**{**DEFAULT, "h_max": 5})


@pytest.mark.parametrize("change", [{"a": np.nan}, {"eps": 0.0}, {"split": (0.5, 0.5, 0.5)}])
def test_arguments_that_make_no_sense_are_refused(change):
    with pytest.raises(ScenarioError):
        certificate_matrix(**{**DEFAULT, **change})


def test_a_nearly_right_answer_is_refused(monkeypatch):
    """One part in ten thousand short of the constraints is a violation, not rounding."""
    X = certificate_matrix(**DEFAULT)
    for shortfall, accepted in ((1e-4, False), (1e-9, True)):
        monkeypatch.setattr(lmi._CertificateProblem, "solve", lambda self, a, s=shortfall: ((1 - s) * X, "optimal"))
        lmi._solved.cache_clear()
        try:
            if accepted:
                np.testing.assert_allclose(certificate_matrix(**DEFAULT), X, rtol=1e-8)
            else:
                with pytest.raises(SolverError, match="fails verification"):
                    certificate_matrix(**DEFAULT)
        finally:
            lmi._solved.cache_clear()


@pytest.mark.parametrize(
    ("answer", "status"),
    [(np.eye(5), "optimal"), (-np.eye(5), "optimal_inaccurate"), (None, "solver error"), (None, "user_limit")],
)
def test_a_wrong_answer_is_never_accepted_whatever_the_status_says(monkeypatch, answer, status):
    monkeypatch.setattr(lmi._CertificateProblem, "solve", lambda self, a: (answer, status))
    lmi._solved.cache_clear()
    try:
        with pytest.raises(SolverError, match=status):
            certificate_matrix(**DEFAULT)
    finally:
        lmi._solved.cache_clear()
