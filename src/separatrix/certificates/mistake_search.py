"""Branch and bound over the faces of the cube of weights, and what it knows of ties.

Every w != 0 is a positive multiple of a point on the cube max |v_j| = 1 of a chart, so its 2 D
faces are boxes that cover all lines. `kernels/boxes.py` closes boxes; what is done here is what
needs exact arithmetic: cores whose combination seems to vanish are checked, and where all open rows
of a box can vanish at one point of it, the fewest mistakes on those rows over *all* directions, a
question in fewer dimensions, is answered by a search of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates.charts import Chart, chart
from separatrix.certificates.counted_rows import CountedRows
from separatrix.certificates.exact import Floats, Indices, IntegerRow, nullspace, primitive
from separatrix.certificates.interrupts import Interrupts
from separatrix.kernels import boxes
from separatrix.kernels.cores import POINT, ZERO, new_program, solve
from separatrix.kernels.mistake_descent import descend

FIRST_TIE, LAST_TIE = 2.0**-3, 2.0**-44  # half widths at which a common zero is asked for
TIE_STEP = 16.0
NODES_SPENT = "the limit on nodes was reached"
TIME_SPENT = (
    "the time limit was reached; where that falls depends on the machine, and so do the bounds"
)
WORK_A_SLICE = 40_000_000  # numbers read before limits are looked at again: some 20 ms
ENOUGH_ROWS = 20_000  # to see which way a line should go
FIRST_FACE = 0.9  # of the boxes belong to it: the best line known is its centre
PATIENCE = 1e6  # boxes that are worth waiting for when there is no limit
STEPS_A_START = 400  # of the local search
DEEPEST = 40  # questions inside questions
ALL = 2**62

Core = tuple[tuple[int, ...], tuple[int, ...]]  # rows, and whole multipliers that cancel them


class Spent(Exception):  # noqa: N818  # not an error: the limit that was met
    """Raised when a limit is met; the text says which."""


@dataclass(eq=False)
class Budget:
    """What may be spent, and what was.

    Parameters
    ----------
    deadline : of `time.monotonic`, or None
    most_nodes : boxes that may be looked at
    """

    deadline: float | None
    most_nodes: int
    nodes: int = 0
    started: float = field(default_factory=time.monotonic)
    interrupts: Interrupts = field(default_factory=Interrupts)

    def outlook(self) -> float:
        """Return about how many more boxes there will be time for."""
        left = float(self.most_nodes - self.nodes)
        if self.deadline is None:
            return min(left, max(10.0 * self.nodes, PATIENCE))
        now = time.monotonic()
        return min(left, self.nodes / max(now - self.started, 1e-6) * (self.deadline - now))

    def left(self) -> int:
        """Return how many boxes may still be looked at; raise when that or the time is over."""
        self.interrupts.look()
        if self.nodes >= self.most_nodes:
            raise Spent(NODES_SPENT)
        self.watch()
        return self.most_nodes - self.nodes

    def watch(self) -> None:
        """Raise when the time is over."""
        if self.seconds() <= 0.0:
            raise Spent(TIME_SPENT)

    def seconds(self) -> float:
        """Return how many seconds are left."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()


# ---------------------------------------------------------------------- lines worth trying


def best_line(rows: CountedRows, start: Floats | None, steps: int, seed: int) -> Floats:
    """Return the best line (D,) that so many steps find, in scaled columns."""
    best = np.zeros(rows.dimension)
    for best in better_lines(rows, start, steps, seed):  # noqa: B007  # the last is the best
        pass
    return best


