"""From a table or a verdict to its proof file: what is claimed of each question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.certificates import LeastSquaresGap, LogisticGap
from separatrix.certificates.optimum import optimum
from separatrix.certificates.statement import Claim, hexadecimals, with_multipliers
from separatrix.data import InputError, Sample
from separatrix.learners._stopping import Stopped
from separatrix.proving.diverging import shown_diverging
from separatrix.proving.files import Claimed, Proof, Tell, prove
from separatrix.proving.mistakes import contradictions_of, fewest_mistakes_of, mistakes_of
from separatrix.scale import Rows
from separatrix.separation.decide import separability_of
from separatrix.tables import ClassTable, Table
from separatrix.tiles import TILE
from separatrix.verdict import LearnerResult, MulticlassVerdict, Verdict
from separatrix.verdict.cases import Cases
from separatrix.verdict.columns import standardisation
from separatrix.verdict.fewest import Effort, told_to
from separatrix.verdict.findings import listed
from separatrix.verify import LOGISTIC, SQUARES
from separatrix.zero_one.limits import Limits
from separatrix.zero_one.minimum_errors import CERTIFIED, fewest_mistakes
from separatrix.zero_one.problem import EQUAL_COSTS, Costs, Question

TILES_FOR_A_TILE = 4  # are searched of whose rows a proof names as many as a tile has


def asked_questions(cases: Cases) -> Iterator[tuple[Sample, str]]:
    """Yield the rows of each question, and how it is called where there are several."""
    for pair in cases.pairs:
        table, name = cases.asked(pair)
        yield cases.rows.asked(pair, np.array([table.no, table.yes])), name


def prove_separability(
    table: Table | ClassTable,
    data: bytes,
    degree: int = 1,
    fewest: Limits | None = None,
    costs: Costs = EQUAL_COSTS,
    *,
    multiclass: str | None = None,
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof of whether a line separates a table, and how few mistakes any line makes."""
    cases = Cases.of(table, multiclass, degree)
    if fewest is not None:
        fewest = Effort(fewest, asked=True).shared(len(cases.pairs)).limits
    told = [
        claims_on(sample, fewest, costs, (name, cases.base.name), tell)
        for sample, name in asked_questions(cases)
    ]
    return prove(cases.rule, cases.table, cases.encoding, data, told, tell)


def claims_on(  # two callers
    rows: Sample | Rows,
    fewest: Limits | None,
    costs: Costs,
    names: tuple[str, str],
    tell: Tell,
) -> Claimed:
    """Return what is claimed of some rows: of a question and a table of these names."""
    name, table = names
    tell(f"{name}is it separable?")
    found = separability_of(rows)
    claims, unclaimed = found.claim(rows), list[str]()
    if fewest is not None:
        tell(f"{name}the fewest mistakes of any line")
        if isinstance(rows, Rows):
            most = TILES_FOR_A_TILE * CERTIFIED // ((rows.d + 1) * TILE)
            fewest = replace(fewest, nodes=min(fewest.nodes, max(1, most)))
        lines = [] if found.weights is None else [found.weights]
        separating = found.line if found.separable else None
        question = Question(rows, fewest, costs)
        bracket = fewest_mistakes(question, told_to(tell, fewest), lines, separating=separating)
        if not isinstance(rows, Rows):
            claims.append(fewest_mistakes_of(bracket, tell))
        elif bracket.upper:
            of_bounds, unclaimed = contradictions_of(bracket)
            claims += of_bounds
    elif not claims:
        raise InputError(f"{name}undecided whether a line separates {table}: {found.reason}.")
    tell("writing the proof")
    more, left_out = shown_diverging(found, rows)
    return Claimed(claims, more, [*left_out, *unclaimed])


def prove_verdict(
    verdict: Verdict | MulticlassVerdict, data: bytes, *, tell: Tell = lambda _: None
) -> Proof:
    """Return the proof of what a verdict claims: separability, mistakes, optima, PLA and its bound.

    Of three labels or more these are the claims on each question; on the answers of several lines
    together nothing is claimed.
    """
    if isinstance(verdict, MulticlassVerdict):
        rule, told = verdict.rule, [_claimed_by(one, tell) for one in verdict.questions]
    else:
        rule, told = None, [_claimed_by(verdict, tell)]
    return prove(rule, verdict.table, verdict.encoding, data, told, tell)


