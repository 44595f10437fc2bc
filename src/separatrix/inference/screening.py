"""Screening: each of many columns tested by itself, beside fixed covariates.

One fit of the covariates serves all columns. The score test of a column needs no fit of its own;
the likelihood-ratio test, and the estimate, a few steps (`kernels/smooth/screening.py`). Each
column is computed by itself, in one thread, so that results do not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import chdtri, erfc

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Sample, read_arrays, to_points
from separatrix.inference.design import Design
from separatrix.inference.intervals.profile import likelihood_intervals, quantile
from separatrix.inference.maximum import Maximum
from separatrix.kernels.smooth.screening import DEPENDS, FITTED, FLATTENED, screen_columns
from separatrix.kernels.smooth.sigmoid import logistic_parts
from separatrix.tables.wording import counted
from separatrix.tiles import in_threads

CHUNK_NUMBERS = 1 << 20  # of added columns: what a thread takes at once

STATES = ("fitted", "dependent", "flat", "infinite", "score")
WORDS = {
    "dependent": "depends on the covariates, or is constant: not tested",
    "flat": "separates or nearly so; whether its coefficient is infinite was not decided",
    "infinite": "its coefficient is infinite: proven",
    "score": "score test alone",
}


class ScreenedColumn(NamedTuple):
    """One line of a screening: see `Screening`."""

    name: str
    chi2: float
    p: float
    bonferroni: float
    benjamini_hochberg: float
    estimate: float
    standard_error: float
    lower: float
    upper: float
    score_chi2: float
    score_p: float
    state: str


@dataclass(frozen=True, eq=False)
class Screening:
    """What was found of K columns, each by itself beside the covariates; arrays are (K,).

    Parameters
    ----------
    names : of the columns
    chi2 : likelihood-ratio statistic on one degree of freedom, to 1e-9; NaN where not computed
    p : of it; of the score test where the likelihood was not maximised; NaN where not tested
    score_chi2, score_p : of the score test
    estimate, standard_error : of the added coefficient, maximum likelihood; of one step from 0
        where only the score test was made. +-inf where proven infinite, NaN where not decided.
    lower, upper : ends of the likelihood interval of columns that separate; NaN for others
    bonferroni, benjamini_hochberg : p adjusted for all columns tested
    states : "fitted", "score", "infinite", "flat" or "dependent"
    n : rows, by weight
    covariates : how many coefficients are fitted beside each column
    level : of the intervals
    """

    names: tuple[str, ...]
    chi2: Floats
    p: Floats
    score_chi2: Floats
    score_p: Floats
    estimate: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    bonferroni: Floats
    benjamini_hochberg: Floats
    states: tuple[str, ...]
    n: float
    covariates: int
    level: float

    @property
    def order(self) -> NDArray[np.int64]:
        """Columns by p, the least first; those of one p by their statistic, then as given."""
        size = np.where(np.isnan(self.chi2), self.score_chi2, self.chi2)
        return np.lexsort((-np.nan_to_num(size), np.nan_to_num(self.p, nan=2.0)))

    @property
    def rows(self) -> tuple[ScreenedColumn, ...]:
        """One line for each column, as given."""
        columns = [getattr(self, field).tolist() for field in ScreenedColumn._fields[1:-1]]
        lines = zip(self.names, *columns, self.states, strict=True)
        return tuple(map(ScreenedColumn._make, lines))

    def to_frame(self) -> Untyped:
        """Return a pandas data frame of the lines, indexed by name."""
        import pandas as pd  # type: ignore[import-untyped]

        frame = pd.DataFrame(list(self.rows), columns=ScreenedColumn._fields)
        return frame.set_index("name")

    def to_text(self, top: int = 20) -> str:
        """Return the columns of least p as a table, and what became of the others."""
        head = ("column", "estimate", "chi2", "p", "Bonferroni", "BH", "")
        lines, every = [head], self.rows
        for k in self.order[:top].tolist():
            r = every[k]
            numbers = (r.chi2, r.p, r.bonferroni, r.benjamini_hochberg)
            extra = "" if r.state == "fitted" else WORDS[r.state]
            if not np.isnan(r.lower):
                extra = f"{100 * self.level:g} % interval ({r.lower:.4g}, {r.upper:.4g})"
            lines.append((r.name, f"{r.estimate:.4g}", *(f"{v:.4g}" for v in numbers), extra))
        widths = [max(len(line[k]) for line in lines) for k in range(6)]
        table = [
            "  ".join(
                [
                    line[0].ljust(widths[0]),
                    *(line[k].rjust(widths[k]) for k in range(1, 6)),
                    line[6],
                ]
            ).rstrip()
            for line in lines
        ]
        counts = {state: self.states.count(state) for state in WORDS}
        notes = [f"{counted(n, 'column')}: {WORDS[state]}." for state, n in counts.items() if n]
        tested = int((~np.isnan(self.p)).sum())
        title = (
            f"{tested:,} of {len(self.names):,} columns tested one at a time beside "
            f"{counted(self.covariates, 'coefficient')}, {self.n:,.10g} rows; likelihood-ratio "
            "chi2, 1 df"
        )
        return "\n".join([title, "", *table, *([""] if notes else []), *notes]) + "\n"

    def to_csv(self) -> str:
        """Return all lines as comma-separated values, in the order given."""
        import csv
        import io

        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(ScreenedColumn._fields)
        writer.writerows([row.name, *map(repr, row[1:-1]), row.state] for row in self.rows)
        return out.getvalue()


def screen(
    columns: ArrayLike,
    y: ArrayLike,
    covariates: ArrayLike = None,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike = None,
    likelihood_below: float = 1.0,
    level: float = 0.95,
    most_intervals: int = 100,
    progress: Callable[[int, int], None] | None = None,
) -> Screening:
    """Test each column by itself in a logistic regression beside the covariates and a constant.

    Parameters
    ----------
    columns : table (N, K) of numbers, dense (any dtype), sparse or a data frame
    y : N labels of two kinds, the second in sorted order is "yes"
    covariates : table (N, q) of numbers fitted beside each column; None for the constant alone
    names : of the columns; by default those of a data frame, else x1, x2, ...
    sample_weight : (N,) counts of rows
    likelihood_below : maximise the likelihood where the score test's p is at most this
    level : of the intervals of columns that separate
    most_intervals : how many of these, the least p first, are decided exactly and get an interval
    progress : called with the numbers of columns done and of all

    Raises
    ------
    InputError
        For what cannot be used, naming row and column.

    Examples
    --------
    >>> X = [[0, 1], [1, 0], [2, 1], [3, 1], [4, 0], [5, 1]]
    >>> found = screen(X, [0, 0, 1, 0, 1, 1])
    >>> [f"{p:.4f}" for p in found.p]
    ['0.0771', '1.0000']
    """
    source = _Columns.of(columns, names)
    sample, null = _null(y, covariates, sample_weight, source.n)
    quantile(level)
    if not isinstance(likelihood_below, int | float) or not 0.0 <= likelihood_below <= 1.0:
        raise InputError(f"likelihood_below={likelihood_below!r} must be between 0 and 1.")
    from_chi2 = float(chdtri(1.0, likelihood_below)) if likelihood_below > 0.0 else np.inf
    size = max(1, CHUNK_NUMBERS // max(1, source.n))
    starts = range(0, len(source.names), size)
    parts = [partial(_screened, source, null, start, start + size, from_chi2) for start in starts]
    found, states = np.full((len(source.names), 6), np.nan), np.zeros(len(source.names), np.int8)
    for start, (answers, kinds) in zip(starts, in_threads(parts), strict=True):
        found[start : start + size], states[start : start + size] = answers, kinds
        if progress is not None:
            progress(min(start + size, len(source.names)), len(source.names))
    words = np.array([STATES[k] for k in states.tolist()], dtype=object)
    words[(states == FITTED) & np.isnan(found[:, 1])] = "score"
    estimate, lower, upper = found[:, 2].copy(), *np.full((2, states.size), np.nan)
    estimate[states == FLATTENED] = np.nan
    errors = np.where(states == FITTED, found[:, 3], np.nan)
    p = np.where(np.isnan(found[:, 1]), _p(found[:, 0]), _p(found[:, 1]))
    flat = sorted(np.flatnonzero(states == FLATTENED).tolist(), key=lambda k: (p[k], k))
    for place, k in enumerate(flat):
        g = source.chunk(k, k + 1)[0]
        way = _one_sided(g[null.kept], null.y)
        if way:
            words[k], estimate[k] = "infinite", way * np.inf
        if place < most_intervals:
            rows = np.column_stack([sample.X, g])
            whole = Sample(rows, sample.y, sample.classes, sample.weight)
            ends = likelihood_intervals(whole, 1.0, level, [whole.d])
            if whole.d in ends.undecided:
                continue
            estimate[k] = ends.estimates[-1]
            lower[k], upper[k] = ends.lower[-1], ends.upper[-1]
            words[k] = "fitted" if np.isfinite(estimate[k]) else "infinite"
    bonferroni, hochberg = adjusted(p)
    return Screening(
        source.names, found[:, 1], p, found[:, 0], _p(found[:, 0]), estimate, errors,
        lower, upper, bonferroni, hochberg, tuple(words.tolist()),
        float(sample.weight.sum()), len(null.basis), level,
    )  # fmt: skip


def adjusted(p: Floats) -> tuple[Floats, Floats]:
    """Return p (K,) adjusted by Bonferroni, and by Benjamini & Hochberg (*JRSS B* 57, 1995).

    NaN is no test and stays NaN.
    """
    tested = np.flatnonzero(~np.isnan(p))
    bonferroni, hochberg = np.full((2, p.size), np.nan)
    bonferroni[tested] = np.minimum(1.0, p[tested] * tested.size)
    order = tested[np.argsort(p[tested], kind="stable")]
    shares = p[order] * (tested.size / np.arange(1, order.size + 1))
    hochberg[order] = np.minimum(1.0, np.minimum.accumulate(shares[::-1])[::-1])
    return bonferroni, hochberg


@dataclass(frozen=True)
class _Null:
    """The fit of the covariates, on the n rows whose likelihood it leaves below 1.

    Parameters
    ----------
    kept : (N,) which rows
    basis : (k, n) their covariates, orthonormal in `curvature`; y, weight, scores, curvature : (n,)
    """

    kept: NDArray[np.bool_]
    basis: Floats
    y: Floats
    weight: Floats
    scores: Floats
    curvature: Floats


def _null(
    y: ArrayLike, covariates: ArrayLike, sample_weight: ArrayLike, n: int
) -> tuple[Sample, _Null]:
    """Return the checked covariates (N, q), and their fit."""
    if covariates is None:
        covariates = np.zeros((n, 0))
        sample = read_arrays(np.zeros((n, 1)), y, sample_weight)
        sample = Sample(covariates, sample.y, sample.classes, sample.weight)
    else:
        sample = read_arrays(covariates, y, sample_weight)
    weighty = sample.weight > 0.0
    rows = sample.only(weighty)
    if sample.d == 0:
        yes = rows.weight[rows.y > 0.0].sum()
        kept, design = np.ones(rows.n, dtype=bool), Design.of(rows.X, 1.0)
        scores = np.full(rows.n, np.log(yes / (rows.weight.sum() - yes)))
    else:
        found = Maximum.of(rows, 1.0)
        kept, design = found.finite, found.design
        scores = design.A @ found.c
    if not kept.any():
        raise InputError(
            "the covariates alone separate the labels: no column can add anything. Leave out "
            "covariates, or see which one separates with `separatrix check`."
        )
    inside = rows.only(kept)
    curvature = np.empty(inside.n)
    logistic_parts(inside.y * scores, np.empty(inside.n), curvature, np.empty(inside.n))
    curvature *= inside.weight
    A = design.A
    L = np.linalg.cholesky(A.T @ (A * curvature[:, None]))
    basis = np.ascontiguousarray(scipy.linalg.solve_triangular(L, A.T, lower=True))
    chosen = weighty.copy()
    chosen[weighty] = kept
    return sample, _Null(chosen, basis, inside.y, inside.weight, scores, curvature)


@dataclass(frozen=True)
class _Columns:
    """K columns of N numbers, a few at a time as doubles.

    Parameters
    ----------
    table : array, CSC or data frame (N, K)
    names : (K,)
    n : N
    """

    table: Untyped
    names: tuple[str, ...]
    n: int

    @classmethod
    def of(cls, columns: ArrayLike, names: Sequence[str] | None) -> _Columns:
        if sp.issparse(columns):
            columns = sp.csc_array(to_points(columns))
        elif not hasattr(columns, "columns"):
            columns = np.asarray(columns)
            if columns.ndim != 2 or columns.dtype.kind not in "biuf":
                columns = to_points(columns)
        found = getattr(columns, "columns", None) if names is None else names
        k = int(columns.shape[1])
        texts = [f"x{j + 1}" for j in range(k)] if found is None else [str(v) for v in found]
        if len(texts) != k:
            raise InputError(f"names has {len(texts)} names for {k} columns.")
        return cls(columns, tuple(texts), int(columns.shape[0]))

    def chunk(self, start: int, stop: int) -> Floats:
        """Return columns start, ..., stop - 1 as rows of an array (m, N), checked."""
        if sp.issparse(self.table):
            part = self.table[:, start:stop].toarray()
        elif hasattr(self.table, "iloc"):
            part = to_points(self.table.iloc[:, start:stop])
        elif hasattr(self.table, "columns"):
            part = to_points(self.table[:, start:stop])
        else:
            part = self.table[:, start:stop]
        rows = np.ascontiguousarray(part.T, dtype=np.float64)
        if not np.isfinite(rows).all():
            k, i = np.argwhere(~np.isfinite(rows))[0].tolist()
            raise InputError(
                f"column {self.names[start + k]!r} holds {rows[k, i]} in row {i}: columns to "
                "screen must be finite numbers. Fill the gap, or drop the row or the column."
            )
        return rows


def _screened(
    source: _Columns, null: _Null, start: int, stop: int, from_chi2: float
) -> tuple[Floats, NDArray[np.int8]]:
    """Return what the kernel finds of some of the columns."""
    added = source.chunk(start, stop)
    if not null.kept.all():
        added = np.ascontiguousarray(added[:, null.kept])
    found, states = np.empty((len(added), 6)), np.empty(len(added), np.int8)
    screen_columns(
        added, null.basis, null.y, null.weight, null.curvature, null.scores, from_chi2,
        found, states,
    )  # fmt: skip
    found[states == DEPENDS] = np.nan
    return found, states


def _one_sided(g: Floats, y: Floats) -> int:
    """Return +1 where a threshold on g separates: all yes at or above, no at or below; else -1, 0.

    Doubles are compared, so that the answer is exact.
    """
    yes, no = g[y > 0.0], g[y < 0.0]
    if not yes.size or not no.size or g.min() == g.max():
        return 0
    return int(yes.min() >= no.max()) - int(yes.max() <= no.min())


def _p(chi2: Floats) -> Floats:
    """Return the p of chi-square statistics of one degree of freedom."""
    return np.asarray(erfc(np.sqrt(np.maximum(chi2, 0.0) / 2.0)))
