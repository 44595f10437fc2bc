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
from separatrix.kernels.separation.scan import mixed
from separatrix.kernels.zero_one.cores import CORE, POINT, ZERO, Program, holds, solve

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]

# why `search` came back
DONE, GOING_ON, ROOM, TIE, CLAIMS_FULL = 0, 1, 2, 3, 4

# places in `counters`
SIZE, NODES, CUTOFF, LOGGED, CLAIMED, FOUND, UNRESOLVED, TRUST, WORK = range(9)
N_COUNTERS = 9

# steps of the log: (what, coordinate, where); where a SPLIT is: 4 times the cells below the point
# + 1 if the side below stays open + 2 if that above does
SPLIT, PRUNED, PACKED, LEMMA = range(4)

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
    """The rows of one search, unchanged while it goes on."""

    rows: Floats  # (D, N) column by column, entries of at most 1
    slack: Floats  # (N,) what a score may be off by, see above
    weight: Integers  # (N,) whole numbers


class Node(NamedTuple):
    """What is known of a box beside its ends."""

    m: int  # how many rows are open
    wrong: int  # weight of the rows surely wrong
    first: int  # where its rows begin in the pool
    share: float  # as in `Stack`, and tie
    tie: float


class Stack(NamedTuple):
    """Open nodes, the next one last."""

    low: Floats  # low, high: (capacity, D)
    high: Floats
    wrong: Integers  # (capacity,) weight of the rows surely wrong
    first: Integers  # first, last: (capacity,) the open rows are pool[first:last]
    last: Integers
    share: Floats  # (capacity,) which part of the whole the box is, for forecasts
    tie: Floats  # (capacity,) half width up to which a tie is looked for
    pool: Indices  # row numbers


class Box(NamedTuple):
    """The box explored and its m open rows."""

    low: Floats  # low, high, centre, half: (D,)
    high: Floats
    centre: Floats
    half: Floats
    Z: Floats  # (D, N), column by column; the rest (N,), top = s + r + slack
    s: Floats
    r: Floats
    top: Floats
    slack: Floats
    weight: Integers  # weight, left: (N,), left is what packing has not used
    left: Integers
    active: Integers  # (N,) 1 for rows that take part in packing
    row: Indices  # (N,) row numbers


class Notes(NamedTuple):
    """What `search` writes down beside the boxes."""

    log: Indices  # the proof, or an array of size 0 when none is asked for
    # cores that seem to vanish, each as (size, rows ...): the caller checks them exactly
    claims: Indices
    hashes: NDArray[np.uint64]  # of the claims made
    tried: Integers  # tried, succeeded: (MOST_NEED + 1, BUCKETS) how packing fared
    succeeded: Integers
    best: Floats  # (D,) the best point found
    done: Floats  # (1,) the share of the whole that is pruned


def rounding(dimension: int) -> float:
    """Return a bound on the error of any score computed here, for entries up to 1.

    Two sums of D products, at most 2 PASSES shifts of each coordinate with four roundings of
    numbers up to 2 D: at most 2^-53 (26 D^2 + 10 D + 4).
    """
    return 2.0**-53 * (40.0 * dimension**2 + 40.0)


def new_stack(dimension: int, boxes: int, pool: int) -> Stack:
    """Return an empty stack with room for boxes and row numbers."""
    ends, whole = np.empty((2, boxes, dimension)), np.empty((3, boxes), dtype=np.int64)
    floats, numbers = np.empty((2, boxes)), np.empty(pool, dtype=np.int32)
    return Stack._make((*ends, *whole, *floats, numbers))


def new_box(dimension: int, n: int) -> Box:
    """Return room for a box with up to n open rows."""
    ends, Z = np.empty((4, dimension)), np.empty((dimension, n))
    whole, row = np.empty((3, n), dtype=np.int64), np.empty(n, dtype=np.int32)
    return Box._make((*ends, Z, *np.empty((4, n)), *whole, row))


