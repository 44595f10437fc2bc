"""From what is asked to the verdict on it: learners, folds, the fewest mistakes, findings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from separatrix.data import InputError
from separatrix.scale import Rows
from separatrix.scale.together import sharing
from separatrix.verdict.asked import Asked, Tell, asked_of_rows, size_of
from separatrix.verdict.candidates import (
    FIRTH,
    LINEAR,
    LOGISTIC,
    Candidates,
    LearnerResult,
    Penalty,
    candidates_of,
    fitted,
    is_logistic,
    learns,
)
from separatrix.verdict.coefficients import coefficients_in_blocks
from separatrix.verdict.columns import same_columns
from separatrix.verdict.comparison import compare
from separatrix.verdict.fewest import Effort, fewest_of, fewest_of_rows
from separatrix.verdict.findings import findings
from separatrix.verdict.joint import JointResult
from separatrix.verdict.verdict import Known, Verdict


@dataclass(frozen=True, slots=True)
class Wish:
    """Who is to take part, and who is to be selected."""

    wanted: Candidates
    learner: str | None
    penalty: Penalty | None


def judged(
    asked: Asked, wish: Wish, effort: Effort, tell: Tell, told_bounds: Tell
) -> tuple[tuple[Verdict, ...], tuple[JointResult, ...]]:
    """Return the verdict on each question, and what lines of several questions say together."""
    candidates = candidates_of(wish.penalty, asked.proofs, wish.wanted)
    able = [c for c in candidates if all(learns(c, rows) for rows in asked.seen)]
    unable = ", ".join(c.name for c in candidates if c not in able)
    notes = (*asked.notes, f"Not available for tables in blocks: {unable}." if unable else "")
    compared = compare(asked, able, tell)
    verdicts = []
    for q, (question, results) in enumerate(zip(asked.questions, compared.results, strict=True)):
        proof = question.separability
        if asked.read is None:
            known, fewest = None, fewest_of(question.sample, proof, results, effort, told_bounds)
        else:
            known = _known(asked, asked.read, results, tell)
            fewest = fewest_of_rows(asked.read, proof, results, effort, told_bounds)
        verdicts.append(
            Verdict(
                question,
                results,
                fewest,
                compared.best_of_pla[q],
                len(asked.parts),
                tuple(note for note in notes if note),
                sum(r.seconds for r in results),
                learner=wish.learner,
                known=known,
            )
        )
    return tuple(verdicts), compared.joint


def judged_rows(rows: Rows, wish: Wish, effort: Effort, telling: Callable[[str], Tell]) -> Verdict:
    """Return the verdict on rows that are read in blocks."""
    started = time.perf_counter()
    rows = sharing(rows)
    asked = asked_of_rows(rows, telling(size_of(*rows.shape)))
    tell = telling(asked.facts)
    (verdict,), _ = judged(asked, wish, effort, tell, tell)
    return replace(verdict, seconds=rows.journal.before + time.perf_counter() - started)


def _known(asked: Asked, rows: Rows, results: tuple[LearnerResult, ...], tell: Tell) -> Known:
    """Return what further reads of all rows say."""
    (question,), (seen,) = asked.questions, asked.seen
    separable = question.separability.separable is True
    found: dict[str, Any] = {r.name: r.learner for r in results}
    coefficients = None
    if any(map(is_logistic, found)):
        tell("intervals of the coefficients")
        line = found.get(LOGISTIC.name) or fitted(LOGISTIC, seen, separable)
        coefficients = coefficients_in_blocks(rows, line)
    solved = found.get(LINEAR.name) or fitted(LINEAR, seen, separable)
    warned = findings(
        None,
        seen.columns,
        question.encoding.feature_names,
        question.separability,
        solved.collinear_,
        same_columns(rows, question.sample.X),
    )
    about = rows.source.about
    n_filled = 0 if about is None else about.n_filled
    return Known(int(seen.columns.rows[1]), n_filled, tuple(warned), coefficients)


def refuse_unable(
    degree: int, multiclass: str | None, sample_weight: object, penalty: Penalty | None
) -> None:
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
    if penalty == FIRTH:
        raise InputError(
            "--penalty firth needs all rows in memory, and this table is read in blocks. Use "
            "--penalty 1, or leave the options of blocks out."
        )
