"""The second look: whether a verdict's claims hold, recomputed from the data without any solver."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from separatrix.certificates.multipliers import Multipliers
from separatrix.certificates.separation import Separation, exact_weights
from separatrix.data import InputError, Sample
from separatrix.exact.integers import (
    root_above,
)
from separatrix.exact.signed_rows import SignedRows

if TYPE_CHECKING:
    from separatrix.separation.decide import Separability


def holds(claim: Separability, sample: Sample) -> bool:
    """Return whether everything claimed of the sample is true; False for a claim without sense."""
    if claim.x0 not in (0.0, 1.0) or claim.verdict not in VERDICTS:
        return False
    table = SignedRows(sample, float(claim.x0))
    try:
        return _common(claim, table) and VERDICTS[claim.verdict](claim, table)
    except InputError:  # about the table: there is not enough memory to check it
        raise
    except (TypeError, ValueError, AttributeError, OverflowError, IndexError):
        return False  # a field holds something of another kind


def _common(claim: Separability, table: SignedRows) -> bool:
    """Return whether radius, rank and aliased columns are right."""
    return (
        claim.radius_squared == table.longest
        and claim.radius == root_above(table.longest)
        and claim.rank == table.rank
        and tuple(claim.aliased) == table.aliased
        and (claim.verdict == "undecided") == bool(claim.reason)
    )


def witness_holds(claim: Separability, table: SignedRows) -> bool:
    """Return whether the line separates, or the refusal cancels: one look at the table."""
    if claim.verdict == "separable":
        line = Separation(claim.line or (), table.x0)
        return _weights(claim, table) is not None and line.separates(table.sample)
    if claim.refusal is None:
        return claim.verdict == "undecided"
    return claim.refusal.fits(table.sample) and claim.refusal.refuses_sample(table.sample)


# ---------------------------------------------------------------------- verdicts


def _separable(claim: Separability, table: SignedRows) -> bool:
    return (
        claim.separable is True
        and witness_holds(claim, table)
        and _widest_is_right(claim, table)
        and claim.refusal is None
        and len(claim.witness.rows) == len(claim.witness.multipliers) == 0
        and _directions_fit(claim, table, [])
    )


def _widest_is_right(claim: Separability, table: SignedRows) -> bool:
    """Return whether the bracket of the margin, if asked for, is what line and multipliers show."""
    found = claim.__dict__.get("widest")
    if found is None:
        return "widest" not in claim.__dict__
    proof = found.proof
    least, _ = table.least(found.weights)
    return (
        least > 0
        and found.rho_squared == least**2 / sum((w * w for w in found.weights), Fraction(0))
        and proof.x0 == table.x0
        and proof.fits(table.sample)
        and proof.squared_bound is not None
        and proof.squared_bound >= proof.bound_squared_of(table.sample)
    )


def _touching(claim: Separability, table: SignedRows) -> bool:
    exact = _weights(claim, table)
    if exact is None or not _refused(claim, table):
        return False
    signs = table.signs(exact)
    on_the_line = np.flatnonzero(signs == 0)
    support = [int(n) for n in claim.witness.rows]
    if min(signs) < 0 or max(signs) <= 0 or not set(support) <= set(on_the_line.tolist()):
        return False
    # with them all rows on the line are settled, so no other line has more rows off it
    off = table.not_vanishing(
        table.equalities(support), 1, columns=table.span.columns, among=on_the_line
    )
    return not off and _directions_fit(claim, table, support)


def _overlapping(claim: Separability, table: SignedRows) -> bool:
    if claim.line is not None or not _refused(claim, table):
        return False
    support = [int(n) for n in claim.witness.rows]
    spanned = table.rank_of(np.array(support, dtype=np.int64))
    return spanned == claim.rank and not claim.__dict__.get("divergence")


def _undecided(claim: Separability, _: SignedRows) -> bool:
    return (
        claim.separable is None
        and claim.line is None
        and claim.refusal is None
        and len(claim.witness.rows) == len(claim.witness.multipliers) == 0
        and not claim.__dict__.get("divergence")
    )


VERDICTS = {
    "separable": _separable,
    "touching": _touching,
    "overlapping": _overlapping,
    "undecided": _undecided,
}


# ---------------------------------------------------------------------- parts


def _weights(claim: Separability, table: SignedRows) -> list[Fraction] | None:
    """Return the exact weights (D,) of the line when they fit the table."""
    if claim.line is None:
        return None
    exact = exact_weights(claim.line, table.sample.d, table.x0)
    return exact if table.x0 or claim.line[0] == 0 else None


def _refused(claim: Separability, table: SignedRows) -> bool:
    """Return whether witness and refusal cancel exactly and nothing is claimed of a margin."""
    witness = Multipliers(tuple(claim.witness.rows.tolist()), claim.witness.multipliers, table.x0)
    few = claim.refusal
    return (
        claim.separable is False
        and few is not None
        and few.x0 == table.x0
        and few.squared_bound == 0
        and len(few.rows) <= claim.rank + 1
        and all(m.fits(table.sample) and m.refuses_sample(table.sample) for m in (witness, few))
        and claim.__dict__.get("widest") is None
    )


def _directions_fit(claim: Separability, table: SignedRows, support: Sequence[int]) -> bool:
    """Return whether the diverging coefficients are the right ones, and their directions shown.

    They are those that some w vanishing on the support does not give zero. Directions are checked
    if they have been asked for.
    """
    columns = table.span.columns
    free = {table.index(j) for j in columns}
    if support:
        basis = table.equalities(support)
        free = {table.index(j) for i, j in enumerate(columns) if any(v[i] for v in basis)}
    found = claim.__dict__.get("divergence")
    if set(claim.divergent if found is None else found.indices) != free - set(table.aliased):
        return False
    return found is None or found == found.that_holds(table, support)
