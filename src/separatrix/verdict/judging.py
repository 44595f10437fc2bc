"""`judge`: from a table, or arrays, to the verdict: learners, folds, the fewest mistakes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix._types import ArrayLike, Untyped
from separatrix.data import Floats, InputError, Labels, typed
from separatrix.learners._linear import LinearClassifier
from separatrix.said import Said
from separatrix.scale import Rows
from separatrix.scale.opening import is_beyond_memory, refuse_in_blocks, table_in_blocks
from separatrix.scale.together import Begun, begin, sharing, together
from separatrix.tables import ClassTable, Table
from separatrix.tables.frames import (
    classes_of,
    is_frame,
    read_classes_of_frame,
    read_frame,
    table_of,
)
from separatrix.tables.wording import TableError, counted
from separatrix.verdict.asked import Asked, Tell, asked_of_rows, asked_of_table, size_of
from separatrix.verdict.candidates import (
    FIRTH,
    LINEAR,
    LOGISTIC,
    Candidate,
    JointResult,
    Penalty,
    candidates_of,
    fitted,
    is_logistic,
    penalty_of,
    warm_up,
    weights_of,
)
from separatrix.verdict.cases import Cases
from separatrix.verdict.comparison import compare
from separatrix.verdict.fewest import Effort, Fewest, fewest_of
from separatrix.verdict.findings import findings
from separatrix.verdict.selection import learner_named, taking_part
from separatrix.verdict.verdict import Known, MulticlassVerdict, Verdict

Progress = Callable[[str], None]


class Told(str):
    """What is being done, after the `facts` known so far."""

    facts: str

    def __new__(cls, facts: str, sentence: str) -> Told:
        told = super().__new__(cls, f"{facts}: {sentence}")
        told.facts = facts
        return told


def judge(
    table_or_X: Untyped,  # a Table, a ClassTable or any array
    y: Untyped = None,
    *,
    label: str | None = None,
    yes: Untyped = None,
    sample_weight: Untyped = None,
    feature_names: Sequence[str] | None = None,
    degree: int = 1,
    fewest_seconds: float | None = None,
    fewest_nodes: int | None = None,
    multiclass: str | None = None,
    learner: str | None = None,
    learners: Sequence[str] | str | None = None,
    penalty: float | str | None = None,
    progress: Progress | None = None,
) -> Untyped:
    """Return the verdict on a table (from `read_table`) or on arrays X (N, d), y (N,).

    A data frame of pandas or polars may hold categories, booleans and missing values: it is read as
    its file would be, rows that lack a value are left out. `read_frame` has the other options.

    Parameters
    ----------
    table_or_X : Table, ClassTable, array, data frame, or a table of any size
        That is what `open_table` returns, the path of a file or a pattern for the paths of several,
        with `label`; it is read in blocks, with the learners that learn so.
    y : array (N,) or None
        Labels, when the first argument is an array.
    label : str or None
        The column of a data frame, or of files, that holds the labels, in place of `y`.
    yes : a label, or None
        The label that means yes, against the rest where there are three or more; None takes the
        second of two in sorted order, of files and frames the one that says yes, if one does. A
        table from `read_table` or `open_table` brings its own.
    sample_weight : array (N,) or None
        For arrays; a table brings its own.
    feature_names : d names or None
        For arrays; a data frame brings its own, and so does a table.
    degree : int
        For tables: above 1, lines in all products of at most that many features (`Monomials`).
    fewest_seconds, fewest_nodes : float, int or None
        How long to look for the line with the fewest mistakes: in seconds, which make the answer
        depend on the machine, or in boxes of the branch and bound (of many rows in tiles of
        4096); neither: a second at most, so counted. Many questions share them.
    multiclass : None, "ova" or "ovo"
        For three labels or more (a table from `read_classes`): each against the rest, or each
        against each.
    learner : None, "logistic", "linear", "pocket" or "pla"
        The learner to select. None selects by the one-standard-error rule: among those within one
        standard error of the least cross-validated error the one that gives probabilities, then
        the simpler one.
    learners : names, one by one or with commas between, or None
        Those that take part, beside the same answer for every row; None: all.
    penalty : None, positive float or "firth"
        Of the logistic regression that takes part: C of |w|^2 / (2 C) on standardised columns, or
        Firth's (in memory only); it is then selected, unless `learner` is given. With None it has
        none, and beside it one with C = 1 takes part where some of its coefficients are infinite
        though no line separates the rows.
    progress : callable (sentence) or None
        Called with what is being done, after the facts known so far: how many rows and
        features, and whether a line separates them.

    Returns
    -------
    Verdict, or with ``multiclass`` MulticlassVerdict

    Raises
    ------
    InputError
        For data that cannot be used.
    """
    learner, penalty = learner_named(learner), penalty_of(penalty)
    wanted = taking_part(learners, learner)
    if penalty is not None:
        if LOGISTIC not in wanted:
            raise InputError("--penalty is of logistic regression, which --learners leaves out.")
        learner = learner or LOGISTIC.name
    word = _yes_in_text(table_or_X, multiclass, yes)
    candidates = candidates_of(penalty, wanted)
    if is_beyond_memory(table_or_X):
        refuse_unable(degree, multiclass, sample_weight, penalty)
        rows = table_in_blocks(table_or_X, label if y is None else y, yes=word)
        effort = Effort.of(fewest_seconds, fewest_nodes, *rows.shape)
        limited = [f"fewest_seconds={effort.limits.seconds}, fewest_nodes={effort.limits.nodes}"]
        limited += [] if learners is None else [f"learners={[c.name for c in wanted]}"]
        limited += [] if penalty is None else [f"penalty={penalty}"]
        with rows.journal.part(f"judge({', '.join(limited)})"):
            return judged_rows(
                rows, candidates, effort, lambda facts: _after(facts, progress), learner=learner
            )
    table_or_X = _frame_read(table_or_X, y, label, word, multiclass)
    table, classes, named = _table(
        table_or_X, y, yes, sample_weight, feature_names, degree, multiclass
    )
    started = time.perf_counter()
    cases = Cases.of(table, multiclass, degree)
    effort = Effort.of(fewest_seconds, fewest_nodes, *cases.rows.X.shape).shared(len(cases.pairs))
    asked = asked_of_table(
        cases, classes, named, degree, _after(size_of(*cases.rows.X.shape), progress)
    )
    tell = _after(asked.facts, progress)
    tell("preparing kernels")
    warm_up(wanted)
    verdicts, joint = judged(asked, candidates, effort, tell, progress or tell, learner=learner)
    took = time.perf_counter() - started
    if isinstance(cases.table, Table):
        return replace(verdicts[0], seconds=took)
    return MulticlassVerdict(
        str(multiclass), cases.table, classes, verdicts, joint, len(asked.parts), asked.notes,
        took, learner=learner,
    )  # fmt: skip


def _frame_read(
    table_or_X: Untyped, y: Untyped, label: str | None, yes: str | None, multiclass: str | None
) -> Untyped:
    """Return a data frame with a label as the table that it is, and anything else as it came."""
    if isinstance(y, str):
        raise InputError(
            f"y={y!r} is one text and no array of labels. If it names a column of a data frame, "
            f"say judge(frame, label={y!r})."
        )
    if label is None:
        return table_or_X
    if y is not None or not is_frame(table_or_X):
        raise InputError("label names the column of a data frame that holds y: give one.")
    read = read_frame if multiclass is None else read_classes_of_frame
    try:
        words = (label, yes) if multiclass is None else (label,)
        return read(table_or_X, *words)
    except TableError as error:
        raise TableError(
            f"{typed(error)} These options are arguments of {read.__name__}: "
            f"judge({read.__name__}(frame, {label!r}, ...))."
        ) from None


def _yes_in_text(table_or_X: Untyped, multiclass: str | None, yes: Untyped) -> str | None:
    """Return `yes` as tables hold labels; `InputError` where it comes too late."""
    if yes is None:
        return None
    if multiclass is not None:
        raise InputError("yes makes one question of the labels, multiclass asks about each: one.")
    if isinstance(table_or_X, Table | Rows):
        read = "read_table" if isinstance(table_or_X, Table) else "open_table"
        raise InputError(
            f"a table is read with the label that means yes: {read}(..., yes={yes!r})."
        )
    return str(yes).lower() if isinstance(yes, bool | np.bool_) else str(yes)


def _after(facts: str, progress: Progress | None) -> Progress:
    """Return what tells `progress` a sentence after the facts."""
    if progress is None:
        return lambda _: None
    return lambda sentence: progress(Told(facts, sentence))


def _table(  # noqa: PLR0917  # one caller
    table_or_X: ArrayLike,
    y: ArrayLike,
    yes: Untyped,
    sample_weight: ArrayLike,
    feature_names: Sequence[str] | None,
    degree: int,
    rule: str | None,
) -> tuple[Table | ClassTable, Labels, bool]:
    """Return what is judged as a table, its labels as the user has them, and if it has names."""
    if isinstance(table_or_X, ClassTable):
        if rule is None:
            raise InputError(
                f'the table has {len(table_or_X.names)} labels: say multiclass="ova" (each against '
                'the rest) or "ovo" (each against each), or read it with read_table(yes=...).'
            )
        return table_or_X, np.array(table_or_X.names), True
    if isinstance(table_or_X, Table):
        return table_or_X, np.array([table_or_X.no, table_or_X.yes]), True
    if degree != 1 and not is_frame(table_or_X):
        raise InputError(
            "degree is for tables from read_table. For arrays, judge "
            f"PolynomialFeatures({degree}, include_bias=False).fit_transform(X), and put that "
            "transform before the model (sklearn.pipeline.make_pipeline)."
        )
    if y is None:
        raise InputError(
            "judge(X, y) needs the labels y, or a table from read_table (a data frame: label=...)."
        )
    if rule is None:
        return table_of(table_or_X, y, sample_weight, feature_names, yes)
    return classes_of(table_or_X, y, sample_weight, feature_names)


def judged(
    asked: Asked, candidates: Sequence[Candidate], effort: Effort, tell: Tell, told_bounds: Tell,
    *, learner: str | None,
) -> tuple[tuple[Verdict, ...], tuple[JointResult, ...]]:  # fmt: skip
    """Return the verdict on each question, and what lines of several questions say together."""
    rows = asked.read
    known, begun = list[Begun[Known]](), list[Begun[Fewest]]()

    def beside(lines: dict[str, Begun[LinearClassifier]], pool: Executor | None) -> None:
        if rows is not None:
            known.append(begin(rows, lambda: _known(asked, rows, lines, tell)))
        if not effort.asked and len(asked.begun) == 1:  # Ctrl-C ends what the user limits, alone
            weights = (weights_of(line.result()) for line in lines.values())
            begun.append(begin(asked.seen[0].rows, lambda: fewest(0, weights), pool))

    def fewest(q: int, weights: Iterable[Floats]) -> Fewest:
        seen = asked.seen[q]
        return fewest_of(seen.sample or seen.rows, asked.proofs[q], weights, effort, told_bounds)

    compared = compare(asked, candidates, tell, beside)
    notes = tuple(filter(None, asked.notes))
    verdicts = []
    for q, (question, results) in enumerate(zip(asked.questions, compared.results, strict=True)):
        found: Any = begun[0].result() if begun else None  # of blocks: `judged_rows` looks for it
        if found is None and rows is None:
            found = fewest(q, [r.weights for r in results])
        verdicts.append(Verdict(
            question, results, found, compared.best_of_pla[q], len(asked.parts), notes,
            sum(r.seconds for r in results), learner=learner,
            known=known[0].result() if known else None,
        ))  # fmt: skip
    return tuple(verdicts), compared.joint


def judged_rows(
    rows: Rows, candidates: Sequence[Candidate], effort: Effort, telling: Callable[[str], Tell],
    *, learner: str | None,
) -> Verdict:  # fmt: skip
    started = time.perf_counter()
    rows = sharing(rows)

    def job() -> tuple[Asked, Verdict]:
        asked = asked_of_rows(rows, telling(size_of(*rows.shape)))

        def tell(sentence: str) -> None:
            telling(asked.facts)(sentence)

        (verdict,), _ = judged(asked, candidates, effort, tell, tell, learner=learner)
        return asked, verdict

    (((asked, verdict), _),) = together(rows, [job])
    if effort.asked:
        tell, weights = telling(asked.facts), [r.weights for r in verdict.results]
        seen = asked.seen[0].sample or rows
        fewest = fewest_of(seen, verdict.separability, weights, effort, tell)
        verdict = replace(verdict, fewest=fewest)
    seconds = rows.journal.before + time.perf_counter() - started
    return replace(verdict, notes=(*verdict.notes, _read(rows, verdict)), seconds=seconds)


def _read(rows: Rows, verdict: Verdict) -> str:
    """Return how rows were read, and what is of some of them."""
    some = verdict.question.sample.n
    read = Said(
        "Read {times} in {blocks} of {n:,} rows, with a budget of {memory:,.0f} MB.",
        times=counted(math.ceil(rows.reads.done - 0.01), "time"),
        blocks=counted(len(rows.ranges), "block"), n=rows.ranges[0][1], memory=rows.memory / 1e6,
    )  # fmt: skip
    if some == rows.n:
        return read
    return (
        f"{read} Pictures, tables of rows and of costs are of {some:,} of the rows, evenly spaced, "
        "and those of the proof; every other figure is of all rows."
    )


def _known(
    asked: Asked, rows: Rows, lines: dict[str, Begun[LinearClassifier]], tell: Tell
) -> Known:
    # a table in memory does without them
    from separatrix.inference.inputs import asked_in_blocks
    from separatrix.verdict.coefficients import coefficients_of, takes_long

    (question,), (seen,) = asked.questions, asked.seen

    def line(candidate: Candidate) -> Untyped:
        if candidate.name in lines:
            return lines[candidate.name].result()
        return fitted(candidate, seen, lambda: question.separability.separable is True)

    coefficients = None
    sparse = rows.source.nnz is not None
    if any(map(is_logistic, lines)) and not (sparse and takes_long(*rows.shape)):
        tell("intervals of the coefficients")
        coefficients = coefficients_of(asked_in_blocks(rows), rows, line(LOGISTIC))
    warned, about = (
        findings(rows, question, seen.columns, line(LINEAR).collinear_),
        rows.source.about,
    )
    n_filled = 0 if about is None else about.n_filled
    return Known(int(seen.columns.rows[1]), n_filled, tuple(warned), coefficients)


def refuse_unable(
    degree: int, multiclass: str | None, sample_weight: object, penalty: Penalty | None
) -> None:
    """Raise `InputError` for what a verdict on a table in blocks does not have."""
    refuse_in_blocks({
        "degree": degree != 1,
        "multiclass": multiclass is not None,
        "sample_weight (a table in blocks brings its own)": sample_weight is not None,
    })  # fmt: skip
    if penalty == FIRTH:
        raise InputError(
            "--penalty firth needs all rows in memory, and this table is read in blocks. Use "
            "--penalty 1, or leave the options of blocks out."
        )
