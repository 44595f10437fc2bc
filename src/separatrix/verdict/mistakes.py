"""What lines do on rows: their mistakes, each sign exact, and their scores, in one read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.data import Floats, as_rows
from separatrix.inference.probabilities import ProbabilityFigures
from separatrix.kernels.exact import signed_scores
from separatrix.scale import Block, Rows
from separatrix.tiles import tiles

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
