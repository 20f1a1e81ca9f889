"""Scores, route classes and their compression."""

import numpy as np

from core.twin import conformal_margin
from core.twin.scores import (
    MAX_POINTS,
    ROUTE_CLASSES,
    SCORE_STEP_DB,
    ScoreQuantiles,
    kept_ranks,
    route_class,
    route_scores,
)


def test_classes_by_hops_and_worst_hop_ignore_padding() -> None:
    hops = np.array([1, 1, 2, 2, 3, 3])
    rayleigh = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 1]], dtype=bool)
    assert list(route_class(hops, rayleigh)) == [0, 1, 2, 3, 4, 5]
    assert len(ROUTE_CLASSES) == 6


def test_score_is_the_worst_hop_and_unforeseen_blockage_is_infinite() -> None:
    predicted = np.array([[10.0, 20.0, np.inf], [10.0, np.inf, np.inf], [10.0, 12.0, np.inf]])
    realised = np.array([[8.0, 25.0, np.inf], [13.0, np.inf, np.inf], [11.0, 12.5, np.inf]])
    no = np.zeros((3, 3), bool)
    surprise = no.copy()
    surprise[2, 1] = True
    hops = np.array([2, 1, 2])
    assert list(route_scores(predicted, realised, no, surprise, hops)) == [2.0, -3.0, np.inf]
    assert list(route_scores(predicted, realised, surprise, no, hops)) == [2.0, -3.0, -0.5]


def test_small_sets_are_kept_whole() -> None:
    scores = np.random.default_rng(0).normal(0, 6, 500)
    q = ScoreQuantiles.of(scores)
    for beta in (0.005, 0.01, 0.05, 0.3):
        exact = conformal_margin(scores, beta)
        assert exact <= q.margin(beta) <= exact + SCORE_STEP_DB + 1e-9


def test_compression_is_conservative_and_tight() -> None:
    scores = np.random.default_rng(1).normal(0, 6, 123_457)
    q = ScoreQuantiles.of(scores)
    assert q.values.size == MAX_POINTS
    assert kept_ranks(scores.size)[-1] == scores.size
    for beta in (0.005, 0.01, 0.05, 0.1, 0.3):
        assert conformal_margin(scores, beta) <= q.margin(beta)
        assert q.margin(beta) <= conformal_margin(scores, beta - 1.5 / MAX_POINTS) + SCORE_STEP_DB


def test_empty_and_infinite_scores() -> None:
    assert ScoreQuantiles.of(np.array([])).margin(0.1) == np.inf
    q = ScoreQuantiles.of(np.r_[np.zeros(90), np.full(10, np.inf)])
    assert q.margin(0.2) == 0.0
    assert q.margin(0.05) == np.inf
