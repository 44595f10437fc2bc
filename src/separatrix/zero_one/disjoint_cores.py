"""Bounds of the fewest mistakes from below by disjoint cores, tile by tile, of rows of any source.

Bounds on disjoint sets of rows add up: each tile is packed with cores by itself, in an order drawn
once, and what tiles have left is put together and packed again. A core of rows in general position
has D + 1 of them, so that cores prove no more than N / (D + 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.fewest_mistakes import (
    Core,
    cancels,
    mistakes_of_lines,
    whole_weights,
)
from separatrix.data import Sample, in_full
from separatrix.exact.integers import Floats, Indices
from separatrix.exact.signed_block import signed
from separatrix.exact.span import spread
from separatrix.kernels.exact import signed_scores
from separatrix.kernels.zero_one.disjoint import AT_MOST, MOST, pack
from separatrix.scale import Block, Rows
from separatrix.tiles import TILE, in_threads
from separatrix.zero_one.limits import Budget
from separatrix.zero_one.local_search import best_line
from separatrix.zero_one.problem import Costs, Problem, Question, groups_of_equal

AS_THEY_STAND = 0  # rows by their distance from the line, wrong and right ones alike
RIGHT_FOR_A_WRONG = (AS_THEY_STAND, 4, 20)  # ways to order rows, of which the best is taken
SEARCHED = 20_000  # rows, spread over the table, of which the best line is looked for
SEARCHED_NUMBERS = 1 << 21  # in them, at the most
STEPS, STEP_WORK = 1_600, 1 << 28  # of that search; numbers in its rows times steps, at the most
TRIED = 4096  # rows, at most, on which the orders of packing are compared
TRIED_OF_TILES = 16  # fewer where few tiles are packed: one in 16 of their rows
TOGETHER = 4  # tiles next to one another that are drawn together, for threads to share
ROUND = 64  # tiles between looks at the clock, at least
LEFT_OVER = 1 << 22  # numbers in rows that all tiles together leave to be packed again


def best_of_lines(question: Question, lines: Sequence[Floats]) -> tuple[Floats, Fraction]:
    """Return the line (1+d,) of fewest mistakes on all rows, and their weight, exactly."""
    finite = [w for w in lines if np.isfinite(w).all()]
    costs = question.costs.wrong_yes, question.costs.wrong_no
    totals = mistakes_of_lines(question.table, costs, finite)
    best = min(range(len(finite)), key=totals.__getitem__)
    return finite[best], totals[best]


def some_rows(table: Rows) -> Sample:
    """Return rows spread over the table, in doubles, of which the best line is looked for."""
    most = min(SEARCHED, SEARCHED_NUMBERS // (table.d + 1))
    return table.some(np.array(spread(table.n, most), dtype=np.int64))


def line_of_some_rows(question: Question, some: Sample) -> Floats:
    """Return the best line (1+d,) that a local search on some of the rows finds."""
    problem = Problem(replace(question, table=some))
    if problem.rows is None:
        return np.zeros(some.d + 1)
    steps = min(STEPS, STEP_WORK // problem.rows.values.size)
    found = best_line(problem.rows, None, steps, seed=0)
    return problem.widened(problem.rows.unscaled(found))


@dataclass(frozen=True)
class Search:
    """How cores are looked for in each tile: all that it takes beside the rows."""

    line: tuple[float, ...]  # (1+d,) whose scores order the rows
    costs: Costs  # of mistakes
    most_left: int  # rows that a tile leaves for others to be put with
    ratio: int = RIGHT_FOR_A_WRONG[0]  # as for `packed`

    @classmethod
    def of(cls, question: Question, some: Sample, line: Floats, tiles: int) -> Search:
        """Return the search of at most `tiles` tiles, in the order that packs some rows best."""
        table = question.table
        most_left = max(1, LEFT_OVER // (table.d + 1) // n_tiles(table))
        search = cls(tuple(line.tolist()), question.costs, most_left)
        tried = np.zeros(some.n, dtype=np.bool_)
        tried[spread(some.n, min(TRIED, max(1, tiles * TILE // TRIED_OF_TILES)))] = True
        part = some.only(tried)
        tries = [replace(search, ratio=ratio) for ratio in RIGHT_FOR_A_WRONG]
        return max(tries, key=lambda each: each.of_rows(part).bound)

    def of_rows(self, sample: Sample) -> Found:
        line = np.array(self.line[0 if sample.x0 else 1 :])
        cost = np.where(sample.y > 0, self.costs.wrong_no, self.costs.wrong_yes)
        rows = np.ascontiguousarray(signed(sample))
        return packed(rows, sample.weight * cost, line, self.ratio)


class Found(NamedTuple):
    """Cores that share no weight, of a set of rows or of several."""

    bound: Fraction  # exact: every line loses as much
    left: Indices  # (m,) rows that no core has, of tiles some
    cores: list[Core]  # (amount, rows) of each, exact, where they are kept

    def of(self, rows: Indices, most_left: int, *, keep: bool) -> Found:
        """Return the same by the rows of the table whose places it names."""
        cores = [(amount, tuple(rows[list(core)].tolist())) for amount, core in self.cores]
        return Found(self.bound, rows[self.left[:most_left]], cores if keep else [])

    @classmethod
    def together(cls, parts: Sequence[Found]) -> Found:
        """Return what disjoint sets of rows prove together."""
        return cls(
            sum((bound for bound, _, _ in parts), Fraction(0)),
            np.concatenate([np.zeros(0, dtype=np.int64), *(left for _, left, _ in parts)]),
            list(chain.from_iterable(cores for _, _, cores in parts)),
        )


def n_tiles(table: Sample | Rows) -> int:
    return -(-table.n // TILE)


def packings(
    table: Rows, search: Search, rounds: Iterable[Indices], *, keep: bool = False
) -> Iterator[Found]:
    """Yield what the tiles prove after each round of them, and then with what they have left."""
    found = Found.together([])
    for some in rounds:
        found = Found.together([found, of_tiles(table, search, some, keep=keep)])
        yield found
    yield Found.together([found, of_left(table, search, found.left, keep=keep)])


def tiles_in_order(table: Rows) -> Indices:
    runs = np.random.default_rng(0).permutation(-(-n_tiles(table) // TOGETHER))
    tiles = (TOGETHER * runs[:, None] + np.arange(TOGETHER)).ravel()
    return tiles[tiles < n_tiles(table)]


def contradictions(table: Rows, search: Search, tiles: int, most_rows: int) -> list[Core]:
    """Return cores of the first `tiles` tiles, as many as name no more than `most_rows` rows."""
    chosen, cores = tiles_in_order(table)[:tiles], list[Core]()
    rounds = np.split(chosen, range(ROUND, chosen.size, ROUND))  # the same of every source
    for _, _, cores in packings(table, search, rounds, keep=True):
        if sum(len(rows) for _, rows in cores) >= most_rows:
            break
    best = sorted(cores, key=lambda core: (len(core[1]) / core[0], core))
    fit = np.searchsorted(np.cumsum([len(rows) for _, rows in best]), most_rows, "right")
    return sorted(best[:fit], key=itemgetter(1))


def rounds_of(table: Rows, budget: Budget) -> Iterator[Indices]:
    """Yield the tiles that the budget is enough for, more and more at once, in their order.

    Their number never depends on the clock: a checkpoint counts rounds.
    """
    tiles = tiles_in_order(table)[: budget.left()]
    done = 0
    while done < tiles.size:
        budget.interrupts.look()
        budget.check_time()
        more = max(ROUND, done // 4 if table.source.seeks else done)
        at_once = budget.deadline is None and not table.source.seeks
        some = tiles[done : tiles.size if at_once else done + more]
        done += some.size
        budget.nodes += some.size
        yield some


def of_tiles(table: Rows, search: Search, tiles: Indices, *, keep: bool = False) -> Found:
    """Return what some tiles prove, each by itself."""
    tiles, ranges = np.sort(tiles), None
    if table.source.seeks and 2 * tiles.size < n_tiles(table):
        cuts = np.flatnonzero((np.diff(tiles) > 1) | (tiles[1:] % TOGETHER == 0)) + 1
        runs = np.split(tiles, cuts)
        ranges = [(TILE * int(a[0]), min(TILE * int(a[-1] + 1), table.n)) for a in runs]
    parts = table.map(_of_block, search, tiles, keep, ranges=ranges)
    if [tile for searched, *_ in parts for tile in searched] != tiles.tolist():
        raise ValueError("other tiles")
    return Found.together([Found(*part) for _, *part in parts])


def of_left(table: Rows, search: Search, left: Indices, *, keep: bool = False) -> Found:
    """Return what rows prove that tiles have left: in pieces, each of rows from everywhere."""
    if left.size < 2:
        return Found.together([])
    rows = np.sort(left)
    sample, n_pieces = table.some(rows), -(-rows.size // TILE)

    def of_piece(k: int) -> Found:
        some = np.arange(rows.size) % n_pieces == k
        return search.of_rows(sample.only(some)).of(rows[some], 0, keep=keep)

    return Found.together(list(in_threads([partial(of_piece, k) for k in range(n_pieces)])))


def _of_block(block: Block, search: Search, tiles: Indices, keep: bool) -> tuple[Any, ...]:
    """Return which of the tiles a block has and what they prove, as a checkpoint keeps it."""

    def of_tile(start: int) -> Found:
        rows = slice(start - block.start, min(start - block.start + TILE, block.n))
        some = block.sample.at(rows)
        sample = replace(some, X=in_full(some.X).astype(np.float64))
        ids = np.arange(start, start + sample.n)
        return search.of_rows(sample).of(ids, search.most_left, keep=keep)

    starts = TILE * tiles[(tiles * TILE >= block.start) & (tiles * TILE < block.stop)]
    jobs = [partial(of_tile, start) for start in starts.tolist()]
    return (starts // TILE).tolist(), *Found.together(list(in_threads(jobs)))


MOST_DIMENSIONS = 128  # beyond, a core takes a tenth of a second and more


def packed(rows: Floats, weight: Floats, line: Floats, ratio: int) -> Found:
    """Pack cores of rows z_n (m, D), C-ordered."""
    there = np.flatnonzero(weight > 0.0)
    if there.size == 0:
        return Found(Fraction(0), there, [])
    units = whole_weights(weight[there])
    rows, left = rows[there], units.whole.copy()
    rows += 0.0  # -0.0 and 0.0 are equal but not their bits
    found = [*_zeros_and_pairs(rows, left)]
    order = _order(rows, line, ratio)
    if rows.shape[1] <= MOST_DIMENSIONS:
        found += _cores(rows, left, order[left[order] > 0])
    total, places = sum(amount for amount, _ in found), there.tolist()
    cores = [(amount * units.unit, tuple(places[k] for k in core)) for amount, core in found]
    return Found(total * units.unit, there[order[left[order] == units.whole[order]]], cores)


def _zeros_and_pairs(rows: Floats, left: Indices) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the rows of zeros, and pairs z, -z, with their amounts, taken from `left`."""
    first = rows[np.arange(len(rows)), (rows != 0.0).argmax(axis=1)]
    for n in np.flatnonzero(first == 0.0).tolist():
        yield int(left[n]), (n,)
        left[n] = 0
    turned = rows * np.sign(first)[:, None]
    turned += 0.0
    group, _ = groups_of_equal(turned)
    del turned  # as much again
    sides = np.zeros((2, len(rows)), dtype=np.bool_)
    sides[0, group[first > 0.0]] = True
    sides[1, group[first < 0.0]] = True
    has_both = np.asarray(sides[0] & sides[1])
    both = np.flatnonzero(has_both[group] & (first != 0.0))
    waiting: dict[int, list[int]] = {}  # rows of one side, with some weight left
    for n in both.tolist():
        others = waiting.setdefault(int(group[n]), [])
        while left[n] > 0 and others and (first[others[0]] > 0.0) != (first[n] > 0.0):
            amount = int(min(left[n], left[others[0]]))
            left[n] -= amount
            left[others[0]] -= amount
            yield amount, (others[0], n)
            if left[others[0]] == 0:
                del others[0]
        if left[n] > 0:
            others.append(n)


