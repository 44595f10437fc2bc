"""The fewest mistakes that any line can make: a bracket that can be cut short anywhere.

min over w of the weight of {n : z_n.w <= 0}, z_n = y_n (1, x_n): a row on the line is a mistake.
The same number is the halfspace depth of the origin among the z_n (Tukey 1975; Johnson & Preparata
1978: NP-hard when the dimension grows). `strategy.py` finds the bounds; `verify.py` alone checks
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix._types import ArrayLike, Untyped
from separatrix.certificates.fewest_mistakes import Contradictions, Core, FewestMistakes
from separatrix.certificates.separability import Separation
from separatrix.data import InputError
from separatrix.exact.integers import Floats, nearest_double
from separatrix.exact.signed_rows import doubles_of
from separatrix.notebook import Summarised, Summary, figure
from separatrix.scale import Rows, with_constant
from separatrix.scale.opening import checked_table
from separatrix.separation.decide import Separability, separability_of
from separatrix.tiles import one_blas_thread
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import Disjunction, Packing, packing_of_refusal
from separatrix.zero_one.disjoint_cores import (
    Search,
    best_of_lines,
    contradictions,
    line_of_some_rows,
    n_tiles,
    packings,
    rounds_of,
    some_rows,
)
from separatrix.zero_one.enumeration import Enumeration
from separatrix.zero_one.levels import LevelFit, Merged, packing_in_levels, with_cancelling
from separatrix.zero_one.limits import ALL, Budget, Limits
from separatrix.zero_one.problem import Costs, Problem, Question
from separatrix.zero_one.proof import packed_proof, reduction_of, search_proof, with_multipliers
from separatrix.zero_one.strategy import Progress, Strategy

NOT_SEARCHED = "of many rows contradictions alone prove the lower bound"
NOT_COMPARED = "of many columns that are mostly zeros only rows with the same levels are compared"
# numbers, of a table in blocks: those in the rows that a certificate names; 9,078 sets of 22 rows
# in 21 columns take the verifier half a minute
CERTIFIED = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class ErrorBracket(Summarised):
    """Bounds of the fewest mistakes that any line makes, as a sum of row weights.

    Parameters
    ----------
    weights : (1+d,) w_0 first: doubles whose exact recount gives `upper`; where only a line of
        exact fractions does that (`exact_line`), the best doubles known
    exact_lower, exact_upper : proven bounds, exact
    nodes : boxes explored; of a table in blocks the tiles searched
    reason : why the bracket is not closed; "" when it is
    interrupted : whether Ctrl-C ended the search; the bracket is the best until then
    x0 : 1.0 with an intercept, 0.0 without
    packing : cores of all rows that prove the lower bound, where no boxes are needed; else None
    question : what was asked; None in a pickle
    exact_line : (1+d,) exact weights of a line with the mistakes `upper`, where `weights` make
        more; else None
    exact_mistakes : the weight of the mistakes of `weights`, where there is such a line; else None
    enumeration : of all cells of lines, where that and not the search proves the bounds
    in_tiles : whether tiles of rows were packed with cores, and `nodes` counts them: the proof is
        `contradictions`
    """

    weights: Floats
    exact_lower: Fraction
    exact_upper: Fraction
    nodes: int
    reason: str
    interrupted: bool
    x0: float
    packing: Packing | Disjunction | None = field(default=None, repr=False)
    question: Question | None = field(default=None, repr=False)
    exact_line: tuple[Fraction, ...] | None = field(default=None, repr=False)
    exact_mistakes: Fraction | None = field(default=None, repr=False)
    enumeration: Enumeration | None = field(default=None, repr=False)
    in_tiles: bool = False
    _written: list[FewestMistakes] = field(default_factory=list, init=False, repr=False)

    def _summary(self) -> Summary:
        lower, upper = figure(self.lower), figure(self.upper)
        if self.proven:
            mistakes = "mistake" if self.upper == 1.0 else "mistakes"
            heading = f"no line makes fewer than {upper} {mistakes}, proven"
        else:
            heading = f"any line makes at least {lower} mistakes; the best line found makes {upper}"
        open_because = [] if self.proven else [("open because", self.reason)]
        return Summary(heading, [("boxes explored", figure(self.nodes)), *open_because])

    @property
    def lower(self) -> float:
        """The proven lower bound, rounded once to the nearest double."""
        return float(self.exact_lower)

    @property
    def upper(self) -> float:
        """The weight of the fewest mistakes found, rounded once to the nearest double."""
        return float(self.exact_upper)

    @property
    def proven(self) -> bool:
        """Whether the exact bounds are equal: no line makes fewer mistakes than `upper`."""
        return self.exact_lower == self.exact_upper

    @property
    def mistakes(self) -> Fraction:
        """The weight of the mistakes of `weights`, exact: `upper` where doubles reach it."""
        return self.exact_upper if self.exact_mistakes is None else self.exact_mistakes

    @property
    def certificate(self) -> FewestMistakes:
        """A proof of both bounds; written when first asked for.

        The search is made once more with a log, from the best line known: that takes about as long
        as it took to show the lower bound (`certified` reports how far it is). That of tiles is
        `contradictions`.

        Raises
        ------
        InputError
            When the data are gone, because the bracket comes from a pickle.
        """
        return self.certified(lambda _: None)

    def certified(self, report: Callable[[int], None]) -> FewestMistakes:
        """Return the certificate; `report` is called with the nodes so far while it is written.

        Ctrl-C ends that, and nothing is kept.
        """
        if not self._written:
            if self.question is None:
                raise InputError(
                    "the data are not kept in a pickle: ask for the certificate before pickling."
                )
            if self.in_tiles:
                raise InputError(
                    "a bracket found tile by tile has no certificate but `contradictions`."
                )
            with one_blas_thread():
                budget = Budget(None, ALL, report=report)
                self._written.append(_certified(self, self.question, budget))
        return self._written[0]

    @property
    def contradictions(self) -> Contradictions:
        """The proof of both bounds that tiles of rows show: sets of rows, found once more.

        It names no more rows than hold `CERTIFIED` numbers, and so may show a lower bound below
        that of the bracket.

        Raises
        ------
        InputError
            When boxes were searched, or the table is gone because the bracket comes from a pickle.
        """
        if self.question is None or not isinstance(table := self.question.table, Rows):
            raise InputError("contradictions are kept of tiles of rows: ask for `certificate`.")
        with one_blas_thread():
            return _contradictions(self, table, self.question)

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
    y: ArrayLike = None,
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
    X : table (N, d): an array, a data frame or a sparse array; or a `Table` (from `read_table` or
        `read_frame`), which brings its labels and weights; or a table in blocks, as for
        `separability`: of one that does not fit into memory tiles are packed with cores
    y : N labels of two kinds
    sample_weight : (N,) k stands for k copies of the row
    time_limit : seconds without those of compiling kernels, or None; where it falls depends on the
        machine
    max_nodes : boxes of the branch and bound, or None; the same limit gives the same bytes. Of a
        table in blocks: tiles of 4096 rows
    fit_intercept : whether the line has an intercept w_0
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
    table = checked_table(X, y, sample_weight)
    limits = Limits.of(time_limit, max_nodes)
    costs = Costs.of(cost_wrong_yes, cost_wrong_no)
    return fewest_mistakes(
        Question(with_constant(table, 1.0 if fit_intercept else 0.0), limits, costs), progress
    )


def fewest_mistakes(
    question: Question,
    progress: Progress | None = None,
    lines: Iterable[Floats] = (),
    *,
    separating: Sequence[Fraction] | None = None,
    proof: Separability | None = None,
) -> ErrorBracket:
    """Do what `minimum_errors` does with a checked sample."""
    table, x0 = question.table, question.x0
    if isinstance(table, Rows):
        asked = f"fit_intercept={bool(x0)}, costs={question.costs}, limits={question.limits}"
        with one_blas_thread(), table.journal.part(f"minimum_errors({asked})"):
            return _in_tiles(table, question, proof or separability_of(table), lines, progress)
    lines = list(lines)
    with one_blas_thread():
        for line in lines:
            if np.isfinite(line).all() and question.tally.mistakes(line) == 0:
                return _without_mistakes(line, question)
        if separating is not None and Separation(separating, x0).verify(table):
            return _separated(separating, lines, question)
        if sp.issparse(table.X):
            return _in_levels(question, lines, progress)
        search = Strategy(question, progress, lines, proof=proof)
        search.run()
        if search.bracket.separating is not None:
            return _separated(search.bracket.separating, lines, question)
    return _found(search, question)


def _in_tiles(
    table: Rows, question: Question, found: Separability, lines: Iterable[Floats],
    progress: Progress | None,
) -> ErrorBracket:  # fmt: skip
    """Return the bracket of disjoint cores below, and of the best line for some rows above."""
    budget, lower = Budget.of(question.limits), Fraction(0)
    near = [] if found.weights is None else [found.weights]
    always = [np.append(side, np.zeros(table.d)) for side in (1.0, -1.0)]
    if found.separable:
        line, upper = best_of_lines(question, [*near, *always])
        if upper:
            line, upper = best_of_lines(question, [*lines, *near, *always])
        exact = {"exact_line": found.line, "exact_mistakes": upper} if upper else {}
        return _without_mistakes(line, question, **exact)
    some = some_rows(table)
    if budget.seconds() > 0.0:
        near.append(line_of_some_rows(question, some))
    line, upper = best_of_lines(question, [*lines, *near, *always])
    with budget.spent():
        search = Search.of(question, some, line, budget.left())
        for packed in packings(table, search, rounds_of(table, budget)):
            lower = packed.bound
            if progress is not None:
                progress(float(lower), float(upper))
        if budget.nodes < n_tiles(table):
            budget.left()
    if not budget.interrupted:
        of = f"; {budget.reason}, after {budget.nodes:,} of {n_tiles(table):,} tiles"
        budget.reason = NOT_SEARCHED + (of if budget.reason else "")
    lower = max(lower, _of_refusal(found, table, question.costs))
    return _bracket(question, budget, line, lower, upper)


def _of_refusal(found: Separability, table: Rows, costs: Costs) -> Fraction:
    """Return what a line loses at least since some rows are known to contradict each other."""
    if found.refusal is None:
        return Fraction(0)
    rows = table.some(np.asarray(found.refusal.rows, dtype=np.int64))
    return Fraction(float(rows.weight.min()) * min(costs.wrong_yes, costs.wrong_no))


def _contradictions(bracket: ErrorBracket, table: Rows, question: Question) -> Contradictions:
    """Return the proof of rows in tiles: some of the cores that the bracket rests on."""
    x0, costs = question.x0, question.costs
    line, cores = bracket.weights, list[Core]()
    if bracket.exact_lower > 0:
        search = Search.of(question, some_rows(table), line, question.limits.nodes)
        most = CERTIFIED // (table.d + 1)
        cores = contradictions(table, search, bracket.nodes, most)
    return Contradictions(
        line, sum((amount for amount, _ in cores), Fraction(0)), bracket.mistakes, cores,
        costs.wrong_yes, costs.wrong_no, x0,
    )  # fmt: skip


def _in_levels(
    question: Question, lines: Sequence[Floats], progress: Progress | None
) -> ErrorBracket:
    sample, tally = question.sample, question.tally
    budget, packing = Budget.of(question.limits), None
    merged = Merged.of(sample, tally.units.whole)
    always_yes = np.append(1.0, np.zeros(sample.d))
    best = min((always_yes, *(w for w in lines if np.isfinite(w).all())), key=tally.mistakes)
    with budget.spent():
        packing = packing_in_levels(sample, merged, best, budget)
        if packing is None and not merged.base:
            counted = np.flatnonzero(tally.units.whole)
            found = separability_of(sample.only(tally.units.whole > 0))
            everything = counted.size == np.count_nonzero(tally.weight)
            if found.line is not None and found.separable and everything:
                return _separated(found.line, lines, question)
            if found.refusal is not None:
                rows = counted[list(found.refusal.rows)]
                of = merged.weight, merged.place
                packing = packing_of_refusal(*of, rows, found.refusal.multipliers)
        fitted = LevelFit(sample, tally.weight).improve(best)
        best = min((best, fitted), key=tally.mistakes)
    budget.reason = budget.reason or NOT_COMPARED
    upper = tally.mistakes(best)
    bound = merged.base + (0 if packing is None else packing.bound)
    if progress is not None:
        progress(float(min(bound * tally.units.unit, upper)), float(upper))
    return _bracket(question, budget, best, bound * tally.units.unit, upper, packing=packing)


def _found(search: Strategy, question: Question) -> ErrorBracket:
    bounds = search.bracket
    found, packing = bounds.enumeration, bounds.packing
    upper = bounds.upper if found is None else found.fewest
    beaten = found is not None and upper < bounds.upper
    return _bracket(
        question, search.budget, bounds.line, min(bounds.exact_lower, bounds.upper), upper,
        packing=packing if packing is not None and packing.bound >= bounds.lower else None,
        exact_line=found.line if found is not None and beaten else None,
        exact_mistakes=bounds.upper if beaten else None, enumeration=found,
    )  # fmt: skip


def _bracket(
    question: Question, budget: Budget, line: Floats, lower: Fraction, upper: Fraction,
    **more: Untyped,
) -> ErrorBracket:  # fmt: skip
    return ErrorBracket(
        line, min(lower, upper), upper, budget.nodes, budget.reason if lower < upper else "",
        budget.interrupted, question.x0, question=question,
        in_tiles=isinstance(question.table, Rows), **more,
    )  # fmt: skip


def _without_mistakes(line: Floats, question: Question, **more: Untyped) -> ErrorBracket:
    none = Fraction(0)
    return _bracket(question, Budget(None, ALL), line, none, none, **more)


def _separated(
    line: Sequence[Fraction], others: Sequence[Floats], question: Question
) -> ErrorBracket:
    """Return the bracket of rows that an exact line separates, beside lines of doubles."""
    doubles = doubles_of(line)
    if doubles is not None:
        return _without_mistakes(doubles, question)
    tally = question.tally
    largest = max(map(abs, line))
    near = np.array([nearest_double(w / largest) for w in line])
    best = min((near, *(w for w in others if np.isfinite(w).all())), key=tally.mistakes)
    mistakes = tally.mistakes(best)
    return _without_mistakes(best, question, exact_line=tuple(line), exact_mistakes=mistakes)


def _certified(bracket: ErrorBracket, question: Question, budget: Budget) -> FewestMistakes:
    found, costs = bracket.enumeration, question.costs
    columns = list(range(question.sample.d + int(question.x0)))
    if sp.issparse(question.sample.X):
        lower, units, proof = bracket.exact_lower, question.tally.units, list[Any]()
        unit = units.unit
        if isinstance(bracket.packing, Packing):
            merged = Merged.of(question.sample, units.whole)
            packing = with_cancelling(bracket.packing, question.sample, merged)
            proof = packed_proof(packing, (columns, []))
    elif found is not None and found.packing is not None:
        lower, unit = bracket.exact_lower, found.unit
        proof = packed_proof(found.packing, (columns, [])) if found.packing.bound else []
    else:
        problem = Problem(question)
        lower, unit = bracket.exact_lower if found is None else found.at_least, problem.units.unit
        proof = _search_proof(bracket, problem, math.ceil(lower / unit) - problem.base, budget)
    return FewestMistakes(
        bracket.exact_line or bracket.weights, lower, bracket.exact_upper, proof,
        costs.wrong_yes, costs.wrong_no, question.x0, unit,
    )  # fmt: skip


def _search_proof(bracket: ErrorBracket, problem: Problem, bound: int, budget: Budget) -> list[Any]:
    """Return the proof of a lower bound on the merged rows, by cores or by branch and bound."""
    rows = problem.rows
    if rows is None or bound <= 0:
        return []
    if bracket.packing is not None:
        packing = with_multipliers(bracket.packing, Knowledge(rows, budget))
        return packed_proof(packing, reduction_of(problem))
    with budget.interrupts:
        line = problem.narrowed(bracket.weights)
        return search_proof(reduction_of(problem), rows, line, bound, Knowledge(rows, budget))
