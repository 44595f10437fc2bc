"""The candidates side by side: each fitted on all rows and cross-validated on the same folds.

Where rows are read, the fits of all candidates to all rows and to all folds share the reads, and so
do their mistakes after that.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from separatrix.data import SeparatrixWarning
from separatrix.learners._linear import LinearClassifier
from separatrix.scale import Rows
from separatrix.scale.together import Together, together
from separatrix.verdict.asked import Asked, Part, Tell
from separatrix.verdict.candidates import (
    FOLD_SHARE,
    PLA,
    Candidate,
    LearnerResult,
    fitted,
    has_optimum,
    is_logistic,
    result_of,
    weights_of,
)
from separatrix.verdict.joint import Joint, JointResult, commonest
from separatrix.verdict.mistakes import MOST_SCORES, HeldOut, Mistakes
from separatrix.verdict.question import BestOfPla
from separatrix.verdict.training import TrainingRows, share_columns

LONGEST, SUMS = 24, 6  # reads of fits that share them: with PLA and pocket, and of sums alone
READS_AFTER = 17  # beside the fits: intervals, equal columns, the fewest mistakes

T = TypeVar("T")
Fit = tuple[LinearClassifier, float]  # a line, and the seconds that it took


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of the candidates."""

    results: list[tuple[LearnerResult, ...]]
    best_of_pla: list[BestOfPla | None]  # BestOfPla or None for each question
    joint: tuple[JointResult, ...]  # what the lines of each learner say together


@dataclass(frozen=True, slots=True)
class _Tried:
    """What came of all candidates on all rows, or in a fold."""

    fits: list[list[Fit]]  # of each candidate: question by question
    found: list[Mistakes]  # of each question, on the rows left out

    def lines(self, k: int) -> list[LinearClassifier]:
        """Return the lines of a candidate, question by question."""
        return [line for line, _ in self.fits[k]]


def compare(asked: Asked, candidates: Sequence[Candidate], tell: Tell) -> Compared:
    """Fit the candidates to all rows of every question, and to the training rows of every fold."""
    whole = Part(asked.seen, tuple(seen.rows for seen in asked.seen))
    makes = [lambda: whole, *asked.parts]
    shared = isinstance(whole.held[0].back_end, Together)
    joint = [Joint() for _ in candidates]
    tried: list[_Tried] = []
    best: list[BestOfPla | None] = []
    rows = whole.held[0]
    if shared:
        walks = any(candidate.standardise for candidate in candidates)
        rows.reads.expected = rows.reads.done + (LONGEST if walks else SUMS) + READS_AFTER
    for batch in [makes] if shared else [[make] for make in makes]:
        at = rows.reads.done
        if tried:
            tell(f"fold {len(tried)} of {len(asked.parts)}")
        parts = [make() for make in batch]
        done = _try(asked, candidates, parts, _silent if tried else tell)
        best = best if tried else _best_of_pla(asked, candidates)
        for part, one in zip(parts, done, strict=True):
            for k, candidate in enumerate(candidates):
                if asked.rule is not None and part.fold is not None and not candidate.constant:
                    joint[k].add(asked.rule, one.lines(k), part.fold.held)
        tried += done
        of_part, left = rows.reads.done - at, len(makes) - len(tried)
        rows.reads.expected = rows.reads.done + left * of_part + READS_AFTER
    results = [
        tuple(_result(tried, candidate, k, q) for k, candidate in enumerate(candidates))
        for q in range(len(asked.questions))
    ]
    if asked.cases is None or asked.rule is None:
        return Compared(results, best, ())
    found = [commonest(asked.rule, asked.cases, asked.folds)]
    for k, candidate in enumerate(candidates):
        if not candidate.constant:
            lines, seconds = tried[0].lines(k), sum(took for _, took in tried[0].fits[k])
            coded = asked.cases.rows
            found.append(joint[k].result(asked.rule, candidate.name, lines, coded, seconds))
    return Compared(results, best, tuple(found))


def _try(
    asked: Asked, candidates: Sequence[Candidate], parts: Sequence[Part], tell: Tell
) -> list[_Tried]:
    """Fit the candidates in some parts, and count their mistakes on the rows left out."""
    rows = asked.seen[0].rows
    separable = [proof.separable is True for proof in asked.proofs]
    if len(parts) > 1:
        share_columns([part.seen[0] for part in parts])
    jobs: list[Callable[[], LinearClassifier]] = []
    for part in parts:
        share = 1 if part.seen is asked.seen else FOLD_SHARE
        for candidate in candidates:
            for seen, may in zip(part.seen, separable, strict=True):
                jobs.append(partial(_told, tell, candidate, seen, may, share))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparatrixWarning)  # `stopped` says it in the table
        made = iter(_timed(rows, jobs))
    fits = [[[next(made) for _ in asked.questions] for _ in candidates] for _ in parts]
    counts: list[Callable[[], Mistakes]] = []
    for part, of_part in zip(parts, fits, strict=True):
        is_fold = part.seen is not asked.seen
        for q, (held, seen) in enumerate(zip(part.held, part.seen, strict=True)):
            lines = [of_one[q][0] for of_one in of_part]
            scored = [is_fold and is_logistic(c.name) for c in candidates]
            scored = [s and has_optimum(line) for s, line in zip(scored, lines, strict=True)]
            step = max(1, math.ceil((held.n + seen.rows.n) / MOST_SCORES))
            weights = [weights_of(line) for line in lines]
            counts.append(partial(Mistakes.of, held, weights, scored, step))
    found: Iterator[Mistakes] = (mistakes for mistakes, _ in together(rows, counts))
    return [_Tried(of_part, [next(found) for _ in asked.questions]) for of_part in fits]


def _told(
    tell: Tell, candidate: Candidate, seen: TrainingRows, separable: bool, share: int
) -> LinearClassifier:
    tell(candidate.name)
    line = fitted(candidate, seen, separable, share)
    if share > 1 and seen.sample is None:
        for name in getattr(line, "_of_all_rows", ()):  # too much to keep of every fold
            line.__dict__.pop(name, None)
    return line


def _silent(_: str) -> None:
    """Say nothing."""


def _timed(rows: Rows, jobs: Sequence[Callable[[], T]]) -> list[tuple[T, float]]:
    """Return what jobs return and their seconds: those that a checkpoint keeps, where it has it."""
    made = []
    for value, seconds in together(rows, jobs):
        done, kept = rows.journal.begin(seconds)
        kept = kept if done else seconds
        rows.journal.end(kept)
        made.append((value, kept))
    return made


def _best_of_pla(asked: Asked, candidates: Sequence[Candidate]) -> list[BestOfPla | None]:
    """Return the best lines known on what PLA saw; forget the copies that it saw."""
    best: list[BestOfPla | None] = []
    for proof, seen in zip(asked.proofs, asked.seen, strict=True):
        sample = None
        if PLA in candidates and proof.separable and seen.sample is not None:
            sample = seen.standardised.sample
        best.append(None if sample is None else BestOfPla.of(sample))
        vars(seen).pop("standardised", None)
    return best


def _result(tried: Sequence[_Tried], candidate: Candidate, k: int, q: int) -> LearnerResult:
    """Return what came of candidate k in question q."""
    whole, *folds = tried
    errors = [float(fold.found[q].share[k]) for fold in folds]
    held_out = HeldOut.joined([fold.found[q].scores[k] for fold in folds])
    return result_of(candidate, whole.fits[k][q], whole.found[q], k, errors, held_out)
