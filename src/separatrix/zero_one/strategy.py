"""The driver: lines bound the fewest mistakes from above, boxes and cores from below.

A search of boxes tries to close the gap; where that promises to take longer than there is time for,
cores are packed for longer. What is done next depends on counts of nodes, never on a clock, unless
a time limit was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np

from separatrix.data import Sample
from separatrix.exact.integers import Floats, Indices
from separatrix.exact.signed_rows import doubles_of
from separatrix.scale import Rows
from separatrix.separation.decide import Separability, separability_of
from separatrix.tiles import TILE
from separatrix.zero_one.branch_and_bound import BranchAndBound, Knowledge
from separatrix.zero_one.branch_and_price import BranchAndPrice
from separatrix.zero_one.core_packing import PARTS, Disjunction, Packing, packing_of_refusal
from separatrix.zero_one.disjoint_cores import Search, packings, some_rows, tiles_in_order
from separatrix.zero_one.enumeration import Enumeration, enumerated, within_reach
from separatrix.zero_one.limits import ALL, Budget, LimitReached
from separatrix.zero_one.local_search import ChangeOfBasis, basis_around, better_lines
from separatrix.zero_one.problem import EXACT, MergedRows, Problem, Question

Progress = Callable[[float, float], None]

# How a search divides its budget: by counts, so that the same limits give the same bytes.
GLANCE = 3_000  # nodes before cores of all rows are looked for, where mistakes are few
FIRST_ROUND = 20_000  # nodes of the first round of closing the gap
ROWS_A_ROUND = 20_000_000  # read by a round, about: fewer nodes where there are more rows
LEAST_ROUND = 20  # nodes of a round, however few are allowed
ROUNDS = 16  # rounds that all nodes allowed are enough for, at least
HOPELESS = 4.0  # times what is left to spend: a longer forecast packs cores for longer
ROW_STEPS = 1_000_000  # rows times steps of the primal heuristic before the first node
MOST_STEPS = 20_000  # of it, however few rows there are
MOST_EFFORT = 64  # how many times those it may grow to, while nodes are not enough
NODES_AN_EFFORT = 100  # explored: then it may grow further, and so may MOST_STEPS
FEW_WORK = 2e10  # numbers read for cores where mistakes are few: some ten seconds
FEW_WORK_A_NODE = 5e5  # no more than that for each node allowed
FIRST_WORK = 5e8  # of that elsewhere: about half a second
WORK_A_NODE = 1e4  # more for each node explored: a part of the time that they took
READS_A_NODE = 10.0  # of the table, more again where cores promise to close the gap
LEAST_NODES = 2_000  # before all cells of lines are enumerated
NODES_A_ROW = 20  # likewise


class Bracket:
    """The bounds of one problem so far: the incumbent above, cores and searches below."""

    def __init__(self, problem: Problem, budget: Budget, progress: Progress | None) -> None:
        self.problem, self.budget = problem, budget
        self.progress = progress
        self.lower = 0
        d = problem.sample.d
        self.line = np.append(1.0, np.zeros(d))  # always yes
        if not problem.x0:  # a direction that no row lies on by accident
            self.line = np.append(0.0, np.random.default_rng(0).standard_normal(d))
        self.upper = problem.tally.mistakes(self.line)
        self.packing: Packing | Disjunction | None = None
        self.separating: tuple[Fraction, ...] | None = None
        self.enumeration: Enumeration | None = None

    @property
    def rows(self) -> MergedRows:
        """The merged rows, of which there are some."""
        assert self.problem.rows is not None  # noqa: S101  # there is nothing to search otherwise
        return self.problem.rows

    @property
    def exact_lower(self) -> Fraction:
        """The lower bound as a sum of row weights."""
        if self.enumeration is not None:
            return self.enumeration.fewest
        return self.problem.weight(self.lower)

    @property
    def closed(self) -> bool:
        return self.enumeration is not None or self.exact_lower >= self.upper

    @property
    def cutoff(self) -> int:
        """The upper bound in the units of `lower`: no bound above it can be shown."""
        return self.problem.cutoff(self.upper)

    def raise_lower(self, lower: int) -> None:
        if lower > self.lower:
            self.lower = lower
            self._report()

    def take_packing(self, packing: Packing | Disjunction) -> None:
        """Take cores if they prove a larger lower bound."""
        if packing.bound > self.lower:
            self.packing = packing
            self.raise_lower(packing.bound)

    def take_enumeration(self, found: Enumeration) -> None:
        """Take the fewest mistakes of all cells of lines, which close the bracket."""
        self.offer(found.in_doubles(self.problem.tally))
        self.enumeration = found
        self._report()

    def offer(self, line: Floats | None) -> bool:
        """Make a line (1+d,) the incumbent if it is better; return whether it is."""
        if line is None or not np.isfinite(line).all():
            return False
        mistakes = self.problem.tally.mistakes(line)
        better = bool(mistakes < self.upper)
        if better:
            self.upper, self.line = mistakes, line
            self._report()
        return better

    def offer_narrow(self, line: Floats) -> bool:
        """Offer a line (r,) for the merged rows."""
        return self.offer(self.problem.widened(line))

    @property
    def scaled_line(self) -> Floats:
        """The incumbent (r,) for scaled columns."""
        return self.rows.scaled_line(self.problem.narrowed(self.line))

    def basis(self) -> ChangeOfBasis:
        return basis_around(self.rows, self.scaled_line)

    def improve(self, start: Floats | None, *, seed: int, effort: int = 1) -> Floats:
        """Run the primal heuristic; return the best line (r,) found, for scaled columns."""
        rows = self.rows
        most = MOST_STEPS * max(1, effort // MOST_EFFORT)
        steps = min(most, max(16, effort * ROW_STEPS // rows.n))
        found = np.zeros(rows.dimension)
        try:
            for found in better_lines(rows, start, steps, seed):  # noqa: B007  # used at the end
                self.budget.check_time()
        finally:
            self.offer_narrow(rows.unscaled(found))
        return found

    def advance(self, search: BranchAndBound, nodes: int) -> None:
        """Continue a search; its incumbent is offered also when a limit or Ctrl-C ends it."""
        try:
            search.run(nodes)
        finally:
            if search.incumbent is not None:
                self.offer_narrow(search.incumbent)

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(float(self.exact_lower), float(self.upper))


FROM_DATA, FROM_KNOWN = 0, 2  # seeds of the first runs of the primal heuristic

ROUNDED = "the weights span more than 62 bits, and bounds are proven of them rounded down"
TOO_FAR = "values of one column are too far apart in size for doubles to search"
UNDECIDED = (
    "some boxes of weights are too small to be halved, and not decided: rows lie on one plane but "
    "for rounding (unscaled columns may keep them on it; scale changes nothing else here)"
)


class Strategy:
    def __init__(
        self,
        question: Question,
        progress: Progress | None = None,
        lines: Sequence[Floats] = (),
        proof: Separability | None = None,
    ) -> None:
        self.budget = Budget.of(question.limits)
        self.problem, self.proof = Problem(question), proof
        self.bracket = Bracket(self.problem, self.budget, progress)
        n = 1 if self.problem.rows is None else self.problem.rows.n
        most = self.budget.most_nodes // ROUNDS
        nodes = min(FIRST_ROUND, most, ROWS_A_ROUND // n)
        self.round_nodes = max(LEAST_ROUND, nodes)
        self.known = [line for line in lines if self.bracket.offer(line)]

    def run(self) -> None:
        """Search until the bracket is closed or a limit is reached."""
        with self.budget.spent():
            self._search_or_enumerate()
        why = UNDECIDED if self.problem.units.exact else ROUNDED
        self.budget.reason = self.budget.reason or why

    def _search_or_enumerate(self) -> None:
        """Search; where all cells of lines are within reach and that takes long, enumerate them."""
        problem, bracket, budget = self.problem, self.bracket, self.budget
        rows = problem.rows
        if rows is not None and not within_reach(rows, budget.most_nodes):
            self._search()
            return
        n = rows.n if rows is not None else 0
        budget.enough = max(LEAST_NODES, NODES_A_ROW * n)
        with suppress(LimitReached):
            self._search()
        if not bracket.closed and bracket.separating is None:
            bracket.take_enumeration(enumerated(problem.tally, bracket.exact_lower, budget))

    def _search(self) -> None:
        bracket, rows = self.bracket, self.problem.rows
        if rows is None or bracket.closed:
            return
        if self.problem.base == 0 and self._separated():  # else some rows cancel
            return
        if not (np.ldexp(rows.scaled, rows.column_shift) == rows.values).all():
            self.budget.reason = TOO_FAR
            return
        w = bracket.improve(None, seed=FROM_DATA)
        if self.known:
            w = bracket.improve(bracket.scaled_line, seed=FROM_KNOWN)
        if not bracket.closed:
            Closing(bracket, w, self.round_nodes).run()

    def _separated(self) -> bool:
        """Return whether a line separates the rows that count, none of which are opposite."""
        problem, bracket = self.problem, self.bracket
        sample, counted = problem.counted()
        known = self.proof if counted.size == problem.sample.n else None
        found = known or separability_of(sample)
        if found.separable and found.line is not None:
            doubles = doubles_of(found.line)
            if doubles is None:  # a wider line in doubles takes long to find with such margins
                everything = counted.size == np.count_nonzero(problem.tally.weight)
                bracket.separating = found.line if everything else None
                return everything
            bracket.offer(found.weights)
            bracket.offer(doubles)
        elif found.refusal is not None:
            rows = counted[list(found.refusal.rows)]
            merged = bracket.rows.weight, problem.place
            packing = packing_of_refusal(*merged, rows, found.refusal.multipliers)
            if packing is not None:
                bracket.take_packing(packing)
        return bracket.closed


MANY = 2048  # rows
AT_ONCE = 8  # tiles that are packed between looks at the clock
IN_A_GLANCE = 4  # columns, x0 counted, up to which a few boxes may close tables of any size
SEED = 1  # of the primal heuristic for the first cores


class Closing:
    """Closes the gap by boxes, or else raises the lower bound by cores."""

    def __init__(self, bracket: Bracket, w: Floats, round_nodes: int) -> None:
        self.bracket, self.round_nodes = bracket, round_nodes
        self.budget = bracket.budget
        self.known = Knowledge(bracket.rows, self.budget)
        self.search = BranchAndBound(basis_around(bracket.rows, w), bracket.cutoff, self.known)
        self.cores: BranchAndPrice | None = None

    def run(self) -> None:
        """Explore in rounds; between them improve the incumbent and pack cores."""
        bracket = self.bracket
        soon = bracket.rows.n > TILE and bracket.rows.dimension > IN_A_GLANCE
        if soon:
            self._pack_apart()
        bracket.advance(self.search, min(GLANCE, self.round_nodes))
        search, done = self.search, self.search.share_done
        nearly_done = search.finished or search.nodes * (1.0 - done) < self.round_nodes * done
        if not nearly_done:  # a search stopped from here on has a lower bound
            if not soon:
                self._pack_apart()
            self._pack_few()
        nodes, effort = self.round_nodes, 4
        while not self.search.finished and not bracket.closed:
            cutoff = bracket.cutoff
            # a search that is still young begins anew around a better line
            if cutoff < self.search.first_cutoff and self.search.nodes <= 2 * self.round_nodes:
                self.search = BranchAndBound(bracket.basis(), cutoff, self.known)
            else:
                self.search.lower_cutoff(cutoff)
            before = bracket.upper
            bracket.advance(self.search, nodes)
            if self.search.finished:
                break
            if effort <= self._most_effort():
                near = bracket.scaled_line if effort <= MOST_EFFORT else None
                bracket.improve(near, seed=self.search.nodes, effort=effort)
                effort *= 4
            if bracket.upper == before:
                more = WORK_A_NODE * self.budget.nodes if self._hopeless() else 0.0
                self._pack(FIRST_WORK + more)
            # a share of the forecast, so that nodes are left for another look
            share = max(1, int(self.budget.forecast() / HOPELESS))
            nodes = min(max(self.round_nodes, self.search.nodes // 2), share)
        bracket.raise_lower(self.search.bound())

    def _hopeless(self) -> bool:
        """Return whether closing the gap looks far too long for what is left to spend."""
        done = self.search.share_done
        if done <= 0.0:
            return True
        left = self.search.nodes * (1.0 / done - 1.0)
        return left > HOPELESS * self.budget.forecast()

    def _most_effort(self) -> int:
        """Return the most effort of the primal heuristic: more where nodes will not be enough."""
        grown = self.budget.nodes // NODES_AN_EFFORT if self._hopeless() else 0
        return max(MOST_EFFORT, grown)

    def _pack_apart(self) -> None:
        """Pack disjoint cores of rows from everywhere: of many rows that shows most, soonest."""
        bracket, rows = self.bracket, self.bracket.rows
        if int(rows.weight.max()) > EXACT:
            return
        weight, labels = rows.weight.astype(np.float64), np.array([-1.0, 1.0])
        merged = Rows.of(Sample(rows.values, np.ones(rows.n), labels, weight, 0.0))
        line = np.append(0.0, bracket.problem.narrowed(bracket.line))
        search = Search.of(Question(merged), some_rows(merged), line, ALL)
        for bound, _, found in packings(merged, search, self._rounds(merged), keep=True):
            cores = ((int(amount) * PARTS, core, ()) for amount, core in found)
            bracket.take_packing(Packing(int(bound), tuple(cores)))

    def _rounds(self, merged: Rows) -> Iterator[Indices]:
        tiles = tiles_in_order(merged)
        for some in np.split(tiles, range(AT_ONCE, tiles.size, AT_ONCE)):
            self.budget.check_time()
            yield some

    def _pack_few(self) -> None:
        """Pack cores where there are rows enough for twice as many cores as mistakes."""
        bracket = self.bracket
        rows = bracket.rows
        few = 2 * bracket.cutoff * (rows.dimension + 1) <= int(rows.weight.sum())
        most = min(FEW_WORK, FEW_WORK_A_NODE * self.budget.most_nodes)
        self._pack(most if few else 0.0)

    def _pack(self, work: float) -> None:
        """Raise the lower bound by cores of all rows, and find lines that miss few of them."""
        bracket = self.bracket
        rows = bracket.rows
        if rows.n > MANY and self.budget.most_nodes < LEAST_NODES:
            return  # in so little time `_pack_apart` has shown more
        if self.cores is None:
            w = bracket.improve(bracket.scaled_line, seed=SEED, effort=4)
            self.cores = BranchAndPrice(rows, self.known, rows.unscaled(w))
        cores = self.cores
        cores.upper = min(cores.upper, bracket.cutoff)
        a_node = READS_A_NODE * rows.n * rows.dimension
        while not cores.finished:
            more = cores.promising * a_node * self.budget.nodes
            if cores.rounds and cores.work + cores.round_work() > work + more:
                return
            for found in cores.round():
                if isinstance(found, np.ndarray):
                    bracket.offer_narrow(found)
                else:
                    bracket.take_packing(found)
            if bracket.closed:
                return
