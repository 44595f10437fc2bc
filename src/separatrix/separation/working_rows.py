"""A line or a refusal from a few rows of a table, proven by one read of all rows or by integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.exact.cancelling import refusal_on
from separatrix.exact.cone import cone_of_data
from separatrix.exact.integers import (
    Floats,
    Indices,
    bit_size,
    column_exponents,
    exact_scores,
    fractions_of,
    times_power_of_two,
    whole_scores,
)
from separatrix.kernels.separation.scan import contradictory_duplicates
from separatrix.separation.constraint_generation import (
    NEAR,
    NONE,
    SLACK,
    WorkingSet,
    least_of,
)
from separatrix.separation.exact_simplex import Line, Refusal, Undecided, gordan

ROUNDS = 60
EXACT_ROUNDS = 100
MOST_NEAR = 200  # rows that join at once, of those nearest to a line
LONG = 1 << 15  # rows of a table of which a part is read first
PART = 16
LINE_LIMIT = 2.0**1000  # weights beyond it are not read as doubles


@dataclass(frozen=True)
class Support:
    """Working rows whose hull holds the origin, as far as floats see."""

    rows: Indices  # indices into X; N, N + 1, ... are the extra rows
    line: Floats  # (D,) the last line that floats had, in the columns of the rows


def line_or_support(working: WorkingSet) -> Floats | Support | None:
    """Return a line (D,) that separates, proven; or a support to be tried; or None."""
    for _ in range(ROUNDS):
        line, vanishes = working.least_point()
        if vanishes:
            return Support(working.index(np.sort(working.used)), line)
        if not (np.abs(line) < LINE_LIMIT).all():
            return None
        for attempt in (working.of_few_digits(line), line):
            wrong, violated = _violated(working, attempt)
            if wrong == 0:
                return attempt
            new = working.lacks(violated)
            if new.size:
                break
        if not new.size:
            return None
        working.add(new)
    return None


def _violated(working: WorkingSet, line: Floats) -> tuple[int, Indices]:
    """Return how many rows a line is not positive on, 0 only if it is on all, and some of them."""
    w = working.table.float_weights(line)
    for part in (PART, 1) if working.table.n >= LONG else (1,):
        wrong, worst, least = working.table.scan(w, part)
        if wrong:
            low = worst[least <= SLACK * (working.signed @ line).min()]
            return wrong, np.append(worst[least <= 0.0], low[: NEAR * line.size])
    return int(not positive(working.extra, line)), NONE


def positive(rows: Floats, line: Floats) -> bool:
    """Return whether every row (m, D) has a score above 0, exactly."""
    return len(rows) == 0 or min(whole_scores(rows, fractions_of(line))[0]) > 0


def line_or_refusal(working: WorkingSet) -> list[Fraction] | Refusal | Undecided:
    """Return a line positive on all rows and the extra one, or rows that refuse it, by index."""
    found = line_or_support(working)
    if isinstance(found, np.ndarray):
        return fractions_of(found)
    if isinstance(found, Support):
        few = found.rows[found.rows < working.table.n]
        multipliers = refusal_on(np.vstack([working.table.floats(few), working.extra]))
        if multipliers is not None:
            return Refusal([*few.tolist(), working.table.n], multipliers)
    return decided_exactly(working)


def decided_exactly(working: WorkingSet) -> list[Fraction] | Refusal | Undecided:
    """Return the same by the exact simplex method."""
    for _ in range(EXACT_ROUNDS):
        answer = _on_working_rows(working)
        if isinstance(answer, Refusal):
            places = np.array(answer.rows, dtype=np.int64)
            return Refusal(working.index(places).tolist(), answer.multipliers)
        if isinstance(answer, Undecided):
            return answer
        least, near = working.table.least(answer)
        new = working.lacks(near)[:MOST_NEAR]
        if least > 0:
            return answer
        if not new.size:
            break
        working.add(new)
    return Undecided(f"exact constraint generation met its limit of {EXACT_ROUNDS} rounds")


def _on_working_rows(working: WorkingSet) -> list[Fraction] | Refusal | Undecided:
    """Return the same for the working rows alone, by their places."""
    zero = np.flatnonzero(~working.signed.any(axis=1))
    if zero.size:
        return Refusal([int(zero[0])], [1])
    columns = np.flatnonzero(working.signed.any(axis=0))
    values = np.ascontiguousarray(working.signed[:, columns])
    answer = gordan(cone_of_data(values))
    if not isinstance(answer, Line):
        return answer
    weights = [Fraction(0)] * working.table.width
    for j, a, e in zip(columns.tolist(), answer.v, column_exponents(values), strict=True):
        weights[j] = times_power_of_two(Fraction(a), -int(e))
    return weights


REFINEMENTS = 12
FAR = Fraction(10) ** 150


def refined(working: WorkingSet) -> list[Fraction] | None:
    """Return a line (D,) that separates, proven, where floats saw no margin; None at a limit.

    After Gleixner, Steffy & Wolter (2016): the exact scores of a line w, divided by their size
    2^q, are one more column. A line (u, tau > 0) in those stands for tau w + 2^q u, whose scores
    have the rounding errors of floats times 2^q.
    """
    size = np.frexp(np.abs(working.signed).max(axis=0))[1]
    unit = np.ldexp(working.signed, -size)
    last = np.append(np.zeros(size.size), 1.0)  # tau > 0
    line, _ = working.least_point()
    if not np.isfinite(line).all():
        return None
    weights = fractions_of(line)
    for _ in range(REFINEMENTS):
        scores = exact_scores(working.signed, weights)
        if min(scores) > 0:
            return weights if working.table.separated_by(weights) else None
        near = (*working.used.tolist(), min(range(len(scores)), key=scores.__getitem__))
        q = max((bit_size(scores[n]) for n in near if scores[n]), default=0)
        # at most 1e150 in size: such a row is far from any line
        more = [float(max(min(times_power_of_two(s, -q), FAR), -FAR)) for s in scores]
        wide = np.column_stack([unit, more])
        length = np.linalg.norm(wide, axis=1)
        wide /= np.where(length > 0.0, length, 1.0)[:, None]
        line, places, vanishes = least_of(np.vstack([wide, last]), SLACK, working.used)
        if vanishes:
            return None
        working.used = np.sort(places[places < len(wide)])
        tau, steps = Fraction(float(line[-1])), fractions_of(line[:-1])
        weights = [
            tau * w + times_power_of_two(u, q - int(e))
            for w, u, e in zip(weights, steps, size, strict=True)
        ]
    return None


def contradictions(points: Floats, y: Floats) -> list[Refusal]:
    """Return pairs of equal points (n, d) with opposite labels, one for each such point."""
    bits = np.ascontiguousarray(points + 0.0).view(np.uint64)  # -0.0 and 0.0 differ in their bits
    slots = 1 << int(2 * len(points)).bit_length()
    first = np.full(slots, -1, dtype=np.int64)
    other = first.copy()
    contradictory_duplicates(bits, y, first, other)
    both = np.flatnonzero(other >= 0)
    both = both[np.argsort(other[both])]
    pairs = zip(first[both].tolist(), other[both].tolist(), strict=True)
    return [Refusal([a, b], [1, 1]) for a, b in pairs]
