"""Branch and bound over the faces of a cube of weights, and the lemmas that settle ties.

Every w != 0 is a positive multiple of a point on the cube max |v_j| = 1 of a basis, so its 2 D
faces are boxes that cover all lines. A node is a box: `kernels/zero_one/boxes.py` bounds it, prunes
it (the pruning rules are there) or branches. What needs exact arithmetic is done here. Cores whose
combination seems to vanish are checked. And where all open rows of a box can vanish at one of its
points, a tie, the box is pruned by the fewest mistakes on those rows over *all* directions: a
problem in fewer dimensions, solved by a branch and bound of its own, whose result is a lemma.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.exact.integers import Floats, Indices, IntegerRow, nullspace, primitive
from separatrix.kernels.zero_one import boxes
from separatrix.kernels.zero_one.cores import new_program
from separatrix.tiles import in_threads
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.local_search import ChangeOfBasis, basis_around, best_line
from separatrix.zero_one.problem import MergedRows

LAST_TIE, TIE_STEP = 2.0**-44, 16.0  # half widths at which a tie is looked for again
FIRST_FACE = 0.9  # of the nodes belong to it: the incumbent is its centre
DEEPEST = 40  # lemmas inside lemmas


@dataclass(eq=False)
class Lemma:
    """Every direction makes mistakes of weight `bound` on rows that can vanish together."""

    ids: Indices  # rows of the whole problem
    part: MergedRows  # the same in fewer `columns`; relations : why those suffice
    columns: list[int]
    relations: list[IntegerRow]
    bound: int  # proven
    sharp: bool  # whether some direction makes no more
    line: Floats  # (D,) the direction found, for the part's values


@dataclass(eq=False)
class Knowledge:
    """What is known exactly of subsets of the rows of one problem."""

    whole: MergedRows  # all rows
    budget: Budget  # shared by all searches
    lemmas: dict[bytes, Lemma | None] = field(default_factory=dict)
    cores: dict[tuple[int, ...], list[int] | None] = field(default_factory=dict)
    depth: int = 0

    def vanishing(self, ids: Sequence[int]) -> list[int] | None:
        """Return whole multipliers >= 0, not all 0, that cancel the rows exactly, if found."""
        key = tuple(sorted(ids))
        if key not in self.cores:
            self.cores[key] = cancelling(self.whole.integers(np.array(key)))
        found = self.cores[key]
        if found is None:
            return None
        multiplier = dict(zip(key, found, strict=True))
        return [multiplier[i] for i in ids]

    def lemma(self, ids: Indices, need: int) -> Lemma | None:
        """Return what is known of rows that can vanish together, for a use that needs `need`."""
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


def cancelling(integers: list[IntegerRow]) -> list[int] | None:
    """Return multipliers >= 0 that cancel the rows: a vector of their null space of one sign."""
    columns = [list(column) for column in zip(*integers, strict=True)]
    basis, _ = nullspace(columns, len(integers))
    for v in basis:
        if all(a >= 0 for a in v):
            return primitive(v)
        if all(a <= 0 for a in v):
            return primitive([-a for a in v])
    return None


def _fewest_of(part: MergedRows, need: int, known: Knowledge) -> tuple[int, bool, Floats]:
    """Return (bound, sharp, line) for rows of a lower rank; stops at `need`."""
    w = best_line(part, None, 60, 0)
    line = part.unscaled(w)
    upper = part.mistakes(line)
    if need <= 0:
        return 0, upper == 0, line
    search = BranchAndBound(basis_around(part, w), min(upper, need), known)
    search.run(ALL)
    if search.incumbent is not None and part.mistakes(search.incumbent) < upper:
        line = search.incumbent
        upper = part.mistakes(line)
    return search.bound(), upper == search.bound(), line


class BranchAndBound:
    """Shows that every line makes mistakes of weight `cutoff`, or finds one that makes fewer."""

    def __init__(
        self, basis: ChangeOfBasis, cutoff: int, known: Knowledge, log_room: int = 0
    ) -> None:
        self.basis, self.rows, self.known = basis, basis.source, known
        self.workers = Workers(basis, log_room)
        self.keeps_log = log_room > 0
        self.nodes = 0
        self.face = -1
        self.incumbent: Floats | None = None
        self.cutoff = self.first_cutoff = cutoff
        self.lowest_cutoff = cutoff  # boxes were pruned against this, whatever the exact count
        self.lemmas: list[Lemma] = []
        self.logs: list[Log] = []
        self.finished = False

    @property
    def share_done(self) -> float:
        """About how much of the search is done."""
        done = sum(float(worker.notes.done[0]) for worker in self.workers.workers)
        inside = min(1.0, done) if self.face >= 0 else 0.0
        if self.face <= 0:
            return FIRST_FACE * inside
        others = 2 * self.rows.dimension - 1
        return FIRST_FACE + (1.0 - FIRST_FACE) * (self.face - 1 + inside) / others

    def bound(self) -> int:
        """Return the lower bound proven for every line; 0 until the search is finished."""
        unresolved = min(int(w.counters[boxes.UNRESOLVED]) for w in self.workers.workers)
        return min(self.lowest_cutoff, unresolved) if self.finished else 0

    def lower_cutoff(self, cutoff: int) -> None:
        """Lower the cutoff, as a better line is known from elsewhere."""
        if cutoff < self.cutoff:
            self.cutoff = cutoff
            self.lowest_cutoff = min(self.lowest_cutoff, cutoff)

    def run(self, most_nodes: int) -> bool:
        """Explore up to this many more nodes; return whether the search is finished."""
        stop = self.nodes + most_nodes
        while not self.finished and self.nodes < stop:
            self._round(min(stop - self.nodes, self.known.budget.left()))
        return self.finished

    def _round(self, nodes: int) -> None:
        if not self.workers.busy() and not self._next_face():
            self.finished = True
            return
        explored, workers = self.workers.run(self.cutoff, nodes)
        self.nodes += explored
        self.known.budget.nodes += explored
        for worker in workers:
            if worker.found:
                self.lower_cutoff(worker.cutoff)
                line = self.basis.weights(worker.notes.best)
                mistakes = self.rows.mistakes(line)
                if self.incumbent is None or mistakes < self.rows.mistakes(self.incumbent):
                    self.incumbent = line
        if not all(self._claims_hold(worker) for worker in workers):
            self.workers.distrust()  # cores that merely seem to vanish no longer count
            self.face = -1
            self.lemmas, self.logs = [], []
            return
        for worker in workers:
            if worker.why == boxes.TIE:
                self._resolve_tie(worker)
            elif worker.why == boxes.ROOM:
                worker.make_room()
        if self.keeps_log and not self.workers.busy():
            self.logs.append(self.workers.log())

    def _next_face(self) -> bool:
        """Put the next open face on a stack; False when there is none."""
        while self.face + 1 < 2 * self.rows.dimension:
            self.face += 1
            if self.workers.begin(self.face, self.cutoff):
                return True
            if self.keeps_log:
                self.logs.append(self.workers.log())
        return False

    def _claims_hold(self, worker: Worker) -> bool:
        """Return whether the cores that seemed to vanish do, exactly."""
        claims = worker.notes.claims[: worker.counters[boxes.CLAIMED]].tolist()
        worker.counters[boxes.CLAIMED] = 0
        at = 0
        while at < len(claims):
            size = claims[at]
            positions = claims[at + 1 : at + 1 + size]
            at += 1 + size
            if self.known.vanishing(self.rows.ids[positions].tolist()) is None:
                return False
        return True

    def _resolve_tie(self, worker: Worker) -> None:
        """Prune the box on top of a stack by a lemma on its open rows, or leave it open."""
        stack, top = worker.stack, worker.size - 1
        open_rows = stack.pool[stack.first[top] : stack.last[top]].astype(np.int64)
        wrong = int(stack.wrong[top])
        lemma = self.known.lemma(self.rows.ids[open_rows], self.cutoff - wrong)
        if lemma is not None and lemma.bound >= self.cutoff - wrong:
            worker.prune_top()
            worker.log_step(boxes.LEMMA, len(self.lemmas))
            if self.keeps_log:
                self.lemmas.append(lemma)
            return
        half = 0.5 * float((stack.high[top] - stack.low[top]).max())
        stack.tie[top] = half / TIE_STEP if half > LAST_TIE else -1.0


N_WORKERS = 16
SLICE_WORK = 20_000_000  # numbers read before all workers stop: some 10 ms
FIRST_STACK = 64
FIRST_TIE = 2.0**-3  # half width of a box at which a tie is first looked for

Log = NDArray[np.int32]


@dataclass(eq=False)
class LogSegment:
    """Uninterrupted steps of one worker; behind them come those of the boxes stolen from it."""

    log: Log = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    stolen: list[LogSegment] = field(default_factory=list)

    def joined(self) -> Log:
        """Return all steps in the order of one depth-first search."""
        logs, waiting = [], [self]
        while waiting:
            segment = waiting.pop()
            logs.append(segment.log)
            waiting += segment.stolen
        return np.concatenate(logs)


class Worker:
    """A stack of boxes, and what the kernel needs to explore the one on top."""

    def __init__(self, dimension: int, most_rows: int, log_room: int) -> None:
        self.dimension = dimension
        self.stack = boxes.new_stack(dimension, FIRST_STACK, 4 * most_rows + 64)
        self.box = boxes.new_box(dimension, most_rows)
        self.program = new_program(dimension, boxes.MOST_ROWS + 1)
        self.notes = boxes.new_notes(dimension, log_room, _claims(most_rows, dimension))
        self.counters = np.zeros(boxes.N_COUNTERS, dtype=np.int64)
        self.counters[boxes.UNRESOLVED] = ALL
        self.counters[boxes.TRUST] = 1
        self.why, self.found = boxes.DONE, False
        self.segment = LogSegment()

    @property
    def size(self) -> int:
        return int(self.counters[boxes.SIZE])

    @property
    def nodes(self) -> int:
        return int(self.counters[boxes.NODES])

    @property
    def cutoff(self) -> int:
        """The weight of mistakes to be shown, less once a point was found that makes fewer."""
        return int(self.counters[boxes.CUTOFF])

    @property
    def has_log(self) -> bool:
        return self.notes.log.size > 0

    def run(self, instance: boxes.Instance, nodes: int) -> None:
        before = int(self.counters[boxes.FOUND])
        self.why = boxes.search(
            instance, self.stack, self.box, self.program, self.notes, self.counters,
            self.nodes + nodes, SLICE_WORK,
        )  # fmt: skip
        self.found = int(self.counters[boxes.FOUND]) > before

    def prune_top(self) -> None:
        top = self.size - 1
        self.counters[boxes.SIZE] = top
        self.notes.done[0] += self.stack.share[top]

    def log_step(self, what: int, j: int) -> None:
        """Log a step that the kernel did not make."""
        if self.has_log:
            at = self.counters[boxes.LOGGED]
            self.notes.log[at : at + 3] = what, j, 0
            self.counters[boxes.LOGGED] = at + 3

    def end_segment(self) -> None:
        """Put away the log, there being no boxes left."""
        if self.has_log:
            self.segment.log = self.notes.log[: self.counters[boxes.LOGGED]].copy()
        self.segment = LogSegment()
        self.counters[boxes.LOGGED] = 0

    def distrust(self) -> None:
        """Forget all boxes and what they showed; cores that seem to vanish count no longer."""
        self.counters[[boxes.SIZE, boxes.LOGGED, boxes.CLAIMED, boxes.TRUST]] = 0
        self.counters[boxes.UNRESOLVED] = ALL

    def bottom_share(self) -> float:
        """Return the share of the box that may be stolen; 0 when there is no box to spare."""
        return float(self.stack.share[0]) if self.size > 1 else 0.0

    @property
    def bottom_rows(self) -> Log:
        return self.stack.pool[self.stack.first[0] : self.stack.last[0]]

    def steal_from(self, other: Worker) -> None:
        """Take the box at the bottom of another worker's stack, having none."""
        self.end_segment()
        rows = other.bottom_rows
        if self.box.row.size < rows.size:
            self.stack = boxes.new_stack(self.dimension, FIRST_STACK, 4 * rows.size + 64)
            self.box = boxes.new_box(self.dimension, rows.size)
            claims = np.empty(_claims(rows.size, self.dimension), dtype=np.int32)
            self.notes = self.notes._replace(claims=claims)
        *mine, pool = self.stack
        for column, others in zip(mine, other.stack[:-1], strict=True):
            column[0] = others[0]
            others[: other.size - 1] = others[1 : other.size].copy()
        pool[: rows.size] = rows
        self.stack.first[0], self.stack.last[0] = 0, rows.size
        other.counters[boxes.SIZE] -= 1
        self.counters[boxes.SIZE] = 1
        other.segment.stolen.append(self.segment)

    def make_room(self) -> None:
        """Double whatever is nearly full."""
        stack, most_rows = self.stack, self.box.row.size
        room = 2 * stack.pool.size + 2 * most_rows
        grown = boxes.new_stack(self.dimension, 2 * stack.wrong.size, room)
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