def new_notes(dimension: int, log: int, claims: int) -> Notes:
    """Return empty notes."""
    log_and_claims = np.empty(log, dtype=np.int32), np.empty(claims, dtype=np.int32)
    packed = np.zeros((2, MOST_NEED + 1, BUCKETS), dtype=np.int64)
    hashes = np.zeros(HASHES, dtype=np.uint64)
    return Notes._make((*log_and_claims, hashes, *packed, np.zeros(dimension), np.zeros(1)))


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
def _set_top(s: Floats, r: Floats, top: Floats, slack: Floats, m: int) -> None:
    for k in range(m):
        top[k] = s[k] + r[k] + slack[k]


@part_any_order
def _shift(
    z: Floats, s: Floats, r: Floats, top: Floats, slack: Floats, m: int, move: float, less: float
) -> None:
    """Move the centre by `move` and take `less` off the half width along coordinate of values z."""
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
def _not_right(s: Floats, slack: Floats, weight: Integers, m: int) -> int:
    """Return the weight of the open rows that the centre does not surely put right."""
    total = 0
    for k in range(m):
        total += weight[k] if s[k] <= slack[k] else 0
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
    rows, all_slack, all_weight = instance
    low, high, centre, half, Z, s, r, top, slack, weight, _, _, row = box
    for k in range(m):
        i = row[k]
        slack[k] = all_slack[i]
        weight[k] = all_weight[i]
        s[k] = 0.0
        r[k] = 0.0
    for j in range(rows.shape[0]):
        centre[j] = (low[j] + high[j]) * 0.5
        half[j] = (high[j] - low[j]) * 0.5
        _add_column(rows[j], row, Z[j], s, r, m, centre[j], half[j])
    _set_top(s, r, top, slack, m)


@part
def _pop(stack: Stack, top: int, box: Box) -> Node:
    """Take the ends and row numbers of the box on top of the stack into `box`."""
    lows, highs, wrong, firsts, last, share, tie, pool = stack
    low, high, row = box.low, box.high, box.row
    first = firsts[top]
    m = last[top] - first
    for k in range(m):
        row[k] = pool[first + k]
    for j in range(low.size):
        low[j], high[j] = lows[top, j], highs[top, j]
    return Node(m, wrong[top], first, share[top], tie[top])


@part
def _drop_decided(box: Box, m: int) -> tuple[int, int]:
    """Drop the rows that are no longer open; return how many are, and the weight surely wrong."""
    _, _, _, _, Z, s, r, top, slack, weight, _, _, row = box
    kept, wrong = 0, 0
    for k in range(m):
        if top[k] < 0.0:
            wrong += weight[k]
        elif s[k] - r[k] <= slack[k]:
            if kept < k:
                row[kept], weight[kept] = row[k], weight[k]
                s[kept], r[kept] = s[k], r[k]
                top[kept], slack[kept] = top[k], slack[k]
                for j in range(Z.shape[0]):
                    Z[j, kept] = Z[j, k]
            kept += 1
    return kept, wrong


@part
def _log_step(log: Indices, counters: Integers, what: int, j: int, cells: int) -> None:
    if log.size > 0:
        at = counters[LOGGED]
        log[at], log[at + 1], log[at + 2] = what, j, cells
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
def _tighten_once(box: Box, m: int, need: int, log: Indices, counters: Integers) -> float:
    """Cut slabs off the box along every coordinate; return the part of the volume left."""
    low, high, centres, halves, Z, s, r, top, slack, weight, _, _, _ = box
    volume = 1.0
    for j in range(halves.size):
        width = high[j] - low[j]
        if width <= 0.0:
            continue
        cell = cell_of(width)
        if cell < SMALLEST_CELL:
            continue
        cells = int(width / cell)
        z = Z[j]
        at_low = _most_cells(z, top, weight, m, cell, cells, need)
        at_high = _most_cells(z, top, weight, m, -cell, cells, need)
        if at_low + at_high >= cells:
            _log_step(log, counters, SPLIT, j, 4 * at_low)
            return 0.0
        if at_low + at_high == 0:
            continue
        if at_low > 0:
            _log_step(log, counters, SPLIT, j, 4 * at_low + 2)
            low[j] += at_low * cell
        if at_high > 0:
            cells = int((high[j] - at_high * cell - low[j]) / cell_of(high[j] - low[j]))
            _log_step(log, counters, SPLIT, j, 4 * cells + 1)
            high[j] -= at_high * cell
        centre, half = (low[j] + high[j]) * 0.5, (high[j] - low[j]) * 0.5
        _shift(z, s, r, top, slack, m, centre - centres[j], halves[j] - half)
        volume *= half / halves[j]
        centres[j], halves[j] = centre, half
    return volume


