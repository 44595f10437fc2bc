"""The boxes of one search shared out among lanes, each of which any thread may look at.

A lane goes down its own stack of boxes for so many numbers read. Then all lanes stop, what they
found is put together in their order, and a lane without boxes takes the largest one at the bottom
of another's stack. Who takes what, and when, hangs on counts alone: any number of threads looks at
the same boxes, and the same limit gives the same bytes.

A log stays the log of one depth-first search: the box at the bottom of a stack would have come
last, so the steps of whoever took it belong behind those of the lane that it was taken from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels.zero_one import boxes
from separatrix.kernels.zero_one.cores import new_program
from separatrix.tiles import in_threads
from separatrix.zero_one.coordinates import Chart

LANES = 16
WORK_A_LANE = 20_000_000  # numbers read before all lanes stop: some 10 ms
FIRST_STACK = 64
FIRST_TIE = 2.0**-3  # half width of a box at which a common zero is first asked for
NEVER = 2**62

Log = NDArray[np.int32]


@dataclass(eq=False)
class Stretch:
    """Steps of one lane on end; behind them come those of the boxes taken from it, the last first.

    Parameters
    ----------
    log : its steps, once it is over
    behind : stretches of the boxes taken, in the order in which they were
    """

    log: Log = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    behind: list[Stretch] = field(default_factory=list)

    def whole(self) -> Log:
        """Return all steps in the order of one depth-first search."""
        logs, waiting = [], [self]
        while waiting:
            stretch = waiting.pop()
            logs.append(stretch.log)
            waiting += stretch.behind
        return np.concatenate(logs)


class Lane:
    """A stack of boxes, and what the kernel needs to look at the one on top.

    Parameters
    ----------
    dimension : D
    most_rows : room for so many open rows
    noted : room for the log; 0 for none

    Attributes
    ----------
    why : the kernel came back
    found : whether it found a better point
    """

    def __init__(self, dimension: int, most_rows: int, noted: int) -> None:
        self.dimension = dimension
        self.stack = boxes.new_stack(dimension, FIRST_STACK, 4 * most_rows + 64)
        self.box = boxes.new_box(dimension, most_rows)
        self.program = new_program(dimension, boxes.MOST_ROWS + 1)
        self.notes = boxes.new_notes(dimension, noted, _claims(most_rows, dimension))
        self.counters = np.zeros(boxes.N_COUNTERS, dtype=np.int64)
        self.counters[boxes.STUCK] = NEVER
        self.counters[boxes.TRUST] = 1
        self.why, self.found = boxes.DONE, False
        self.stretch = Stretch()

    @property
    def size(self) -> int:
        """Boxes on the stack."""
        return int(self.counters[boxes.SIZE])

    @property
    def nodes(self) -> int:
        """Boxes looked at so far."""
        return int(self.counters[boxes.NODES])

    @property
    def goal(self) -> int:
        """The weight of mistakes to be shown, less once a point was found that makes fewer."""
        return int(self.counters[boxes.GOAL])

    @property
    def has_log(self) -> bool:
        """Whether the steps are noted."""
        return self.notes.log.size > 0

    def look(self, chart: Chart, nodes: int) -> None:
        """Look at up to so many boxes."""
        before = int(self.counters[boxes.FOUND])
        self.why = boxes.search(
            _instance(chart), self.stack, self.box, self.program, self.notes, self.counters,
            self.nodes + nodes, WORK_A_LANE,
        )  # fmt: skip
        self.found = int(self.counters[boxes.FOUND]) > before

    def note(self, what: int, j: int) -> None:
        """Note a step that the kernel did not make."""
        if self.has_log:
            at = self.counters[boxes.NOTED]
            self.notes.log[at : at + 3] = what, j, 0
            self.counters[boxes.NOTED] = at + 3

    def end_stretch(self) -> None:
        """Put away the log, there being no boxes left."""
        if self.has_log:
            self.stretch.log = self.notes.log[: self.counters[boxes.NOTED]].copy()
        self.stretch = Stretch()
        self.counters[boxes.NOTED] = 0

    def fit(self, most_rows: int) -> None:
        """Make room for so many open rows, there being no boxes."""
        if self.box.row.size < most_rows:
            self.stack = boxes.new_stack(self.dimension, FIRST_STACK, 4 * most_rows + 64)
            self.box = boxes.new_box(self.dimension, most_rows)
            claims = np.empty(_claims(most_rows, self.dimension), dtype=np.int32)
            self.notes = self.notes._replace(claims=claims)

    def drop(self) -> None:
        """Forget all boxes and what they showed; cores that seem to vanish count no longer."""
        self.counters[[boxes.SIZE, boxes.NOTED, boxes.CLAIMED, boxes.TRUST]] = 0
        self.counters[boxes.STUCK] = NEVER

    def bottom_share(self) -> float:
        """Return the share of the box that may be taken; 0 when there is no box to spare."""
        return float(self.stack.share[0]) if self.size > 1 else 0.0

    @property
    def bottom_rows(self) -> int:
        """How many rows are open in the box at the bottom."""
        return int(self.stack.last[0] - self.stack.first[0])

    def take_from(self, other: Lane) -> None:
        """Take the box at the bottom of another lane's stack, having none."""
        self.end_stretch()
        from_, rows = other.stack, other.stack.pool[other.stack.first[0] : other.stack.last[0]]
        self.fit(rows.size)
        to = self.stack
        to.pool[: rows.size] = rows
        to.first[0], to.last[0] = 0, rows.size
        for key in ("low", "high", "wrong", "share", "tie"):
            getattr(to, key)[0] = getattr(from_, key)[0]
        for column in from_[:-1]:
            column[: other.size - 1] = column[1 : other.size].copy()
        other.counters[boxes.SIZE] -= 1
        self.counters[boxes.SIZE] = 1
        other.stretch.behind.append(self.stretch)

    def make_room(self) -> None:
        """Double whatever is nearly full."""
        stack, most_rows = self.stack, self.box.row.size
        grown = boxes.new_stack(
            self.dimension, 2 * stack.wrong.size, 2 * stack.pool.size + 2 * most_rows
        )
        for old, new in zip(stack[:-1], grown[:-1], strict=True):
            new[: self.size] = old[: self.size]
        grown.pool[: stack.pool.size] = stack.pool
        self.stack = grown
        if self.has_log:
            log = np.empty(2 * self.notes.log.size + 64 * most_rows, dtype=np.int32)
            log[: self.notes.log.size] = self.notes.log
            self.notes = self.notes._replace(log=log)


