"""From what is asked to the verdict on it: learners, folds, the fewest mistakes, findings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.learners._linear import LinearClassifier
from separatrix.scale import Rows
from separatrix.scale.opening import refuse_in_blocks
from separatrix.scale.together import Begun, begin, sharing, together
from separatrix.tables.wording import counted
from separatrix.verdict.asked import Asked, Tell, asked_of_rows, size_of
from separatrix.verdict.candidates import (
    FIRTH,
    LINEAR,
    LOGISTIC,
    Candidate,
    Penalty,
    fitted,
    is_logistic,
    weights_of,
)
from separatrix.verdict.columns import same_columns
from separatrix.verdict.comparison import compare
from separatrix.verdict.fewest import Effort, Fewest, fewest_of
from separatrix.verdict.findings import findings
from separatrix.verdict.joint import JointResult
from separatrix.verdict.verdict import Known, Verdict


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
    blocks = f"{counted(len(rows.ranges), 'block')} of {rows.ranges[0][1]:,} rows"
    times, some = counted(math.ceil(rows.reads.done - 0.01), "time"), verdict.question.sample.n
    read = f"Read {times} in {blocks}, with a budget of {rows.memory / 1e6:,.0f} MB."
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
    from separatrix.verdict.coefficients import coefficients_in_blocks, takes_long

    (question,), (seen,) = asked.questions, asked.seen

    def line(candidate: Candidate) -> Untyped:
        if candidate.name in lines:
            return lines[candidate.name].result()
        return fitted(candidate, seen, lambda: question.separability.separable is True)

    coefficients = None
    sparse = rows.source.nnz is not None
    if any(map(is_logistic, lines)) and not (sparse and takes_long(*rows.shape)):
        tell("intervals of the coefficients")
        coefficients = coefficients_in_blocks(rows, line(LOGISTIC))
    names, same = question.encoding.feature_names, same_columns(rows, question.sample.X)
    collinear, about = line(LINEAR).collinear_, rows.source.about
    proof, encoding = question.separability, question.encoding
    warned = findings(rows, encoding, seen.columns, names, proof, collinear, same)
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
