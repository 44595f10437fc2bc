"""What a person should know about the columns before believing any line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from separatrix.data import shortened
from separatrix.scale import Block, Rows
from separatrix.separation.decide import Separability
from separatrix.tables import CategoryEncoding, Encoding
from separatrix.tables.wording import counted
from separatrix.verdict.columns import Columns

MOST = 8

Collinear = Mapping[int, tuple[int, ...]]


class Finding(str):
    """A warning, with what kind it is and the columns that it is about, as short as can be."""

    kind: str
    names: tuple[str, ...]

    __slots__ = ("kind", "names")

    def __new__(cls, kind: str, names: Sequence[str], sentence: str) -> Finding:
        finding = super().__new__(cls, sentence)
        finding.kind, finding.names = kind, tuple(names)
        return finding

    def __reduce__(self) -> tuple[type[Finding], tuple[str, tuple[str, ...], str]]:
        return type(self), (self.kind, self.names, str(self))


def findings(  # noqa: PLR0917  # what a verdict knows
    rows: Rows,
    encoding: Encoding,
    columns: Columns,
    names: Sequence[str],
    proof: Separability,
    collinear: Collinear,
    same: Sequence[tuple[int, int]],
) -> list[Finding]:
    """Return the warnings on columns, each a sentence."""
    low, high = columns.low, columns.high
    constant = np.flatnonzero(low.min(axis=0) == high.max(axis=0)).tolist()
    categories = [c for c in encoding.columns if isinstance(c, CategoryEncoding)]
    pairs = [(j, k) for j, k in same if j not in constant]
    return [
        *_constant(names, constant),
        *_equal_pairs(names, pairs),
        *_collinear(names, proof, constant),
        *_collinear_but_for_rounding(names, collinear),
        *_alone(rows, columns, names, categories),
        *_few_rows(int(columns.rows.sum()), len(names)),
        *_no_optimum(names, proof, collinear),
    ]


def listed(names: Sequence[str]) -> str:
    """Return names for a sentence, shortened after a few."""
    return _first([repr(shortened(name, 40)) for name in names])


def _first(words: Sequence[str]) -> str:
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(words[:MOST]) + more


def _constant(names: Sequence[str], constant: Sequence[int]) -> list[Finding]:
    if not constant:
        return []
    found = [names[j] for j in constant]
    said = f"constant columns, of no use to any line: {listed(found)}"
    return [Finding("constant", found, said)]


def _equal_pairs(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[Finding]:
    found = [f"{shortened(names[j], 40)!r} = {shortened(names[k], 40)!r}" for j, k in pairs]
    short = [f"{names[j]} = {names[k]}" for j, k in pairs]
    return [Finding("duplicate", short, f"duplicate columns: {_first(found)}")] if found else []


def _collinear(names: Sequence[str], proof: Separability, constant: Sequence[int]) -> list[Finding]:
    aliased = [j - 1 for j in proof.aliased if j > 0 and j - 1 not in constant]
    if not aliased:
        return []
    found = [names[j] for j in aliased]
    said = f"collinear columns, whose coefficients are not determined one by one: {listed(found)}"
    return [Finding("collinear", found, said)]


def _collinear_but_for_rounding(names: Sequence[str], collinear: Collinear) -> list[Finding]:
    if not collinear:
        return []
    made = [
        f"{shortened(names[j - 1], 40)!r} (of {listed([names[k - 1] for k in others])})"
        for j, others in collinear.items()
    ]
    said = (
        "collinear but for rounding, so that their coefficients are not determined: "
        f"{_first(made)}. Logistic regression leaves them out"
    )
    return [Finding("collinear", [names[j - 1] for j in collinear], said)]


def _alone(
    rows: Rows, columns: Columns, names: Sequence[str], categories: Sequence[CategoryEncoding]
) -> list[Finding]:
    """Return a warning for every column that alone decides the label: often a leak."""
    low, high = columns.low, columns.high
    apart = (low[1] > high[0]) | (high[1] < low[0])
    of_both = ((low != 0.0) | (high != 0.0)).all(axis=0)  # a level with rows of both labels
    place = {name: j for j, name in reversed([*enumerate(names)])}
    levels = {c.name: [place[name] for name in c.feature_names] for c in categories}
    identifiers = [c.name for c in categories if len(c.levels) == rows.n]
    some = {name: at for name, at in levels.items() if at and not of_both[at].any()}
    some = {name: at for name, at in some.items() if name not in identifiers}
    pure = list(some)
    if some:
        seen = np.any(rows.map(_labels_without, list(some.values())), axis=0)
        pure = [name for name, both in zip(some, seen.all(axis=1), strict=True) if not both]
    known = tuple(f"{name}=" for name in (*identifiers, *pure))
    alone = [
        *pure,
        *(names[j] for j in np.flatnonzero(apart).tolist() if not names[j].startswith(known)),
    ]
    return [
        *(
            Finding(
                "identifier",
                [name],
                f"column {shortened(name, 40)!r} has another value in every row: if it is an "
                "identifier, leave it out (--drop)",
            )
            for name in identifiers[:MOST]
        ),
        *(_alone_is(name) for name in alone[:MOST]),
    ]


def _labels_without(block: Block, features: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return of which labels there are rows in which all of some columns are 0: (any, 2)."""
    yes, X = block.sample.y > 0.0, block.sample.X
    zero = [np.asarray(abs(X[:, at]).sum(axis=1)).ravel() == 0.0 for at in features]
    return np.array([[(of & ~yes).any(), (of & yes).any()] for of in zero])


def _alone_is(name: str) -> Finding:
    said = f"column {shortened(name, 40)!r} alone separates: is it known before the answer is?"
    return Finding("alone", [name], said)


def _few_rows(n: int, d: int) -> list[Finding]:
    if n > d + 1:
        return []
    said = (
        f"{counted(n, 'row')} for {counted(d, 'column')}: rows in general position could be "
        "separated whatever their labels were, so that a separating line says nothing"
    )
    return [Finding("few_rows", (), said)]


def _no_optimum(names: Sequence[str], proof: Separability, collinear: Collinear) -> list[Finding]:
    if proof.verdict not in ("separable", "touching"):
        return []
    how = "separable" if proof.verdict == "separable" else "quasi-completely separated"
    columns = ["intercept", *names]
    found = proof.divergent
    signs = {1: " (+inf)", -1: " (-inf)", 0: " (+inf or -inf)"}
    few = len(found) <= MOST
    ways = {j: signs[way] for j, way in proof.diverging.items()} if few else {}
    ways |= dict.fromkeys(proof.directionless if few else (), " (direction not known)")
    grow = [f"{shortened(columns[j], 40)!r}{ways.get(j, '')}" for j in found]
    which = _first(grow) if grow else "some combination of collinear columns"
    where = "in all of these columns" if collinear else "here"
    said = (
        f"logistic regression has no finite optimum {where} (the data are {how}). Infinite "
        f"coefficients: {which}. Merge or drop what diverges, or fit with a penalty: "
        "learn --penalty 1, judge(..., penalty=1)"
    )
    return [Finding("no_optimum", [columns[j] for j in found], said)]
