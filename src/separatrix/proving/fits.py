"""What the learners of a verdict claim, as claims that `verify.py` checks by itself.

Optima are proven by a share for every row, some twenty characters each, and PLA by every visit:
above a size the claim is left out, and the reason is given instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.certificates import LeastSquaresGap, LogisticGap
from separatrix.certificates.statement import Claim, hexadecimals, with_multipliers
from separatrix.data import Sample
from separatrix.exact.signed_rows import homogeneous
from separatrix.learners._stopping import Stopped
from separatrix.proving.mistakes import mistakes_of
from separatrix.verdict import LearnerResult, Verdict
from separatrix.verdict.columns import standardisation
from separatrix.verdict.findings import listed
from separatrix.verdict.scaling import Scaling

MOST_ROWS = 20_000
MOST_NUMBERS = 1 << 19  # rows times weights of a line
MOST_VISITS = 20_000

Told = tuple[list[Claim], str]  # claims, and why there are none or fewer


def claims_of_fits(verdict: Verdict, sample: Sample) -> tuple[list[Claim], list[str]]:
    """Return the claims of the learners, and sentences on those that are left out."""
    claims: list[Claim] = []
    left_out = []
    for result in verdict.lines:
        told, why = FIT_CLAIMS.get(result.name, _penalised)(verdict, result, sample)
        claims += told
        if why:
            left_out.append(f"{result.name}: {why}")
    return claims, left_out


def _too_large(sample: Sample) -> str:
    if sample.n <= MOST_ROWS and sample.n * (sample.d + 1) <= MOST_NUMBERS:
        return ""
    return f"a proof of the optimum takes a number for each of {sample.n:,} rows"


def _least_squares(_: Verdict, r: LearnerResult, sample: Sample) -> Told:
    claim: LeastSquaresGap = r.learner.certificate_
    if why := _too_large(sample):
        return [], why
    rows = homogeneous(sample.X, 1.0)
    dual = claim.exact_dual(rows)
    if dual is None:
        return [], "columns are collinear but for rounding, so its optimum is not proven"
    return [claim.claim(dual)], ""


def _logistic(verdict: Verdict, r: LearnerResult, sample: Sample) -> Told:
    claim = r.learner.certificate_
    if not isinstance(claim, LogisticGap):
        return [], ""  # no finite optimum: that is among the claims already
    if why := _too_large(sample):
        return [], why
    if claim.left_out:
        names = listed([verdict.features[j - 1] for j in claim.left_out])
        return [], f"its optimum is that without columns collinear but for rounding: {names}"
    dual = claim.exact_dual(sample)
    if dual is None or any(not 0 <= a <= 1 for a in dual):
        return [], "no dual point was found that meets its equalities exactly"
    return [claim.claim(dual)], ""


def _pocket(verdict: Verdict, r: LearnerResult, _: Sample) -> Told:
    if r is verdict.winner:
        return [], ""  # counted already
    return mistakes_of(r.weights), ""


def _pla(verdict: Verdict, r: LearnerResult, sample: Sample) -> Told:
    """Return the run on the columns that PLA saw, visit by visit; a long one by its counts."""
    learner: Any = r.learner
    scaling = standardisation(verdict.question.points, sample.weight)
    columns = {"columns": _columns(scaling)}
    clean = learner.stopped_ is Stopped.CLEAN_PASS
    trace = learner.trace_
    if trace.n_updates <= MOST_VISITS and not trace.capped:
        run = {"kind": "PLA", "start": trace.start.tolist(), "visited": trace.rows.tolist()}
        if clean:
            best = verdict.best_of_pla  # it bounds the updates
            run["target"] = None if best is None else hexadecimals(best.weights)
        return [{**run, **columns}], ""
    if clean:
        return [], f"a replay of {trace.n_updates:,} updates takes long"
    rows = np.flatnonzero(learner.counts_)
    told = with_multipliers(rows.tolist(), learner.counts_[rows].tolist())
    return [{"kind": "margin at most", **told, **columns}], ""


def _columns(scaling: Scaling) -> list[Claim]:
    parts = zip(
        scaling.exponent.tolist(), scaling.mean.tolist(), scaling.spread.tolist(), strict=True
    )
    return [{"exponent": e, "mean": m, "spread": s} for e, m, s in parts]


def _penalised(_: Verdict, __: LearnerResult, ___: Sample) -> Told:
    return [], "a proof says nothing of penalties"


FIT_CLAIMS: dict[str, Callable[[Verdict, LearnerResult, Sample], Told]] = {
    "PLA": _pla,
    "pocket": _pocket,
    "linear regression": _least_squares,
    "logistic regression": _logistic,
}
