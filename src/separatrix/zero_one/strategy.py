"""How the bounds are found: lines from below the mistakes, boxes from above.

Upper bounds are lines, found by a local search on the 0/1 error itself (Li & Lin 2007) and by the
branch and bound, and recounted with exact signs. Lower bounds are branch and bound over boxes of
weights with outward rounding, whose ties are settled in exact arithmetic: `mistake_search.py`.

Two searches share the work. One tries to close the gap at once: it shows that no line beats the
best one known. When that promises to take longer than there is time for, the other shows ever
larger lower bounds, each of which is far easier. What is decided on the way is decided by counts of
boxes, never by a clock, unless a time limit was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from separatrix.clock import work_clock
from separatrix.exact.integers import Floats, Indices
from separatrix.exact.signed_rows import SignedRows, doubles_of
from separatrix.separation.decide import separability_of
from separatrix.zero_one.branch_and_bound import (
    ALL,
    Budget,
    Core,
    CubeSearch,
    Knowledge,
    Spent,
    scaled_line,
    unscaled,
)
from separatrix.zero_one.branch_and_price import CoreTree
from separatrix.zero_one.coordinates import chart
from separatrix.zero_one.core_packing import Cases, Packing
from separatrix.zero_one.enumeration import Enumeration, enumerated, within_reach
from separatrix.zero_one.local_search import better_lines
from separatrix.zero_one.presolve import Count, CountedRows, count_rows
from separatrix.zero_one.problem import Question, Tally

Progress = Callable[[float, float], None]

GLANCE = 3_000  # boxes before cores of all rows are looked for, where mistakes are few
FIRST_LOOK = 20_000  # boxes before anything else than closing the gap is tried
ROWS_A_LOOK = 20_000_000  # read, about: fewer boxes where there are more rows
LEAST_LOOK = 20  # of that, where the limit on boxes is a low one: a share is spent on closing
LOOKS = 16
SAMPLE_OF_ROWS = 24  # per dimension: so many rows are asked first whether they can be separated
HOPELESS = 4.0  # times what is left to spend: then lower bounds come first
ROW_STEPS = 1_000_000  # rows times steps of the local search before the first box
MOST_STEPS = 20_000  # however few rows there are
MOST_EFFORT = 64  # how many times those it may grow to, while boxes are not enough
BOXES_AN_EFFORT = 100  # looked at: then it may grow further, and so may the most steps
FEW_WORK = 2e10  # numbers read for cores where mistakes are few: some ten seconds
FEW_WORK_A_BOX = 5e5  # no more than that for each box allowed
FIRST_WORK = 5e8  # of that elsewhere: about half a second
WORK_A_BOX = 1e4  # more for each box looked at: a part of the time that the boxes took
READS_A_BOX = 10.0  # of the table, more again where cores promise to prove all: as long as boxes
FEWEST_BOXES, BOXES_A_ROW = 2_000, 20  # before all cells of lines are enumerated
GROWTH = 4.0  # how many times more boxes the next lower bound may take than the last

INTERRUPTED = "it was interrupted"
ROUNDED = "the weights span more than 62 bits, and bounds are proven of them rounded down"
TOO_FAR = "values of one column are too far apart in size for doubles to search"
UNDECIDED = (
    "some boxes of weights are too small to be halved, and not decided: rows lie on one plane but "
    "for rounding (unscaled columns may keep them on it; scale changes nothing else here)"
)


class Hunt:
    """A search for the fewest mistakes: what is counted, and the bounds so far.

    Parameters
    ----------
    question : what is asked; progress : told both bounds
    lines : (1+d,) each, known from elsewhere: the search starts from the best of them

    Attributes
    ----------
    line : (1+d,) the best line; upper : the exact weight of its mistakes
    lower : whole units of weight proven for every line, beyond `count.base`
    reason : why the bounds did not meet; "" when they did
    packing : cores of all rows that prove some lower bound, if that was tried
    separating : (1+d,) exact weights that separate the rows that count, where doubles hold none
    enumeration : of all cells of lines, where the search got nowhere and that was within reach
    """

    def __init__(
        self,
        question: Question,
        progress: Progress | None = None,
        lines: Sequence[Floats] = (),
    ) -> None:
        started = work_clock()
        sample, x0, limits = question.sample, question.x0, question.limits
        self.sample, self.x0, self.progress = sample, x0, progress
        self.tally = Tally(sample, x0, limits.wrong_yes, limits.wrong_no)
        self.units = self.tally.units
        self.table = SignedRows(sample, x0)
        self.columns = self.table.span.columns
        kept = np.ascontiguousarray(self.table.values[:, self.columns])
        exponents = self.table.exponents[self.columns]
        self.count: Count = count_rows(kept, self.units.whole, exponents)
        deadline = None if limits.seconds is None else started + limits.seconds
        self.budget = Budget(deadline, limits.nodes)
        self.lower = 0
        self.line = _any_line(sample.d, x0)
        self.upper = self.tally.mistakes(self.line)
        self.reason = ""
        self.interrupted = False
        self.packing: Packing | Cases | None = None
        self.separating: tuple[Fraction, ...] | None = None
        self.enumeration: Enumeration | None = None
        n = 1 if self.count.rows is None else self.count.rows.n
        look = min(FIRST_LOOK, limits.nodes // LOOKS, ROWS_A_LOOK // n)
        self.look = max(LEAST_LOOK, look)
        self.known = [line for line in lines if self._offer(line)]

    @property
    def exact_lower(self) -> Fraction:
        """The lower bound as a sum of row weights."""
        if self.enumeration is not None:
            return self.enumeration.fewest
        return (self.lower + self.count.base) * self.units.unit

    @property
    def closed(self) -> bool:
        """Whether the bounds meet."""
        return self.enumeration is not None or self.exact_lower >= self.upper

    def run(self) -> None:
        """Search until the bracket is closed or a limit is met.

        Where all cells of lines can be enumerated, and some boxes have not been enough, they are.
        """
        try:
            with self.budget.interrupts:
                self._search_or_enumerate()
        except Spent as limit:
            self.reason = str(limit)
        except KeyboardInterrupt:
            self.reason, self.interrupted = INTERRUPTED, True
        if self.closed:
            self.reason = ""
        elif not self.reason:
            self.reason = UNDECIDED if self.units.exact else ROUNDED

    # ------------------------------------------------------------------ what is known

    def _goal(self) -> int:
        """Return the upper bound in the units of `lower`: no bound above it can be shown."""
        return math.floor(self.upper / self.units.unit) - self.count.base

    def _offer(self, line: Floats | None) -> bool:
        """Take a line (1+d,) if it beats the best one."""
        if line is None or not np.isfinite(line).all():
            return False
        line, mistakes = self._off_cancelled(line, self.tally.mistakes(line))
        better = bool(mistakes < self.upper)
        if better:
            self.upper, self.line = mistakes, line
            self._tell()
        return better

    @np.errstate(over="ignore", invalid="ignore")  # a nudge that overflows is not tried
    def _off_cancelled(self, line: Floats, mistakes: Fraction) -> tuple[Floats, Fraction]:
        """Nudge a line that goes through rows that cancel: there both of them are mistakes.

        A nudge small enough changes the side of no other row. Returns the line and its mistakes.
        """
        rows = self.count.rows
        if rows is None or self.count.base == 0:
            return line, mistakes
        counted = rows.mistakes(self._narrowed(line))
        due = (counted + self.count.base) * self.units.unit
        random = np.random.default_rng(0)
        length = float(np.abs(scaled_line(rows, self._narrowed(line))).max())
        for bits in range(12, 52, 4):
            if mistakes <= due:
                break
            nudge = unscaled(rows, random.standard_normal(rows.dimension) * length * 2.0**-bits)
            nudged = line + self._widened(nudge)
            if not np.isfinite(nudged).all():
                continue
            again = self.tally.mistakes(nudged)
            if again < mistakes:
                line, mistakes = nudged, again
        return line, mistakes

    def _raise(self, lower: int) -> None:
        if lower > self.lower:
            self.lower = lower
            self._tell()

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(float(self.exact_lower), float(self.upper))

    def _narrowed(self, line: Floats) -> Floats:
        """Return weights (1+d,) in the columns that span: (r,)."""
        return line[[self.table.index(j) for j in self.columns]]

    def _widened(self, line: Floats) -> Floats:
        """Return a line (r,) in the columns that span as weights (1+d,)."""
        wide = np.zeros(self.sample.d + 1)
        wide[[self.table.index(j) for j in self.columns]] = line
        return wide

    # ------------------------------------------------------------------ the search

    def _search_or_enumerate(self) -> None:
        """Search; where all cells of lines are within reach and that takes long, enumerate them."""
        rows = self.count.rows
        if rows is not None and not within_reach(rows, self.budget.most_nodes):
            self._search()
            return
        self.budget.enough = max(FEWEST_BOXES, BOXES_A_ROW * (rows.n if rows is not None else 0))
        with suppress(Spent):
            self._search()
        if not self.closed and self.separating is None:
            found = enumerated(self.table, self.tally, self.exact_lower, self.budget)
            self._offer(found.in_doubles(self.tally))
            self.enumeration = found
            self._tell()

    def _search(self) -> None:
        rows = self.count.rows
        if rows is None or self.closed:
            return
        rows = replace(rows, rows=np.arange(rows.n))
        too_far = not (np.ldexp(rows.scaled, rows.column_shift) == rows.values).all()
        overlaps = self.count.base > 0 if too_far else self._overlaps(rows)
        if not overlaps and self._separated(rows):
            return
        if too_far:
            self.reason = TOO_FAR
            return
        w = self._better_line(rows, None, 0)
        if self.known:
            w = self._better_line(rows, self._scaled(rows), 2)
        if not self.closed:
            self._bound(rows, w, Knowledge(rows, self.budget))

    def _overlaps(self, rows: CountedRows) -> bool:
        """Return whether it is plain that no line separates: rows cancel, or a few of them do."""
        few = np.linspace(0, rows.n - 1, min(rows.n, SAMPLE_OF_ROWS * rows.dimension)).astype(int)
        core = Knowledge(rows, self.budget).refusal(few)
        if core is not None:
            self._pack(Packing.of_one(rows, core))
        return core is not None or self.count.base > 0

    def _pack(self, packing: Packing | Cases) -> None:
        if packing.bound > self.lower:
            self.packing = packing
            self._raise(packing.bound)

    def _separated(self, rows: CountedRows) -> bool:
        """Return whether a line separates the rows that count, none of which are opposite."""
        counted = np.flatnonzero(self.units.whole)
        sample = self.sample
        if counted.size < sample.n:
            sample = replace(
                sample, X=sample.X[counted], y=sample.y[counted], weight=sample.weight[counted]
            )
        found = separability_of(sample, self.x0)
        if found.separable and found.line is not None:
            doubles = doubles_of(found.line)
            if doubles is None:  # nor is a wider line sought: with such margins that takes long
                whole = counted.size == np.count_nonzero(self.tally.weight)
                self.separating = found.line if whole else None
                return whole
            self._offer(found.weights)
            self._offer(doubles)
        elif found.refusal is not None:
            refused = counted[list(found.refusal.rows)]
            core = self._merged_core(rows, refused, found.refusal.multipliers)
            self._pack(Packing.of_one(rows, core))
        return self.closed

    def _merged_core(self, rows: CountedRows, refused: Indices, multipliers: Sequence[int]) -> Core:
        """Return multipliers that cancel rows of the table as multipliers of the merged rows."""
        of_merged: dict[int, int] = {}
        points = self.table.floats(refused)[:, self.columns]
        for z, multiplier in zip(points, multipliers, strict=True):
            (merged,) = np.flatnonzero((rows.values == z).all(axis=1))
            of_merged[int(merged)] = of_merged.get(int(merged), 0) + int(multiplier)
        return tuple(of_merged), tuple(of_merged.values())

    def _better_line(
        self, rows: CountedRows, w: Floats | None, seed: int, effort: int = 1
    ) -> Floats:
        """Try the local search from a line (D,) for scaled columns; return the best found.

        That counts at once, also when the time ends or somebody interrupts.
        """
        most = MOST_STEPS * max(1, effort // MOST_EFFORT)
        steps = min(most, max(16, effort * ROW_STEPS // rows.n))
        found = np.zeros(rows.dimension)
        try:
            for found in better_lines(rows, w, steps, seed):  # noqa: B007  # also used when it ends
                self.budget.watch()
        finally:
            self._offer(self._widened(unscaled(rows, found)))
        return found

    def _bound(self, rows: CountedRows, w: Floats, known: Knowledge) -> None:
        """Close the gap, or else raise the lower bound as far as the budget goes."""
        closing = CubeSearch(rows, chart(rows, w), self._goal(), known)
        climb = _Climb(max(1, self._goal() // 4), self.look)
        self._advance(closing, min(GLANCE, self.look))
        if not _nearly_done(closing, self.look):  # who stops it from now on has a lower bound
            work = min(FEW_WORK, FEW_WORK_A_BOX * self.budget.most_nodes)
            self._pack_cores(rows, known, climb, work if self._few(rows) else 0.0)
        look, effort = self.look, 4
        while not closing.finished and not self.closed:
            closing = self._refocused(closing, known)
            before = self.upper
            self._advance(closing, look)
            if closing.finished:
                break
            if effort <= self._most_effort(closing):
                near = self._scaled(rows) if effort <= MOST_EFFORT else None  # a long one: afresh
                self._better_line(rows, near, closing.nodes, effort)
                effort *= 4
            if self.upper == before and self._hopeless(closing):
                work = FIRST_WORK + WORK_A_BOX * self.budget.nodes
                self._pack_cores(rows, known, climb, work)
                self._climb(rows, known, climb, 3 * closing.nodes)
            elif self.upper == before:
                self._pack_cores(rows, known, climb, FIRST_WORK)
            look = min(max(self.look, closing.nodes // 2), self._share_of_outlook())
        self._raise(closing.proven())

    def _share_of_outlook(self) -> int:
        """Return a part of the boxes to come, so that there are some left for lower bounds."""
        return max(1, int(self.budget.outlook() / HOPELESS))

    def _refocused(self, closing: CubeSearch, known: Knowledge) -> CubeSearch:
        """Return the search with the best line as its goal; begun anew if it is still young."""
        goal = self._goal()
        if goal < closing.first_goal and closing.nodes <= 2 * self.look:
            rows = closing.rows
            return CubeSearch(rows, chart(rows, self._scaled(rows)), goal, known)
        closing.aim(goal)
        return closing

    def _advance(self, search: CubeSearch, nodes: int) -> None:
        """Let a search go on; its lines count at once, also when a limit ends it."""
        try:
            search.run(nodes)
        finally:
            if search.line is not None:
                self._offer(self._widened(search.line))

    def _hopeless(self, closing: CubeSearch) -> bool:
        """Return whether closing the gap looks far too long for what is left to spend."""
        if closing.done <= 0.0:
            return True
        left = closing.nodes * (1.0 / closing.done - 1.0)
        return left > HOPELESS * self.budget.outlook()

    def _most_effort(self, closing: CubeSearch) -> int:
        """Return how far the local search may go: further where boxes will not close the gap."""
        grown = self.budget.nodes // BOXES_AN_EFFORT if self._hopeless(closing) else 0
        return max(MOST_EFFORT, grown)

    def _few(self, rows: CountedRows) -> bool:
        """Return whether there are rows enough for twice as many cores as there are mistakes."""
        return 2 * self._goal() * (rows.dimension + 1) <= int(rows.weight.sum())

    def _pack_cores(self, rows: CountedRows, known: Knowledge, climb: _Climb, work: float) -> None:
        """Raise the lower bound by cores of all rows, and find lines that miss few of them.

        It ends after so much work, and more for the boxes looked at where cores promise to prove
        all; a first bound is found anyway.
        """
        if climb.cores is None:
            w = self._better_line(rows, self._scaled(rows), 1, 4)
            climb.cores = CoreTree(rows, known, unscaled(rows, w))
        cores = climb.cores
        cores.upper = min(cores.upper, self._goal())
        while not cores.finished:
            a_box = cores.promising * READS_A_BOX * rows.n * rows.dimension
            if cores.rounds and cores.work + cores.round_work() > work + a_box * self.budget.nodes:
                return
            for found in cores.better():
                if isinstance(found, np.ndarray):
                    self._offer(self._widened(found))
                else:
                    self._pack(found)
            if self.closed:
                return

    def _scaled(self, rows: CountedRows) -> Floats:
        """Return the best line for scaled columns."""
        return scaled_line(rows, self._narrowed(self.line))

    def _climb(self, rows: CountedRows, known: Knowledge, climb: _Climb, most: int) -> None:
        """Show larger and larger lower bounds until that has cost about so many boxes."""
        spent = 0
        while spent < most and self.lower + 1 < self._goal():
            if climb.search is None:
                goal = min(self.lower + climb.step, self._goal() - 1)
                drawn = chart(rows, self._scaled(rows))
                climb.search = CubeSearch(rows, drawn, goal, known)
            before = climb.search.nodes
            self._advance(climb.search, min(most - spent, max(1, climb.allowed() - before)))
            spent += climb.search.nodes - before
            if climb.search.finished:
                self._raise(climb.search.proven())
                climb.go_on(self.lower)
            elif climb.search.nodes >= climb.allowed():
                climb.give_up()


@dataclass(eq=False)
class _Climb:
    """Where the search for larger lower bounds stands.

    The number of boxes grows about like a power of the bound, so the next bound is chosen to take
    GROWTH times the boxes of the last; one that takes far more is given up for a smaller one.
    """

    step: int
    look: int  # boxes that any step may take
    search: CubeSearch | None = None
    last: tuple[int, int] | None = None  # a bound and its boxes
    cores: CoreTree | None = None

    def allowed(self) -> int:
        """Return how many boxes the step may take."""
        if self.step == 1:
            return ALL
        return int(GROWTH**2 * max(self.look, self.last[1] if self.last else 0))

    def go_on(self, bound: int) -> None:
        """Choose the step to the next bound, this one having been shown."""
        nodes = self.search.nodes if self.search is not None else 1
        if self.last is not None and bound > self.last[0]:
            rate = math.log(max(nodes / max(self.last[1], 1), 1.1)) / (bound - self.last[0])
            self.step = max(1, min(2 * self.step, int(math.log(GROWTH) / rate)))
        else:
            self.step = max(1, self.step // 2)
        self.last, self.search = (bound, nodes), None

    def give_up(self) -> None:
        """Try a bound half as far."""
        self.step, self.search = max(1, self.step // 2), None


def _nearly_done(search: CubeSearch, look: int) -> bool:
    """Return whether a search looks as if it ended after another look."""
    return search.finished or search.nodes * (1.0 - search.done) < look * search.done


def _any_line(d: int, x0: float) -> Floats:
    """Return always yes; without an intercept a direction that meets no row by accident."""
    line = np.zeros(d + 1)
    if x0:
        line[0] = 1.0
    else:
        line[1:] = np.random.default_rng(0).standard_normal(d)
    return line
