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

import numpy as np

from separatrix.exact.integers import Floats, Indices, IntegerRow, nullspace, primitive
from separatrix.kernels.zero_one import boxes
from separatrix.kernels.zero_one.cores import POINT, ZERO, new_program, solve
from separatrix.zero_one.limits import ALL, Budget
from separatrix.zero_one.local_search import ChangeOfBasis, basis_around, best_line
from separatrix.zero_one.presolve import MergedRows
from separatrix.zero_one.workers import Log, Worker, Workers

LAST_TIE, TIE_STEP = 2.0**-44, 16.0  # half widths at which a tie is looked for again
FIRST_FACE = 0.9  # of the nodes belong to it: the incumbent is its centre
DEEPEST = 40  # lemmas inside lemmas

Core = tuple[tuple[int, ...], tuple[int, ...]]  # rows, and whole multipliers that cancel them


# ---------------------------------------------------------------------- exact knowledge


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
            self.cores[key] = _cancelling(self.whole.integers(np.array(key)))
        found = self.cores[key]
        if found is None:
            return None
        multiplier = dict(zip(key, found, strict=True))
        return [multiplier[i] for i in ids]

    def core_among(self, ids: Indices) -> Core | None:
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


# ---------------------------------------------------------------------- one search


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
        inside = self.workers.share_done() if self.face >= 0 else 0.0
        if self.face <= 0:
            return FIRST_FACE * inside
        others = 2 * self.rows.dimension - 1
        return FIRST_FACE + (1.0 - FIRST_FACE) * (self.face - 1 + inside) / others

    def bound(self) -> int:
        """Return the lower bound proven for every line; 0 until the search is finished."""
        return min(self.lowest_cutoff, self.workers.unresolved()) if self.finished else 0

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

    # ------------------------------------------------------------------ ties

    def _resolve_tie(self, worker: Worker) -> None:
        """Prune the box on top of a stack by a lemma on its open rows, or leave it open."""
        stack, top = worker.stack, worker.size - 1
        open_rows = stack.pool[stack.first[top] : stack.last[top]].astype(np.int64)
        wrong = int(stack.wrong[top])
        lemma = self.known.lemma(self.rows.ids[open_rows], self.cutoff - wrong)
        if lemma is not None and lemma.bound < self.cutoff - wrong:
            self._point_near_tie(worker, open_rows, lemma)
        if lemma is not None and lemma.bound >= self.cutoff - wrong:
            worker.prune_top()
            worker.log_step(boxes.LEMMA, len(self.lemmas))
            if self.keeps_log:
                self.lemmas.append(lemma)
            return
        half = 0.5 * float((stack.high[top] - stack.low[top]).max())
        stack.tie[top] = half / TIE_STEP if half > LAST_TIE else -1.0

    def _point_near_tie(self, worker: Worker, open_rows: Indices, lemma: Lemma) -> None:
        """Try for an incumbent a point of the box that is right where the lemma's line is."""
        stack, program, top = worker.stack, worker.program, worker.size - 1
        right = open_rows[~lemma.part.wrong(lemma.line)]
        if right.size == 0 or right.size > program.active.size:
            return
        centre = 0.5 * (stack.low[top] + stack.high[top])
        half = 0.5 * (stack.high[top] - stack.low[top])
        rows = np.ascontiguousarray(self.basis.rows[:, right])
        program.active[: right.size] = np.arange(right.size)
        found, _ = solve(program, rows, centre @ rows, int(right.size), half)
        if found != POINT:
            return
        line = self.basis.weights(centre + half * program.point)
        mistakes = self.rows.mistakes(line)
        if mistakes < self.cutoff:
            self.incumbent = line
            self.cutoff = self.lowest_cutoff = mistakes
