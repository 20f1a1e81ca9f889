"""Axes: what the command line may say, and the advice for what it may not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import StudyError
from core.scenario import quantity_of
from core.studies import Axis, parse_axis


def test_range_has_both_ends_and_whole_numbers():
    axis = parse_axis("network.slots=100:200:10")
    assert axis.values == tuple(range(100, 201, 10))
    assert all(type(v) is int for v in axis.values)
    assert axis.unit == "slots"


def test_decimal_range_is_exact():
    assert parse_axis("twin.beta=0.1:0.3:0.1").values == (0.1, 0.2, 0.3)


def test_range_that_does_not_land_on_its_end_stops_before_it():
    assert parse_axis("network.slots=100:125:10").values == (100, 110, 120)


def test_list_and_mixture_keep_their_order():
    assert parse_axis("twin.beta=0.2, 0.01,0.05").values == (0.2, 0.01, 0.05)
    assert parse_axis("network.slots=90,100:120:10").values == (90, 100, 110, 120)


def test_missing_step_is_the_slider_step():
    assert parse_axis("twin.beta=0.01:0.02").values == (0.01, 0.015, 0.02)


def test_words_and_switches():
    assert parse_axis("formulation=paper,repaired").values == ("paper", "repaired")
    assert parse_axis("control.feed_forward=true,false").values == (True, False)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("network.slot=100:200:10", "network.slots"),
        ("slots=100", "network.slots"),
        ("network.slots", "no '='"),
        ("network.slots=", "empty value"),
        ("network.slots=100,,120", "empty value"),
        ("network.slots=200:100:10", "reversed; write 100:200:10"),
        ("network.slots=100:200:0", "must be positive"),
        ("network.slots=100:200:-10", "must be positive"),
        ("network.slots=100:200:10:3", "not a range"),
        ("network.slots=100:900:100", "outside"),
        ("network.slots=-1", "outside"),
        ("network.slots=100.5", "whole number"),
        ("network.slots=ten", "not a plain number"),
        ("network.slots=nan", "plain number"),
        ("network.slots=1e999999", "plain number"),
        ("network.slots=0:400:1e-999999", "plain number"),
        ("network.slots=1e999999999", "plain number"),
        ("network.slots=3_0", "plain number"),
        ("network.slots=٣٠", "plain number"),
        ("network.slots=" + ",".join(map(str, range(100_000))), "at most 2000"),
        ("network.slots=100,100", "twice"),
        ("twin.beta=0.1,0.10", "twice"),
        ("formulation=papers", "repaired, paper"),
        ("formulation=a:b", "not a number"),
        ("control.supervisor=yes", "true or false"),
        ("network.blocklengths=600", "holds a list"),
        ("network.gcs_x_m=-5000:5000:1", "larger step"),
    ],
)
def test_refusals_say_what_to_change(text, advice):
    with pytest.raises(StudyError, match=advice):
        parse_axis(text)


@given(st.text(max_size=30))
def test_any_text_is_an_axis_or_a_study_error(text):
    for candidate in (text, f"network.slots={text}", f"formulation={text}"):
        try:
            axis = parse_axis(candidate)
        except StudyError:
            continue
        assert axis.values


@given(st.lists(st.integers(0, 450), min_size=1, max_size=20, unique=True))
def test_text_round_trip(values):
    axis = Axis("network.slots", tuple(values))
    assert parse_axis(axis.text()) == axis
    bounds = quantity_of("network.slots")
    assert all(bounds.lo <= v <= bounds.hi for v in axis.values)
