"""Branch and bound over boxes of weights: every w of a box makes mistakes of a given weight.

Rows z_n with |z_nj| <= 1 and boxes inside [-1, 1]^D. In a box with centre c and half widths h the
score z_n.v lies in [s - r, s + r] with s = z_n.c, r = sum_j |z_nj| h_j: the row is surely right,
surely wrong, or open. A box is pruned, because none of its points makes mistakes of a weight below
the cutoff, when

- the rows surely wrong have that weight; or
- slabs at both ends of a coordinate, on each of which the rows surely wrong have it, cover the box
  (otherwise they are cut off and the rest goes on: *bound tightening*); or
- disjoint cores among the open rows (`cores.py`), each of which costs the least weight of its rows,
  add up to it (*packing*).

Otherwise it is branched: halved. A box whose open rows can all vanish at one of its points, a tie,
would be halved without end where cores do not suffice: it is handed to the caller, who knows the
minimum of those rows over all directions.

Rounding is outward: every score is off by at most `slack[n]`, which the caller computes for the
rounding of the rows, and `rounding(D)` for the sums made here. Ends of boxes are multiples of a
power of two that are exact in float64, so a logged box is the box that was pruned.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels._jit import compiled, part, part_any_order
from separatrix.kernels.separation.duplicates import mixed
from separatrix.kernels.zero_one.cores import CORE, POINT, ZERO, Program, holds, solve

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]

# why `search` came back
DONE, GOING_ON, ROOM, TIE, CLAIMS_FULL = 0, 1, 2, 3, 4

# places in `counters`
SIZE, NODES, CUTOFF, LOGGED, CLAIMED, FOUND, UNRESOLVED, TRUST, WORK = range(9)
N_COUNTERS = 9

# steps of the log: (what, coordinate, cells); cells of a CUT: 64 at the low end + at the high end
CUT, PRUNED, COVERED, PACKED, LEMMA, BRANCHED = range(6)

PASSES = 3  # of bound tightening over all coordinates
WORTH_ANOTHER = 0.7  # a pass that leaves more than this of the volume is the last
SMALLEST_CELL = 2.0**-46
OF_SLACK = 0.125  # of the rounding: where scores vary by less, branching decides nothing
MOST_NEED, MOST_ROWS = 30, 400  # packing is tried up to these
LIKELY = 0.3  # of its reach r: rows of a lesser score at the centre are packed first
BUCKETS = MOST_ROWS // 16 + 2
TRIALS, WORTH_TRYING = 24, 0.1  # after 24 trials packing must succeed in one of ten
HASHES = 1 << 13
NO_BITS = np.uint64(0)
MULTIPLIER_BITS = (2, 3, 4, 5, 7, 11, 18, 30)


class Instance(NamedTuple):
    """The rows of one search, unchanged while it goes on.

    Parameters
    ----------
    rows : (D, N) column by column, entries of at most 1
    slack : (N,) what a score may be off by, see above
    weight : (N,) whole numbers
    """

    rows: Floats
    slack: Floats
    weight: Integers


class Node(NamedTuple):
    """What is known of a box beside its ends.

    Parameters
    ----------
    m : how many rows are open
    wrong : weight of the rows surely wrong
    first : where its rows begin in the pool
    share, tie : as in `Stack`
    """

    m: int
    wrong: int
    first: int
    share: float
    tie: float


class Stack(NamedTuple):
    """Open nodes, the next one last.

    Parameters
    ----------
    low, high : (capacity, D)
    wrong : (capacity,) weight of the rows surely wrong
    first, last : (capacity,) the open rows are pool[first:last]
    share : (capacity,) which part of the whole the box is, for forecasts
    tie : (capacity,) half width up to which a tie is looked for
    pool : row numbers
    """

    low: Floats
    high: Floats
    wrong: Integers
    first: Integers
    last: Integers
    share: Floats
    tie: Floats
    pool: Indices


class Box(NamedTuple):
    """The box explored and its m open rows.

    Parameters
    ----------
    low, high, centre, half : (D,)
    Z : (D, N), column by column; s, r, top, slack : (N,), top = s + r + slack
    weight, left : (N,), left is what packing has not used
    active : (N,) 1 for rows that take part in packing
    row : (N,) row numbers
    """

    low: Floats
    high: Floats
    centre: Floats
    half: Floats
    Z: Floats
    s: Floats
    r: Floats
    top: Floats
    slack: Floats
    weight: Integers
    left: Integers
    active: Integers
    row: Indices


class Notes(NamedTuple):
    """What `search` writes down beside the boxes.

    Parameters
    ----------
    log : the proof, or an array of size 0 when none is asked for
    claims : cores that seem to vanish, each as (size, rows ...): the caller checks them exactly
    hashes : of the claims made
    tried, succeeded : (MOST_NEED + 1, BUCKETS) how packing fared
    best : (D,) the best point found
    done : (1,) the share of the whole that is pruned
    """

    log: Indices
    claims: Indices
    hashes: NDArray[np.uint64]
    tried: Integers
    succeeded: Integers
    best: Floats
    done: Floats


def rounding(dimension: int) -> float:
    """Return a bound on the error of any score computed here, for entries up to 1.

    Two sums of D products, at most 2 PASSES shifts of each coordinate with four roundings of
    numbers up to 2 D: at most 2^-53 (26 D^2 + 10 D + 4).
    """
    return 2.0**-53 * (40.0 * dimension**2 + 40.0)


def new_stack(dimension: int, boxes: int, pool: int) -> Stack:
    """Return an empty stack with room for boxes and row numbers."""
    return Stack(
        np.empty((boxes, dimension)),
        np.empty((boxes, dimension)),
        np.empty(boxes, dtype=np.int64),
        np.empty(boxes, dtype=np.int64),
        np.empty(boxes, dtype=np.int64),
        np.empty(boxes),
        np.empty(boxes),
        np.empty(pool, dtype=np.int32),
    )


def new_box(dimension: int, n: int) -> Box:
    """Return room for a box with up to n open rows."""
    return Box(
        np.empty(dimension),
        np.empty(dimension),
        np.empty(dimension),
        np.empty(dimension),
        np.empty((dimension, n)),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int32),
    )


def new_notes(dimension: int, log: int, claims: int) -> Notes:
    """Return empty notes."""
    return Notes(
        np.empty(log, dtype=np.int32),
        np.empty(claims, dtype=np.int32),
        np.zeros(HASHES, dtype=np.uint64),
        np.zeros((MOST_NEED + 1, BUCKETS), dtype=np.int64),
        np.zeros((MOST_NEED + 1, BUCKETS), dtype=np.int64),
        np.zeros(dimension),
        np.zeros(1),
    )


# ---------------------------------------------------------------------- sums over the open rows


@part_any_order
def _add_column(
    column: Floats, index: Indices, Zj: Floats, s: Floats, r: Floats, m: int, c: float, h: float
) -> None:
    for k in range(m):
        z = column[index[k]]
        Zj[k] = z
        s[k] += z * c
        r[k] += abs(z) * h


@part_any_order
def _set_top(box: Box, m: int) -> None:
    s, r, top, slack = box.s, box.r, box.top, box.slack
    for k in range(m):
        top[k] = s[k] + r[k] + slack[k]


@part_any_order
def _shift(box: Box, j: int, m: int, move: float, less: float) -> None:
    """Move the centre by `move` and take `less` off the half width along coordinate j."""
    z, s, r, top, slack = box.Z[j], box.s, box.r, box.top, box.slack
    for k in range(m):
        s[k] += z[k] * move
        r[k] -= abs(z[k]) * less
        top[k] = s[k] + r[k] + slack[k]


@part
def _wrong_after(z: Floats, top: Floats, weight: Integers, m: int, cut: float) -> int:
    """Return the weight of the rows with top < z cut: surely wrong once the end moves by cut."""
    total = 0
    for k in range(m):
        total += weight[k] if top[k] < z[k] * cut else 0
    return total


@part
def _not_right(box: Box, m: int) -> int:
    """Return the weight of the open rows that the centre does not surely put right."""
    total = 0
    for k in range(m):
        total += box.weight[k] if box.s[k] <= box.slack[k] else 0
    return total


@part_any_order
def _spread(z: Floats, weight: Integers, m: int) -> float:
    total = 0.0
    for k in range(m):
        total += abs(z[k]) * weight[k]
    return total


# ---------------------------------------------------------------------- one box


@part
def _load(instance: Instance, box: Box, m: int) -> None:
    """Score the box of the ends and the m row numbers that stand in `box`."""
    rows, slack, weight = instance
    for k in range(m):
        i = box.row[k]
        box.slack[k] = slack[i]
        box.weight[k] = weight[i]
        box.s[k] = 0.0
        box.r[k] = 0.0
    for j in range(rows.shape[0]):
        box.centre[j] = (box.low[j] + box.high[j]) * 0.5
        box.half[j] = (box.high[j] - box.low[j]) * 0.5
        _add_column(rows[j], box.row, box.Z[j], box.s, box.r, m, box.centre[j], box.half[j])
    _set_top(box, m)


@part
def _pop(stack: Stack, top: int, box: Box) -> Node:
    """Take the ends and row numbers of the box on top of the stack into `box`."""
    first = stack.first[top]
    m = stack.last[top] - first
    for k in range(m):
        box.row[k] = stack.pool[first + k]
    for j in range(box.low.size):
        box.low[j], box.high[j] = stack.low[top, j], stack.high[top, j]
    return Node(m, stack.wrong[top], first, stack.share[top], stack.tie[top])


@part
def _drop_decided(box: Box, m: int) -> tuple[int, int]:
    """Drop the rows that are no longer open; return how many are, and the weight surely wrong."""
    kept, wrong = 0, 0
    for k in range(m):
        if box.top[k] < 0.0:
            wrong += box.weight[k]
        elif box.s[k] - box.r[k] <= box.slack[k]:
            if kept < k:
                box.row[kept] = box.row[k]
                box.s[kept], box.r[kept] = box.s[k], box.r[k]
                box.top[kept], box.slack[kept] = box.top[k], box.slack[k]
                box.weight[kept] = box.weight[k]
                for j in range(box.Z.shape[0]):
                    box.Z[j, kept] = box.Z[j, k]
            kept += 1
    return kept, wrong


@part
def _log_step(notes: Notes, counters: Integers, what: int, j: int, cells: int) -> None:
    if notes.log.size > 0:
        at = counters[LOGGED]
        notes.log[at], notes.log[at + 1], notes.log[at + 2] = what, j, cells
        counters[LOGGED] = at + 3


@part
def cell_of(width: float) -> float:
    """Return the power of two that goes 32 to 63 times into the width of a side."""
    _, exponent = math.frexp(width)
    return math.ldexp(1.0, exponent - 6)


@part
def _most_cells(
    z: Floats, top: Floats, weight: Integers, m: int, cell: float, cells: int, need: int
) -> int:
    """Return how many cells can be cut off an end; the cell's sign says which (+ the low end)."""
    if _wrong_after(z, top, weight, m, cell * (cells - 1)) < need:
        return 0
    fewest, most = 1, cells - 1
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if _wrong_after(z, top, weight, m, cell * (cells - middle)) >= need:
            fewest = middle
        else:
            most = middle - 1
    return fewest


