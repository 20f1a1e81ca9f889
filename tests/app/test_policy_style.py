"""Every policy can be told from every other, also by the colour-blind, on paper and on both themes of the page."""

from itertools import combinations

import numpy as np
import pytest

from app.figures.palette import MODE
from core.cli.policy_style import INK, POLICY_COLOUR, STYLES, policy_colour
from core.simulation import POLICIES

# Machado, Oliveira and Fernandes 2009, complete dichromacy, on linear RGB
VISION = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089], 1e-9))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(a, b, vision):
    """CIE 1976 difference of two colours as somebody sees them; 2.3 is just noticeable."""
    m = np.asarray(VISION[vision])
    return float(np.linalg.norm(lab(m @ linear(a)) - lab(m @ linear(b))))


def contrast(a, b):
    la, lb = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(c))) + 0.05 for c in (a, b))
    return lb / la


def test_every_policy_has_its_own_style_and_nobody_elses():
    assert set(STYLES) == set(POLICIES)
    assert len(set(POLICY_COLOUR.values())) == len(STYLES)
    assert {s.dash for s in STYLES.values()} == {
        "solid",
        "dashed",
        "dotted",
        "dashdot",
    }  # both Bokeh and Matplotlib know
    assert policy_colour("Mine") == INK not in POLICY_COLOUR.values()


@pytest.mark.parametrize("vision", VISION)
def test_lines_of_one_pattern_stay_apart(vision):
    for (one, a), (other, b) in combinations(STYLES.items(), 2):
        if a.dash == b.dash:
            assert apart(a.colour, b.colour, vision) > 12.0, (one, other)


def test_no_two_policies_look_alike_and_none_looks_like_a_loops_mode():
    for a, b in combinations([*POLICY_COLOUR.values(), *MODE.values()], 2):
        assert apart(a, b, "normal") > 20.0, (a, b)


@pytest.mark.parametrize("vision", VISION)
def test_modes_stay_apart(vision):
    assert min(apart(a, b, vision) for a, b in combinations(MODE.values(), 2)) > 12.0


@pytest.mark.parametrize("background", ["#FFFFFF", "#121212"])
def test_every_colour_stands_out_from_the_page(background):
    assert min(contrast(c, background) for c in [*POLICY_COLOUR.values(), *MODE.values()]) > 2.0
