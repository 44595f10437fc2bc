"""The fewest mistakes that any line can make: a bracket that closes, and can be cut short anywhere.

min over w of the weight of {n : z_n.w <= 0}, z_n = y_n (1, x_n): a row on the line is a mistake.
The same number is the halfspace depth of the origin among the z_n (Tukey 1975; Johnson & Preparata
1978: NP-hard when the dimension grows). How the bounds are found: `mistake_hunt.py`; how anybody
checks them: `verify.py`, which needs nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from separatrix._types import ArrayLike
from separatrix.certificates.separation import Separation, rounded
from separatrix.data import InputError, Sample, read_arrays
from separatrix.exact.integers import (
    Floats,
    IntegerRow,
    independent_rows,
)
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.tiles import one_blas_thread
from separatrix.verify import CannotCheck, Refuted, mistakes_shown
from separatrix.zero_one.branch_and_bound import ALL, Budget, Knowledge
from separatrix.zero_one.core_packing import Cases, Packing
from separatrix.zero_one.enumeration import Enumeration
from separatrix.zero_one.presolve import exact_weights
from separatrix.zero_one.problem import Limits, Question, Tally
from separatrix.zero_one.proof import packed_proof, relations_of, write_proof
from separatrix.zero_one.strategy import Hunt, Progress


@dataclass(frozen=True, eq=False)
class FewestMistakes:
    """The claim that a line makes mistakes of weight `upper`, and no line less than `lower`.

    Parameters
    ----------
    weights : (1+d,) w_0 first: doubles, or Fractions where doubles make more mistakes
    lower, upper : sums of row weights, exact
    proof : of the lower bound: nested lists of integers, which `verify.mistakes_shown` reads
    cost_wrong_yes, cost_wrong_no : factors of the row weights
    x0 : 1.0 with an intercept, 0.0 without
    unit : what the proof counts weights in, rounded down
    """

    weights: Floats | Sequence[Fraction]
    lower: Fraction
    upper: Fraction
    proof: list[Any] = field(repr=False)
    cost_wrong_yes: float
    cost_wrong_no: float
    x0: float
    unit: Fraction

    def verify(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike = None) -> bool:
        """Return whether both bounds hold for these rows, in whole numbers only.

        Raises
        ------
        InputError
            When X, y, sample_weight are no usable sample.
        """
        sample = read_arrays(X, y, sample_weight)
        tally = Tally(sample, self.x0, self.cost_wrong_yes, self.cost_wrong_no)
        if not self._line_holds(tally):
            return False
        integers = SignedRows(sample, self.x0).integers(np.arange(sample.n))
        units = tally.units
        if units.unit != self.unit:
            units = exact_weights(tally.weight)
        try:
            shown = mistakes_shown(integers, units.whole.tolist(), self.proof)
        except (Refuted, CannotCheck):
            return False
        return units.unit == self.unit and self.lower <= shown * units.unit

    def _line_holds(self, tally: Tally) -> bool:
        """Return whether the mistakes of the line weigh `upper`."""
        weights = self.weights
        if len(weights) != tally.sample.d + 1:
            return False
        finite = not isinstance(weights, np.ndarray) or bool(np.isfinite(weights).all())
        return finite and tally.mistakes(weights) == self.upper


@dataclass(frozen=True, eq=False)
class ErrorBracket:
    """Bounds of the fewest mistakes that any line makes, as a sum of row weights.

    Parameters
    ----------
    lower, upper : proven bounds; exact sums, each rounded once to the nearest double
    proven : whether the exact bounds are equal: no line makes fewer mistakes than `upper`
    weights : (1+d,) w_0 first: doubles whose exact recount gives `upper`; where only a line of
        exact fractions does that (`exact_line`), the best doubles known
    nodes : boxes looked at
    reason : why the bracket is not closed; "" when it is
    interrupted : whether Ctrl-C ended the search; the bracket is the best until then
    x0 : 1.0 with an intercept, 0.0 without
    exact_line : (1+d,) exact weights of a line with the mistakes `upper`, where `weights` make
        more; else None
    enumeration : of all cells of lines, where that and not the search proves the bounds
    """

    lower: float
    upper: float
    proven: bool
    weights: Floats
    nodes: int
    reason: str
    interrupted: bool
    x0: float
    exact_lower: Fraction = field(repr=False)
    exact_upper: Fraction = field(repr=False)
    packing: Packing | Cases | None = field(default=None, repr=False)
    question: Question | None = field(default=None, repr=False)
    exact_line: tuple[Fraction, ...] | None = field(default=None, repr=False)
    exact_mistakes: Fraction | None = field(default=None, repr=False)
    enumeration: Enumeration | None = field(default=None, repr=False)

    @property
    def mistakes(self) -> Fraction:
        """The weight of the mistakes of `weights`, exact: `upper` where doubles reach it."""
        return self.exact_upper if self.exact_mistakes is None else self.exact_mistakes

    @cached_property
    def certificate(self) -> FewestMistakes:
        """A proof of both bounds that anybody can check; written when first asked for.

        The search is made once more with a log, from the best line known: that takes about as long
        as it took to show the lower bound (`certified` tells how far it is).

        Raises
        ------
        InputError
            When the data are gone, because the bracket comes from a pickle.
        """
        return self.certified(lambda _: None)

    def certified(self, told: Callable[[int], None]) -> FewestMistakes:
        """Return the certificate; `told` how many boxes have been looked at while it is written.

        Ctrl-C ends that: nothing is kept of a certificate half written.
        """
        if "certificate" in self.__dict__:
            return self.certificate
        if self.question is None:
            raise InputError(
                "the data are not kept in a pickle: ask for the certificate before pickling."
            )
        with one_blas_thread():
            made = _certified(self, self.question, _ToldBudget(None, ALL, told=told))
        self.__dict__["certificate"] = made
        return made

    @property
    def by_cores(self) -> bool:
        """Whether cores of all rows prove the lower bound, and no boxes are needed."""
        found = self.enumeration
        return self.packing is not None or (found is not None and found.packing is not None)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the bounds and, if it was written, the certificate: not the data."""
        return {**self.__dict__, "question": None}


