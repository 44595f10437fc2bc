"""The candidates side by side: each fitted on all rows and cross-validated on the same folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, as_rows
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.kernels.exact import signed_scores
from separatrix.learners._linear import LinearClassifier
from separatrix.learners.logistic.subsampled import numbers_drawn
from separatrix.scale import Block, Rows
from separatrix.scale.budget import trim
from separatrix.scale.together import Begun, Together, begin
from separatrix.tiles import n_threads, one_blas_thread, tiles
from separatrix.verdict.asked import Asked, Part, Tell
from separatrix.verdict.candidates import (
    FOLD_SHARE,
    PLA,
    Candidate,
    JointResult,
    LearnerResult,
    answers_of,
    commonest,
    fitted,
    has_optimum,
    is_logistic,
    joining,
    joint_result,
    left_out,
    weights_of,
)
from separatrix.verdict.cases import BestOfPla

LONGEST = 25  # reads that are shared by all, with PLA and pocket
SUMS, SUMS_IN_TURN = 15, 15  # of sums alone, and what is added where fits take turns
DRAWN = 4  # fits that may keep drawn rows at the same time take the budget over this
READS_AFTER = 17  # where they are not, beside the fits: intervals, the fewest mistakes

OF_ROWS = "_rows", "_information", "certificate_"  # what fits to all rows keep of them

Fits = list[list[Begun[LinearClassifier]]]  # of each candidate: question by question
Beside = Callable[[dict[str, Begun[LinearClassifier]], Executor | None], None]


@dataclass(frozen=True, slots=True)
class Compared:
    results: list[tuple[LearnerResult, ...]]
    best_of_pla: list[BestOfPla | None]  # BestOfPla or None for each question
    joint: tuple[JointResult, ...]  # what the lines of each learner say together


@dataclass(frozen=True, slots=True)
class _Tried:
    """What comes of all candidates on all rows, or in a fold."""

    fits: Fits
    found: list[Begun[Mistakes]]  # of each question, on the rows left out

    def lines(self, k: int) -> list[LinearClassifier]:
        return [line.result() for line in self.fits[k]]


def compare(asked: Asked, candidates: Sequence[Candidate], tell: Tell, beside: Beside) -> Compared:
    """Fit the candidates to all rows and folds; `beside` begins what goes on with the folds."""
    if asked.read is not None or n_threads() == 1:
        return _compare(asked, candidates, tell, beside, None)
    with one_blas_thread(), ThreadPoolExecutor(n_threads()) as pool:
        try:
            return _compare(asked, candidates, tell, beside, pool)
        finally:  # of an interrupt or an error: what has not begun need not
            pool.shutdown(cancel_futures=True)


def _compare(
    asked: Asked,
    candidates: Sequence[Candidate],
    tell: Tell,
    beside: Beside,
    pool: Executor | None,
) -> Compared:
    whole = Part(asked.seen, tuple(seen.rows for seen in asked.seen))
    rows = whole.held[0]
    shared = isinstance(rows.back_end, Together)
    if shared:
        walks = any(c.standardise for c in candidates)
        rows.reads.expected = LONGEST if walks else SUMS + SUMS_IN_TURN // _at_once(rows)
    tried: list[_Tried] = []
    best: list[BestOfPla | None] = []
    everyone, seconds = list(candidates), list[list[float]]()

    def makes() -> Iterator[Callable[[], Part]]:
        yield lambda: whole  # fits to all rows begin before the folds are known
        yield from asked.parts

    in_memory = asked.seen[0].sample is not None  # where folds share no reads, one is there at once
    for batch in [[make] for make in makes()] if in_memory else [makes()]:
        parts, fits = list[Part](), list[Fits]()
        for make in batch:
            k, at = len(tried) + len(fits), rows.reads.done
            parts.append(part := make())
            if k and not shared:
                tell(f"fold {k} of {len(asked.parts)}")
            said = (lambda _: None) if k else tell
            fits.append(_fits(asked, candidates, part, said, tuple(fits), pool=pool))
            if not shared:
                rest = (len(asked.parts) - k) * (rows.reads.done - at)
                rows.reads.expected = rows.reads.done + rest + READS_AFTER
        joined = joining(candidates, asked.proofs)
        for part, of_part in zip(parts, fits, strict=True):
            of_part.extend(_fits(asked, joined, part, lambda _: None, (), pool=pool))
        if not tried:
            everyone += joined
            beside({c.name: line for c, (line, *_) in zip(everyone, fits[0], strict=True)}, pool)
        counts = [_counts(asked, everyone, *of, pool) for of in zip(parts, fits, strict=True)]
        seconds += [_seconds(rows, of_part) for of_part in fits]
        best = best if tried else _best_of_pla(asked, candidates)
        tried += [_Tried(*one) for one in zip(fits, counts, strict=True)]
        del parts, part  # before the rows of the next fold are made
        trim()
    results = [
        tuple(
            _result(tried, candidate, k, q, seconds[0][k * len(asked.begun) + q])
            for k, candidate in enumerate(everyone)
        )
        for q in range(len(asked.begun))
    ]
    return Compared(results, best, tuple(_joint(asked, everyone, tried, results)))


def _joint(
    asked: Asked, candidates: Sequence[Candidate], tried: Sequence[_Tried],
    results: Sequence[tuple[LearnerResult, ...]],
) -> Iterator[JointResult]:  # fmt: skip
    """Yield what the lines of each learner say together, where they answer several questions."""
    if asked.cases is None or asked.rule is None:
        return
    yield commonest(asked.cases, asked.folds)
    rows = [asked.cases.rows, *(fold.held for fold in asked.folds)]
    for k, candidate in enumerate(candidates):
        if not candidate.constant:
            lines = [one.lines(k) for one in tried]
            answers = [answers_of(asked.rule, *pair) for pair in zip(lines, rows, strict=True)]
            of_all, *held = zip(rows, answers, strict=True)
            took = sum(result[k].seconds for result in results)
            yield joint_result(candidate.name, lines[0], of_all, held, took)


def _fits(
    asked: Asked,
    candidates: Sequence[Candidate],
    part: Part,
    tell: Tell,
    before: Sequence[Fits],
    *,
    pool: Executor | None,
) -> Fits:
    """Begin to fit candidates in a part: those that keep many rows wait for a part before."""
    share = 1 if part.seen is asked.seen else FOLD_SHARE

    def job(candidate: Candidate, q: int) -> LinearClassifier:
        tell(candidate.name)
        seen = part.seen[q]
        if before and is_logistic(candidate.name) and len(before) >= (n := _at_once(seen.rows)):
            before[-n][candidates.index(candidate)][q].result()
        line = fitted(candidate, seen, lambda: asked.proofs[q].separable is True, share)
        if share > 1:  # too much to keep of every fold
            for name in (*getattr(line, "_of_all_rows", ()), *OF_ROWS):
                line.__dict__.pop(name, None)
        return line

    return [
        [begin(seen.rows, partial(job, candidate, q), pool) for q, seen in enumerate(part.seen)]
        for candidate in candidates
    ]


def _at_once(rows: Rows) -> int:
    """Return how many fits may keep drawn rows at the same time."""
    return max(1, rows.budget // (DRAWN * 8 * numbers_drawn(*rows.shape)))


def _counts(
    asked: Asked, candidates: Sequence[Candidate], part: Part, fits: Fits, pool: Executor | None
) -> list[Begun[Mistakes]]:
    """Begin to count the mistakes of lines on the rows that a part leaves out."""
    is_fold = part.seen is not asked.seen

    def job(q: int) -> Mistakes:
        held, lines = part.held[q], [of_one[q].result() for of_one in fits]
        scored = [is_fold and is_logistic(c.name) for c in candidates]
        scored = [s and has_optimum(line) for s, line in zip(scored, lines, strict=True)]
        step = max(1, math.ceil((held.n + part.seen[q].rows.n) / MOST_SCORES))
        return Mistakes.of(held, [weights_of(line) for line in lines], scored, step)

    return [begin(held, partial(job, q), pool) for q, held in enumerate(part.held)]


def _seconds(rows: Rows, fits: Fits) -> list[float]:
    """Return the seconds of fits: those that a checkpoint keeps, where it has it."""
    found = []
    for line in chain.from_iterable(fits):
        line.result()
        done, kept = rows.journal.begin(line.seconds)
        found.append(kept if done else line.seconds)
        rows.journal.end(found[-1])
    return found


def _best_of_pla(asked: Asked, candidates: Sequence[Candidate]) -> list[BestOfPla | None]:
    """Return the best lines known on what PLA saw; forget the copies that it saw."""
    best: list[BestOfPla | None] = []
    for proof, seen in zip(asked.proofs, asked.seen, strict=True):
        found = None
        if PLA in candidates and proof.separable:
            rows = seen.standardised
            found = BestOfPla.of(rows.rows if rows.sample is None else rows.sample)
        best.append(found)
        vars(seen).pop("standardised", None)
    return best


def _result(
    tried: Sequence[_Tried], candidate: Candidate, k: int, q: int, seconds: float
) -> LearnerResult:
    found = [one.found[q].result() for one in tried]
    line, mistakes = tried[0].fits[k][q].result(), found[0]
    return LearnerResult(
        name=candidate.name, learner=line, weights=weights_of(line),
        n_errors=int(mistakes.rows[k]), n_wrong_yes=int(mistakes.wrong_yes[k]),
        n_wrong_no=int(mistakes.wrong_no[k]), e_in=float(mistakes.share[k]),
        **left_out([float(fold.share[k]) for fold in found[1:]]),
        seconds=seconds, stopped=str(line.stopped_), standardised=candidate.standardise,
        n_updates=getattr(line, "n_updates_", None),
        held_out=joined([fold.scores[k] for fold in found[1:]]),
    )  # fmt: skip


MOST_SCORES = 1 << 20  # rows whose scores are kept: of more, every second, third, ...


@dataclass(frozen=True, slots=True)
class Mistakes:
    rows: NDArray[np.int64]  # (lines,) on the wrong side or on the line
    wrong_yes: NDArray[np.int64]  # (lines,) no rows that are answered yes
    wrong_no: NDArray[np.int64]  # (lines,) yes rows that are answered no
    share: Floats  # (lines,) of the weight
    scores: tuple[ProbabilityFigures | None, ...]  # of those lines that were asked for

    @classmethod
    def of(
        cls, rows: Rows, lines: Sequence[Floats], scored: Sequence[bool] = (), step: int = 1
    ) -> Mistakes:
        """Return them for lines (1+d,), with the scores of every step-th row by some of them."""
        scored = scored or [False] * len(lines)
        parts = rows.map(_of_block, list(lines), list(scored), step)
        counts, weights, scores = zip(*parts, strict=True)
        weight = np.zeros(len(lines) + 1)
        for of_tile in np.concatenate(weights):
            weight += of_tile
        wrong, wrong_yes, wrong_no = np.sum(counts, axis=0)
        found = (
            _left_out([part[k] for part in scores]) if asked else None
            for k, asked in enumerate(scored)
        )
        return cls(wrong, wrong_yes, wrong_no, weight[:-1] / weight[-1], tuple(found))


def joined(parts: Sequence[ProbabilityFigures | None]) -> ProbabilityFigures | None:
    """Return the rows left out of all folds; None where there are none, or of one none."""
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts):
        return None
    return _left_out([(part.y, part.scores, part.weight) for part in found])


def _left_out(parts: Sequence[tuple[Floats, ...]]) -> ProbabilityFigures:
    y, scores, weight = map(np.concatenate, zip(*parts, strict=True))
    return ProbabilityFigures(y, scores, weight, held_out=True)


def _of_block(
    block: Block, lines: list[Floats], scored: list[bool], step: int
) -> tuple[NDArray[np.int64], Floats, list[tuple[Floats, ...]]]:
    """Return counts (3, lines), weights of the mistakes and of all rows by tile, and scores."""
    sample = block.sample
    X = as_rows(np.asarray(sample.X, np.float64) if isinstance(sample.X, np.ndarray) else sample.X)
    counts = np.zeros((3, len(lines)), dtype=np.int64)
    cut = list(tiles(block.n))
    weights = np.zeros((len(cut), len(lines) + 1))
    weights[:, -1] = [sample.weight[tile].sum() for tile in cut]
    no, yes, found = sample.y < 0.0, sample.y > 0.0, list[tuple[Floats, ...]]()
    every = slice(-block.start % step, None, step)
    for k, line in enumerate(lines):
        scores = signed_scores(X, block.n, line, 1.0)
        wrong = sample.y * scores <= 0.0
        counts[:, k] = wrong.sum(), (scores[no] > 0.0).sum(), (scores[yes] <= 0.0).sum()
        weights[:, k] = [sample.weight[tile][wrong[tile]].sum() for tile in cut]
        some = (sample.y[every].copy(), scores[every].copy(), sample.weight[every].copy())
        found.append(some if scored[k] else ())
    return counts, weights, found