@part
def _offer(box: Box, wrong: int, m: int, best: Floats, counters: Integers, step: Floats) -> None:
    """Keep the point centre + half * step if its mistakes are below the cutoff."""
    centre, half, Z, s, slack, weight = box.centre, box.half, box.Z, box.s, box.slack, box.weight
    bad = wrong
    for k in range(m):
        score = s[k]
        for j in range(half.size):
            score += Z[j, k] * half[j] * step[j]
        bad += weight[k] if score <= 2.0 * slack[k] else 0
    if bad < counters[CUTOFF]:
        counters[CUTOFF] = bad
        counters[FOUND] += 1
        for j in range(half.size):
            best[j] = centre[j] + half[j] * step[j]


@part
def _tighten_bounds(
    box: Box, m: int, wrong: int, notes: Notes, counters: Integers
) -> tuple[bool, int, int]:
    """Tighten the box while that pays; return whether it is pruned, its open rows and `wrong`."""
    log, best, centre = notes.log, notes.best, box.centre
    for _ in range(PASSES):
        bad = wrong + _not_right(box.s, box.slack, box.weight, m)
        if bad < counters[CUTOFF]:
            counters[CUTOFF] = bad
            counters[FOUND] += 1
            for j in range(centre.size):
                best[j] = centre[j]
        volume = 1.0
        if wrong < counters[CUTOFF]:
            volume = _tighten_once(box, m, counters[CUTOFF] - wrong, log, counters)
            if volume == 0.0:
                return True, m, wrong
            if volume < 1.0:
                m, more = _drop_decided(box, m)
                wrong += more
        if wrong >= counters[CUTOFF]:
            _log_step(log, counters, PRUNED, 0, 0)
            return True, m, wrong
        if volume > WORTH_ANOTHER:
            break
    return False, m, wrong


# ---------------------------------------------------------------------- packing