@part
def _tighten_once(box: Box, m: int, need: int, notes: Notes, counters: Integers) -> float:
    """Cut slabs off the box along every coordinate; return the part of the volume left, 0 if none.

    On a slab, rows of weight `need` are surely wrong.
    """
    volume = 1.0
    for j in range(box.half.size):
        width = box.high[j] - box.low[j]
        if width <= 0.0:
            continue
        cell = cell_of(width)
        if cell < SMALLEST_CELL:
            continue
        cells = int(width / cell)
        z = box.Z[j]
        at_low = _most_cells(z, box.top, box.weight, m, cell, cells, need)
        at_high = _most_cells(z, box.top, box.weight, m, -cell, cells, need)
        if at_low + at_high >= cells:
            _log_step(notes, counters, COVERED, j, at_low)
            return 0.0
        if at_low + at_high == 0:
            continue
        _log_step(notes, counters, CUT, j, 64 * at_low + at_high)
        box.low[j] += at_low * cell
        box.high[j] -= at_high * cell
        centre, half = (box.low[j] + box.high[j]) * 0.5, (box.high[j] - box.low[j]) * 0.5
        _shift(box, j, m, centre - box.centre[j], box.half[j] - half)
        volume *= half / box.half[j]
        box.centre[j], box.half[j] = centre, half
    return volume