def _claimed_by(verdict: Verdict, tell: Tell) -> Claimed:
    sample = verdict.question.sample
    claims = [*verdict.separability.claim(sample), *mistakes_of(verdict.winner.weights)]
    tell("writing the proof")
    fewest, unclaimed = verdict.fewest_mistakes, list[str]()
    if fewest.upper and fewest.in_tiles:
        found, unclaimed = contradictions_of(fewest)
        claims += found
    elif fewest.upper:
        claims.append(fewest_mistakes_of(fewest, tell))
    more, left_out = shown_diverging(verdict.separability, sample)
    of_fits, why = claims_of_fits(verdict, sample)
    return Claimed(claims, [*more, *of_fits], [*unclaimed, *left_out, *why])


MOST_NUMBERS = 1 << 24  # rows times weights of a line: about a minute to check
MOST_VISITS = 20_000

Told = tuple[list[Claim], str]  # claims, and why there are none or fewer


def claims_of_fits(verdict: Verdict, sample: Sample) -> tuple[list[Claim], list[str]]:
    """Return the claims of the learners, and sentences on those that are left out."""
    claims: list[Claim] = []
    left_out = []
    for result in verdict.lines:
        told, why = list[Claim](), "a proof says nothing of penalties"
        if of := FIT_CLAIMS.get(result.name):
            told, why = of(verdict, result, sample)
        claims += told
        if why:
            left_out.append(f"{result.name}: {why}")
    return claims, left_out


def _optimum(verdict: Verdict, r: LearnerResult, sample: Sample) -> Told:
    claim = r.learner.certificate_
    if not isinstance(claim, LogisticGap | LeastSquaresGap):
        return [], ""  # no finite optimum: that is among the claims already
    if isinstance(claim, LogisticGap) and claim.left_out:
        names = listed([verdict.features[j - 1] for j in claim.left_out])
        return [], f"its optimum is that without columns collinear but for rounding: {names}"
    if sample.n * (sample.d + 1) > MOST_NUMBERS:
        return [], f"a proof of the optimum takes a look at each of {sample.n:,} rows"
    errors = LOGISTIC if isinstance(claim, LogisticGap) else SQUARES
    found = optimum(sample, errors, claim.weights)
    if found is None:
        return [], "columns are collinear but for rounding, so its optimum is not proven"
    return [found.claim], ""


def _pocket(verdict: Verdict, r: LearnerResult, _: Sample) -> Told:
    return ([] if r is verdict.winner else mistakes_of(r.weights)), ""  # that is counted already


def _pla(verdict: Verdict, r: LearnerResult, sample: Sample) -> Told:
    """Return the run on the columns that PLA saw, visit by visit; a long one by its counts."""
    learner: Any = r.learner
    scaling = standardisation(verdict.question.points, sample.weight)
    parts = (part.tolist() for part in (scaling.exponent, scaling.mean, scaling.spread))
    names = ("exponent", "mean", "spread")
    columns = {"columns": [dict(zip(names, p, strict=True)) for p in zip(*parts, strict=True)]}
    clean = learner.stopped_ is Stopped.CLEAN_PASS
    trace = learner.trace_
    if trace.n_updates <= MOST_VISITS and not trace.capped:
        run = {"kind": "PLA", "start": trace.start.tolist(), "visited": trace.rows.tolist()}
        best = verdict.best_of_pla if clean else None  # it bounds the updates
        if best is not None:
            run["target"] = hexadecimals(best.weights)
        return [{**run, **columns}], ""
    if clean:
        return [], f"a replay of {trace.n_updates:,} updates takes long"
    rows = np.flatnonzero(learner.counts_)
    told = with_multipliers(rows.tolist(), learner.counts_[rows].tolist())
    return [{"kind": "margin at most", **told, **columns}], ""


FIT_CLAIMS: dict[str, Callable[[Verdict, LearnerResult, Sample], Told]] = {
    "PLA": _pla,
    "pocket": _pocket,
    "linear regression": _optimum,
    "logistic regression": _optimum,
}