def minimum_errors(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike = None,
    time_limit: float | None = 60.0,
    max_nodes: int | None = None,
    *,
    fit_intercept: bool = True,
    cost_wrong_yes: float = 1.0,
    cost_wrong_no: float = 1.0,
    progress: Progress | None = None,
) -> ErrorBracket:
    """Bound the fewest mistakes that any line can make on these rows.

    Parameters
    ----------
    X : table (N, d): an array, a data frame or a sparse array
    y : N labels of two kinds
    sample_weight : (N,) k stands for k copies of the row
    time_limit : seconds without those of compiling kernels, or None; where it falls depends on the
        machine
    max_nodes : boxes of the branch and bound, or None; the same limit gives the same bytes
    fit_intercept : whether the line may miss the origin
    cost_wrong_yes : what a "yes" costs to a row whose label is no
    cost_wrong_no : what a "no" costs to a row whose label is yes
    progress : called with (lower, upper) now and then

    Raises
    ------
    InputError
        For data or parameters that cannot be used.

    Notes
    -----
    `proven` rests on this search's own arithmetic, rounded outwards, and on exact integers where
    rows tie. Ctrl-C ends the search, not the program: the best bracket comes back and says so.

    Examples
    --------
    >>> found = minimum_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found.lower, found.upper, found.proven
    (1.0, 1.0, True)
    """
    sample = read_arrays(X, y, sample_weight)
    limits = Limits.of(time_limit, max_nodes, cost_wrong_yes, cost_wrong_no)
    return fewest_mistakes(sample, 1.0 if fit_intercept else 0.0, limits, progress)


