"""The verdict on a table of three labels or more: yes / no questions, and their joint answers.

Every question gets the verdict it would get alone (proof, panel, folds), on one encoding and one
set of folds for all of them; the lines that a learner found are then joined by scikit-learn's rule.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.data import Floats, Labels
from separatrix.model import joined
from separatrix.tables import ClassTable, Encoding
from separatrix.verdict.asking import questions_of
from separatrix.verdict.fewest import Effort, fewest_of
from separatrix.verdict.folds import ClassFold
from separatrix.verdict.joint import JointResult, JointRun
from separatrix.verdict.panel import PANEL, LearnerResult, optimism_of, warm_up, winner_of
from separatrix.verdict.question import Posed, Verdict, table_model


@dataclass(frozen=True, slots=True, repr=False)
class MulticlassVerdict:
    """Everything that came out, as plain data.

    Parameters
    ----------
    rule : "ova" (each label against the rest) or "ovo" (each against each)
    table : ClassTable
    encoding : Encoding
        How columns became features, for every question.
    features : tuple of str
    named : bool
        Whether the columns had names, or were given x1, x2, ...
    classes : array (K,)
        The labels, in the order of `table.names`.
    questions : tuple of Verdict
        In the order of the rule: label k against the rest, or labels (i, k), i < k, k being yes.
    results : tuple of JointResult
        The commonest label for everybody first.
    winner : JointResult
        The least error on rows left out; of equals the least E_in, then the first.
    optimism : float or None
        By how much choosing the winner flatters its cross-validated error.
    n_folds : int
    notes : tuple of str
    seconds : float
    version : str
        Of separatrix.
    """

    rule: str
    table: ClassTable
    encoding: Encoding
    features: tuple[str, ...]
    named: bool
    classes: Labels
    questions: tuple[Verdict, ...]
    results: tuple[JointResult, ...]
    winner: JointResult
    optimism: float | None
    n_folds: int
    notes: tuple[str, ...]
    seconds: float
    version: str = __version__

    def __repr__(self) -> str:
        """Return one line; `to_text` shows the rest."""
        return (
            f"<MulticlassVerdict on {self.table.base.name}: {self.table.codes.size} rows, "
            f"{len(self.classes)} labels, {self.rule}, winner {self.winner.name}>"
        )

    @property
    def model(self) -> Untyped:
        """The winner as scikit-learn's one-versus-rest or one-versus-one: what `save` writes."""
        names = self.features if self.named else None
        model = joined(self.rule, self.winner.learners, self.classes, names)
        model.table_ = table_model(self.table.base, self.encoding)
        return model

    @property
    def n_dropped(self) -> int:
        """Rows of the file that were dropped for missing values."""
        return self.table.base.n_dropped

    def result(self, name: str) -> JointResult:
        """Return the joint result of one learner by its name."""
        return next(r for r in self.results if r.name == name)


def judge_classes(  # noqa: PLR0917  # one caller
    rule: str,
    data: ClassTable,
    encoding: Encoding,
    X: Floats,
    classes: Labels,
    named: bool,
    folds: Sequence[ClassFold],
    notes: Sequence[str],
    effort: Effort,
    tell: Callable[[str], None],
) -> MulticlassVerdict:
    """Return the verdict on the features X (N, d) of a table of labels."""
    started = time.perf_counter()
    asked = questions_of(rule, data)
    posed = []
    for question in asked:
        table = question.of(data)
        tell(f"{table.yes} or {table.no}: is it separable?")
        labels = np.array([table.no, table.yes])
        posed.append(Posed.of(table, encoding, X[question.rows(data.codes)], labels, named))
    tell("preparing kernels")
    warm_up()
    run = JointRun(rule, data, X, asked, posed, folds)
    results: list[list[LearnerResult]] = []
    joint = [run.commonest()]
    for contestant in PANEL:
        tell(contestant.name)
        fits, answer = run.of(contestant)
        results.append(fits)
        joint += [] if answer is None else [answer]
    share = effort.shared(len(posed))
    verdicts = []
    for one, fits in zip(posed, map(list, zip(*results, strict=True)), strict=True):
        fewest = fewest_of(one.sample, one.proof, fits, share, tell)
        seconds = sum(fit.seconds for fit in fits)
        verdicts.append(one.answered(fits, fewest, len(folds), (), seconds))
    return MulticlassVerdict(
        rule=rule,
        table=data,
        encoding=encoding,
        features=encoding.feature_names,
        named=named,
        classes=classes,
        questions=tuple(verdicts),
        results=tuple(joint),
        winner=winner_of(joint),
        optimism=optimism_of(joint),
        n_folds=len(folds),
        notes=tuple(note for note in notes if note),
        seconds=time.perf_counter() - started,
    )
