"""Workers that share the boxes of one search; any thread may run any of them.

A worker explores its own stack of boxes, depth first, for a slice of work (numbers read). Then all
workers stop, their results are merged in order, and a worker without boxes steals the largest one
from the bottom of another's stack. The schedule depends only on counters: any number of threads
explores the same boxes, and the same limit gives the same bytes.

The log stays that of one depth-first search: the box at the bottom of a stack would have come last,
so the log of the worker that stole it belongs behind that of the worker it was stolen from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels.zero_one import boxes
from separatrix.kernels.zero_one.cores import new_program
from separatrix.tiles import in_threads
from separatrix.zero_one.limits import ALL
from separatrix.zero_one.local_search import ChangeOfBasis

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
        """Boxes on the stack."""
        return int(self.counters[boxes.SIZE])

    @property
    def nodes(self) -> int:
        """Boxes explored so far."""
        return int(self.counters[boxes.NODES])

    @property
    def cutoff(self) -> int:
        """The weight of mistakes to be shown, less once a point was found that makes fewer."""
        return int(self.counters[boxes.CUTOFF])

    @property
    def has_log(self) -> bool:
        """Whether the steps are logged."""
        return self.notes.log.size > 0

    def run(self, instance: boxes.Instance, nodes: int) -> None:
        before = int(self.counters[boxes.FOUND])
        self.why = boxes.search(
            instance, self.stack, self.box, self.program, self.notes, self.counters,
            self.nodes + nodes, SLICE_WORK,
        )  # fmt: skip
        self.found = int(self.counters[boxes.FOUND]) > before

    def prune_top(self) -> None:
        """Take off the box on top of the stack."""
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


class Workers:
    """The workers of one search."""

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
        return boxes.begin(
            self.instance, worker.stack, worker.box, worker.counters, face, FIRST_TIE
        )

    def log(self) -> Log:
        """Return the log of the face, all stacks being empty."""
        for worker in self.workers:
            worker.end_segment()
        return self.first.joined()

    def busy(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.size]

    def share_done(self) -> float:
        return min(1.0, sum(float(worker.notes.done[0]) for worker in self.workers))

    def unresolved(self) -> int:
        """Return the least weight shown of boxes too small to branch."""
        return min(int(worker.counters[boxes.UNRESOLVED]) for worker in self.workers)

    def distrust(self) -> None:
        """Forget all boxes, and let cores that seem to vanish count no longer."""
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
        self.tried = self.tried + sum(worker.notes.tried - self.tried for worker in busy)
        self.succeeded = self.succeeded + sum(
            worker.notes.succeeded - self.succeeded for worker in busy
        )
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