@part
def _offer(box: Box, wrong: int, m: int, notes: Notes, counters: Integers, step: Floats) -> None:
    """Keep the point centre + half * step if its mistakes are below the cutoff."""
    bad = wrong
    for k in range(m):
        score = box.s[k]
        for j in range(box.half.size):
            score += box.Z[j, k] * box.half[j] * step[j]
        bad += box.weight[k] if score <= 2.0 * box.slack[k] else 0
    if bad < counters[CUTOFF]:
        counters[CUTOFF] = bad
        counters[FOUND] += 1
        for j in range(box.half.size):
            notes.best[j] = box.centre[j] + box.half[j] * step[j]


@part
def _tighten_bounds(
    box: Box, m: int, wrong: int, notes: Notes, counters: Integers
) -> tuple[bool, int, int]:
    """Tighten the box while that pays; return whether it is pruned, its open rows and `wrong`."""
    for _ in range(PASSES):
        bad = wrong + _not_right(box, m)
        if bad < counters[CUTOFF]:
            counters[CUTOFF] = bad
            counters[FOUND] += 1
            for j in range(box.half.size):
                notes.best[j] = box.centre[j]
        volume = 1.0
        if wrong < counters[CUTOFF]:
            volume = _tighten_once(box, m, counters[CUTOFF] - wrong, notes, counters)
            if volume == 0.0:
                return True, m, wrong
            if volume < 1.0:
                m, more = _drop_decided(box, m)
                wrong += more
        if wrong >= counters[CUTOFF]:
            _log_step(notes, counters, PRUNED, 0, 0)
            return True, m, wrong
        if volume > WORTH_ANOTHER:
            break
    return False, m, wrong


