"""A template's design, set on a pane that shows a Bokeh figure."""

import contextlib

import panel as pn
import pytest
from bokeh.plotting import figure
from panel.theme import Material

from app.panel_fixes.figure_pane import FigurePane


def with_design(pane: pn.pane.Bokeh) -> None:
    pane.get_root()
    pane.design = Material


def test_panel_alone_hands_the_design_to_the_figure() -> None:
    with contextlib.suppress(AttributeError):
        with_design(pn.pane.Bokeh(figure()))
        pytest.fail("Panel keeps the design off the figure: this repair can go (app.panel_fixes.figure_pane)")


def test_with_the_repair_it_stays_off() -> None:
    with_design(FigurePane(figure()))