@part
def _worth_packing(tried: Integers, succeeded: Integers, need: int, m: int, node: int) -> bool:
    """Return whether packing at this size has paid off; it is retried every 32 nodes."""
    if m > MOST_ROWS or need > MOST_NEED:
        return False
    n = tried[need, m // 16]
    return n < TRIALS or succeeded[need, m // 16] > WORTH_TRYING * n or node % 32 == 0


@part
def _likely_rows(box: Box, m: int, numbers: Integers) -> int:
    """Make active the rows that are wrong in much of the box: they have cores among themselves."""
    s, r, weight, left, is_active = box.s, box.r, box.weight, box.left, box.active
    active = 0
    for k in range(m):
        left[k] = weight[k]
        is_active[k] = 0
        if s[k] < LIKELY * r[k]:
            numbers[active] = k
            is_active[k] = 1
            active += 1
    return active


@part
def _add_violated(box: Box, m: int, point: Floats, numbers: Integers, active: int) -> int:
    """Make active the other rows that the point found does not put right."""
    _, _, _, half, Z, s, _, _, slack, _, left, is_active, _ = box
    for k in range(m):
        if is_active[k] == 0 and left[k] > 0:
            score = s[k]
            for j in range(half.size):
                score += Z[j, k] * half[j] * point[j]
            if score <= 2.0 * slack[k]:
                numbers[active] = k
                is_active[k] = 1
                active += 1
    return active


@part
def _use_up(
    left: Integers, support: Integers, size: int, numbers: Integers, active: int
) -> tuple[int, int]:
    """Take the least weight of a core from its rows; return it and how many rows stay active."""
    least = left[support[0]]
    for i in range(1, size):
        least = min(least, left[support[i]])
    for i in range(size):
        left[support[i]] -= least
    kept = 0
    for k in range(active):
        if left[numbers[k]] > 0:
            numbers[kept] = numbers[k]
            kept += 1
    return least, kept


@part
def _pack(box: Box, m: int, wrong: int, program: Program, notes: Notes, counters: Integers) -> bool:
    """Return whether disjoint cores of the open rows prune the box; may find a better point."""
    log, half, point, numbers = notes.log, box.half, program.point, program.active
    noted, got = counters[LOGGED], 0
    bucket = counters[CUTOFF] - wrong, m // 16
    notes.tried[bucket] += 1
    _log_step(log, counters, PACKED, 0, 0)
    active = _likely_rows(box, m, numbers)
    while wrong + got < counters[CUTOFF]:
        found, size = POINT, 0
        if active > 0:
            found, size = solve(program, box.Z, box.s, active, half)
        else:
            for j in range(half.size):
                point[j] = 0.0
        if found == POINT:
            before = active
            active = _add_violated(box, m, point, numbers, active)
            if active > before:
                continue
            _offer(box, wrong, m, notes.best, counters, point)
            break
        if found == CORE:
            if not _keep_core(box, program, size, log, counters):
                break
        elif found == ZERO and counters[TRUST] == 1:
            _claim(box.row, program.support, size, notes, counters)
        else:
            break
        least, active = _use_up(box.left, program.support, size, numbers, active)
        got += least
    if wrong + got < counters[CUTOFF]:
        counters[LOGGED] = noted
        return False
    if log.size > 0:
        log[counters[LOGGED]] = 0
        counters[LOGGED] += 1
    notes.succeeded[bucket] += 1
    return True


@part
def _keep_core(box: Box, program: Program, size: int, log: Indices, counters: Integers) -> bool:
    """Return whether the core holds, rounded outwards; note it with whole multipliers."""
    Z, s, slack, half, row = box.Z, box.s, box.slack, box.half, box.row
    support, multipliers = program.support, program.multipliers
    if not holds(support, multipliers, size, Z, s, slack, half):
        return False
    if log.size == 0:
        return True
    largest = 0.0
    for i in range(size):
        largest = max(largest, multipliers[i])
    whole = np.empty(size)
    for bits in MULTIPLIER_BITS:
        for i in range(size):
            whole[i] = np.rint(multipliers[i] / largest * ((1 << bits) - 1))
        if holds(support, whole, size, Z, s, slack, half):
            break
    else:
        return False
    at = counters[LOGGED]
    log[at] = size
    for i in range(size):
        log[at + 1 + 2 * i] = row[support[i]]
        log[at + 2 + 2 * i] = int(whole[i])
    counters[LOGGED] = at + 1 + 2 * size
    return True


@part
def _claim(row: Indices, support: Integers, size: int, notes: Notes, counters: Integers) -> None:
    """Note rows of which a combination seems to vanish; multipliers 0 ask for the exact ones."""
    log, claims, hashes = notes.log, notes.claims, notes.hashes
    key = np.uint64(0)  # in any order of the rows
    for i in range(size):
        number = np.uint64(row[support[i]] + 1)
        key += mixed(mixed(number, NO_BITS), NO_BITS)
    key |= np.uint64(1)
    slot = np.int64(key >> np.uint64(51)) % HASHES
    if hashes[slot] != key:
        hashes[slot] = key  # a forgotten one is claimed again: no harm
        at = counters[CLAIMED]
        claims[at] = size
        for i in range(size):
            claims[at + 1 + i] = row[support[i]]
        counters[CLAIMED] = at + 1 + size
    if log.size > 0:
        at = counters[LOGGED]
        log[at] = size
        for i in range(size):
            log[at + 1 + 2 * i] = row[support[i]]
            log[at + 2 + 2 * i] = 0
        counters[LOGGED] = at + 1 + 2 * size


# ---------------------------------------------------------------------- ties


@part
def _widest(half: Floats) -> float:
    widest = 0.0
    for j in range(half.size):
        widest = max(widest, half[j])
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
def _has_tie(Z: Floats, s: Floats, half: Floats, m: int) -> bool:
    """Return whether more rows than their rank seem to vanish at a point of the box: a tie."""
    dimension = half.size
    basis = np.empty((dimension, dimension))
    shift, v = np.empty(dimension), np.empty(dimension)
    wide, rank = 0, 0
    for j in range(dimension):
        shift[j] = 0.0
        wide += 1 if half[j] > 0.0 else 0
    for k in range(m):
        score, size, whole = s[k], abs(s[k]), 0.0
        for j in range(dimension):
            v[j] = Z[j, k] * half[j]
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
    """Put a box with those of its rows on the stack that are open in it; its ends are in `box`."""
    m, wrong, first, share, tie = node
    top, s, r, slack, weight, row = box.top, box.s, box.r, box.slack, box.weight, box.row
    at, pool = first, stack.pool
    for k in range(m):
        if top[k] < 0.0:
            wrong += weight[k]
        elif s[k] - r[k] <= slack[k]:
            pool[at] = row[k]
            at += 1
    if wrong >= counters[CUTOFF]:
        return first
    size, low, high = counters[SIZE], box.low, box.high
    for j in range(low.size):
        stack.low[size, j], stack.high[size, j] = low[j], high[j]
    stack.wrong[size], stack.first[size], stack.last[size] = wrong, first, at
    stack.share[size], stack.tie[size] = share, tie
    counters[SIZE] = size + 1
    return at


@compiled
def begin(
    instance: Instance, stack: Stack, box: Box, counters: Integers, face: int, tie: float
) -> bool:
    """Put a face of the cube on the empty stack: coordinate face // 2 is +1 or -1."""
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
def _width_matters(r: Floats, slack: Floats, m: int) -> bool:
    """Return whether any score varies over the box by more than a part of what it is off by."""
    wide = 0
    for k in range(m):
        wide += 1 if r[k] > OF_SLACK * slack[k] else 0
    return wide > 0


@part
def _branch(stack: Stack, box: Box, node: Node, notes: Notes, counters: Integers) -> bool:
    """Halve the box across the coordinate of the widest scores; False when it cannot be."""
    m, wrong, first, share, tie = node
    lows, highs, centres, halves, Z, s, r, top, slack, weight, _, _, _ = box
    if not _width_matters(r, slack, m):
        return False
    widest, j = -1.0, -1
    for i in range(halves.size):
        if halves[i] > 0.0 and cell_of(2.0 * halves[i]) >= SMALLEST_CELL:
            spread = _spread(Z[i], weight, m) * halves[i]
            if spread > widest:
                widest, j = spread, i
    if j < 0:
        return False
    low, high = lows[j], highs[j]
    cell = cell_of(high - low)
    below = int((high - low) / cell) // 2
    middle = low + cell * below
    centre, half = centres[j], halves[j]
    kept = 0
    for side in range(2):
        lows[j], highs[j] = (low, middle) if side == 0 else (middle, high)
        c, h = (lows[j] + highs[j]) * 0.5, (highs[j] - lows[j]) * 0.5
        _shift(Z[j], s, r, top, slack, m, c - centre, half - h)
        centre, half = c, h
        before = counters[SIZE]
        first = _push(stack, box, counters, Node(m, wrong, first, share * 0.5, tie))
        if counters[SIZE] > before:
            kept += 1 << side
        else:
            notes.done[0] += share * 0.5
    _log_step(notes.log, counters, SPLIT, j, 4 * below + kept)
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
        if not pruned and _worth_packing(
            notes.tried, notes.succeeded, counters[CUTOFF] - wrong, m, counters[NODES]
        ):
            pruned = _pack(box, m, wrong, program, notes, counters)
        if pruned:
            notes.done[0] += share
        elif _widest(box.half) <= tie and _has_tie(box.Z, box.s, box.half, m):
            _push(stack, box, counters, Node(m, wrong, first, share, tie))
            if counters[SIZE] > top:
                return TIE
            _log_step(notes.log, counters, PRUNED, 0, 0)  # what is open was counted once more
            notes.done[0] += share
        elif not _branch(stack, box, Node(m, wrong, first, share, tie), notes, counters):
            counters[UNRESOLVED] = min(counters[UNRESOLVED], wrong)
    return DONE
