"""Packings of cores found by their prices: never above the truth, and more than cores at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from separatrix import minimum_errors
from separatrix.certificates.core_packing import PARTS
from separatrix.certificates.core_pricing import IDLE, Pricing
from separatrix.certificates.line_hunt import best_line
from separatrix.certificates.mistake_hunt import Hunt
from separatrix.certificates.mistake_question import Limits, Question
from separatrix.certificates.mistake_search import ALL, Budget, Knowledge, unscaled
from separatrix.data import read_arrays


def noisy(n, d, noise, seed):
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, d))
    y = np.where(X @ r.standard_normal(d) + 0.3 > 0, 1, -1)
    y[r.random(n) < noise] *= -1
    return X, y


def pricing(X, y, weight=None):
    """The pricing of these rows, from the line of a short local search."""
    hunt = Hunt(Question(read_arrays(X, y, weight), 1.0, Limits.of(None, None, 1.0, 1.0)))
    rows = replace(hunt.count.rows, rows=np.arange(hunt.count.rows.n))
    line = unscaled(rows, best_line(rows, None, 400, 0))
    return Pricing(rows, Knowledge(rows, Budget(None, ALL)), line), hunt.count.base


def packings(priced, rounds):
    found = [priced.better() for _ in range(rounds)]
    return [packing for packing in found if packing is not None]


def holds(packing, rows):
    """Whether no row gives away more than its weight, and each core cancels: in whole numbers."""
    given = [0] * rows.n
    integers = rows.integers(np.arange(rows.n))
    for amount, core, multipliers in packing.cores:
        columns = zip(*(integers[n] for n in core), strict=True)
        sums = [sum(m * a for m, a in zip(multipliers, c, strict=True)) for c in columns]
        if amount <= 0 or min(multipliers) < 0 or not any(multipliers) or any(sums):
            return False
        for n in core:
            given[n] += amount
    enough = sum(amount for amount, *_ in packing.cores) > (packing.bound - 1) * PARTS
    return enough and all(g <= int(w) * PARTS for g, w in zip(given, rows.weight, strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_bounds_grow_hold_and_stay_below_the_truth(seed):
    X, y = noisy(80, 3, 0.25, seed)
    if seed % 2:
        X = np.round(2 * X)  # ties, equal rows, small cores
    weight = np.random.default_rng(seed).integers(1, 4, 80) if seed % 3 else None
    priced, base = pricing(X, y, weight)
    found = packings(priced, 6)
    bounds = [packing.bound for packing in found]
    assert bounds == sorted(set(bounds))
    assert all(holds(packing, priced.rows) for packing in found)
    truth = minimum_errors(X, y, weight, None)
    assert truth.proven
    assert 0 < bounds[-1] + base <= truth.upper


def test_smoothed_prices_show_more_than_cores_that_share_no_row():
    X, y = noisy(240, 8, 0.2, 1)
    priced, _ = pricing(X, y)
    priced.hunt.around(priced.line, 12)
    by_chance = priced.hunt.packing().bound
    assert packings(priced, 12)[-1].bound > 1.3 * by_chance


def test_the_same_rows_give_the_same_packing():
    first, again = (packings(pricing(*noisy(90, 4, 0.2, 5))[0], 4)[-1] for _ in range(2))
    assert (first.bound, first.cores) == (again.bound, again.cores)


def test_ends_when_there_is_no_more_to_be_had():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    priced, _ = pricing(X, y)
    assert not priced.finished
    packings(priced, IDLE + 1)
    assert (priced.finished, priced.bound) == (True, 1)


def test_few_cores_are_kept_and_the_bound_with_them():
    X, y = noisy(40, 2, 0.3, 2)
    priced, _ = pricing(X, y)
    found = packings(priced, 10)
    assert len(priced.hunt.cores) <= 8 * 40 + 200
    assert found[-1].bound == priced.bound == max(packing.bound for packing in found)


def test_a_bracket_cut_short_has_its_bound_from_prices_and_a_certificate():
    X, y = noisy(200, 10, 0.2, 3)
    found = minimum_errors(X, y, None, None, max_nodes=4000)
    assert found.by_cores
    assert not found.proven
    assert 2 * found.lower >= found.upper
    assert found.certificate.verify(X, y)


def test_the_line_counts_when_the_time_ends_within_the_local_search():
    X, y = noisy(300, 6, 0.1, 4)
    found = minimum_errors(X, y, time_limit=0.0)
    assert "time limit" in found.reason
    assert found.upper < 0.2 * len(y) < min((y > 0).sum(), (y < 0).sum())
