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

from separatrix.certificates.checks import holds
from separatrix.certificates.cone import cone_of_data
from separatrix.certificates.directions import RecessionCone
from separatrix.certificates.exact import (
    Floats,
    Indices,
    IntegerRow,
    independent_rows,
    least_score,
    root_above,
    root_below,
)
from separatrix.certificates.gordan import Finding, separate
from separatrix.certificates.margins import LeastPoint, normalised, presentable, simplest
from separatrix.certificates.multipliers import Multipliers, multipliers_of
from separatrix.certificates.separation import rounded
from separatrix.certificates.simplex import Refusal
from separatrix.certificates.survey import Survey, contradictions, survey
from separatrix.data import Sample, read_arrays
from separatrix.tiles import one_blas_thread


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
    """A verdict with its witness.

    Parameters
    ----------
    verdict : "separable", "touching", "overlapping" or "undecided"
    separable : True, False, or None when undecided
    weights : (1+d,) w_0 first; None unless separable or touching. For "touching" these are the
        exact weights rounded to doubles, which may put rows just off the line; the claim is about
        `exact_weights`. Without an intercept w_0 is 0.0.
    exact_weights : the same as Fractions, unrounded
    margin : lower and upper bound of the largest margin in (1, x): that of `weights` rounded down,
        and what multipliers (`margin_proof`) or R allow, rounded up; (0.0, 0.0) if not separable
    radius : R = max_n |z_n|, rounded up
    rho_squared, radius_squared : exact, for the line found; rho_squared is None unless separable
    mistake_bound : floor(R^2 / rho^2) for the line found; None unless separable
    witness : rows and multipliers; empty when separable or undecided
    refusal : a refusal on at most rank + 1 rows; None unless touching or overlapping
    rank : r, exact
    aliased : indices of collinear columns: w_j != 0 for some w with Zw = 0
    margin_proof : multipliers that bound every margin; None unless separable
    reason : which limit was met; "" unless undecided
    x0 : 1.0 with an intercept, 0.0 without
    """

    verdict: str
    separable: bool | None
    weights: Floats | None
    exact_weights: tuple[Fraction, ...] | None
    margin: tuple[float, float]
    radius: float
    rho_squared: Fraction | None
    radius_squared: Fraction
    mistake_bound: int | None
    witness: Witness
    refusal: Multipliers | None
    rank: int
    aliased: tuple[int, ...]
    margin_proof: Multipliers | None
    reason: str
    x0: float
    recession: RecessionCone | None = field(default=None, repr=False)

    @cached_property
    def diverging(self) -> dict[int, int]:
        """Coefficients without a finite optimum: {index in (1+d): +1, -1 or 0}, 0 undetermined.

        Found when first asked for, by one or two questions for each coefficient, each decided in
        exact arithmetic. Empty when overlapping or undecided. Aliased ones are not among them.
        """
        with one_blas_thread():
            return {} if self.recession is None else self.recession.directions()

    @property
    def divergent(self) -> tuple[int, ...]:
        """The keys of `diverging`, which take no time to find: directions do."""
        if "diverging" in self.__dict__:
            return tuple(self.diverging)
        return () if self.recession is None else tuple(self.recession.functionals())

    def verify(self, X: Any, y: Any) -> bool:  # noqa: ANN401  # whatever read_arrays reads
        """Return whether everything claimed holds for X, y, recomputed in exact arithmetic.

        Verdict, weights, witness, refusal, rank, aliased columns, radius, margin and mistake bound
        are recomputed without any solver; `diverging` is not. An undecided result claims no line
        and no refusal.

        Raises
        ------
        InputError
            When X, y are no usable sample.
        """
        return holds(self, read_arrays(X, y))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the answer to `diverging` rather than the data it would be found from."""
        directions = self.diverging
        return {**self.__dict__, "recession": None, "diverging": directions}


def separability(X: Any, y: Any, fit_intercept: bool = True) -> Separability:  # noqa: ANN401
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
        return _decide(survey(sample, x0))


def _decide(table: Survey) -> Separability:
    """Return the verdict on a table."""
    finding = look(table)
    reason = finding.undecided or _doubt(finding, table)
    if reason:
        ceiling = root_above(table.radius_squared)
        return _answer(table, "undecided", reason=reason, margin=(0.0, ceiling))
    if finding.quotient is None or finding.interior is None:
        return _answer(table, "overlapping", settled=finding.settled, refusal=finding.refusal)
    indices = [table.index(j) for j in table.whole.columns]
    recession = RecessionCone(finding.quotient, finding.interior, indices, table.aliased)
    if finding.settled:
        interior = simplest(finding.quotient.cone, finding.interior)
        return _answer(
            table,
            "touching",
            exact=normalised(table.weights(finding.quotient.lift(interior))),
            settled=finding.settled,
            refusal=finding.refusal,
            recession=recession,
        )
    return _separable(table, finding.interior, recession)


def look(table: Survey) -> Finding:
    """Return the finding for a table, rows by their index in it."""
    present = table.present
    if present.size == 0:
        return Finding(None, None, Refusal([0], [1]), {0: 1})
    cone = cone_of_data(table.kept)
    pairs = contradictions(table.values[present], table.sample.y[present])
    chosen = independent_rows(cone.exact.take([pair.rows[0] for pair in pairs]))
    found = separate(cone, [pairs[i] for i in chosen])
    if present.size == table.sample.n:
        return found
    # no line is positive on a row of zeros: it is a refusal by itself
    zero = int(np.setdiff1d(np.arange(table.sample.n), present)[0])
    settled = {int(present[n]): a for n, a in found.settled.items()} or {zero: 1}
    return replace(found, settled=settled, refusal=Refusal([zero], [1]))


def _doubt(finding: Finding, table: Survey) -> str:
    """Return why a combination must not be reported: "" as long as all of them cancel exactly."""
    settled = multipliers_of(list(finding.settled), list(finding.settled.values()), table.x0)
    if finding.settled and not settled.refuses_sample(table.sample):
        return "a combination found modulo a prime number does not cancel exactly"
    return ""


def _separable(table: Survey, line: IntegerRow, recession: RecessionCone) -> Separability:
    """Return the verdict with a line of decent margin and readable weights."""
    better, point = presentable(table.values, table.weights(line))
    exact = normalised(better)
    squared_length = sum((w * w for w in exact), Fraction(0))
    rho_squared = least_score(table.values, exact) ** 2 / squared_length
    proof = None if point is None else _margin_proof(table, point)
    bounds = [table.radius_squared] + ([proof.squared_bound] if proof else [])
    return _answer(
        table,
        "separable",
        exact=exact,
        margin=(root_below(rho_squared), root_above(min(b for b in bounds if b is not None))),
        rho_squared=rho_squared,
        proof=proof,
        recession=recession,
    )


def _margin_proof(table: Survey, point: LeastPoint) -> Multipliers:
    """Return the floats' multipliers as integers, with the exact bound they give."""
    whole = np.rint(np.ldexp(point.multipliers / point.multipliers.max(), 52)).astype(np.int64)
    kept = whole > 0
    rows, multipliers = point.rows[kept].tolist(), whole[kept].tolist()
    bound = multipliers_of(rows, multipliers, table.x0).bound_squared_of(table.sample)
    return multipliers_of(rows, multipliers, table.x0, bound)


