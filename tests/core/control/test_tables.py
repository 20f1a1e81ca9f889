"""The tables that the compiled drift bound reads, on factors that the closure of D6 changes everywhere."""

import numpy as np

from core.control.factors import close_order
from core.control.tables import FactorTables

H = 3
SHORT = close_order(np.array([0.90, 0.89, 0.88, 0.87]), np.array([0.95, 0.93, 0.91]))
LONG = close_order(np.array([0.92, 0.91, 0.90, 0.89]), np.array([0.99, 0.97, 0.96]))
FACTORS = {(u, d): LONG if u or d else SHORT for u in (0, 1) for d in (0, 1)}


def tables(formulation):
    return FactorTables.of(FACTORS, formulation=formulation)


def test_printed_tables_hold_the_raw_factors():
    t = tables("paper")
    np.testing.assert_array_equal(t.success[0, 0], [0.90, 0.89, 0.88])
    np.testing.assert_array_equal(t.success[1, 0], [0.92, 0.91, 0.90])
    np.testing.assert_array_equal(t.lost[0, 0], [0.87] * H)
    np.testing.assert_array_equal(t.lost[1, 1], [0.89] * H)
    np.testing.assert_array_equal(t.floor[0, 0], [0.95, 0.93, 0.91])
    np.testing.assert_array_equal(t.floor[0, 1], [0.99, 0.97, 0.96])


def test_repaired_tables_hold_the_closed_factors_and_no_floor():
    t = tables("repaired")
    np.testing.assert_array_equal(t.success[0, 0], [0.90, 0.90, 0.90])
    np.testing.assert_array_equal(t.success[1, 1], [0.92, 0.92, 0.92])
    assert not t.floor.any()


def test_losing_both_costs_the_same_whatever_the_delays():
    """D10: the factor of holding, on the full delay grid."""
    t = tables("repaired")
    for u in (0, 1):
        for d in (0, 1):
            np.testing.assert_array_equal(t.lost[u, d], [0.99, 0.99, 0.99])


def test_every_formulation_but_the_printed_one_reads_the_repaired_factors():
    for table, repaired in zip(tables("predicted"), tables("repaired"), strict=True):
        np.testing.assert_array_equal(table, repaired)