def better_lines(
    rows: CountedRows, start: Floats | None, steps: int, seed: int
) -> Iterator[Floats]:
    """Yield after some steps each the best line (D,) so far, in scaled columns.

    What counts as a mistake is decided in floats: what is claimed is recounted exactly.
    """
    scaled = rows.scaled / np.sqrt(np.square(rows.scaled).sum(axis=1))[:, None]
    random = np.random.default_rng(seed)
    total = int(rows.weight.sum())
    fewest, best = total + 1, np.zeros(rows.dimension)
    share = rows.weight / total
    few = slice(None, None, 1 + rows.n // ENOUGH_ROWS)
    likely = _likely(scaled[few], share[few] / share[few].sum())
    starts = [likely, scaled.T @ share] if start is None else [start]
    k = 0
    while steps > 0 and fewest > 0:
        w = starts[k].copy() if k < len(starts) else _shaken(best, random, k)
        if not np.isfinite(w).all() or np.abs(w).max() < 1e-12:
            w = random.standard_normal(rows.dimension)
        now = min(steps, STEPS_A_START)
        scales = 10.0 ** random.uniform(-3.0, 0.5, now)
        directions = _directions(scaled, now, random)
        mistakes = int(descend(scaled, rows.weight, w, directions, scales))
        if mistakes < fewest:
            fewest, best = mistakes, w
        steps -= now
        k += 1
        yield best


def _shaken(best: Floats, random: np.random.Generator, k: int) -> Floats:
    step: Floats = random.standard_normal(best.size)
    return step if k % 3 == 0 else best + step * 10.0 ** random.uniform(-2.5, -0.3)


def _directions(scaled: Floats, steps: int, random: np.random.Generator) -> Floats:
    """Return directions (steps, D): at random, along an axis, along a row, between two rows."""
    n, dimension = scaled.shape
    directions = random.standard_normal((steps, dimension))
    directions[1::4] = np.eye(dimension)[random.integers(dimension, size=len(directions[1::4]))]
    directions[2::4] = scaled[random.integers(n, size=len(directions[2::4]))]
    pairs = random.integers(n, size=(2, len(directions[3::4])))
    directions[3::4] = scaled[pairs[0]] - scaled[pairs[1]]
    return directions


def _likely(scaled: Floats, weight: Floats) -> Floats:
    """Return the logistic line after a few Newton steps with a breath of L2."""
    w = np.zeros(scaled.shape[1])
    ridge = 1e-6 * np.eye(w.size)
    for _ in range(10):
        p = 1.0 / (1.0 + np.exp(np.clip(scaled @ w, -30.0, 30.0)))
        slope = scaled.T @ (weight * p) - 1e-6 * w
        curvature = (scaled * (weight * p * (1.0 - p))[:, None]).T @ scaled + ridge
        w = w + np.linalg.solve(curvature, slope)
    return w


# ---------------------------------------------------------------------- exact knowledge


@dataclass(eq=False)
class Lemma:
    """Every direction makes mistakes of weight `bound` on rows that can vanish together.

    Parameters
    ----------
    ids : rows of the whole question
    part : the same in fewer `columns`; relations : why those suffice
    bound : proven
    sharp : whether some direction makes no more
    line : (D,) the direction found, for the part's values
    """

    ids: Indices
    part: CountedRows
    columns: list[int]
    relations: list[IntegerRow]
    bound: int
    sharp: bool
    line: Floats


@dataclass(eq=False)
class Knowledge:
    """What is known exactly of subsets of the rows of one question.

    Parameters
    ----------
    whole : all rows
    budget : shared by all searches
    """

    whole: CountedRows
    budget: Budget
    lemmas: dict[bytes, Lemma | None] = field(default_factory=dict)
    cores: dict[tuple[int, ...], list[int] | None] = field(default_factory=dict)
    depth: int = 0

    def vanishing(self, ids: Sequence[int]) -> list[int] | None:
        """Return whole multipliers >= 0, not all 0, that cancel the rows exactly, if seen."""
        key = tuple(sorted(ids))
        if key not in self.cores:
            self.cores[key] = _cancelling(self.whole.integers(np.array(key)))
        found = self.cores[key]
        if found is None:
            return None
        multiplier = dict(zip(key, found, strict=True))
        return [multiplier[i] for i in ids]

    def refusal(self, ids: Indices) -> Core | None:
        """Return a core among these rows that cancels exactly, if one is found."""
        rows = self.whole.scaled[ids]
        rows = np.ascontiguousarray(rows.T / np.abs(rows).max(axis=1))
        program = new_program(self.whole.dimension, ids.size)
        program.active[:] = np.arange(ids.size)
        half = np.ones(self.whole.dimension)
        found, size = solve(program, rows, np.zeros(ids.size), ids.size, half)
        if found != ZERO:
            return None
        core = ids[program.support[:size]].tolist()
        multipliers = self.vanishing(core)
        return None if multipliers is None else (tuple(core), tuple(multipliers))

    def lemma(self, ids: Indices, need: int) -> Lemma | None:
        """Return what is known of rows that can vanish together, for a use that needs `need`.

        None when they have the whole rank, so that they cannot.
        """
        key = ids.tobytes()
        known = self.lemmas.get(key)
        if key in self.lemmas and (known is None or known.sharp or known.bound >= need):
            return known
        part, columns, relations = self.whole.part(ids)
        if not relations or self.depth >= DEEPEST:
            self.lemmas[key] = None
            return None
        self.depth += 1
        try:
            found = _fewest_of(part, need, self)
        finally:
            self.depth -= 1
        self.lemmas[key] = lemma = Lemma(ids, part, columns, relations, *found)
        return lemma


def _cancelling(integers: list[IntegerRow]) -> list[int] | None:
    """Return multipliers >= 0 that cancel the rows: a vector of their null space of one sign."""
    columns = [list(column) for column in zip(*integers, strict=True)]
    basis, _ = nullspace(columns, len(integers))
    for v in basis:
        if all(a >= 0 for a in v):
            return primitive(v)
        if all(a <= 0 for a in v):
            return primitive([-a for a in v])
    return None


def _fewest_of(part: CountedRows, need: int, known: Knowledge) -> tuple[int, bool, Floats]:
    """Return (bound, sharp, line) for rows of a lower rank; stops at `need`."""
    w = best_line(part, None, 60, 0)
    line = unscaled(part, w)
    upper = part.mistakes(line)
    if need <= 0:
        return 0, upper == 0, line
    search = CubeSearch(part, chart(part, w), min(upper, need), known)
    search.run(ALL)
    if search.line is not None and part.mistakes(search.line) < upper:
        line = search.line
        upper = part.mistakes(line)
    return search.proven(), upper == search.proven(), line


def scaled_line(rows: CountedRows, line: Floats) -> Floats:
    """Return a line given for the values as one for the scaled columns."""
    middle = int(np.median(rows.column_shift))
    scaled: Floats = np.ldexp(line, rows.column_shift - middle)
    return scaled


def unscaled(rows: CountedRows, w: Floats) -> Floats:
    """Return a line given for the scaled columns as one for the values."""
    middle = int(np.median(rows.column_shift))
    line: Floats = np.ldexp(w, middle - rows.column_shift)
    return line


# ---------------------------------------------------------------------- one search


class CubeSearch:
    """Shows that every line makes mistakes of weight `goal`, or finds one that makes fewer.

    Parameters
    ----------
    rows, chart : the rows and the coordinates of the boxes
    goal : what is to be shown
    known : exact knowledge of the rows of the whole question
    noted : room for the log of a proof; 0 for none

    Attributes
    ----------
    line : (D,) the best line found whose recount was below the goal, or None
    uses : the lemmas used, in the order in which the log refers to them
    logs : the log of each face, when one is kept
    """

    def __init__(
        self, rows: CountedRows, chart: Chart, goal: int, known: Knowledge, noted: int = 0
    ) -> None:
        self.rows, self.chart, self.known = rows, chart, known
        n, dimension = rows.n, rows.dimension
        self.stack = boxes.new_stack(dimension, 64, 4 * n + 64)
        self.box = boxes.new_box(dimension, n)
        self.program = new_program(dimension, boxes.MOST_ROWS + 1)
        self.notes = boxes.new_notes(dimension, noted, 4096 + 2 * n * (dimension + 3))
        self.counters = np.zeros(boxes.N_COUNTERS, dtype=np.int64)
        self.counters[boxes.GOAL] = goal
        self.counters[boxes.STUCK] = ALL
        self.counters[boxes.TRUST] = 1
        self.face = -1
        self.line: Floats | None = None
        self.first_goal = goal
        self.lowest_goal = goal  # boxes were closed against this, whatever the recount said
        self.uses: list[Lemma] = []
        self.logs: list[NDArray[np.int32]] = []
        self.finished = False

    @property
    def goal(self) -> int:
        """The weight of mistakes to be shown for every line."""
        return int(self.counters[boxes.GOAL])

    @property
    def nodes(self) -> int:
        """Boxes looked at."""
        return int(self.counters[boxes.NODES])

    @property
    def done(self) -> float:
        """About how much of the search is done."""
        inside = min(1.0, float(self.notes.done[0])) if self.face >= 0 else 0.0
        if self.face <= 0:
            return FIRST_FACE * inside
        others = 2 * self.rows.dimension - 1
        return FIRST_FACE + (1.0 - FIRST_FACE) * (self.face - 1 + inside) / others

    def proven(self) -> int:
        """Return what is proven for every line once finished."""
        return min(self.lowest_goal, int(self.counters[boxes.STUCK])) if self.finished else 0

    def aim(self, goal: int) -> None:
        """Lower the goal, as a better line is known from elsewhere."""
        if goal < self.goal:
            self.counters[boxes.GOAL] = goal
            self.lowest_goal = min(self.lowest_goal, goal)

    def run(self, most_nodes: int) -> bool:
        """Look at up to so many more boxes; return whether it is finished."""
        stop = self.nodes + most_nodes
        while not self.finished and self.nodes < stop:
            self._slice(min(stop - self.nodes, self.known.budget.left()))
        return self.finished

    def _slice(self, nodes: int) -> None:
        if self.counters[boxes.SIZE] == 0 and not self._next_face():
            self.finished = True
            return
        before, found = self.nodes, int(self.counters[boxes.FOUND])
        why = boxes.search(
            self.chart.rows, self.chart.slack, self.rows.weight, self.stack, self.box,
            self.program, self.notes, self.counters, before + nodes, WORK_A_SLICE,
        )  # fmt: skip
        self.known.budget.nodes += self.nodes - before
        if self.counters[boxes.FOUND] > found:
            self._recount()
        if not self._claims_hold():
            self._distrust()
        elif why == boxes.TIE:
            self._settle_tie()
        elif why == boxes.ROOM:
            self._make_room()
        if self.counters[boxes.SIZE] == 0 and self.face >= 0 and self.notes.log.size:
            self.logs.append(self.notes.log[: self.counters[boxes.NOTED]].copy())
            self.counters[boxes.NOTED] = 0

    def _next_face(self) -> bool:
        """Put the next open face on the stack; False when there is none."""
        while self.face + 1 < 2 * self.rows.dimension:
            self.face += 1
            self.notes.done[0] = 0.0
            if boxes.begin(
                self.chart.rows, self.chart.slack, self.rows.weight, self.stack, self.box,
                self.counters, self.face, FIRST_TIE,
            ):  # fmt: skip
                return True
            if self.notes.log.size:
                self.logs.append(np.empty(0, dtype=np.int32))
        return False

    def _recount(self) -> None:
        """Keep the line found if an exact recount says that it beats what was known."""
        line = self.chart.weights(self.notes.best)
        mistakes = self.rows.mistakes(line)
        self.lowest_goal = min(self.lowest_goal, self.goal)
        if self.line is None or mistakes < self.rows.mistakes(self.line):
            self.line = line

    def _claims_hold(self) -> bool:
        """Return whether the cores that seemed to vanish do, exactly."""
        claims = self.notes.claims[: self.counters[boxes.CLAIMED]].tolist()
        self.counters[boxes.CLAIMED] = 0
        at = 0
        while at < len(claims):
            size = claims[at]
            positions = claims[at + 1 : at + 1 + size]
            at += 1 + size
            if self.known.vanishing(self._ids(np.array(positions)).tolist()) is None:
                return False
        return True

    def _distrust(self) -> None:
        """Begin anew, halving boxes where a combination merely seems to vanish."""
        self.counters[boxes.TRUST] = 0
        self.counters[boxes.SIZE] = 0
        self.counters[boxes.NOTED] = 0
        self.counters[boxes.STUCK] = ALL
        self.face = -1
        self.uses, self.logs = [], []

    def _make_room(self) -> None:
        """Double whatever is nearly full."""
        stack, size = self.stack, int(self.counters[boxes.SIZE])
        grown = boxes.new_stack(
            self.rows.dimension, 2 * stack.wrong.size, 2 * stack.pool.size + 2 * self.rows.n
        )
        for old, new in zip(stack[:-1], grown[:-1], strict=True):
            new[:size] = old[:size]
        grown.pool[: stack.pool.size] = stack.pool
        self.stack = grown
        if self.notes.log.size:
            log = np.empty(2 * self.notes.log.size + 64 * self.rows.n, dtype=np.int32)
            log[: self.notes.log.size] = self.notes.log
            self.notes = self.notes._replace(log=log)

    # ------------------------------------------------------------------ ties

    def _ids(self, positions: Indices) -> Indices:
        """Return the numbers in the whole question of rows given by position."""
        ids: Indices = self.rows.rows[positions]
        return ids

    def _settle_tie(self) -> None:
        """Close the box on top of the stack by what is known of its open rows, or let it be."""
        top = int(self.counters[boxes.SIZE]) - 1
        open_rows = self.stack.pool[self.stack.first[top] : self.stack.last[top]].astype(np.int64)
        need = self.goal - int(self.stack.wrong[top])
        lemma = self.known.lemma(self._ids(open_rows), need)
        if lemma is not None and lemma.bound < need:
            self._point_near_tie(open_rows, lemma)
            need = self.goal - int(self.stack.wrong[top])
        if lemma is not None and lemma.bound >= need:
            self.counters[boxes.SIZE] = top
            self.notes.done[0] += self.stack.share[top]
            if self.notes.log.size:
                at = self.counters[boxes.NOTED]
                self.notes.log[at : at + 3] = boxes.LEMMA, len(self.uses), 0
                self.counters[boxes.NOTED] = at + 3
                self.uses.append(lemma)
            return
        half = 0.5 * float((self.stack.high[top] - self.stack.low[top]).max())
        self.stack.tie[top] = half / TIE_STEP if half > LAST_TIE else -1.0

    def _point_near_tie(self, open_rows: Indices, lemma: Lemma) -> None:
        """Look in the box for a point that puts right the rows that the lemma's line puts right."""
        top = int(self.counters[boxes.SIZE]) - 1
        right = open_rows[~lemma.part.wrong(lemma.line)]
        if right.size == 0 or right.size > self.program.active.size:
            return
        centre = 0.5 * (self.stack.low[top] + self.stack.high[top])
        half = 0.5 * (self.stack.high[top] - self.stack.low[top])
        rows = np.ascontiguousarray(self.chart.rows[:, right])
        self.program.active[: right.size] = np.arange(right.size)
        found, _ = solve(self.program, rows, centre @ rows, int(right.size), half)
        if found != POINT:
            return
        line = self.chart.weights(centre + half * self.program.point)
        mistakes = self.rows.mistakes(line)
        if mistakes < self.goal:
            self.line = line
            self.counters[boxes.GOAL] = self.lowest_goal = mistakes
