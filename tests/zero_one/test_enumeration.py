"""Enumerations in whole numbers, against the definition."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix import MinimumErrorClassifier, NotConvergedWarning, minimum_errors
from separatrix.exact.integers import dot
from separatrix.learners._stopping import Stopped
from separatrix.plain.elimination import null_space
from separatrix.plain.fewest_mistakes import fewest_mistakes
from separatrix.zero_one.enumeration import (
    FewRows,
    Minors,
    bits_of,
    fewest_in_plane,
    fewest_in_space,
    members,
    rays_of,
)

LONG = [1, 10**20, 10**300]  # what whole numbers are multiplied by


def small_rows(seed, rank):
    """Rows (n, rank) of that rank, short and very long ones, and weights; or None."""
    r = np.random.default_rng((seed, rank))
    rows = r.integers(-2, 3, (int(r.integers(rank, 9)), rank)).tolist()
    rows = [[a * LONG[r.integers(3)] for a in z] for z in rows if any(z)]
    if len(null_space(rows, rank)[1]) < rank:
        return None
    return rows, [int(r.integers(1, 4)) * LONG[r.integers(3)] for _ in rows]


def tables(rank):
    return [table for seed in range(60) if (table := small_rows(seed, rank)) is not None]


def weight_of(rows, weights, line):
    return sum(a for z, a in zip(rows, weights, strict=True) if dot(z, line) <= 0)


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_few_rows_are_enumerated_by_their_minors(rank):
    assert len(tables(rank)) > 20
    for rows, weights in tables(rank):
        few = FewRows.of(rows, weights)
        assert few.fewest == fewest_mistakes(rows, weights)
        line = few.line()
        assert weight_of(rows, weights, line) == few.fewest
        assert all(dot(z, line) for z in rows)
        assert few.proof().bound == few.fewest


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_cores_cancel(rank):
    for rows, _ in tables(rank):
        minors = Minors(rows)
        assert bool(minors.separable[-1]) == (fewest_mistakes(rows, [1] * len(rows)) == 0)
        for core in minors.cores:
            pairs = list(zip(members(core), minors.multipliers(core), strict=True))
            assert all(a > 0 for _, a in pairs)
            assert not any(sum(a * rows[i][j] for i, a in pairs) for j in range(rank))
            assert not minors.separable[core]
            assert all(minors.separable[core ^ bits_of([i])] for i, _ in pairs)


@pytest.mark.parametrize("rank", [2, 3])
def test_sweeps_meet_the_fewest_mistakes(rank):
    for rows, weights in tables(rank):
        rays, base = rays_of(rows, weights)
        cell = fewest_in_plane(rays) if rank == 2 else fewest_in_space(rays, 0, lambda: None)
        assert cell.mistakes + base == fewest_mistakes(rows, weights)
        assert weight_of(*zip(*rays, strict=True), cell.line) == cell.mistakes if rays else True
        assert all(dot(z, cell.line) for z, _ in rays)


ONE_FRACTION = (  # one mistake is the fewest, and doubles are known to make two
    [
        [-1.07e301, 5e-324], [-1.07e301, 1.0], [5e-324, 1.07e301], [1.07e301, 1.0],
        [-1.07e301, 1.07e301], [1.0, 1.0],
    ],
    [0, 1, 0, 1, 1, 1],
)  # fmt: skip


def test_a_line_of_fractions_is_given_where_it_makes_fewer_mistakes():
    X, y = ONE_FRACTION
    found = minimum_errors(X, y)
    rows = [[int(2 * s - 1) * Fraction(a) for a in (1, *x)] for x, s in zip(X, y, strict=True)]
    assert (found.proven, found.exact_upper, found.mistakes) == (True, 1, 2)
    assert weight_of(rows, [1] * 6, found.exact_line) == 1
    assert weight_of(rows, [1] * 6, [Fraction(a) for a in found.weights]) == 2
    assert found.certificate.verify(X, y)
    turned = [-a for a in found.exact_line]
    assert not replace(found.certificate, weights=turned).verify(X, y)
    with pytest.warns(NotConvergedWarning, match="a line makes fewer, but its weights are frac"):
        model = MinimumErrorClassifier().fit(X, y)
    assert (model.n_errors_, model.lower_bound_, model.proven_) == (2.0, 1.0, False)
    assert model.stopped_ is Stopped.FRACTIONS
