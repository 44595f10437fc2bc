"""Is a table linearly separable? One of three verdicts, each with a witness that checks exactly.

With z_n = y_n (1, x_n), N rows of rank r (Albert & Anderson 1984):

- *separable*: some w has Zw > 0; the witness is w.
- *touching* (quasi-complete separation): none has, but some w has Zw >= 0, Zw != 0; the witness is
  such a w with the most rows positive, and lambda > 0 on rows with sum lambda_n z_n = 0 that span
  all rows on which w is zero.
- *overlapping*: Zw >= 0 only where Zw = 0; the witness is lambda > 0 on rows of the whole rank r
  with sum lambda_n z_n = 0.

Doubles are taken as the rationals they are. What is reported has been checked in exact arithmetic;
a limit that was met is reported as "undecided", never as a "no".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.multipliers import Multipliers, multipliers_of
from separatrix.certificates.separation import rounded
from separatrix.data import InputError, Sample, dense, read_arrays
from separatrix.exact.cone import cone_of_data
from separatrix.exact.integers import (
    Floats,
    Indices,
    fractions_of,
    independent_rows,
    root_above,
    root_below,
)
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.alternative import Finding, separate
from separatrix.separation.check import holds, witness_holds
from separatrix.separation.constraint_generation import Support, first_rows, hunt, refusal_on
from separatrix.separation.divergence import (
    Divergence,
    divergence_of_separable,
    divergence_of_touching,
)
from separatrix.separation.duplicates import contradictions
from separatrix.separation.exact_simplex import Refusal
from separatrix.separation.hull_distance import Street, widest_street
from separatrix.separation.iterative_refinement import sharpened
from separatrix.separation.max_margin import Widest, widest
from separatrix.separation.recession_cone import RecessionCone
from separatrix.separation.rounding import as_doubles, normalised, simplest
from separatrix.tiles import one_blas_thread

FEW = 1 << 20  # numbers of a table in which equal rows are looked for at once


@dataclass(frozen=True, eq=False)
class Witness:
    """Rows that a positive combination cancels: sum multipliers[i] z_rows[i] = 0.

    Parameters
    ----------
    rows : (m,) indices into X, ascending
    multipliers : m Python integers > 0
    """

    rows: Indices
    multipliers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Separability:
    """A verdict with its witness; what takes longer is found when first asked for.

    Parameters
    ----------
    verdict : "separable", "touching", "overlapping" or "undecided"
    separable : True, False, or None when undecided
    line : (1+d,) exact weights of the line on which the verdict rests, w_0 first; None unless
        separable or touching. Without an intercept w_0 is 0.
    witness : rows and multipliers; empty when separable or undecided
    refusal : a refusal on at most rank + 1 rows; None unless touching or overlapping
    rank : r, exact
    aliased : indices of collinear columns: w_j != 0 for some w with Zw = 0
    radius, radius_squared : R = max_n |z_n|, rounded up, and its square, exact
    reason : which limit was met; "" unless undecided
    x0 : 1.0 with an intercept, 0.0 without
    table : what later questions are answered from: X and y, which should not change in between
    """

    verdict: str
    separable: bool | None
    line: tuple[Fraction, ...] | None
    witness: Witness
    refusal: Multipliers | None
    rank: int
    aliased: tuple[int, ...]
    radius: float
    radius_squared: Fraction
    reason: str
    x0: float
    table: SignedRows | None = field(default=None, repr=False)
    recession: RecessionCone | None = field(default=None, repr=False)

    @cached_property
    def widest(self) -> Widest | None:
        """A line of largest margin and the multipliers that bound it; None unless separable.

        The two margins are within 1e-6 of each other, relative, unless a limit was met.
        """
        if self.verdict != "separable" or self.line is None:
            return None
        table = self._same_table()
        with one_blas_thread():
            return widest(table, table.columns_of(self.line))

    @property
    def exact_weights(self) -> tuple[Fraction, ...] | None:
        """(1+d,) weights, w_0 first: of `widest` when separable, of `line` when touching."""
        if self.widest is None:
            return self.line
        return (*([] if self.x0 else [Fraction(0)]), *self.widest.weights)

    @property
    def weights(self) -> Floats | None:
        """`exact_weights` rounded to doubles, which may put rows just off the line."""
        exact = self.exact_weights
        return None if exact is None else np.array([rounded(w) for w in exact])

    @property
    def rho_squared(self) -> Fraction | None:
        """The squared margin of the line of `widest`, exactly; None unless separable."""
        return None if self.widest is None else self.widest.rho_squared

    @property
    def margin_proof(self) -> Multipliers | None:
        """Multipliers that bound every margin; None unless separable."""
        return None if self.widest is None else self.widest.proof

    @property
    def margin(self) -> tuple[float, float]:
        """Lower and upper bound of the largest margin in (1, x), rounded outward.

        (0.0, 0.0) when no line separates, (0.0, R) when undecided.
        """
        if self.widest is None:
            return (0.0, 0.0 if self.separable is False else self.radius)
        squared = min(self.widest.proof.squared_bound or self.radius_squared, self.radius_squared)
        return root_below(self.widest.rho_squared), root_above(squared)

    @cached_property
    def street(self) -> Street | None:
        """The widest empty street between the classes in x-space; None unless separable.

        Without an intercept the street's middle goes through the origin.
        """
        if self.verdict != "separable" or self.line is None:
            return None
        if not self.x0:
            assert self.widest is not None  # noqa: S101  # separable
            found = self.widest
            return Street(found.weights, 4 * found.rho_squared, 4 * found.bound)
        with one_blas_thread():
            return widest_street(self._same_table().sample, self.line)

    @property
    def street_width(self) -> tuple[float, float]:
        """Lower and upper bound of the street's width in x-space, rounded outward.

        What a support vector machine makes as wide as it can. (0.0, 0.0) unless separable.
        """
        if self.street is None:
            return (0.0, 0.0)
        return root_below(self.street.width_squared), root_above(self.street.bound)

    @property
    def mistake_bound(self) -> int | None:
        """floor(R^2 / rho^2) with the best margin known; None unless separable."""
        if self.rho_squared is None:
            return None
        return math.floor(self.radius_squared / self.rho_squared)

    @property
    def diverging(self) -> dict[int, int]:
        """Coefficients without a finite optimum: {index in (1+d): +1, -1 or 0}, 0 undetermined.

        Found when first asked for, by one or two questions for each coefficient, and only what
        checks in exact arithmetic is said (`divergence`). Empty when overlapping or undecided.
        Aliased ones are not among them.
        """
        return {} if self.divergence is None else self.divergence.directions

    @cached_property
    def divergence(self) -> Divergence | None:
        """Lines and multipliers that show `diverging`, checked; None when nothing diverges."""
        if self.line is None or self.verdict not in ("separable", "touching"):
            return None
        table = self._same_table()
        with one_blas_thread():
            if self.recession is None:
                return divergence_of_separable(self.line, self.divergent, table)
            return divergence_of_touching(self.recession, self.witness.rows.tolist(), table)

    @property
    def directionless(self) -> tuple[int, ...]:
        """Those of `diverging` for which a limit left open whether they go one way or either."""
        return () if self.divergence is None else self.divergence.open

    @property
    def divergent(self) -> tuple[int, ...]:
        """The keys of `diverging`, which take no time to find: directions do."""
        if self.__dict__.get("divergence") is not None:
            return tuple(self.diverging)
        if self.verdict == "separable" and self.table is not None:
            columns = range(self.table.width)
            return tuple(j for j in map(self.table.index, columns) if j not in self.aliased)
        return () if self.recession is None else tuple(self.recession.functionals())

    def verify(self, X: ArrayLike, y: ArrayLike) -> bool:
        """Return whether everything claimed holds for X, y, recomputed in exact arithmetic.

        Verdict, weights, witness, refusal, rank and aliased columns are recomputed without any
        solver, the radius too; margins and `diverging` when they have been asked for. An undecided
        result claims no line and no refusal.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        return holds(self, read_arrays(X, y))

    def _same_table(self) -> SignedRows:
        """Return the table, on which the witness must still hold: it may have been written to."""
        table = None if self.table is None else SignedRows(self.table.sample, self.x0)
        if table is None or table.longest != self.radius_squared or not witness_holds(self, table):
            raise InputError(
                "the table has changed since it was judged, so nothing more can be said of it. Ask "
                "for margin and diverging before writing to X or y."
            )
        return table

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the answers to later questions rather than the data they would be found from."""
        answers = {name: getattr(self, name) for name in ("divergence", "widest")}
        return {**self.__dict__, "recession": None, "table": None, **answers}


def separability(X: ArrayLike, y: ArrayLike, fit_intercept: bool = True) -> Separability:
    """Decide whether a line separates the yes rows from the no rows, with a proof either way.

    Parameters
    ----------
    X : table (N, d): an array, a data frame or a sparse array
    y : N labels of two kinds
    fit_intercept : whether the line may miss the origin

    Raises
    ------
    InputError
        When X, y are no usable sample.

    Examples
    --------
    >>> found = separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found.verdict, found.witness.rows.tolist(), found.witness.multipliers
    ('overlapping', [0, 1, 2, 3], (1, 1, 1, 1))
    """
    return separability_of(read_arrays(X, y), 1.0 if fit_intercept else 0.0)


def separability_of(sample: Sample, x0: float) -> Separability:
    """Decide a checked sample as `separability` does.

    Parameters
    ----------
    sample : its row weights play no role: leave out the rows that should not count
    x0 : 1.0 with an intercept, 0.0 without
    """
    with one_blas_thread():
        return _decide(SignedRows(sample, x0))


def _decide(table: SignedRows) -> Separability:
    """Return the verdict on a table: from a few rows if they tell, from all of them if not."""
    found = few_rows_tell(table)
    if isinstance(found, list):
        return _answer(table, "separable", exact=found)
    finding = look(table) if found is None else found
    # what few rows tell has just been checked
    reason = finding.undecided or ("" if found is finding else _doubt(finding, table))
    if reason:
        return _answer(table, "undecided", reason=reason)
    if finding.quotient is None or finding.interior is None:
        return _answer(table, "overlapping", settled=finding.settled, refusal=finding.refusal)
    if not finding.settled:
        line = table.line_on_span(finding.interior)
        return _answer(table, "separable", exact=_as_doubles(table, line))
    indices = [table.index(j) for j in table.span.columns]
    interior = simplest(finding.quotient.cone, finding.interior)
    return _answer(
        table,
        "touching",
        exact=normalised(table.line_on_span(finding.quotient.lift(interior))),
        settled=finding.settled,
        refusal=finding.refusal,
        recession=RecessionCone(finding.quotient, finding.interior, indices, table.aliased),
    )


def few_rows_tell(table: SignedRows) -> list[Fraction] | Finding | None:
    """Return proven weights (D,), or the finding that the rows overlap, or None."""
    working = first_rows(table)
    found = hunt(working)
    if isinstance(found, np.ndarray):
        return fractions_of(found)
    if isinstance(found, Support):
        overlap = _overlap(table, found.rows)
        if overlap is not None:
            return overlap
    sharp = sharpened(working)
    if isinstance(sharp, np.ndarray):
        return _overlap(table, working.index(sharp))
    return None if sharp is None else _as_doubles(table, sharp)


def _overlap(table: SignedRows, rows: Indices) -> Finding | None:
    """Return the finding that the rows overlap, when some that cancel have the whole rank."""
    multipliers = refusal_on(table.floats(rows))
    # any rows but one of them are independent: fewer than the rank, and other rows may lie off them
    if multipliers is None or rows.size <= table.rank:
        return None
    return Finding(
        None,
        None,
        _twins(table) or Refusal(rows.tolist(), multipliers),
        dict(zip(rows.tolist(), multipliers, strict=True)),
    )


def _twins(table: SignedRows) -> Refusal | None:
    """Return two equal rows with opposite labels, the shortest refusal, where looking is cheap."""
    if table.n * table.width > FEW or table.rank == 0:
        return None
    pairs = contradictions(dense(table.sample.X, "a look for equal rows"), table.sample.y)
    return pairs[0] if pairs else None


def _as_doubles(table: SignedRows, exact: list[Fraction]) -> list[Fraction]:
    """Return weights that separate as doubles, where a multiple of them survives rounding."""
    for weights in as_doubles(exact):
        if table.least(weights)[0] > 0:
            return normalised(weights)
    return normalised(exact)


def look(table: SignedRows) -> Finding:
    """Return the finding for a table, rows by their index in it."""
    present = table.present
    if present.size == 0:
        return Finding(None, None, Refusal([0], [1]), {0: 1})
    cone = cone_of_data(table.values[present][:, table.span.columns])
    # rows z_n = -z_m are the same point with the other label
    points = table.values[present] * table.sample.y[present, None]
    pairs = contradictions(points, table.sample.y[present])
    chosen = independent_rows(cone.exact.take([pair.rows[0] for pair in pairs]))
    found = separate(cone, [pairs[i] for i in chosen])
    if present.size == table.n:
        return found
    # no line is positive on a row of zeros: it is a refusal by itself
    zero = int(np.setdiff1d(np.arange(table.n), present)[0])
    settled = {int(present[n]): a for n, a in found.settled.items()} or {zero: 1}
    return replace(found, settled=settled, refusal=Refusal([zero], [1]))


def _doubt(finding: Finding, table: SignedRows) -> str:
    """Return why a combination must not be reported: "" as long as all of them cancel exactly."""
    settled = multipliers_of(list(finding.settled), list(finding.settled.values()), table.x0)
    if finding.settled and not settled.refuses_sample(table.sample):
        return "a combination found modulo a prime number does not cancel exactly"
    return ""


def _answer(
    table: SignedRows,
    verdict: str,
    *,
    exact: list[Fraction] | None = None,
    settled: dict[int, int] | None = None,
    refusal: Refusal | None = None,
    recession: RecessionCone | None = None,
    reason: str = "",
) -> Separability:
    """Return the verdict with what every verdict says of the table."""
    rows = sorted(settled or {})
    few = None
    if refusal is not None:
        few = multipliers_of(refusal.rows, refusal.multipliers, table.x0, Fraction(0))
    return Separability(
        verdict=verdict,
        separable=None if reason else verdict == "separable",
        line=None if exact is None else tuple(table.weights(exact)),
        witness=Witness(np.array(rows, dtype=np.int64), tuple((settled or {})[n] for n in rows)),
        refusal=few,
        rank=table.rank,
        aliased=table.aliased,
        radius=root_above(table.longest),
        radius_squared=table.longest,
        reason=reason,
        x0=table.x0,
        table=table,
        recession=recession,
    )
