"""What a person should know about the columns before believing any line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from separatrix.data import joined, shortened
from separatrix.said import Said
from separatrix.scale import Block, Rows
from separatrix.separation.decide import Separability
from separatrix.tables import CategoryEncoding
from separatrix.tables.wording import counted
from separatrix.verdict.cases import Question
from separatrix.verdict.columns import Columns, same_columns

MOST = 8

Collinear = Mapping[int, tuple[int, ...]]


class Finding(Said):
    """A warning, with what kind it is and the columns that it is about, as short as can be."""

    kind: str
    names: tuple[str, ...]

    __slots__ = ("kind", "names")

    @classmethod
    def of(cls, kind: str, names: Sequence[str], template: str, /, **values: object) -> Finding:
        finding = cls(template, **values)
        assert isinstance(finding, Finding)  # noqa: S101  # for the type checker
        finding.kind, finding.names = kind, tuple(names)
        return finding

    def __reduce__(self) -> tuple[partial[Finding], tuple[()]]:  # type: ignore[override]
        return partial(Finding.of, self.kind, self.names, self.template, **self.values), ()


def findings(
    rows: Rows, question: Question, columns: Columns, collinear: Collinear
) -> list[Finding]:
    """Return the warnings on the columns of all rows, each a sentence."""
    encoding, proof = question.encoding, question.separability
    names, same = encoding.feature_names, same_columns(rows, question.points)
    categories = [c for c in encoding.columns if isinstance(c, CategoryEncoding)]
    return [
        *_redundant(columns, names, proof, collinear, same),
        *_alone(rows, columns, names, categories),
        *_without_optimum(int(columns.rows.sum()), names, proof, collinear),
    ]


def listed(names: Sequence[str]) -> str:
    """Return names for a sentence, shortened after a few."""
    return joined([repr(shortened(name, 40)) for name in names], MOST)


def _redundant(
    columns: Columns,
    names: Sequence[str],
    proof: Separability,
    collinear: Collinear,
    same: Sequence[tuple[int, int]],
) -> Iterator[Finding]:
    """Yield warnings of columns that add nothing to others."""
    constant = np.flatnonzero(columns.low.min(axis=0) == columns.high.max(axis=0)).tolist()
    if constant:
        found = [names[j] for j in constant]
        said = "constant columns, of no use to any line: {columns}"
        yield Finding.of("constant", found, said, columns=listed(found))
    pairs = [(names[j], names[k]) for j, k in same if j not in constant]
    if pairs:
        equal = [f"{shortened(a, 40)!r} = {shortened(b, 40)!r}" for a, b in pairs]
        short = [f"{a} = {b}" for a, b in pairs]
        which = joined(equal, MOST)
        yield Finding.of("duplicate", short, "duplicate columns: {columns}", columns=which)
    found = [names[j - 1] for j in proof.aliased if j > 0 and j - 1 not in constant]
    if found:
        said = "collinear columns, whose coefficients are not determined one by one: {columns}"
        yield Finding.of("collinear", found, said, columns=listed(found))
    if collinear:
        made = [
            f"{shortened(names[j - 1], 40)!r} (of {listed([names[k - 1] for k in others])})"
            for j, others in collinear.items()
        ]
        said = (
            "collinear but for rounding, so that their coefficients are not determined: {columns}. "
            "Logistic regression leaves them out"
        )
        found = [names[j - 1] for j in collinear]
        yield Finding.of("collinear", found, said, columns=joined(made, MOST))


def _alone(
    rows: Rows, columns: Columns, names: Sequence[str], categories: Sequence[CategoryEncoding]
) -> Iterator[Finding]:
    """Yield a warning for every column that alone decides the label: often a leak."""
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
    for name in identifiers[:MOST]:
        said = (
            "column {name!r} has another value in every row: if it is an identifier, leave it out "
            "(--drop)"
        )
        yield Finding.of("identifier", [name], said, name=shortened(name, 40))
    for name in alone[:MOST]:
        said = "column {name!r} alone separates: is it known before the answer is?"
        yield Finding.of("alone", [name], said, name=shortened(name, 40))


def _labels_without(block: Block, features: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return of which labels there are rows in which all of some columns are 0: (any, 2)."""
    yes, X = block.sample.y > 0.0, block.sample.X
    zero = [np.asarray(abs(X[:, at]).sum(axis=1)).ravel() == 0.0 for at in features]
    return np.array([[(of & ~yes).any(), (of & yes).any()] for of in zero])


def _without_optimum(
    n: int, names: Sequence[str], proof: Separability, collinear: Collinear
) -> Iterator[Finding]:
    """Yield warnings of too few rows for the columns, and of coefficients that are infinite."""
    if n <= len(names) + 1:
        said = (
            "{rows} for {columns}: rows in general position could be separated whatever their "
            "labels were, so that a separating line says nothing"
        )
        columns = counted(len(names), "column")
        yield Finding.of("few_rows", (), said, rows=counted(n, "row"), columns=columns)
    if proof.verdict not in ("separable", "touching"):
        return
    how = "separable" if proof.verdict == "separable" else "quasi-completely separated"
    called = ["intercept", *names]
    found = proof.divergent
    signs = {1: " (+inf)", -1: " (-inf)", 0: Said(" (+inf or -inf)")}
    few = len(found) <= MOST
    ways = {j: signs[way] for j, way in proof.diverging.items()} if few else {}
    ways |= dict.fromkeys(proof.directionless if few else (), Said(" (direction not known)"))
    grow = [
        Said("{name!r}{way}", name=shortened(called[j], 40), way=ways.get(j, "")) for j in found
    ]
    said = (
        "logistic regression has no finite optimum {where} (the data are {how}). Infinite "
        "coefficients: {which}. Merge or drop what diverges, or fit with a penalty: "
        "learn --penalty 1, judge(..., penalty=1)"
    )
    yield Finding.of(
        "no_optimum", [called[j] for j in found], said,
        where=Said("in all of these columns" if collinear else "here"), how=Said(how),
        which=joined(grow, MOST) if grow else Said("some combination of collinear columns"),
    )  # fmt: skip
