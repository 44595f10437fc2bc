"""`judge` for a table in blocks: separability, the learners that learn so, their folds."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from separatrix.data import InputError, SeparatrixWarning
from separatrix.inference.table import CoefficientTable
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.linear_regression import LinearRegressionClassifier
from separatrix.scale import Loop, Rows
from separatrix.scale.view import seen_as
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables.wording import counted
from separatrix.tiles import TILE, one_blas_thread
from separatrix.verdict.blocks.figures import (
    Mistakes,
    Ranges,
    same_columns,
    scores_in_blocks,
    standardisation_in_blocks,
)
from separatrix.verdict.blocks.sampled import sampled
from separatrix.verdict.blocks.views import FoldRows, Held, Standardised
from separatrix.verdict.bounds import Bound, vapnik_chervonenkis, why_no_bounds
from separatrix.verdict.candidates import (
    FIRTH,
    FOLD_SHARE,
    LINEAR,
    LOGISTIC,
    PLA_MULTIPLICATIONS,
    POCKET,
    ROW,
    Budget,
    Candidate,
    Candidates,
    HeldOut,
    LearnerResult,
    Penalty,
    all_held_out,
    candidates_of,
    has_optimum,
    in_units_of_table,
    is_logistic,
    left_out,
    timed,
    weights_of,
)
from separatrix.verdict.coefficients import coefficients_in_blocks
from separatrix.verdict.fewest import Effort, Fewest, told_to
from separatrix.verdict.findings import Finding, findings_of_ranges
from separatrix.verdict.folds import UNUSABLE, number_of_folds
from separatrix.verdict.question import Question
from separatrix.verdict.scaling import Scaling
from separatrix.verdict.verdict import Verdict
from separatrix.zero_one.minimum_errors import ErrorBracket, fewest_mistakes
from separatrix.zero_one.problem import Question as Asked

# of a pocket, each of whose updates reads all rows: numbers that it may read, and least updates
POCKET_NUMBERS = 10**9
POCKET_UPDATES, POCKET_UPDATES_OF_A_FOLD = 20, 5
HOPELESS_PASSES = 10  # of PLA over rows that no line separates: each reads the files
READS_BESIDE = 4  # of a fold: its ranges, those of the rows left out, and the mistakes there
READS_AFTER = 2  # the folds: equal columns, the fewest mistakes
MOST_SCORES = 1 << 20  # rows left out whose probabilities are weighed
# of the fewest mistakes, where the user sets no limit: two seconds or so, and the tiles that they
# are enough for grow fewer by the square of the columns
MOST_MULTIPLICATIONS = 1 << 27

Tell = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class BlocksVerdict(Verdict):
    """The verdict on a table in blocks: its rows in memory are some of them, for pictures."""

    n_yes_all: int = 0
    n_filled_all: int = 0
    found: tuple[Finding, ...] = ()  # what to know about the columns
    of_logistic: CoefficientTable | None = None  # the coefficient table

    @property
    def n_yes(self) -> int:
        """How many rows are yes."""
        return self.n_yes_all

    @property
    def n_filled(self) -> int:
        """Rows with a missing value that was filled in."""
        return self.n_filled_all

    @property
    def in_blocks(self) -> bool:
        """Whether the rows were read in blocks."""
        return True

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What theory says about E_out: the bound that needs no rows."""
        if why_no_bounds(self.table):
            return ()
        return (vapnik_chervonenkis(self.winner, self.table.n_rows, len(self.features)),)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What to know about the columns before believing any line."""
        return self.found

    @property
    def coefficients(self) -> CoefficientTable | None:
        """The coefficient table of logistic regression."""
        return self.of_logistic


def judge_in_blocks(
    table: Rows,
    wanted: Candidates,
    *,
    effort: Effort,
    learner: str | None,
    penalty: Penalty | None,
    tell: Callable[[str], Tell],
) -> BlocksVerdict:
    """Return the verdict on a table in blocks."""
    if penalty == FIRTH:
        raise InputError(
            "--penalty firth needs all rows in memory, and this table is read in blocks. Use "
            "--penalty 1, or leave the options of blocks out."
        )
    started = time.perf_counter()
    facts = f"{counted(table.n, 'row')}, {counted(table.d, 'feature')}"
    say = tell(facts)
    say("reading columns")
    ranges = Ranges.of(table)
    say("is it separable?")
    with one_blas_thread():
        proof = separability_of(table, 1.0)
        _refuse_unproven(proof, table)
    answer = {True: "separable", False: "not separable", None: "undecided"}[proof.separable]
    say = tell(f"{facts}, {answer}")
    rows, encoding, sample = sampled(table, ranges, _rows_of_proofs(proof))
    candidates, notes = _able(table, candidates_of(penalty, [proof], wanted))
    fits = _Fits(table, ranges, proof.separable is True, 1)
    lines, reads = [], 0.0
    for candidate in candidates:
        at = table.reads.done
        lines.append(_timed(table, partial(fits.line, candidate, say)))
        of_all = _pocket_updates(table, 1) if candidate is POCKET else 1
        of_fold = _pocket_updates(table, FOLD_SHARE) if candidate is POCKET else 1
        reads += (table.reads.done - at) * of_fold / of_all
    of_logistic = None
    if any(is_logistic(candidate.name) for candidate in candidates):
        say("intervals of the coefficients")
        without = [line for c, (line, _) in zip(candidates, lines, strict=True) if c is LOGISTIC]
        of_logistic = coefficients_in_blocks(table, *(without or [fits.line(LOGISTIC, say)]))
    mistakes = Mistakes.of(table, [weights_of(line) for line, _ in lines])
    folds, errors, held, note = _cross_validated(table, ranges, proof, candidates, say, reads=reads)
    results = tuple(
        _result(c, fit, mistakes, k, ranges, errors, held)
        for k, (c, fit) in enumerate(zip(candidates, lines, strict=True))
    )
    solved: Any = next(
        (line for line, _ in lines if isinstance(line, LinearRegressionClassifier)), None
    ) or fits.line(LINEAR, say)
    collinear: Mapping[int, tuple[int, ...]] = solved.collinear_
    duplicates = same_columns(table, sample.X)
    warned = findings_of_ranges(
        (ranges.low, ranges.high), table.n, encoding.feature_names, proof, collinear, duplicates
    )
    size = table.ranges[0][1]
    about = (
        f"Read in {counted(len(table.ranges), 'block')} of {size:,} rows, with a budget of "
        f"{table.budget / 1e6:,.0f} MB. Pictures, tables of rows and of costs are of "
        f"{len(rows.at if rows.at is not None else ()):,} of the rows, evenly spaced, and those of "
        "the proof; every other figure is of all rows."
    )
    source = table.source.about
    return BlocksVerdict(
        Question(rows, encoding, np.array([rows.no, rows.yes]), True, sample, proof),
        results,
        _fewest(table, proof, results, effort, say),
        None,
        folds,
        tuple(n for n in (*rows.notes, note, *notes, about) if n),
        table.journal.before + time.perf_counter() - started,
        learner=learner,
        n_yes_all=int(ranges.rows[1]),
        n_filled_all=0 if source is None else source.n_filled,
        found=tuple(warned),
        of_logistic=of_logistic,
    )


def _refuse_unproven(proof: Separability, table: Rows) -> None:
    """Raise where a proof does not hold on all rows: nothing unchecked is reported."""
    if proof.verdict != "undecided" and not proof.verify(table, None):
        raise RuntimeError("separability: the certificate did not verify; please report this table")


def _rows_of_proofs(proof: Separability) -> list[int]:
    """Return the rows that proofs name."""
    named: list[int] = []
    for part in (proof.refusal, proof.witness, proof.margin_proof):
        if part is not None:
            named.extend(int(n) for n in part.rows)
    return named


def _able(table: Rows, candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[str]]:
    """Return the candidates that learn in blocks, and a note on those that do not."""
    able: list[Candidate] = []
    unable: list[Candidate] = []
    for candidate in candidates:
        learner = candidate.make(Budget(table.n, table.d, separable=False))
        plain = type(learner)._learn_in_blocks is LinearClassifier._learn_in_blocks
        (unable if plain and not candidate.constant else able).append(candidate)
    names = ", ".join(candidate.name for candidate in unable)
    return able, [f"Not available for tables in blocks: {names}."] if unable else []


class _Fits:
    """Fits of candidates to the rows of a table in blocks."""

    def __init__(self, table: Rows, ranges: Ranges, separable: bool, share: int) -> None:
        self.table, self.ranges, self.separable, self.share = table, ranges, separable, share
        self._scaling: Scaling | None = None

    @property
    def scaling(self) -> Scaling:
        """How columns are standardised."""
        if self._scaling is None:
            total = float(Ranges.of(self.table).weight.sum())
            self._scaling = standardisation_in_blocks(self.table, self.ranges, total)
        return self._scaling

    def line(self, candidate: Candidate, say: Tell) -> LinearClassifier:
        """Return a candidate fitted to all rows, in the units of the table."""
        say(candidate.name)
        table = self.table
        learner: Any = candidate.make(Budget(table.n, table.d, self.separable, self.share))
        if candidate.constant:
            ends = np.zeros((2, table.d))
            return learner.fit(ends, [-1.0, 1.0])  # type: ignore[no-any-return]  # a baseline
        if hasattr(learner, "time_limit"):  # reads of files take longer on some machines
            learner.time_limit = None
            passes = PLA_MULTIPLICATIONS // (self.share * table.n * (table.d + ROW))
            most = learner.max_iter if self.separable else HOPELESS_PASSES
            learner.max_iter = max(1, min(passes, most))
        if candidate is POCKET:
            learner.max_updates = min(_pocket_updates(table, self.share), learner.max_updates)
        seen = table
        if candidate.standardise:
            seen = seen_as(table, Standardised(table.source, self.scaling))
        if seen.fits_in_memory and isinstance(seen.back_end, Loop):
            seen = seen_as(seen, Held(seen.source))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SeparatrixWarning)  # `stopped` says it in the table
            learner.fit(seen)
        if candidate.standardise:
            in_units_of_table(learner, self.scaling)
        return learner  # type: ignore[no-any-return]  # Candidate.make says what it is


def _cross_validated(
    table: Rows,
    ranges: Ranges,
    proof: Separability,
    candidates: Sequence[Candidate],
    say: Tell,
    *,
    reads: float,
) -> tuple[int, list[list[float]], list[list[HeldOut | None]], str]:
    """Return the number of folds, each candidate's errors, logistic scores, and a note."""
    errors: list[list[float]] = [[] for _ in candidates]
    held: list[list[HeldOut | None]] = [[] for _ in candidates]
    folds, note = number_of_folds(int(ranges.rows.min()), "rows")
    if not folds:
        return 0, errors, held, note
    step = max(1, math.ceil(table.n / MOST_SCORES))
    of_fold, began = reads + READS_BESIDE, table.reads.done
    for k in range(folds):
        if k:
            of_fold = (table.reads.done - began) / k
        table.reads.expected = table.reads.done + (folds - k) * of_fold + READS_AFTER
        train, left = (
            seen_as(table, FoldRows(table.source, ranges.before, k, folds=folds, held=h))
            for h in (False, True)
        )
        inside, outside = Ranges.of(train), Ranges.of(left)
        if not inside.weight.all() or not outside.weight.sum():
            return 0, [[] for _ in candidates], [[] for _ in candidates], UNUSABLE
        fits = _Fits(train, inside, proof.separable is True, FOLD_SHARE)
        fold = f"fold {k + 1} of {folds}: "
        lines = [fits.line(c, partial(_say_both, say, fold)) for c in candidates]
        found = Mistakes.of(left, [weights_of(line) for line in lines])
        total = Fraction(float(outside.weight.sum()))
        for of_one, weight in zip(errors, found.weight, strict=True):
            of_one.append(float(weight / total))
        for candidate, line, kept in zip(candidates, lines, held, strict=True):
            if is_logistic(candidate.name):
                some = scores_in_blocks(left, weights_of(line), step) if has_optimum(line) else None
                kept.append(None if some is None else HeldOut(*some))
    return folds, errors, held, note


