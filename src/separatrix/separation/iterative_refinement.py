"""Iterative refinement: where floats see nothing any more, their error is magnified until they do.

After Gleixner, Steffy & Wolter (2016): the exact scores of a line w that floats could not improve
are divided by their own size delta and become one more column. A line (u, tau > 0) in those columns
stands for tau w + delta u, whose scores have the rounding errors of floats times delta. Lines and
refusals that come out are checked exactly; neither may come out.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from separatrix.exact.integers import (
    Indices,
    bit_size,
    exact_scores,
    fractions_of,
    times_power_of_two,
)
from separatrix.separation.constraint_generation import SLACK, WorkingSet, least_of
from separatrix.separation.working_rows import MOST_NEAR, refusal_on

ROUNDS = 12
FAR = Fraction(10) ** 150


def refined(working: WorkingSet) -> list[Fraction] | Indices | None:
    """Return weights (D,) positive on all rows and the extra ones, or a refusal's rows, proven."""
    size = np.frexp(np.abs(working.signed).max(axis=0))[1]
    line, _ = working.least_point()
    if not np.isfinite(line).all():
        return None
    weights = fractions_of(line)
    for _ in range(ROUNDS):
        scores = exact_scores(working.signed, weights)
        if min(scores) > 0:
            least, near = working.table.least(weights)
            if least > 0:
                return weights
            new = working.lacks(near[:MOST_NEAR])
            if new.size == 0:
                return None
            working.add(new)
            continue
        found = _magnified(working, weights, scores, size)
        if found is None or isinstance(found, np.ndarray):
            return found
        weights = found
    return None


def _magnified(
    working: WorkingSet, weights: list[Fraction], scores: list[Fraction], size: Indices
) -> list[Fraction] | Indices | None:
    """Return better weights, or the rows of a refusal, or None."""
    lowest = min(range(len(scores)), key=scores.__getitem__)
    nearest = [n for n in (*working.used.tolist(), lowest) if scores[n]]
    if not nearest:
        return None
    q = max(bit_size(scores[n]) for n in nearest)
    # at most 1e150 in size: such a row is far from any line
    extra = [float(max(min(times_power_of_two(s, -q), FAR), -FAR)) for s in scores]
    wide = np.column_stack([np.ldexp(working.signed, -size), extra])
    length = np.linalg.norm(wide, axis=1)
    wide /= np.where(length > 0.0, length, 1.0)[:, None]
    last = np.append(np.zeros(size.size), 1.0)  # tau > 0
    line, places, vanishes = least_of(np.vstack([wide, last]), SLACK, working.used)
    rows = np.sort(places[places < len(wide)])
    if vanishes:
        return rows if rows.size and refusal_on(working.signed[rows]) is not None else None
    working.used = rows
    tau = Fraction(float(line[-1]))
    steps = zip(weights, fractions_of(line[:-1]), size.tolist(), strict=True)
    return [tau * w + times_power_of_two(u, q - e) for w, u, e in steps]
