"""`judge`: from a table, or arrays, to the verdict."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix._version import __version__
from separatrix.certificates import Separability, separability_of
from separatrix.data import Floats, InputError, Labels, Sample, dense, read_arrays
from separatrix.learners._linear import LinearClassifier
from separatrix.model import TableModel
from separatrix.tables import Encoding, NumberColumn, Table, fit_encoding, take
from separatrix.verdict.findings import findings
from separatrix.verdict.panel import (
    PANEL,
    LearnerResult,
    folds_of,
    optimism_of,
    run,
    standardisation,
    warm_up,
    winner_of,
)

Progress = Callable[[str], None]
ARRAYS = "arrays"  # the format of a table that was no file

SCALING = (
    "PLA and pocket saw columns standardised to mean 0 and standard deviation 1 (computed inside "
    "each fold); linear and logistic regression saw the table's own columns. All weights are in "
    "the units of the table, and mistakes are recounted there."
)


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """Everything that came out, as plain data.

    Parameters
    ----------
    table : Table
    encoding : Encoding
        How columns became features.
    features : tuple of str
        Their names, in the order of the weights behind w_0.
    named : bool
        Whether the columns had names, or were given x1, x2, ...
    classes : array (2,)
        The labels, no first.
    n_yes : int
    n_filled : int
        Rows with a missing value that was filled in (``missing="fill"``).
    separability : Separability
        The proof, checked exactly before it is reported.
    witness_lines : tuple of int
        Where the rows of the refusal (at most rank + 1 of them) stand in the file; empty when
        separable or undecided.
    pla_bound : int or None
        floor(R^2 / rho^2) for the columns that PLA saw, with the best line known; None unless
        separable.
    results : tuple of LearnerResult
    winner : LearnerResult
    optimism : float or None
        By how much choosing the winner flatters its cross-validated error.
    n_folds : int
    scaling : str
        Which scaling of columns the learners saw.
    warnings, notes : tuple of str
    seconds : float
    version : str
        Of separatrix.
    """

    table: Table
    encoding: Encoding
    features: tuple[str, ...]
    named: bool
    classes: Labels
    n_yes: int
    n_filled: int
    separability: Separability
    witness_lines: tuple[int, ...]
    pla_bound: int | None
    results: tuple[LearnerResult, ...]
    winner: LearnerResult
    optimism: float | None
    n_folds: int
    scaling: str
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float
    version: str = __version__

    def __repr__(self) -> str:
        """Return one line; `to_text` shows the rest."""
        return (
            f"<Verdict on {self.table.name}: {self.table.y.size} rows, "
            f"{self.separability.verdict}, winner {self.winner.name}>"
        )

    @property
    def model(self) -> LinearClassifier:
        """The winner as a learner of the table's own labels and columns: what `save` writes."""
        learner: Any = copy.copy(self.winner.learner)
        learner.classes_ = self.classes
        if self.named:
            learner.feature_names_in_ = np.array(self.features, dtype=object)
        from_file = self.table.format != ARRAYS
        learner.table_ = (
            TableModel(self.encoding, self.table.label, self.table.extra) if from_file else None
        )
        return learner  # type: ignore[no-any-return]  # a copy of a LinearClassifier

    def result(self, name: str) -> LearnerResult:
        """Return the result of one learner by its name."""
        return next(r for r in self.results if r.name == name)