# ---------------------------------------------------------------------- packing


@part
def _worth_packing(notes: Notes, need: int, m: int, node: int) -> bool:
    """Return whether packing at this size has paid off; it is retried every 32 nodes."""
    if m > MOST_ROWS or need > MOST_NEED:
        return False
    tried = notes.tried[need, m // 16]
    return tried < TRIALS or notes.succeeded[need, m // 16] > WORTH_TRYING * tried or node % 32 == 0


@part
def _likely_rows(box: Box, m: int, program: Program) -> int:
    """Make active the rows that are wrong in much of the box: they have cores among themselves."""
    active = 0
    for k in range(m):
        box.left[k] = box.weight[k]
        box.active[k] = 0
        if box.s[k] < LIKELY * box.r[k]:
            program.active[active] = k
            box.active[k] = 1
            active += 1
    return active


@part
def _add_violated(box: Box, m: int, program: Program, active: int) -> int:
    """Make active the other rows that the point found does not put right."""
    for k in range(m):
        if box.active[k] == 0 and box.left[k] > 0:
            score = box.s[k]
            for j in range(box.half.size):
                score += box.Z[j, k] * box.half[j] * program.point[j]
            if score <= 2.0 * box.slack[k]:
                program.active[active] = k
                box.active[k] = 1
                active += 1
    return active


@part
def _use_up(box: Box, program: Program, size: int, active: int) -> tuple[int, int]:
    """Take the least weight of a core from its rows; return it and how many rows stay active."""
    least = box.left[program.support[0]]
    for i in range(1, size):
        least = min(least, box.left[program.support[i]])
    for i in range(size):
        box.left[program.support[i]] -= least
    kept = 0
    for k in range(active):
        if box.left[program.active[k]] > 0:
            program.active[kept] = program.active[k]
            kept += 1
    return least, kept


@part
def _pack(box: Box, m: int, wrong: int, program: Program, notes: Notes, counters: Integers) -> bool:
    """Return whether disjoint cores of the open rows prune the box; may find a better point."""
    noted, got = counters[LOGGED], 0
    bucket = counters[CUTOFF] - wrong, m // 16
    notes.tried[bucket] += 1
    _log_step(notes, counters, PACKED, 0, 0)
    active = _likely_rows(box, m, program)
    while wrong + got < counters[CUTOFF]:
        found, size = POINT, 0
        if active > 0:
            found, size = solve(program, box.Z, box.s, active, box.half)
        else:
            for j in range(box.half.size):
                program.point[j] = 0.0
        if found == POINT:
            before = active
            active = _add_violated(box, m, program, active)
            if active > before:
                continue
            _offer(box, wrong, m, notes, counters, program.point)
            break
        if found == CORE:
            if not _keep_core(box, program, size, notes, counters):
                break
        elif found == ZERO and counters[TRUST] == 1:
            _claim(box, program, size, notes, counters)
        else:
            break
        least, active = _use_up(box, program, size, active)
        got += least
    if wrong + got < counters[CUTOFF]:
        counters[LOGGED] = noted
        return False
    if notes.log.size > 0:
        notes.log[counters[LOGGED]] = 0
        counters[LOGGED] += 1
    notes.succeeded[bucket] += 1
    return True


@part
def _keep_core(box: Box, program: Program, size: int, notes: Notes, counters: Integers) -> bool:
    """Return whether the core holds, rounded outwards; note it with whole multipliers."""
    support, multipliers = program.support, program.multipliers
    if not holds(support, multipliers, size, box.Z, box.s, box.slack, box.half):
        return False
    if notes.log.size == 0:
        return True
    largest = 0.0
    for i in range(size):
        largest = max(largest, multipliers[i])
    whole = np.empty(size)
    for bits in MULTIPLIER_BITS:
        for i in range(size):
            whole[i] = np.rint(multipliers[i] / largest * ((1 << bits) - 1))
        if holds(support, whole, size, box.Z, box.s, box.slack, box.half):
            break
    else:
        return False
    at = counters[LOGGED]
    notes.log[at] = size
    for i in range(size):
        notes.log[at + 1 + 2 * i] = box.row[support[i]]
        notes.log[at + 2 + 2 * i] = int(whole[i])
    counters[LOGGED] = at + 1 + 2 * size
    return True


@part
def _claim(box: Box, program: Program, size: int, notes: Notes, counters: Integers) -> None:
    """Note rows of which a combination seems to vanish; multipliers 0 ask for the exact ones."""
    key = np.uint64(0)  # in any order of the rows
    for i in range(size):
        row = np.uint64(box.row[program.support[i]] + 1)
        key += mixed(mixed(row, NO_BITS), NO_BITS)
    key |= np.uint64(1)
    slot = np.int64(key >> np.uint64(51)) % HASHES
    if notes.hashes[slot] != key:
        notes.hashes[slot] = key  # a forgotten one is claimed again: no harm
        at = counters[CLAIMED]
        notes.claims[at] = size
        for i in range(size):
            notes.claims[at + 1 + i] = box.row[program.support[i]]
        counters[CLAIMED] = at + 1 + size
    if notes.log.size > 0:
        at = counters[LOGGED]
        notes.log[at] = size
        for i in range(size):
            notes.log[at + 1 + 2 * i] = box.row[program.support[i]]
            notes.log[at + 2 + 2 * i] = 0
        counters[LOGGED] = at + 1 + 2 * size


# ---------------------------------------------------------------------- ties


@part
def _widest(box: Box) -> float:
    widest = 0.0
    for j in range(box.half.size):
        widest = max(widest, box.half[j])
    return widest


@part
def _take_off(basis: Floats, rank: int, v: Floats) -> float:
    """Take off v, twice, what the basis spans; return the square of what is left."""
    for _ in range(2):
        for p in range(rank):
            f = 0.0
            for j in range(v.size):
                f += basis[p, j] * v[j]
            for j in range(v.size):
                v[j] -= f * basis[p, j]
    rest = 0.0
    for j in range(v.size):
        rest += v[j] * v[j]
    return rest


@part
def _has_tie(box: Box, m: int) -> bool:
    """Return whether more rows than their rank seem to vanish at a point of the box: a tie.

    Gram and Schmidt, in units of the half widths; the caller checks the rank exactly.
    """
    dimension = box.half.size
    basis = np.empty((dimension, dimension))
    shift, v = np.empty(dimension), np.empty(dimension)
    wide, rank = 0, 0
    for j in range(dimension):
        shift[j] = 0.0
        wide += 1 if box.half[j] > 0.0 else 0
    for k in range(m):
        score, size, whole = box.s[k], abs(box.s[k]), 0.0
        for j in range(dimension):
            v[j] = box.Z[j, k] * box.half[j]
            whole += v[j] * v[j]
            score += v[j] * shift[j]
            size += abs(v[j])
        rest = _take_off(basis, rank, v) if rank < wide else 0.0
        if rest > 1e-14 * whole:
            rest = math.sqrt(rest)
            length = 0.0
            for j in range(dimension):
                basis[rank, j] = v[j] / rest
                shift[j] -= score / rest * basis[rank, j]
                length += shift[j] * shift[j]
            rank += 1
            if length > wide * (1.0 + 1e-6):
                return False
        elif abs(score) > 1e-7 * size:
            return False
    for j in range(dimension):
        if rank == wide and abs(shift[j]) > 1.0 + 1e-6:
            return False
    return m > rank


# ---------------------------------------------------------------------- the stack


@part
def _push(stack: Stack, box: Box, counters: Integers, node: Node) -> int:
    """Put a box with those of its rows on the stack that are open in it; its ends are in `box`.

    Returns where its rows end in the pool; nothing is put there when the box is pruned already.
    """
    m, wrong, first, share, tie = node
    at = first
    for k in range(m):
        if box.top[k] < 0.0:
            wrong += box.weight[k]
        elif box.s[k] - box.r[k] <= box.slack[k]:
            stack.pool[at] = box.row[k]
            at += 1
    if wrong >= counters[CUTOFF]:
        return first
    size = counters[SIZE]
    for j in range(box.low.size):
        stack.low[size, j], stack.high[size, j] = box.low[j], box.high[j]
    stack.wrong[size], stack.first[size], stack.last[size] = wrong, first, at
    stack.share[size], stack.tie[size] = share, tie
    counters[SIZE] = size + 1
    return at


@compiled
def begin(
    instance: Instance, stack: Stack, box: Box, counters: Integers, face: int, tie: float
) -> bool:
    """Put a face of the cube on the empty stack: coordinate face // 2 is +1 or -1.

    Returns whether it is still open.
    """
    dimension, n = instance.rows.shape
    for j in range(dimension):
        box.low[j], box.high[j] = -1.0, 1.0
    box.low[face // 2] = box.high[face // 2] = 1.0 - 2.0 * (face % 2)
    for k in range(n):
        box.row[k] = k
    _load(instance, box, n)
    _push(stack, box, counters, Node(n, 0, 0, 1.0, tie))
    return counters[SIZE] > 0


@part
def _width_matters(box: Box, m: int) -> bool:
    """Return whether any score varies over the box by more than a part of what it is off by."""
    wide = 0
    for k in range(m):
        wide += 1 if box.r[k] > OF_SLACK * box.slack[k] else 0
    return wide > 0


@part
def _branch(stack: Stack, box: Box, node: Node, notes: Notes, counters: Integers) -> bool:
    """Halve the box across the coordinate of the widest scores; False when it cannot be branched.

    It is then too small, or only the rounding of its rows, which halving does not reduce, is open.
    """
    m, wrong, first, share, tie = node
    if not _width_matters(box, m):
        return False
    widest, j = -1.0, -1
    for i in range(box.half.size):
        if box.half[i] > 0.0 and cell_of(2.0 * box.half[i]) >= SMALLEST_CELL:
            spread = _spread(box.Z[i], box.weight, m) * box.half[i]
            if spread > widest:
                widest, j = spread, i
    if j < 0:
        return False
    low, high = box.low[j], box.high[j]
    cell = cell_of(high - low)
    middle = low + cell * (int((high - low) / cell) // 2)
    centre, half = box.centre[j], box.half[j]
    kept = 0
    for side in range(2):
        box.low[j], box.high[j] = (low, middle) if side == 0 else (middle, high)
        c, h = (box.low[j] + box.high[j]) * 0.5, (box.high[j] - box.low[j]) * 0.5
        _shift(box, j, m, c - centre, half - h)
        centre, half = c, h
        before = counters[SIZE]
        first = _push(stack, box, counters, Node(m, wrong, first, share * 0.5, tie))
        if counters[SIZE] > before:
            kept += 1 << side
        else:
            notes.done[0] += share * 0.5
    _log_step(notes, counters, BRANCHED, j, kept)
    return True


@compiled
def search(
    instance: Instance, stack: Stack, box: Box, program: Program, notes: Notes, counters: Integers,
    most_nodes: int, most_work: int,
) -> int:  # fmt: skip
    """Explore boxes until none is left, `most_nodes` were explored, or the caller is needed.

    Parameters
    ----------
    counters : SIZE boxes on the stack; NODES explored; CUTOFF the weight of mistakes to be shown
        for every box, lowered when a point is found that makes fewer; LOGGED, CLAIMED places used
        in log and claims; FOUND points found; UNRESOLVED the least weight of a box too small to
        branch; TRUST 1 if cores that seem to vanish count; WORK numbers read in this call
    most_nodes, most_work : when to come back

    Returns
    -------
    DONE, GOING_ON, ROOM (the stack or the log is full), CLAIMS_FULL, or TIE (the open rows of the
    box on top of the stack can vanish together)
    """
    dimension = instance.rows.shape[0]
    counters[WORK] = 0
    while counters[SIZE] > 0:
        if counters[NODES] >= most_nodes or counters[WORK] >= most_work:
            return GOING_ON
        top = counters[SIZE] - 1
        first, m = stack.first[top], stack.last[top] - stack.first[top]
        if top + 2 > stack.wrong.size or first + 2 * m > stack.pool.size:
            return ROOM
        if 0 < notes.log.size < counters[LOGGED] + 24 * dimension + m * (2 * dimension + 6) + 32:
            return ROOM
        if notes.claims.size < counters[CLAIMED] + m * (dimension + 3):
            return CLAIMS_FULL
        counters[SIZE] = top
        counters[NODES] += 1
        counters[WORK] += 8 * (m + 16) * dimension
        _, wrong, _, share, tie = _pop(stack, top, box)
        _load(instance, box, m)
        pruned, m, wrong = _tighten_bounds(box, m, wrong, notes, counters)
        if not pruned and _worth_packing(notes, counters[CUTOFF] - wrong, m, counters[NODES]):
            pruned = _pack(box, m, wrong, program, notes, counters)
        if pruned:
            notes.done[0] += share
        elif _widest(box) <= tie and _has_tie(box, m):
            _push(stack, box, counters, Node(m, wrong, first, share, tie))
            if counters[SIZE] > top:
                return TIE
            _log_step(notes, counters, PRUNED, 0, 0)  # what is open was counted once more
            notes.done[0] += share
        elif not _branch(stack, box, Node(m, wrong, first, share, tie), notes, counters):
            counters[UNRESOLVED] = min(counters[UNRESOLVED], wrong)
    return DONE