def _pocket_updates(table: Rows, share: int) -> int:
    """Return the most updates of the pocket, of all rows (a share of 1) or of a fold."""
    least = POCKET_UPDATES if share == 1 else POCKET_UPDATES_OF_A_FOLD
    return max(least, POCKET_NUMBERS // (table.n * (table.d + ROW)))


def _timed(table: Rows, fit: Callable[[], LinearClassifier]) -> tuple[LinearClassifier, float]:
    """Return a fit and its seconds: those that a checkpoint keeps, where it has it."""
    line, seconds = timed(fit)
    done, kept = table.journal.begin(seconds)
    kept = kept if done else seconds
    table.journal.end(kept)
    return line, kept


def _say_both(say: Tell, first: str, then: str) -> None:
    say(first + then)


def _result(  # noqa: PLR0917  # one caller
    candidate: Candidate,
    fit: tuple[LinearClassifier, float],
    mistakes: Mistakes,
    k: int,
    ranges: Ranges,
    errors: list[list[float]],
    held: list[list[HeldOut | None]],
) -> LearnerResult:
    line, seconds = fit
    return LearnerResult(
        name=candidate.name,
        learner=line,
        weights=weights_of(line),
        n_errors=int(mistakes.rows[k]),
        n_wrong_yes=int(mistakes.wrong_yes[k]),
        n_wrong_no=int(mistakes.wrong_no[k]),
        e_in=float(mistakes.weight[k] / Fraction(float(ranges.weight.sum()))),
        **left_out(errors[k]),
        seconds=seconds,
        stopped=str(line.stopped_),
        n_updates=getattr(line, "n_updates_", None),
        standardised=candidate.standardise,
        held_out=all_held_out(held[k]),
    )


def _fewest(
    table: Rows,
    proof: Separability,
    results: Sequence[LearnerResult],
    effort: Effort,
    say: Tell,
) -> Fewest:
    """Return the bracket of the fewest mistakes: of all rows above, of some tiles below."""
    if proof.separable and proof.weights is not None:
        none = Fraction(0)
        bracket = ErrorBracket(
            0.0, 0.0, True, proof.weights, 0, "", False, 1.0, none, none, exact_line=proof.line
        )
        return Fewest(bracket, checked=True)
    say("the fewest mistakes of any line")
    limits = effort.limits
    if not effort.asked:
        limits = replace(limits, nodes=max(1, MOST_MULTIPLICATIONS // (TILE * (table.d + 1) ** 2)))
    question = Asked(table, 1.0, limits)  # type: ignore[arg-type]  # blocks are taken, too
    bracket = fewest_mistakes(question, told_to(say), [r.weights for r in results])
    if bracket.interrupted and not effort.asked:
        raise KeyboardInterrupt
    return Fewest(bracket, checked=False)


def refuse_unable(degree: int, multiclass: str | None, sample_weight: object) -> None:
    """Raise `InputError` for what a verdict on a table in blocks does not have."""
    asked = {
        "degree": degree != 1,
        "multiclass": multiclass is not None,
        "sample_weight (a table in blocks brings its own)": sample_weight is not None,
    }
    for name, is_asked in asked.items():
        if is_asked:
            raise InputError(
                f"{name} is not available for a table that is read in blocks. Leave it out, or "
                "read the table into memory (read_table)."
            )
