"""Random numbers that depend on their key alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.simulation import draws

MASK = (1 << 64) - 1


def _plain_word(*key: int) -> int:
    """The same hash in Python integers."""
    h = 0
    for word in key:
        z = ((h ^ (word & MASK)) + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        h = z ^ (z >> 31)
    return h


words = st.integers(0, 2**40)


@given(words, st.integers(1, 7), words, words, words, words)
def test_uniform_equals_the_plain_python_hash(seed, stream, cycle, a, b, c):
    expected = (_plain_word(seed, stream, cycle, a, b, c) >> 11) * 2.0**-53
    assert draws.uniform(seed, stream, cycle, a, b, c) == expected
    assert 0.0 <= expected < 1.0


def test_first_words_are_those_of_splitmix64():
    # splitmix64 seeded with 0 starts with this word (published test vector of the reference implementation)
    assert _plain_word(0) == 0xE220A8397B1DCDAF


def test_uniforms_are_uniform_and_uncorrelated_between_neighbouring_keys():
    u = np.array([[draws.uniform(5, draws.PACKET, k, i) for i in range(200)] for k in range(200)])
    counts, _ = np.histogram(u, bins=20, range=(0, 1))
    chi2 = ((counts - 2000.0) ** 2 / 2000.0).sum()
    assert chi2 < 43.8  # 99.9 % point of chi-square with 19 degrees of freedom
    assert abs(np.corrcoef(u[:-1].ravel(), u[1:].ravel())[0, 1]) < 4 / np.sqrt(u[1:].size)
    assert abs(np.corrcoef(u[:, :-1].ravel(), u[:, 1:].ravel())[0, 1]) < 4 / np.sqrt(u[:, 1:].size)


def test_normals_have_zero_mean_unit_variance_and_no_skew():
    x = np.concatenate([draws.normals(9, draws.PROCESS, k, 100, 3).ravel() for k in range(100)])
    n = x.size
    assert abs(x.mean()) < 4 / np.sqrt(n)
    assert abs(x.var() - 1) < 4 * np.sqrt(2 / n)
    assert abs((x**3).mean()) < 4 * np.sqrt(15 / n)
    assert abs((x**4).mean() - 3) < 4 * np.sqrt(96 / n)


def test_a_row_does_not_depend_on_how_many_rows_are_drawn():
    assert np.array_equal(draws.normals(1, draws.PROCESS, 4, 5, 3), draws.normals(1, draws.PROCESS, 4, 50, 3)[:5])


def test_streams_differ():
    values = {draws.uniform(0, stream, 0) for stream in range(1, 8)}
    assert len(values) == 7