def fewest_mistakes(
    sample: Sample,
    x0: float,
    limits: Limits,
    progress: Progress | None = None,
    lines: Sequence[Floats] = (),
    *,
    separating: Sequence[Fraction] | None = None,
) -> ErrorBracket:
    """Do what `minimum_errors` does with a checked sample.

    Parameters
    ----------
    lines : (1+d,) each, known already; the search starts from the best of them
    separating : (1+d,) exact weights said to separate the rows: that is checked
    """
    with one_blas_thread():
        question = Question(sample, x0, limits)
        tally = Tally(sample, x0, limits.wrong_yes, limits.wrong_no)
        for line in lines:
            if np.isfinite(line).all() and tally.mistakes(line) == 0:
                return _without_mistakes(line, question)
        if separating is not None and Separation(separating, x0).separates(sample):
            return _separated(separating, lines, question)
        hunt = Hunt(question, progress, lines)
        hunt.run()
        if hunt.separating is not None:
            return _separated(hunt.separating, lines, question)
    found, packing = hunt.enumeration, hunt.packing
    lower = min(hunt.exact_lower, hunt.upper)
    upper = hunt.upper if found is None else found.fewest
    beaten = upper < hunt.upper
    return ErrorBracket(
        lower=float(lower),
        upper=float(upper),
        proven=lower == upper,
        weights=hunt.line,
        nodes=hunt.budget.nodes,
        reason=hunt.reason,
        interrupted=hunt.interrupted,
        x0=x0,
        exact_lower=lower,
        exact_upper=upper,
        packing=packing if packing is not None and packing.bound >= hunt.lower else None,
        question=question,
        exact_line=found.line if found is not None and beaten else None,
        exact_mistakes=hunt.upper if beaten else None,
        enumeration=found,
    )


def _without_mistakes(line: Floats, question: Question) -> ErrorBracket:
    return ErrorBracket(
        0.0, 0.0, True, line, 0, "", False, question.x0, Fraction(0), Fraction(0), None, question
    )


def _separated(
    line: Sequence[Fraction], others: Sequence[Floats], question: Question
) -> ErrorBracket:
    """Return the bracket of rows that an exact line separates, beside lines of doubles.

    Where its weights are no doubles, those of the doubles known are told that make fewest mistakes.
    """
    doubles = doubles_of(line)
    if doubles is not None:
        return _without_mistakes(doubles, question)
    limits = question.limits
    tally = Tally(question.sample, question.x0, limits.wrong_yes, limits.wrong_no)
    largest = max(map(abs, line))
    near = np.array([rounded(w / largest) for w in line])
    best = min((near, *(w for w in others if np.isfinite(w).all())), key=tally.mistakes)
    return replace(
        _without_mistakes(best, question),
        exact_line=tuple(line),
        exact_mistakes=tally.mistakes(best),
    )


@dataclass(eq=False)
class _ToldBudget(Budget):
    """Tells what was spent whenever it is asked what is left."""

    told: Callable[[int], None] = lambda _: None

    def left(self) -> int:
        """Return how many boxes may still be looked at."""
        self.told(self.nodes)
        return super().left()


def _certified(bracket: ErrorBracket, question: Question, budget: Budget) -> FewestMistakes:
    """Write the proof of a bracket's lower bound."""
    found = bracket.enumeration
    if found is not None and found.packing is not None:
        columns = list(range(question.sample.d + int(question.x0)))
        proof = packed_proof(found.packing, (columns, [])) if found.packing.bound else []
        return _with_proof(bracket, question, proof, bracket.exact_lower, found.unit)
    lower = bracket.exact_lower if found is None else found.at_least
    hunt = Hunt(question)
    goal = math.ceil(lower / hunt.units.unit) - hunt.count.base
    proof = []
    if hunt.count.rows is not None and goal > 0:
        rows = replace(hunt.count.rows, rows=np.arange(hunt.count.rows.n))
        table, columns = hunt.table, hunt.columns
        line = bracket.weights[[table.index(j) for j in columns]]
        relations: list[IntegerRow] = []
        if len(columns) < table.width:
            relations = relations_of(_spanning(table, columns), columns)
        if bracket.packing is not None:
            proof = packed_proof(bracket.packing, (columns, relations))
        else:
            with budget.interrupts:
                known = Knowledge(rows, budget)
                proof = write_proof((columns, relations), rows, line, goal, known)
    return _with_proof(bracket, question, proof, lower, hunt.units.unit)


def _with_proof(
    bracket: ErrorBracket, question: Question, proof: list[Any], lower: Fraction, unit: Fraction
) -> FewestMistakes:
    return FewestMistakes(
        bracket.exact_line or bracket.weights, lower, bracket.exact_upper, proof,
        question.limits.wrong_yes, question.limits.wrong_no, question.x0, unit,
    )  # fmt: skip


def _spanning(table: SignedRows, columns: list[int]) -> list[IntegerRow]:
    """Return rows that are independent in the columns."""
    integers = table.integers(np.arange(table.n))
    chosen = independent_rows([[row[j] for j in columns] for row in integers])
    return [integers[i] for i in chosen]
