"""The cross-entropy of a table so small that all of it is read at each step of Newton's method.

Where the Hessian is near to singular it goes on in orthonormal columns: the Q of their pivoted QR.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from separatrix.data import Floats, in_full
from separatrix.learners.least_squares.orthonormal import OrthonormalColumns
from separatrix.learners.logistic.drawn_rows import Few, Subsample
from separatrix.learners.logistic.newton import Place, Read, minimised
from separatrix.learners.logistic.objective import Scaling
from separatrix.learners.logistic.problem import LogisticFit, Problem, no_minimiser
from separatrix.learners.logistic.subsampled import unless_endless
from separatrix.scale import Rows
from separatrix.tiles import one_blas_thread


def by_all_rows(problem: Problem) -> LogisticFit | None:
    """Minimise to a certified gap, or find no minimum; None where columns have to be left out."""
    with one_blas_thread(), np.errstate(all="ignore"):
        sample = problem.sample
        scaling = Scaling.exact(in_full(sample.X), problem.x0, problem.C)
        zero = Place(scaling, problem.x0, problem.factors, np.zeros_like(problem.start))
        first = zero.read(problem.table)
        if not problem.penalised and first.newton()[0] is None and problem.collinear:
            return None
        start = first
        if problem.start.any():
            start = replace(zero, c=scaling.coordinates(problem.start)).read(problem.table)
        fit = _minimised(problem, start)
        if start is not first and not (fit.divergent or fit.gap <= problem.tol):
            fit = _minimised(problem, first)  # a start may be too far for doubles
        every = Few(sample, np.arange(sample.n), np.ones(sample.n))
        return unless_endless(fit, Subsample(every, scaling), problem)


def _minimised(problem: Problem, first: Read) -> LogisticFit:
    """Minimise from a first read on."""
    made: list[OrthonormalColumns] = []

    def independent(at: Place) -> tuple[Rows, Read]:
        sample = problem.sample
        made.append(OrthonormalColumns(sample))
        M = made[0].M
        nothing, k = np.zeros(M.shape[1]), M.shape[1]
        place = Place(
            Scaling.identity(1 + k, 0.0, np.inf), 0.0, at.factors,
            np.append(0.0, M.T @ (at.columns(sample.X) @ at.c)),
            basis=np.vstack((nothing, np.eye(k))),
        )  # fmt: skip
        table = Rows.of(replace(sample, X=M, x0=0.0))
        return table, place.read(table)

    end, proof = minimised(problem, problem.table, first, independent=independent)
    place, gap = end.read.place, end.read.gap
    misjudged = False
    if made and made[0].M.shape[1] < first.place.c.size - (0 if problem.x0 else 1):
        if proof is None and problem.overlap_rank is None:
            proof = problem.separability
        rank = proof.rank if proof is not None else problem.overlap_rank
        misjudged = rank != made[0].M.shape[1]
    weights: Floats = made[0].weights(place.c[1:]) if made else place.weights
    errors = np.full(weights.size, np.nan)
    if end.lower is not None and not problem.penalised:
        errors = made[0].spread(end.lower[1:, 1:]) if made else end.errors
    return LogisticFit(
        weights,
        np.inf if proof is not None and no_minimiser(proof) else gap,
        end.n_steps,
        errors,
        doubtful=(end.lower is None and not problem.penalised) or misjudged,
        separability=proof,
    )