def _claims(most_rows: int, dimension: int) -> int:
    return 4096 + 2 * most_rows * (dimension + 3)


def _instance(chart: Chart) -> boxes.Instance:
    return boxes.Instance(chart.rows, chart.slack, chart.source.weight)


class Lanes:
    """The lanes of one search.

    Parameters
    ----------
    chart : the coordinates of the boxes
    noted : room for a log; 0 for none
    """

    def __init__(self, chart: Chart, noted: int) -> None:
        self.chart, self.noted = chart, noted
        dimension, n = chart.rows.shape
        self.lanes = [Lane(dimension, n, noted)]
        self.tried = np.zeros_like(self.lanes[0].notes.tried)
        self.succeeded = np.zeros_like(self.tried)
        self.young = True  # nothing was looked at on this face: it may be closed in no time
        self.first = self.lanes[0].stretch

    def begin(self, face: int, goal: int) -> bool:
        """Put a face on the first stack, all being empty; return whether it is still open."""
        chart, lane = self.chart, self.lanes[0]
        for other in self.lanes:
            other.notes.done[0] = 0.0
        lane.counters[boxes.GOAL] = goal
        self.young, self.first = True, lane.stretch
        return boxes.begin(_instance(chart), lane.stack, lane.box, lane.counters, face, FIRST_TIE)

    def log(self) -> Log:
        """Return the log of the face, all stacks being empty."""
        for lane in self.lanes:
            lane.end_stretch()
        return self.first.whole()

    def busy(self) -> list[Lane]:
        """Return the lanes that have boxes."""
        return [lane for lane in self.lanes if lane.size]

    def done(self) -> float:
        """Return which share of the face is closed."""
        return min(1.0, sum(float(lane.notes.done[0]) for lane in self.lanes))

    def stuck(self) -> int:
        """Return the least weight shown of boxes too small to halve."""
        return min(int(lane.counters[boxes.STUCK]) for lane in self.lanes)

    def distrust(self) -> None:
        """Forget all boxes, and let cores that seem to vanish count no longer."""
        for lane in self.lanes:
            lane.drop()

    def look(self, goal: int, nodes: int) -> list[Lane]:
        """Look at up to so many boxes, in all lanes that have any; return those lanes."""
        if not self.young:
            self._share_out()
        self.young = False
        busy = self.busy()[:nodes]
        for lane in busy:
            lane.counters[boxes.GOAL] = goal
            lane.notes.tried[:], lane.notes.succeeded[:] = self.tried, self.succeeded
        allowed = nodes // len(busy)
        for _ in in_threads([partial(lane.look, self.chart, allowed) for lane in busy]):
            pass
        self.tried = self.tried + sum(lane.notes.tried - self.tried for lane in busy)
        self.succeeded = self.succeeded + sum(
            lane.notes.succeeded - self.succeeded for lane in busy
        )
        return busy

    def _share_out(self) -> None:
        """Give every lane without boxes the largest one that another can spare."""
        for k in range(LANES):
            giver = max(self.lanes, key=Lane.bottom_share)
            if giver.size <= 1:
                return
            if k == len(self.lanes):
                lane = Lane(giver.dimension, giver.bottom_rows, self.noted)
                lane.counters[boxes.TRUST] = giver.counters[boxes.TRUST]
                self.lanes.append(lane)
            if not self.lanes[k].size:
                self.lanes[k].take_from(giver)
