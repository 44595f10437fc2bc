"""What comes out: the verdict on one yes / no question, and on a table of several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import scipy.sparse as sp

from separatrix._loading import load
from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.data import Labels
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.linear_regression import LinearRegressionClassifier
from separatrix.learners.minimum_error_classifier import MinimumErrorClassifier
from separatrix.model import Origin, TableModel, joined, single
from separatrix.notebook import data_frame
from separatrix.said import Said, all_of
from separatrix.scale import Rows
from separatrix.separation.decide import Separability
from separatrix.tables import ClassTable, Encoding, Table
from separatrix.tables.files.formats import ARRAYS, FRAME
from separatrix.tables.wording import counted
from separatrix.verdict.bounds import Bound, bounds_of, why_no_bounds
from separatrix.verdict.candidates import (
    ALWAYS_NO,
    LINEAR,
    JointResult,
    LearnerResult,
    is_logistic,
    scores_of,
)
from separatrix.verdict.cases import BestOfPla, Question
from separatrix.verdict.columns import Columns
from separatrix.verdict.fewest import Fewest
from separatrix.verdict.findings import Finding, findings
from separatrix.verdict.selection import (
    RARE,
    J,
    Rare,
    Selection,
    flipped,
    no_clear_difference,
    optimism_of,
)
from separatrix.zero_one.minimum_errors import ErrorBracket

if TYPE_CHECKING:  # loaded where it is shown
    from matplotlib.axes import Axes

    from separatrix.inference.table import CoefficientTable

SCALING = (
    "{seen} saw columns standardised to mean 0 and standard deviation 1 (computed inside each "
    "fold); the others saw the table's own columns. All weights are in the units of the table, and "
    "mistakes are recounted there."
)
OWN_COLUMNS = (
    "All learners saw the table's own columns, and all weights are in the units of the table."
)
SCALING_OF_ZEROS = (
    "Columns that are zero in more than half of the rows, such as those of levels, were divided by "
    "their largest size instead, so that their zeros stay zeros."
)


class _Outcome(ABC, Generic[J]):
    """What both kinds of verdict say of a table: one question, or several with a joint answer."""

    results: tuple[J, ...]
    learner: str | None

    @property
    @abstractmethod
    def first(self) -> Question:
        """The question, or the first of them: all share columns and encoding."""

    @property
    def encoding(self) -> Encoding:
        """How columns became features, for every question."""
        return self.first.encoding

    @property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the weights behind w_0."""
        return self.encoding.feature_names

    @property
    def named(self) -> bool:
        """Whether the columns had names, or were given x1, x2, ..."""
        return self.first.named

    @property
    def n_dropped(self) -> int:
        """Rows of the file that were dropped for missing values."""
        return self.first.table.n_dropped

    @cached_property
    def selection(self) -> Selection[J]:
        """Which learner was selected, by the one-standard-error rule or by hand."""
        return Selection.of(self.results, self.learner)

    @property
    def winner(self) -> J:
        """The result of the learner that was selected."""
        return self.selection.chosen

    @property
    def equals(self) -> tuple[J, ...]:
        """Return the results that do not differ clearly from the winner's over the folds."""
        return tuple(no_clear_difference(self.winner, self.results))

    @property
    def optimism(self) -> float | None:
        """By how much the least cross-validated error is too small for having been selected."""
        return optimism_of(self.results)

    def result(self, name: str) -> J | None:
        """Return the result of one learner by its name; None where it took no part."""
        return next((r for r in self.results if r.name == name), None)

    def predict_frame(
        self, frame: Untyped, *, missing: str = "refuse", unknown: str = "refuse"
    ) -> Untyped:
        """Return the model's answers for a data frame, as `separatrix.predict_frame` does."""
        answer = load("separatrix.predicting.answers").predict_frame
        return answer(self, frame, missing=missing, unknown=unknown)

    @property
    def _how_to_predict(self) -> str:
        """Return what `repr` adds where the rows were a data frame's; else ""."""
        return "; predict_frame(frame) answers" if self.first.table.format == FRAME else ""

    def to_frame(self) -> Untyped:
        """Return the models compared as a data frame, one a row."""
        figures = ("name", "n_errors", "e_in", "cv_error", "cv_spread", "seconds")
        chosen = [r is self.winner for r in self.results]
        columns = {name: [getattr(r, name) for r in self.results] for name in figures}
        return data_frame({**columns, "selected": chosen})

    def __str__(self) -> str:
        """Return the answer in at most 15 lines."""
        return str(load("separatrix.report.screen").first_screen(self)).rstrip()

    def _repr_html_(self) -> str:
        """Return the first screen of the report, which is loaded for it."""
        return str(load("separatrix.report.page.page").first_screen(self))

    @property
    def _columns(self) -> tuple[tuple[str, ...] | None, TableModel | None]:
        """What a model knows of its columns: their names, and its table; or None."""
        table = self.first.table
        names = self.features if self.named else None
        if table.format == ARRAYS:
            return names, None
        origin = None
        if table.format != FRAME:
            origin = Origin(table.sha256, table.format, table.dialect, table.weight_column)
        return names, TableModel(self.encoding, table.label, table.extra, origin, table.recipes)


