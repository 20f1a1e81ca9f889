"""Every policy can be told from every other, also by the colour-blind, on paper and on both themes of the page."""

from itertools import combinations

import numpy as np
import pytest

from core import style
from core.allocation import Mode
from core.simulation import POLICIES
from core.studies.reproduction import FIGURES
from core.style import (
    AXIS_LABEL,
    INK,
    MODE_COLOUR,
    MODE_NAME,
    OWN_COLOURS,
    OWN_DASHES,
    POLICY_COLOUR,
    STYLES,
    know_own,
    policy_style,
)

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
    assert INK not in POLICY_COLOUR.values()


OWN = [policy_style(f"Mine-{i}") for i in range(2000)]
"""Every style that a user's own policy may have."""


def test_own_policies_have_colours_and_patterns_that_no_shipped_one_has():
    assert {s.colour for s in OWN} == set(OWN_COLOURS)
    assert {s.dash for s in OWN} == set(OWN_DASHES)
    assert not {s.dash for s in OWN} & {s.dash for s in STYLES.values()}
    others = [*POLICY_COLOUR.values(), *MODE_COLOUR.values(), INK]
    assert min(apart(a, b, "normal") for a in OWN_COLOURS for b in others) > 20.0
    assert min(apart(a, b, vision) for a, b in combinations(OWN_COLOURS, 2) for vision in VISION) > 12.0
    assert min(contrast(c, ground) for c in OWN_COLOURS for ground in ("#FFFFFF", "#121212")) > 2.0


def test_an_own_policy_keeps_its_style_and_two_never_share_one(monkeypatch, request):
    request.addfinalizer(style._styles_of_own.cache_clear)
    monkeypatch.setattr(style, "_own", set())
    style._styles_of_own.cache_clear()
    names = [f"Own-{i}" for i in range(len(OWN_COLOURS) * len(OWN_DASHES))]
    alone = {name: policy_style(name) for name in names}
    assert len(set(alone.values())) < len(names)  # by name alone some would meet
    for name in reversed(names):
        know_own(name)
    together = {name: policy_style(name) for name in names}
    assert len(set(together.values())) == len(names)
    assert together[min(names)] == alone[min(names)]
    style._styles_of_own.cache_clear()
    monkeypatch.setattr(style, "_own", set(names))  # in another order
    assert {name: policy_style(name) for name in names} == together
    know_own("SAFE")
    assert policy_style("SAFE") == STYLES["SAFE"]


@pytest.mark.parametrize("vision", VISION)
def test_lines_of_one_pattern_stay_apart(vision):
    for (one, a), (other, b) in combinations(STYLES.items(), 2):
        if a.dash == b.dash:
            assert apart(a.colour, b.colour, vision) > 12.0, (one, other)


def test_no_two_policies_look_alike_and_none_looks_like_a_loops_mode():
    for a, b in combinations([*POLICY_COLOUR.values(), *MODE_COLOUR.values()], 2):
        assert apart(a, b, "normal") > 20.0, (a, b)


@pytest.mark.parametrize("vision", VISION)
def test_modes_stay_apart(vision):
    assert min(apart(a, b, vision) for a, b in combinations(MODE_COLOUR.values(), 2)) > 12.0


@pytest.mark.parametrize("background", ["#FFFFFF", "#121212"])
def test_every_colour_stands_out_from_the_page(background):
    assert min(contrast(c, background) for c in [*POLICY_COLOUR.values(), *MODE_COLOUR.values()]) > 2.0


def test_every_mode_of_a_loop_has_a_colour_and_its_own_name() -> None:
    assert set(MODE_COLOUR) == set(MODE_NAME) == set(Mode)
    assert len(set(MODE_NAME.values())) == len(Mode)


def test_every_distribution_of_a_reproduction_has_an_axis() -> None:
    assert set(AXIS_LABEL) == set(FIGURES)
