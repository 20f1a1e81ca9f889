"""Labels of contour lines: on their lines, apart from each other, none where there is no room."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from read_number import read_number

from core.figures.arrays.contour import LABEL, Field, round_levels

X, Y = np.linspace(0.0, 1.2, 121), np.linspace(0.7, 2.3, 101)


def labels_of(slope: float) -> list[tuple[float, float, str]]:
    """Labels of a field that rises from left to right through zero, the steeper the nearer its lines."""
    values = np.broadcast_to(slope * (X - 0.3), (len(Y), len(X)))
    return Field(X, Y, values).labelled(round_levels(0.01))[1]


@pytest.mark.parametrize("slope", [0.02, 0.1, 1.0, 50.0])
def test_labels_lie_on_their_lines_and_apart(slope: float) -> None:
    found = labels_of(slope)
    assert found
    for x, _, text in found:
        assert slope * (x - 0.3) == pytest.approx(read_number(text), abs=1e-9)
    size = np.ptp(X), np.ptp(Y)
    for a, b in itertools.combinations(found, 2):
        assert any(abs(a[i] - b[i]) > LABEL[i] * size[i] for i in (0, 1)), (a, b)


def test_every_level_with_room_has_a_label() -> None:
    assert len(labels_of(0.02)) == len([v for v in round_levels(0.01) if -0.006 < v < 0.018])


def test_a_line_in_a_corner_is_drawn_without_a_label() -> None:
    corner = np.hypot(X[None, :] / 1.2, (Y[:, None] - 0.7) / 1.6)
    lines, labels = Field(X, Y, corner).labelled([0.05, 0.5])
    assert len(lines) == 2
    assert [text for _, _, text in labels] == ["+0.5"]
