"""What a person should know about the columns before believing any line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from separatrix.data import Floats, shortened
from separatrix.separation.decide import Separability
from separatrix.tables import CategoryColumn, Table

MOST = 8

Collinear = Mapping[int, tuple[int, ...]]


def findings(
    table: Table, X: Floats, names: Sequence[str], proof: Separability, collinear: Collinear
) -> list[str]:
    """Return the warnings on a table's columns, each a sentence.

    Parameters
    ----------
    collinear : {index in (1+d,): the columns that make it up but for rounding}
    """
    constant = [j for j in range(X.shape[1]) if (X[:, j] == X[0, j]).all()]
    return [
        *_constant(names, constant),
        *_duplicates(X, names, constant),
        *_collinear(names, proof, constant),
        *_collinear_but_for_rounding(names, collinear),
        *_alone(table, X, names),
        *_few_rows(X),
        *_no_optimum(names, proof, collinear),
    ]


def listed(names: Sequence[str]) -> str:
    """Return names for a sentence, shortened after a few."""
    shown = ", ".join(repr(shortened(name, 40)) for name in names[:MOST])
    return shown + (f" and {len(names) - MOST} more" if len(names) > MOST else "")


def _constant(names: Sequence[str], constant: Sequence[int]) -> list[str]:
    if not constant:
        return []
    return [f"constant columns, of no use to any line: {listed([names[j] for j in constant])}"]


def _duplicates(X: Floats, names: Sequence[str], constant: Sequence[int]) -> list[str]:
    first: dict[bytes, int] = {}
    found = []
    for j in range(X.shape[1]):
        if j in constant:
            continue
        original = first.setdefault((X[:, j] + 0.0).tobytes(), j)  # + 0.0: -0 is 0
        if original != j:
            found.append(f"{shortened(names[j], 40)!r} = {shortened(names[original], 40)!r}")
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return [f"duplicate columns: {', '.join(found[:MOST])}{more}"] if found else []


def _collinear(names: Sequence[str], proof: Separability, constant: Sequence[int]) -> list[str]:
    aliased = [j - 1 for j in proof.aliased if j > 0 and j - 1 not in constant]
    if not aliased:
        return []
    return [
        "collinear columns, whose coefficients are not determined one by one: "
        f"{listed([names[j] for j in aliased])}"
    ]


def _collinear_but_for_rounding(names: Sequence[str], collinear: Collinear) -> list[str]:
    if not collinear:
        return []
    made = [
        f"{shortened(names[j - 1], 40)!r} (of {listed([names[k - 1] for k in others])})"
        for j, others in list(collinear.items())[:MOST]
    ]
    more = f" and {len(collinear) - MOST} more" if len(collinear) > MOST else ""
    return [
        "collinear but for rounding, so that their coefficients are not determined: "
        f"{', '.join(made)}{more}. Logistic regression leaves them out"
    ]


def _alone(table: Table, X: Floats, names: Sequence[str]) -> list[str]:
    """Return a warning for every column that alone decides the label: often a leak."""
    yes = table.y > 0
    categories = [c for c in table.columns if isinstance(c, CategoryColumn)]
    identifiers = [c.name for c in categories if len(c.levels) == table.y.size]
    pure = [c.name for c in categories if c.name not in identifiers and _is_pure(c, yes)]
    known = [*identifiers, *pure]
    alone = [name for j, name in enumerate(names) if _separates(X[yes, j], X[~yes, j])]
    alone = [*pure, *(n for n in alone if not any(n.startswith(f"{name}=") for name in known))]
    return [
        *(
            f"column {shortened(name, 40)!r} has another value in every row: if it is an "
            "identifier, leave it out (--drop)"
            for name in identifiers[:MOST]
        ),
        *(
            f"column {shortened(name, 40)!r} alone separates: is it known before the answer is?"
            for name in alone[:MOST]
        ),
    ]


def _separates(of_yes: Floats, of_no: Floats) -> bool:
    return bool(of_yes.min() > of_no.max() or of_yes.max() < of_no.min())


def _is_pure(column: CategoryColumn, yes: np.ndarray) -> bool:
    """Whether every level has one label only."""
    known = column.codes >= 0
    if not known.all():
        return False
    totals = np.bincount(column.codes, minlength=len(column.levels))
    of_yes = np.bincount(column.codes[yes], minlength=len(column.levels))
    return bool(((of_yes == 0) | (of_yes == totals)).all())


def _few_rows(X: Floats) -> list[str]:
    n, d = X.shape
    if n > d + 1:
        return []
    return [
        f"{n} rows for {d} columns: rows in general position could be separated whatever their "
        "labels were, so that a separating line says nothing"
    ]


def _no_optimum(names: Sequence[str], proof: Separability, collinear: Collinear) -> list[str]:
    if proof.verdict not in ("separable", "touching"):
        return []
    how = "separable" if proof.verdict == "separable" else "quasi-completely separated"
    columns = ["intercept", *names]
    found = proof.divergent
    signs = {1: " upwards", -1: " downwards", 0: " either way"}
    few = len(found) <= MOST
    ways = {j: signs[way] for j, way in proof.diverging.items()} if few else {}
    ways |= dict.fromkeys(proof.directionless if few else (), " in a direction that is open")
    grow = [f"{shortened(columns[j], 40)!r}{ways.get(j, '')}" for j in found[:MOST]]
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    which = f"{', '.join(grow)}{more}" if grow else "all of them, in some collinear combination"
    where = "in all of these columns" if collinear else "here"
    return [
        f"logistic regression has no finite optimum {where} (the data are {how}). The coefficients "
        f"that grow without end: {which}. Any number printed for them depends on when a program "
        "stopped"
    ]
