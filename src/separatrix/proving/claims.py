"""Claims as a proof file holds them.

Whole numbers and rationals are written in hexadecimal ("-1f/3"), which any length reads quickly;
doubles as decimal text that reads back to the same double. `proof.schema.json` is the format.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from separatrix.data import Floats, Sample
from separatrix.exact.integers import independent_rows, nullspace
from separatrix.exact.signed_rows import SignedRows
from separatrix.separation.decide import Separability

Claim = dict[str, Any]


def claims_of(found: Separability, sample: Sample) -> list[Claim]:
    """Return what a separability answer claims; nothing where it is undecided."""
    if found.verdict == "undecided":
        return []
    if found.verdict == "separable":
        claims = [{"kind": "separable", "weights": hexadecimals(found.exact_weights)}]
        proof = found.margin_proof
        if proof is not None:
            claims.append(
                {
                    "kind": "margin",
                    "weights": hexadecimals(found.exact_weights),
                    **with_multipliers(proof.rows, proof.multipliers),
                }
            )
        return claims
    if found.verdict == "touching":
        assert found.refusal is not None  # noqa: S101  # not separable
        return [
            {
                "kind": "touching",
                "weights": hexadecimals(found.exact_weights),
                **with_multipliers(found.refusal.rows, found.refusal.multipliers),
            }
        ]
    rows = found.witness.rows.tolist()
    spanning = {
        "kind": "overlapping",
        "null_space": null_space(sample, rows),
        **with_multipliers(rows, found.witness.multipliers),
    }
    refusal = found.refusal
    if refusal is None or len(refusal.rows) == len(rows):
        return [spanning]
    return [
        {"kind": "not separable", **with_multipliers(refusal.rows, refusal.multipliers)},
        spanning,
    ]


def mistakes_of(weights: Floats) -> list[Claim]:
    """Return the claim that recounts the mistakes of a line (1+d,); none for no line at all."""
    if not weights.any():
        return []
    return [{"kind": "mistakes", "weights": [float(w) for w in weights]}]


def hexadecimal(value: Fraction | int) -> str:
    """Return "-1f" or "-1f/3"."""
    value = Fraction(value)
    above = format(value.numerator, "x")
    return above if value.denominator == 1 else f"{above}/{value.denominator:x}"


def hexadecimals(values: Sequence[Fraction] | None) -> list[str]:
    """Return the same for several numbers."""
    return [hexadecimal(value) for value in values or ()]


def with_multipliers(rows: Sequence[int], multipliers: Sequence[int]) -> Claim:
    """Return rows and their positive whole multipliers."""
    return {
        "rows": [int(n) for n in rows],
        "multipliers": [hexadecimal(int(a)) for a in multipliers],
    }


def null_space(sample: Sample, rows: Sequence[int]) -> list[list[str]]:
    """Return a basis of the lines that vanish on these rows, hence on all."""
    table = SignedRows(sample, 1.0)
    integers = table.integers(rows)
    basis, _ = nullspace([integers[i] for i in independent_rows(integers)], sample.d + 1)
    units = [Fraction(2) ** int(-e) for e in table.exponents]
    return [
        hexadecimals([a * unit for a, unit in zip(vector, units, strict=True)]) for vector in basis
    ]