@np.errstate(over="ignore", invalid="ignore")
def _order(rows: Floats, line: Floats, ratio: int) -> Indices:
    """Return the rows in the order in which they come into the pool."""
    scores = signed_scores(rows, len(rows), np.append(0.0, line), 0.0)
    near = np.argsort(np.abs(scores), kind="stable")
    if ratio == AS_THEY_STAND:
        return near
    is_wrong = scores[near] <= 0.0
    wrong, right = near[is_wrong], near[~is_wrong]
    turn = np.concatenate([np.arange(wrong.size) * ratio, np.arange(right.size)])
    return np.concatenate([wrong, right])[np.argsort(turn, kind="stable")]


def _cores(rows: Floats, left: Indices, order: Indices) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield cores of some rows with their amounts, taken from `left`."""
    used = np.flatnonzero(rows.any(axis=0))
    rows = np.ascontiguousarray(rows[:, used]) if used.size < rows.shape[1] else rows
    shift = np.frexp(np.maximum(rows.max(axis=0), -rows.min(axis=0)))[1]
    scaled = np.ldexp(rows, -shift)
    exact = (np.ldexp(scaled, shift) == rows).all(axis=1)  # nothing has underflown
    order = order[exact[order]]
    m, dimension = scaled.shape
    if order.size < 2:
        return
    largest = np.abs(scaled).max(axis=1)
    unit = scaled / np.where(largest > 0.0, largest, 1.0)[:, None]
    pool = np.empty(max(MOST, AT_MOST * dimension) + dimension, np.int64)
    cores, sizes = np.empty((m, dimension + 1), np.int64), np.empty(m, np.int64)
    amounts, is_sure = np.empty(m, np.int64), np.empty(m, np.bool_)
    n = pack(pool, unit, scaled, order, left, cores, sizes, amounts, is_sure)
    for k in range(n):
        core = cores[k, : sizes[k]]
        if is_sure[k] or cancels(scaled[core]):
            yield int(amounts[k]), tuple(core.tolist())