@dataclass(frozen=True, slots=True, repr=False)
class Known:
    """What reads of all rows said, where the rows of the question in memory are some of them."""

    n_yes: int
    n_filled: int
    warnings: tuple[Finding, ...]
    coefficients: CoefficientTable | None


@dataclass(frozen=True, repr=False)
class Verdict(_Outcome[LearnerResult]):
    """The results for one yes / no question, as plain data.

    Parameters
    ----------
    question : Question
        The rows, what is asked of them, and whether a line answers it.
    results : tuple of LearnerResult
    fewest : Fewest
        How few mistakes (by weight) any line can make.
    best_of_pla : BestOfPla or None
        The best line known for the columns that PLA saw; None unless separable.
    n_folds : int
    notes : tuple of str
    seconds : float
    version : str
        Of separatrix.
    learner : str or None
        The learner that the user chose by hand.
    known : Known or None
        What was read of rows that are not all in memory; None where they are.
    """

    question: Question
    results: tuple[LearnerResult, ...]
    fewest: Fewest
    best_of_pla: BestOfPla | None
    n_folds: int
    notes: tuple[str, ...]
    seconds: float
    version: str = __version__
    learner: str | None = None
    known: Known | None = None

    def __repr__(self) -> str:
        return (
            f"<Verdict on {self.table.name}: {counted(self.table.n_rows, 'row')}, "
            f"{self.separability.verdict}, winner {self.winner.name}{self._how_to_predict}>"
        )

    @property
    def table(self) -> Table:
        """The rows with a weight, and what is asked of them."""
        return self.question.table

    @property
    def first(self) -> Question:
        """The question."""
        return self.question

    @property
    def classes(self) -> Labels:
        """The labels (2,), no first."""
        return self.question.classes

    @property
    def n_yes(self) -> int:
        """How many rows are yes."""
        return int((self.table.y > 0).sum()) if self.known is None else self.known.n_yes

    @property
    def n_filled(self) -> int:
        """Rows with a missing value that was filled in (``missing="fill"``)."""
        if self.known is not None:
            return self.known.n_filled
        return int(np.logical_or.reduce([c.missing for c in self.table.columns]).sum())

    @property
    def separability(self) -> Separability:
        """The proof, checked exactly before it is reported."""
        return self.question.separability

    @property
    def witness_lines(self) -> tuple[int, ...]:
        """Where the rows of the refusal (at most rank + 1) stand in the file; else empty."""
        return self.question.witness_lines

    @property
    def pla_bound(self) -> int | None:
        """floor(R^2 / rho^2) for the columns that PLA saw; None unless separable."""
        return None if self.best_of_pla is None else self.best_of_pla.mistake_bound

    @property
    def fewest_mistakes(self) -> ErrorBracket:
        """A proven bound on how few mistakes any line makes, and the best line found."""
        return self.fewest.bracket

    @property
    def fewest_checked(self) -> bool:
        """Whether the certificate of that bound was written and checked, in whole numbers.

        Otherwise it rests on the search's own arithmetic, rounded outwards.
        """
        return self.fewest.checked

    @property
    def constants(self) -> tuple[LearnerResult, ...]:
        """The results of the same answer for every row."""
        return tuple(r for r in self.results if r.constant)

    @property
    def lines(self) -> tuple[LearnerResult, ...]:
        """The results of the learners that learn."""
        return tuple(r for r in self.results if not r.constant)

    @property
    def in_blocks(self) -> bool:
        """Whether the rows were read in blocks, and those of `question` are some of them."""
        return self.known is not None

    @property
    def street(self) -> tuple[float, float] | None:
        """Bounds of the street's width; (0, 0) unless separable, None where it is not measured."""
        is_known = self.separability.measures_street
        return self.separability.street_width if is_known else None

    @property
    def scaling(self) -> str:
        """Which scaling of columns the learners saw."""
        seen = [Said(r.name) for r in self.results if r.standardised]
        if not seen:
            return OWN_COLUMNS
        said = Said(SCALING, seen=all_of(seen))
        if not sp.issparse(self.question.sample.X):
            return said
        return Said("{first} {second}", first=said, second=Said(SCALING_OF_ZEROS))

    @property
    def logistic(self) -> LearnerResult | None:
        """The result of logistic regression: of two, that which gives probabilities."""
        found = [r for r in self.results if is_logistic(r.name)]
        return next((r for r in found if r.probabilities), found[0] if found else None)

    @cached_property
    def probabilities(self) -> ProbabilityFigures | None:
        """What the probabilities of logistic regression are worth on rows left out of its fit.

        On the rows of the fit themselves where there are no folds, and marked so; None where it
        has no finite optimum, on all rows or in some fold.
        """
        result = self.logistic
        if result is None or not result.probabilities:
            return None
        if result.held_out is not None or self.n_folds:
            return result.held_out
        sample = self.question.sample
        scores = scores_of(result.learner, sample.X)
        return ProbabilityFigures(sample.y, scores, sample.weight, held_out=False)

    @cached_property
    def rare(self) -> Rare | None:
        """The rarer label and what its ranking is worth; None from a tenth of the rows on."""
        (share,) = (r.e_in for r in self.results if r.name == ALWAYS_NO.name)  # of yes
        if RARE <= share <= 1.0 - RARE:
            return None
        found, yes = self.probabilities, share < 0.5
        figures = found if found is None or yes else flipped(found)
        label = self.table.yes if yes else self.table.no
        return Rare(label, yes, min(share, 1.0 - share), figures)

    @cached_property
    def selection(self) -> Selection[LearnerResult]:
        """Which learner was selected; of a rare answer that is ranked no constant one."""
        ranks = self.rare is not None and self.rare.is_ranked
        return Selection.of(self.results, self.learner, ranks=ranks)

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """What theory says about E_out, with what it assumes; empty where no bound holds."""
        return bounds_of(self.table, len(self.features), self.results, self.winner)

    @property
    def unbounded(self) -> str:
        """Why there are no bounds; else ""."""
        return why_no_bounds(self.table)

    @cached_property
    def warnings(self) -> tuple[Finding, ...]:
        """What to know about the table before believing any line."""
        read = [
            Finding.of("read", (), text.template.removesuffix("."), **text.values)
            for text in map(Said.made, self.table.warnings)
        ]
        if self.known is not None:
            return (*self.known.warnings, *read)
        rows = Rows.of(self.question.sample)
        return (*findings(rows, self.question, Columns.of(rows), self.collinear), *read)

    @cached_property
    def coefficients(self) -> CoefficientTable | None:
        """The coefficient table of logistic regression; None without it, or where it takes long."""
        if self.known is not None or self.logistic is None:
            return None if self.known is None else self.known.coefficients
        from separatrix.inference.inputs import asked_of  # only where it is shown
        from separatrix.verdict.coefficients import coefficients_of, takes_long

        rows = Rows.of(self.question.sample)
        if takes_long(*rows.shape):
            return None
        return coefficients_of(asked_of(self.table, self.encoding), rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rows and the winner's line; return the `Axes` of matplotlib.

        Of two features their plane, else the scores by label. Of a table in blocks some rows are
        drawn, those of `question`.

        Parameters
        ----------
        ax : Axes or None
            Where to draw; None: a new figure of pyplot's.
        """
        displays = load("separatrix.report.displays")
        sample, line = self.question.sample, self.winner
        scores = scores_of(line.learner, sample.X)
        if sample.d == 2:
            shown = line.weights, None, (0, 1), self.features, None
            picture = displays.PlaneDisplay._of(sample, scores, *shown)
        else:
            picture = displays.ScoresDisplay._of(sample, scores)
            picture.weighted = self.table.weight is not None
        axes: Axes = picture.plot(ax).ax_
        return axes

    @property
    def collinear(self) -> Mapping[int, tuple[int, ...]]:
        """{index in (1+d,): the columns that make it up but for rounding}."""
        fit = self.result(LINEAR.name)
        new = LinearRegressionClassifier
        learner: Any = new().fit_sample(self.question.sample) if fit is None else fit.learner
        return learner.collinear_  # type: ignore[no-any-return]

    @property
    def model(self) -> LinearClassifier:
        """The winner as a learner of the table's own labels and columns: what `save` writes."""
        return single(self.winner.learner, self.classes, *self._columns)  # type: ignore[no-any-return]

    @property
    def fewest_model(self) -> LinearClassifier:
        """The best line found for these rows, likewise; it was not cross-validated."""
        line = MinimumErrorClassifier.of(self.fewest_mistakes, self.classes)
        return single(line, self.classes, *self._columns)  # type: ignore[no-any-return]


@dataclass(frozen=True, repr=False)
class MulticlassVerdict(_Outcome[JointResult]):
    """The results for a table of three labels or more, as plain data.

    Every question gets the verdict it would get alone, on one encoding and one set of folds for all
    of them; the lines that a learner found are joined by scikit-learn's rule.

    Parameters
    ----------
    rule : "ova" (each label against the rest) or "ovo" (each against each)
    table : ClassTable
    classes : array (K,)
        The labels, in the order of `table.names`.
    questions : tuple of Verdict
        In the order of the rule: label k against the rest, or labels (i, k), i < k, k being yes.
    results : tuple of JointResult
        The commonest label for every row first.
    n_folds : int
    notes : tuple of str
    seconds : float
    version : str
        Of separatrix.
    learner : str or None
        The learner that the user chose by hand.
    """

    rule: str
    table: ClassTable
    classes: Labels
    questions: tuple[Verdict, ...]
    results: tuple[JointResult, ...]
    n_folds: int
    notes: tuple[str, ...]
    seconds: float
    version: str = __version__
    learner: str | None = None

    def __repr__(self) -> str:
        return (
            f"<MulticlassVerdict on {self.table.base.name}: "
            f"{counted(self.table.codes.size, 'row')}, {len(self.classes)} labels, {self.rule}, "
            f"winner {self.winner.name}{self._how_to_predict}>"
        )

    @property
    def first(self) -> Question:
        """The first question."""
        return self.questions[0].question

    @property
    def commonest(self) -> JointResult:
        """The result of the commonest label for every row."""
        return self.results[0]

    @property
    def model(self) -> Untyped:
        """The winner as scikit-learn's one-versus-rest or one-versus-one: what `save` writes."""
        return joined(self.rule, self.winner.learners, self.classes, *self._columns)