def _answer(
    table: Survey,
    verdict: str,
    *,
    exact: list[Fraction] | None = None,
    margin: tuple[float, float] = (0.0, 0.0),
    rho_squared: Fraction | None = None,
    settled: dict[int, int] | None = None,
    refusal: Refusal | None = None,
    proof: Multipliers | None = None,
    recession: RecessionCone | None = None,
    reason: str = "",
) -> Separability:
    """Return the verdict with what every verdict says of the table."""
    weights = None if exact is None else tuple([] if table.x0 else [Fraction(0)]) + tuple(exact)
    bound = None if rho_squared is None else math.floor(table.radius_squared / rho_squared)
    rows = sorted(settled or {})
    few = None
    if refusal is not None:
        few = multipliers_of(refusal.rows, refusal.multipliers, table.x0, Fraction(0))
    return Separability(
        verdict=verdict,
        separable=None if reason else verdict == "separable",
        weights=None if weights is None else np.array([rounded(w) for w in weights]),
        exact_weights=weights,
        margin=margin,
        radius=root_above(table.radius_squared),
        rho_squared=rho_squared,
        radius_squared=table.radius_squared,
        mistake_bound=bound,
        witness=Witness(np.array(rows, dtype=np.int64), tuple((settled or {})[n] for n in rows)),
        refusal=few,
        rank=len(table.whole.columns),
        aliased=table.aliased,
        margin_proof=proof,
        reason=reason,
        x0=table.x0,
        recession=recession,
    )
