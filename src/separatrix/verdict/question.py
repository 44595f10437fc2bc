"""One yes / no question: posed (is it separable?), and answered by the panel."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix._version import __version__
from separatrix.data import Floats, Labels, Sample
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.minimum_error_classifier import MinimumErrorClassifier
from separatrix.model import Origin, TableModel
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables import Encoding, Table
from separatrix.verdict.bounds import Bound, bounds_of, why_no_bounds
from separatrix.verdict.findings import findings
from separatrix.verdict.panel import LINEAR, LearnerResult, optimism_of, standardisation, winner_of
from separatrix.zero_one.minimum_errors import ErrorBracket

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
    fewest_mistakes : ErrorBracket
        How few mistakes (by weight) any line can make: a proven bound, and the best line found.
    fewest_checked : bool
        Whether the certificate of that bound was written and checked, in whole numbers; otherwise
        it rests on the search's own arithmetic, rounded outwards.
    results : tuple of LearnerResult
    winner : LearnerResult
    optimism : float or None
        By how much choosing the winner flatters its cross-validated error.
    n_folds : int
    scaling : str
        Which scaling of columns the learners saw.
    bounds : tuple of Bound
        What theory says about E_out, with what it assumes; empty where no bound holds.
    unbounded : str
        Why it is empty; else "".
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
    fewest_mistakes: ErrorBracket
    fewest_checked: bool
    results: tuple[LearnerResult, ...]
    winner: LearnerResult
    optimism: float | None
    n_folds: int
    scaling: str
    bounds: tuple[Bound, ...]
    unbounded: str
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
        return self._as_model(self.winner.learner)

    @property
    def fewest_model(self) -> LinearClassifier:
        """The best line found for these rows, likewise; it was not cross-validated."""
        return self._as_model(MinimumErrorClassifier.of(self.fewest_mistakes, self.classes))

    def _as_model(self, learned: LinearClassifier) -> LinearClassifier:
        learner: Any = copy.copy(learned)
        learner.classes_ = self.classes
        if self.named:
            learner.feature_names_in_ = np.array(self.features, dtype=object)
        learner.table_ = table_model(self.table, self.encoding)
        return learner  # type: ignore[no-any-return]  # a copy of a LinearClassifier

    @property
    def collinear(self) -> Mapping[int, tuple[int, ...]]:
        """{index in (1+d,): the columns that make it up but for rounding}."""
        return _collinear(self.results)

    @property
    def n_dropped(self) -> int:
        """Rows of the file that were dropped for missing values."""
        return self.table.n_dropped

    def result(self, name: str) -> LearnerResult:
        """Return the result of one learner by its name."""
        return next(r for r in self.results if r.name == name)


@dataclass(frozen=True, slots=True)
class Posed:
    """A question and whether a line answers it without mistakes.

    Parameters
    ----------
    table : Table
    encoding : Encoding
    X : (N, d)
        Its features.
    classes : array (2,)
        The labels as the user has them, no first.
    named : bool
        Whether the columns had names.
    proof : Separability
        Checked exactly.
    """

    table: Table
    encoding: Encoding
    X: Floats
    classes: Labels
    named: bool
    proof: Separability

    @classmethod
    def of(cls, table: Table, encoding: Encoding, X: Floats, classes: Labels, named: bool) -> Posed:
        """Return the question on the features X (N, d) of a table, with its proof."""
        proof = separability_of(_sample(table, X, classes), 1.0)
        return cls(table, encoding, X, classes, named, _checked(proof, X, table.y))

    @property
    def separable(self) -> bool:
        """Whether a separating line is proven to exist."""
        return self.proof.verdict == "separable"

    @property
    def sample(self) -> Sample:
        """The rows as arrays."""
        return _sample(self.table, self.X, self.classes)

    def answered(
        self,
        results: Sequence[LearnerResult],
        fewest: tuple[ErrorBracket, bool],
        n_folds: int,
        notes: Sequence[str],
        seconds: float,
    ) -> Verdict:
        """Return the verdict, given what came of the panel and of the search (`fewest_of`)."""
        table, names = self.table, self.encoding.feature_names
        collinear = _collinear(results)
        bound = _pla_bound(self.sample) if self.separable else None
        return Verdict(
            table=table,
            encoding=self.encoding,
            features=names,
            named=self.named,
            classes=self.classes,
            n_yes=int((table.y > 0).sum()),
            n_filled=n_filled(table),
            separability=self.proof,
            witness_lines=_lines_of_refusal(table, self.proof),
            pla_bound=bound,
            fewest_mistakes=fewest[0],
            fewest_checked=fewest[1],
            results=tuple(results),
            winner=winner_of(results),
            optimism=optimism_of(results),
            n_folds=n_folds,
            scaling=SCALING,
            bounds=bounds_of(table, self.X, results),
            unbounded=why_no_bounds(table),
            warnings=tuple(findings(table, self.X, names, self.proof, collinear)),
            notes=tuple(note for note in notes if note),
            seconds=seconds,
        )


def _collinear(results: Sequence[LearnerResult]) -> Mapping[int, tuple[int, ...]]:
    learner: Any = next(r.learner for r in results if r.name == LINEAR.name)
    found: Mapping[int, tuple[int, ...]] = learner.collinear_
    return found


def n_filled(table: Table) -> int:
    """Return how many rows of a table have a missing value that is filled in."""
    return int(np.logical_or.reduce([c.missing for c in table.columns]).sum())


def table_model(table: Table, encoding: Encoding) -> TableModel | None:
    """Return what a model of this table knows about tables; None when it was arrays."""
    if table.format == ARRAYS:
        return None
    weight = None if table.weight is None else table.extra[1]  # the label stands before it
    origin = Origin(table.sha256, table.format, table.dialect, weight)
    return TableModel(encoding, table.label, table.extra, origin)


def _sample(table: Table, X: Floats, classes: Labels) -> Sample:
    weight = np.ones(table.y.size) if table.weight is None else table.weight
    return Sample(X, table.y, classes, weight)


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
    found = separability_of(standardised, 1.0)
    bound = found.mistake_bound
    _checked(found, seen, sample.y)
    return bound
