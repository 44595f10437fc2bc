"""Bounds of the fewest mistakes on a table in blocks: few of its rows are searched.

*Above*: the exact mistakes, on all rows, of the best line for some rows spread over the table.
*Below*: what any line loses on some rows it loses on all of them, so that bounds on disjoint pieces
add up. Each piece is some rows next to one another, and has its bound from a packing of cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from separatrix.certificates.fewest_mistakes import Tally
from separatrix.exact.integers import Floats
from separatrix.exact.rows_in_blocks import SHARED, taken
from separatrix.exact.span import spread
from separatrix.kernels.exact import count_mistakes
from separatrix.scale import Block, BlockedTable
from separatrix.tiles import in_threads, n_threads, shares
from separatrix.zero_one.branch_and_bound import Knowledge
from separatrix.zero_one.core_packing import EVERY_LINE, CorePool
from separatrix.zero_one.limits import Budget, LimitReached
from separatrix.zero_one.local_search import best_line
from separatrix.zero_one.problem import Costs, Problem, Question

SEARCHED = 20_000  # rows, spread over the table, of which the best line is looked for
STEPS = 1_600  # of that search
PIECE = 48  # rows of a piece, for each column
LEAST_PIECE = 512  # rows
AT_ONCE = 1 << 16  # rows that are read for pieces at once
NOT_SEARCHED = "of a table in blocks few rows are searched"


@dataclass
class Bounds:
    """What is known of the fewest mistakes so far.

    Attributes
    ----------
    line, upper : (1+d,) the best line, and the exact weight of its mistakes on all rows
    lower : exact; pieces : of rows that it comes from
    """

    line: Floats
    upper: Fraction
    lower: Fraction = Fraction(0)
    pieces: int = 0


def best_of_lines(
    table: BlockedTable, x0: float, costs: Costs, lines: Sequence[Floats]
) -> tuple[Floats, Fraction]:
    """Return the line (1+d,) of fewest mistakes on all rows, and their weight, exactly."""
    finite = [w for w in lines if np.isfinite(w).all()]
    found = table.collect(_mistakes, finite, x0, costs.wrong_yes, costs.wrong_no)
    totals = [sum(each, Fraction(0)) for each in zip(*found, strict=True)]
    best = min(range(len(finite)), key=totals.__getitem__)
    return finite[best], totals[best]


def line_of_some_rows(table: BlockedTable, x0: float, costs: Costs) -> Floats:
    """Return the best line (1+d,) that a local search on some of the rows finds."""
    sample = taken(table, np.array(spread(table.n, SEARCHED), dtype=np.int64))
    problem = Problem(Question(sample, x0, costs=costs))
    if problem.rows is None:
        return np.zeros(table.d + 1)
    found = best_line(problem.rows, None, STEPS, seed=0)
    return problem.widened(problem.rows.unscaled(found))


def raise_lower(
    bounds: Bounds, table: BlockedTable, x0: float, costs: Costs, budget: Budget
) -> Iterator[None]:
    """Add what one piece after another proves, and yield after each, until a limit is met."""
    rows = max(LEAST_PIECE, PIECE * (table.d + 1))
    n_pieces = max(1, table.n // rows)
    edges = np.arange(n_pieces + 1, dtype=np.int64) * table.n // n_pieces
    order = np.random.default_rng(0).permutation(n_pieces)
    at_once = max(1, AT_ONCE // rows)
    for some in (order[k : k + at_once] for k in range(0, n_pieces, at_once)):
        pieces = [np.arange(edges[k], edges[k + 1]) for k in some]
        sample = taken(table, np.concatenate(pieces))
        ends = np.cumsum([0, *(piece.size for piece in pieces)])
        for k in range(some.size):
            budget.left()
            keep = np.zeros(sample.n, dtype=np.bool_)
            keep[ends[k] : ends[k + 1]] = True
            question = Question(sample.only(keep), x0, costs=costs)
            bounds.lower += _lower(question, bounds.line, budget)
            bounds.pieces += 1
            budget.nodes += 1
            yield


def _lower(question: Question, line: Floats, budget: Budget) -> Fraction:
    """Return a weight that every line loses on a piece, proven."""
    problem = Problem(question)
    bound = problem.base
    if problem.rows is not None:
        pool = CorePool(problem.rows, Knowledge(problem.rows, Budget(budget.deadline, 2)))
        try:
            pool.separate_line(problem.narrowed(line), 1)
            packing = pool.packing(EVERY_LINE)
            bound += 0 if packing is None else packing.bound
        except LimitReached:
            pass  # which ends the pieces as well
    return bound * problem.units.unit


# ---------------------------------------------------------------------- of one block


def _mistakes(
    block: Block, lines: Sequence[Floats], x0: float, wrong_yes: float, wrong_no: float
) -> list[Fraction]:
    """Return the weight of the mistakes of each line."""
    sample = block.sample
    weight: Any = sample.weight
    if wrong_yes != wrong_no or not (weight == weight[0]).all():
        tally = Tally(sample, x0, wrong_yes, wrong_no)
        return [tally.mistakes(w) for w in lines]

    def count(run: Sequence[int], w: Floats) -> int:
        part = slice(run[0], run[-1] + 1)
        return int(count_mistakes(sample.X[part], sample.y[part], w, x0))

    runs = shares(range(block.n), n_threads() if block.n >= SHARED else 1)
    of_one = Fraction(float(weight[0]) * wrong_yes)
    return [sum(in_threads([partial(count, run, w) for run in runs])) * of_one for w in lines]
