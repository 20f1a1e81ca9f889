"""Normal numbers of pairs: numpy's own, to the last bit, and the generator left where numpy leaves it."""

import numpy as np
import pytest

from core.network.normals import upper_normals


@pytest.mark.parametrize("nodes", [1, 2, 3, 9, 51, 700])
def test_the_upper_triangle_of_numpys_square(nodes: int) -> None:
    """Half a million numbers at the largest size: some thousand of them in the slow branches, the tail included."""
    for seed in range(3):
        mine, numpys = (np.random.default_rng([seed, 4, nodes]) for _ in range(2))
        found = upper_normals(nodes, mine)
        square = numpys.standard_normal((nodes, nodes))
        assert np.array_equal(found, square[np.triu_indices(nodes, k=1)])
        assert mine.random() == numpys.random()


def test_the_tail_is_reached() -> None:
    """The test above would not notice a wrong tail if no number came from it: it begins at 3.654."""
    beyond = upper_normals(700, np.random.default_rng([0, 4, 700]))
    assert (beyond > 3.6541529).any()
    assert (beyond < -3.6541529).any()


def test_other_generators_give_their_own_numbers() -> None:
    mine, numpys = (np.random.Generator(np.random.MT19937(5)) for _ in range(2))
    assert np.array_equal(upper_normals(6, mine), numpys.standard_normal((6, 6))[np.triu_indices(6, k=1)])
