"""The pair of columns in which one line makes the fewest mistakes: a picture of many columns.

The rule, which the page states: of the columns of numbers that alone make the fewest mistakes (at
most `MOST_CANDIDATES`), every pair gets a line by `SEARCHES` exact line searches on the number of
mistakes (`CoordinateDescent01`, seed 0, standardised columns, from the least-squares line); the
pair with the fewest mistakes is taken, the first on a tie. On more than `MOST_ROWS` rows the pair
is chosen on every k-th row, and its mistakes are counted on all.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats
from separatrix.learners.coordinate_descent_01 import CoordinateDescent01
from separatrix.report.page.rows import RowsOf
from separatrix.tables import NumberColumn
from separatrix.verdict.candidates import wrong_rows
from separatrix.verdict.scaling import standardisation

MOST_CANDIDATES = 10
MOST_ROWS = 2000
SEARCHES = 30


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns and a line in them.

    Parameters
    ----------
    columns : (int, int)
        Their places among the d features.
    weights : (3,)
        w_0 first, in the units of the columns.
    n_errors : int
        Rows on the wrong side or on the line, on all rows.
    n_pairs : int
        How many pairs were tried.
    n_candidates : int
    """

    columns: tuple[int, int]
    weights: Floats
    n_errors: int
    n_pairs: int
    n_candidates: int


def best_pair(rows: RowsOf) -> Pair | None:
    """Return the pair of columns that separates best; None where there are fewer than two."""
    places = [
        part.features.start
        for part in rows.parts
        if isinstance(part.column, NumberColumn) and np.unique(rows.columns(part.features)).size > 2
    ]
    if len(places) < 2:
        return None
    chosen = np.arange(0, rows.y.size, math.ceil(rows.y.size / MOST_ROWS))
    if np.unique(rows.y[chosen]).size < 2:
        return None
    X, y, weight = rows.columns(places)[chosen], rows.y[chosen], rows.weight[chosen]
    alone = [_fewest_alone(x, y, weight) for x in X.T]
    best = sorted(np.argsort(alone, kind="stable")[:MOST_CANDIDATES].tolist())
    pairs = list(itertools.combinations(best, 2))
    errors = [_fitted(X[:, pair], y, weight).n_errors_ for pair in pairs]
    pair = pairs[int(np.argmin(errors))]
    line = _fitted(X[:, pair], y, weight)
    columns = places[pair[0]], places[pair[1]]
    wrong = wrong_rows(line, np.ascontiguousarray(rows.columns(columns)), rows.y)
    weights = np.concatenate((line.intercept_, line.coef_[0]))
    return Pair(columns, weights, int(wrong.sum()), len(pairs), len(best))


def _fitted(X: Floats, y: Floats, weight: Floats) -> CoordinateDescent01:
    """Return a line with few mistakes, its weights in the units of X (N, 2)."""
    scaling = standardisation(X, None)
    line = CoordinateDescent01(max_updates=SEARCHES, init="regression", random_state=0)
    line.fit(scaling.apply(X), y, sample_weight=weight)
    weights = scaling.undo(np.concatenate((line.intercept_, line.coef_[0])))
    line.intercept_, line.coef_ = weights[:1], weights[np.newaxis, 1:]
    return line


def _fewest_alone(values: Floats, y: Floats, weight: Floats) -> float:
    """Return the fewest mistakes (by weight) of a threshold on one column."""
    order = np.argsort(values, kind="stable")
    ends = np.append(np.diff(values[order]) > 0.0, True)
    below = np.cumsum(weight[order] * y[order])[ends]  # yes less no, up to each place
    yes = float(weight[y > 0.0].sum())
    no = float(weight[y < 0.0].sum())
    above_is_yes = no + below  # mistakes: the no rows above, the yes rows below
    above_is_no = yes - below
    return float(min(above_is_yes.min(), above_is_no.min(), yes, no))