class Workers:
    def __init__(self, basis: ChangeOfBasis, log_room: int) -> None:
        self.instance, self.log_room = basis.instance, log_room
        dimension, n = basis.rows.shape
        self.workers = [Worker(dimension, n, log_room)]
        self.tried = np.zeros_like(self.workers[0].notes.tried)
        self.succeeded = np.zeros_like(self.tried)
        self.young = True  # nothing of this face is explored: it may take only a few boxes
        self.first = self.workers[0].segment

    def begin(self, face: int, cutoff: int) -> bool:
        """Put a face on the first stack, all being empty; return whether it is still open."""
        worker = self.workers[0]
        for other in self.workers:
            other.notes.done[0] = 0.0
        worker.counters[boxes.CUTOFF] = cutoff
        self.young, self.first = True, worker.segment
        own = worker.stack, worker.box, worker.counters
        return boxes.begin(self.instance, *own, face, FIRST_TIE)

    def log(self) -> Log:
        """Return the log of the face, all stacks being empty."""
        for worker in self.workers:
            worker.end_segment()
        return self.first.joined()

    def busy(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.size]

    def distrust(self) -> None:
        for worker in self.workers:
            worker.distrust()

    def run(self, cutoff: int, nodes: int) -> tuple[int, list[Worker]]:
        """Explore up to this many boxes in all workers that have any."""
        if not self.young:
            self._share_out()
        self.young = False
        busy = self.busy()[:nodes]
        before = sum(worker.nodes for worker in busy)
        for worker in busy:
            worker.counters[boxes.CUTOFF] = cutoff
            worker.notes.tried[:], worker.notes.succeeded[:] = self.tried, self.succeeded
        allowed = nodes // len(busy)
        for _ in in_threads([partial(worker.run, self.instance, allowed) for worker in busy]):
            pass
        succeeded = self.succeeded
        self.tried = self.tried + sum(worker.notes.tried - self.tried for worker in busy)
        self.succeeded = succeeded + sum(worker.notes.succeeded - succeeded for worker in busy)
        return sum(worker.nodes for worker in busy) - before, busy

    def _share_out(self) -> None:
        """Let every worker without boxes steal the largest one that another can spare."""
        for k in range(N_WORKERS):
            victim = max(self.workers, key=Worker.bottom_share)
            if victim.size <= 1:
                return
            if k == len(self.workers):
                worker = Worker(victim.dimension, victim.bottom_rows.size, self.log_room)
                worker.counters[boxes.TRUST] = victim.counters[boxes.TRUST]
                self.workers.append(worker)
            if not self.workers[k].size:
                self.workers[k].steal_from(victim)