def judge(
    table_or_X: Any,  # noqa: ANN401  # a Table or any array
    y: Any = None,  # noqa: ANN401
    *,
    sample_weight: Any = None,  # noqa: ANN401
    feature_names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Return the verdict on a table (from `read_table`) or on arrays X (N, d), y (N,).

    Parameters
    ----------
    table_or_X : Table, array or data frame
    y : array (N,) or None
        Labels, when the first argument is an array.
    sample_weight : array (N,) or None
        For arrays; a table brings its own.
    feature_names : d names or None
        For arrays; a data frame brings its own, and so does a table.
    progress : callable (sentence) or None
        Told what is being done.

    Raises
    ------
    InputError
        For data that cannot be used.
    """
    started = time.perf_counter()
    tell: Progress = progress or (lambda _: None)
    if isinstance(table_or_X, Table):
        table, classes = table_or_X, np.array([table_or_X.no, table_or_X.yes])
        named = True
    else:
        names = getattr(table_or_X, "columns", None) if feature_names is None else feature_names
        named = names is not None
        table, classes = _table_of(table_or_X, y, sample_weight, names)
    table, weightless = _without_weightless(table)
    encoding = fit_encoding(table.columns, table.missing)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    if X.shape[1] == 0:
        raise InputError("no column is left to learn from: each has one value only.")
    weight = np.ones(table.y.size) if table.weight is None else table.weight
    sample = Sample(X, table.y, classes, weight)
    tell("is it separable?")
    proof = _checked(separability_of(sample, 1.0), X, table.y)
    separable = proof.verdict == "separable"
    folds, fold_note = folds_of(table)
    tell("preparing kernels")
    warm_up()
    results = []
    for contestant in PANEL:
        tell(contestant.name)
        results.append(run(contestant, X, table, folds, separable))
    features = encoding.feature_names
    return Verdict(
        table=table,
        encoding=encoding,
        features=features,
        named=named,
        classes=classes,
        n_yes=int((table.y > 0).sum()),
        n_filled=int(np.logical_or.reduce([c.missing for c in table.columns]).sum()),
        separability=proof,
        witness_lines=_lines_of_refusal(table, proof),
        pla_bound=_pla_bound(sample) if separable else None,
        results=tuple(results),
        winner=winner_of(results),
        optimism=optimism_of(results),
        n_folds=len(folds),
        scaling=SCALING,
        warnings=tuple(findings(table, X, features, proof)),
        notes=tuple(note for note in (*table.notes, weightless, fold_note) if note),
        seconds=time.perf_counter() - started,
    )


def _without_weightless(table: Table) -> tuple[Table, str]:
    """Return the table without rows of weight 0, which stand for no row, and a note on them."""
    if table.weight is None or table.weight.all():
        return table, ""
    rows = np.flatnonzero(table.weight)
    kept = replace(
        table,
        columns=take(table.columns, rows),
        y=table.y[rows],
        weight=table.weight[rows],
        group=None if table.group is None else table.group[rows],
        lines=table.lines[rows],
    )
    for sign, label in ((-1.0, table.no), (1.0, table.yes)):
        if not (kept.y == sign).any():
            raise InputError(
                f"every row of class {label!r} has weight 0: one class is left, and there is "
                "nothing to separate it from."
            )
    return kept, f"Rows with weight 0 take no part: {table.y.size - rows.size:,}."


def _checked(proof: Separability, X: Floats, y: Floats) -> Separability:
    """Return the proof after checking it from scratch: nothing unchecked is reported."""
    if proof.verdict != "undecided" and not proof.verify(X, y):
        raise RuntimeError("separability: the certificate did not verify; please report this table")
    return proof


def _lines_of_refusal(table: Table, proof: Separability) -> tuple[int, ...]:
    rows = () if proof.refusal is None else proof.refusal.rows
    return tuple(int(table.lines[n]) for n in rows)


def _pla_bound(sample: Sample) -> int | None:
    """Return the mistake bound of PLA on the columns it saw, with the best margin known there."""
    seen = standardisation(sample.X, sample.weight).apply(sample.X)
    standardised = Sample(seen, sample.y, sample.classes, sample.weight)
    return separability_of(standardised, 1.0).mistake_bound


def _table_of(
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    sample_weight: Any,  # noqa: ANN401
    names: Sequence[str] | None,
) -> tuple[Table, Labels]:
    """Return arrays as a table, so that there is one way through the verdict, and their labels."""
    if y is None:
        raise InputError("judge(X, y) needs the labels y, or a table from read_table.")
    sample = read_arrays(X, y, sample_weight)
    points = dense(sample.X, "the verdict")
    texts = [f"x{j + 1}" for j in range(sample.d)] if names is None else [str(c) for c in names]
    if len(texts) != sample.d:
        raise InputError(f"feature_names has {len(texts)} names for {sample.d} columns.")
    table = Table(
        name="arrays",
        format=ARRAYS,
        sha256="",
        columns=tuple(NumberColumn(name, points[:, j].copy()) for j, name in enumerate(texts)),
        label="y",
        no=str(sample.classes[0]),
        yes=str(sample.classes[1]),
        y=sample.y,
        weight=None if sample_weight is None else sample.weight,
        group=None,
        lines=np.arange(sample.n),
        line_word="row",
        n_rows_in_file=sample.n,
        n_dropped=0,
        notes=(),
        missing="drop",
        dialect=None,
        extra=(),
    )
    return table, sample.classes
