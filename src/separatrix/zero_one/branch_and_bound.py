"""Branch and bound over the faces of the cube of weights, and what it knows of ties.

Every w != 0 is a positive multiple of a point on the cube max |v_j| = 1 of a chart, so its 2 D
faces are boxes that cover all lines. `kernels/boxes.py` closes boxes; what is done here is what
needs exact arithmetic: cores whose combination seems to vanish are checked, and where all open rows
of a box can vanish at one point of it, the fewest mistakes on those rows over *all* directions, a
question in fewer dimensions, is answered by a search of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from separatrix.clock import work_clock
from separatrix.exact.integers import Floats, Indices, IntegerRow, nullspace, primitive
from separatrix.exact.interrupts import Interrupts
from separatrix.kernels.zero_one import boxes
from separatrix.kernels.zero_one.cores import POINT, ZERO, new_program, solve
from separatrix.zero_one.coordinates import Chart, chart
from separatrix.zero_one.local_search import best_line
from separatrix.zero_one.presolve import CountedRows
from separatrix.zero_one.workers import NEVER, Lane, Lanes, Log

LAST_TIE, TIE_STEP = 2.0**-44, 16.0  # half widths at which a common zero is asked for again
NODES_SPENT = "the limit on nodes was reached"
TIME_SPENT = (
    "the time limit was reached; where that falls depends on the machine, and so do the bounds"
)
FIRST_FACE = 0.9  # of the boxes belong to it: the best line known is its centre
PATIENCE = 1e6  # boxes that are worth waiting for when there is no limit
DEEPEST = 40  # questions inside questions
ALL = NEVER

Core = tuple[tuple[int, ...], tuple[int, ...]]  # rows, and whole multipliers that cancel them


class Spent(Exception):  # noqa: N818  # not an error: the limit that was met
    """Raised when a limit is met; the text says which."""


@dataclass(eq=False)
class Budget:
    """What may be spent, and what was.

    Parameters
    ----------
    deadline : of `work_clock`, or None
    most_nodes : boxes that may be looked at
    enough : boxes after which another way is taken; nothing is planned by it
    """

    deadline: float | None
    most_nodes: int
    nodes: int = 0
    enough: int = ALL
    started: float = field(default_factory=work_clock)
    interrupts: Interrupts = field(default_factory=Interrupts)

    def outlook(self) -> float:
        """Return about how many more boxes there will be time for."""
        left = float(self.most_nodes - self.nodes)
        if self.deadline is None:
            return min(left, max(10.0 * self.nodes, PATIENCE))
        now = work_clock()
        return min(left, self.nodes / max(now - self.started, 1e-6) * (self.deadline - now))

    def left(self) -> int:
        """Return how many boxes may still be looked at; raise when that or the time is over."""
        self.interrupts.look()
        if self.nodes >= min(self.most_nodes, self.enough):
            raise Spent(NODES_SPENT)
        self.watch()
        return self.most_nodes - self.nodes

    def watch(self) -> None:
        """Raise when the time is over."""
        if self.seconds() <= 0.0:
            raise Spent(TIME_SPENT)

    def seconds(self) -> float:
        """Return how many seconds are left."""
        return math.inf if self.deadline is None else self.deadline - work_clock()


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


@np.errstate(over="ignore")  # a line that does not fit is no line: nobody takes it for one
def scaled_line(rows: CountedRows, line: Floats) -> Floats:
    """Return a line given for the values as one for the scaled columns."""
    middle = int(np.median(rows.column_shift))
    scaled: Floats = np.ldexp(line, rows.column_shift - middle)
    return scaled


@np.errstate(over="ignore")
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
        self.lanes = Lanes(chart, noted)
        self.keeps_log = noted > 0
        self.nodes = 0
        self.face = -1
        self.line: Floats | None = None
        self.goal = self.first_goal = goal
        self.lowest_goal = goal  # boxes were closed against this, whatever the recount said
        self.uses: list[Lemma] = []
        self.logs: list[Log] = []
        self.finished = False

    @property
    def done(self) -> float:
        """About how much of the search is done."""
        inside = self.lanes.done() if self.face >= 0 else 0.0
        if self.face <= 0:
            return FIRST_FACE * inside
        others = 2 * self.rows.dimension - 1
        return FIRST_FACE + (1.0 - FIRST_FACE) * (self.face - 1 + inside) / others

    def proven(self) -> int:
        """Return what is proven for every line once finished."""
        return min(self.lowest_goal, self.lanes.stuck()) if self.finished else 0

    def aim(self, goal: int) -> None:
        """Lower the goal, as a better line is known from elsewhere."""
        if goal < self.goal:
            self.goal = goal
            self.lowest_goal = min(self.lowest_goal, goal)

    def run(self, most_nodes: int) -> bool:
        """Look at up to so many more boxes; return whether it is finished."""
        stop = self.nodes + most_nodes
        while not self.finished and self.nodes < stop:
            self._round(min(stop - self.nodes, self.known.budget.left()))
        return self.finished

    def _round(self, nodes: int) -> None:
        if not self.lanes.busy() and not self._next_face():
            self.finished = True
            return
        before = sum(lane.nodes for lane in self.lanes.lanes)
        lanes = self.lanes.look(self.goal, nodes)
        looked = sum(lane.nodes for lane in self.lanes.lanes) - before
        self.nodes += looked
        self.known.budget.nodes += looked
        for lane in lanes:
            if lane.found:
                self._recount(lane)
        if not all(self._claims_hold(lane) for lane in lanes):
            self._distrust()
            return
        for lane in lanes:
            if lane.why == boxes.TIE:
                self._settle_tie(lane)
            elif lane.why == boxes.ROOM:
                lane.make_room()
        if self.keeps_log and not self.lanes.busy():
            self.logs.append(self.lanes.log())

    def _next_face(self) -> bool:
        """Put the next open face on a stack; False when there is none."""
        while self.face + 1 < 2 * self.rows.dimension:
            self.face += 1
            if self.lanes.begin(self.face, self.goal):
                return True
            if self.keeps_log:
                self.logs.append(self.lanes.log())
        return False

    def _recount(self, lane: Lane) -> None:
        """Keep the line found if an exact recount says that it beats what was known."""
        self.aim(lane.goal)
        line = self.chart.weights(lane.notes.best)
        mistakes = self.rows.mistakes(line)
        if self.line is None or mistakes < self.rows.mistakes(self.line):
            self.line = line

    def _claims_hold(self, lane: Lane) -> bool:
        """Return whether the cores that seemed to vanish do, exactly."""
        claims = lane.notes.claims[: lane.counters[boxes.CLAIMED]].tolist()
        lane.counters[boxes.CLAIMED] = 0
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
        self.lanes.distrust()
        self.face = -1
        self.uses, self.logs = [], []

    # ------------------------------------------------------------------ ties

    def _ids(self, positions: Indices) -> Indices:
        """Return the numbers in the whole question of rows given by position."""
        ids: Indices = self.rows.rows[positions]
        return ids

    def _settle_tie(self, lane: Lane) -> None:
        """Close the box on top of a stack by what is known of its open rows, or let it be."""
        stack, top = lane.stack, lane.size - 1
        open_rows = stack.pool[stack.first[top] : stack.last[top]].astype(np.int64)
        wrong = int(stack.wrong[top])
        lemma = self.known.lemma(self._ids(open_rows), self.goal - wrong)
        if lemma is not None and lemma.bound < self.goal - wrong:
            self._point_near_tie(lane, open_rows, lemma)
        if lemma is not None and lemma.bound >= self.goal - wrong:
            lane.counters[boxes.SIZE] = top
            lane.notes.done[0] += stack.share[top]
            lane.note(boxes.LEMMA, len(self.uses))
            if self.keeps_log:
                self.uses.append(lemma)
            return
        half = 0.5 * float((stack.high[top] - stack.low[top]).max())
        stack.tie[top] = half / TIE_STEP if half > LAST_TIE else -1.0

    def _point_near_tie(self, lane: Lane, open_rows: Indices, lemma: Lemma) -> None:
        """Look in the box for a point that puts right the rows that the lemma's line puts right."""
        stack, program, top = lane.stack, lane.program, lane.size - 1
        right = open_rows[~lemma.part.wrong(lemma.line)]
        if right.size == 0 or right.size > program.active.size:
            return
        centre = 0.5 * (stack.low[top] + stack.high[top])
        half = 0.5 * (stack.high[top] - stack.low[top])
        rows = np.ascontiguousarray(self.chart.rows[:, right])
        program.active[: right.size] = np.arange(right.size)
        found, _ = solve(program, rows, centre @ rows, int(right.size), half)
        if found != POINT:
            return
        line = self.chart.weights(centre + half * program.point)
        mistakes = self.rows.mistakes(line)
        if mistakes < self.goal:
            self.line = line
            self.goal = self.lowest_goal = mistakes
