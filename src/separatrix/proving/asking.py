"""From a table or a verdict to its proof file: what is claimed of each question."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix._types import Untyped
from separatrix.certificates import LeastSquaresGap, LogisticGap
from separatrix.certificates.fits import LikelihoodIntervalProof, optimum
from separatrix.certificates.statement import (
    Claim,
    Vector,
    hexadecimal,
    hexadecimals,
    null_space,
    vector,
    with_multipliers,
)
from separatrix.data import Floats, InputError, Sample
from separatrix.exact.integers import independent_rows
from separatrix.exact.level_elimination import spanning_rows
from separatrix.exact.signed_rows import SignedRows
from separatrix.inference.intervals.faces import PRECISION
from separatrix.inference.intervals.intervals import LikelihoodIntervals, likelihood_intervals
from separatrix.inference.maximum import Maximum
from separatrix.learners._stopping import Stopped
from separatrix.proving.files import Claimed, Proof, Tell, prove
from separatrix.scale import Rows, with_constant
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables import ClassTable, Table
from separatrix.tiles import TILE, one_blas_thread
from separatrix.verdict import LearnerResult, MulticlassVerdict, Verdict
from separatrix.verdict.cases import Cases
from separatrix.verdict.columns import standardisation
from separatrix.verdict.fewest import Effort, told_to
from separatrix.verdict.findings import listed
from separatrix.verify import LOGISTIC, SQUARES
from separatrix.zero_one.limits import INTERRUPTED, Limits
from separatrix.zero_one.minimum_errors import CERTIFIED, ErrorBracket, fewest_mistakes
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
        claims += [claim for claim in found if claim not in claims]  # of the same line
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


LARGEST_PLAIN = 2**63  # integers from here on are written in hexadecimal, which any length reads


def mistakes_of(weights: Floats) -> list[Claim]:
    """Return the claim that recounts the mistakes of a line (1+d,); none for no line at all."""
    if not weights.any():
        return []
    return [{"kind": "mistakes", "weights": [float(w) for w in weights]}]


def fewest_mistakes_of(
    bracket: ErrorBracket, tell: Callable[[str], None] = lambda _: None
) -> Claim:
    begun = f"{INTERRUPTED}: " if bracket.interrupted else ""
    looked = f"{{:,}} boxes; the search looked at {bracket.nodes:,}"
    proven = bracket.certified(lambda n: tell(f"{begun}writing the proof ({looked.format(n)})"))
    tell(f"{begun}writing the proof")
    line = bracket.exact_line
    text = json.dumps(_plain(proven.proof), separators=(",", ":")).encode()
    return {
        "kind": "fewest mistakes",
        "weights": [float(w) for w in proven.weights] if line is None else hexadecimals(line),
        "cost_wrong_yes": float(proven.cost_wrong_yes),
        "cost_wrong_no": float(proven.cost_wrong_no),
        "unit": hexadecimal(proven.unit),
        "proof": base64.b64encode(zlib.compress(text, 9)).decode("ascii"),
    }


def contradictions_of(bracket: ErrorBracket) -> tuple[list[Claim], list[str]]:
    """Return the claims of both bounds that tiles of rows show, and what they leave out."""
    proven, left_out = bracket.contradictions, []
    if proven.lower < bracket.exact_lower:
        left_out.append(
            f"mistakes at least: {float(bracket.exact_lower):.10g} were shown, more than by "
            f"the rows named here, of which there are {CERTIFIED // bracket.weights.size:,} at most"
        )
    return proven.claims if proven.cores else proven.claims[:1], left_out


def _plain(item: Untyped) -> Untyped:
    if isinstance(item, list | tuple):
        return [_plain(a) for a in item]
    return int(item) if abs(item) < LARGEST_PLAIN else hexadecimal(int(item))


def prove_likelihood_intervals(
    table: Table, data: bytes, *, level: float = 0.95, tell: Tell = lambda _: None
) -> Proof:
    cases = Cases.of(table, None)
    tell("likelihood intervals")
    ((sample, _),) = asked_questions(cases)
    found = likelihood_intervals(Maximum.of(sample), level)
    proof = found.certificate
    names = ["intercept", *cases.encoding.feature_names]
    if proof is None or not proof.shown:
        why = "; ".join(_reasons(found, found.reasons, names)) or (
            "no dual point of doubles bounds the likelihood. Bring columns nearer to 0 and to one "
            "another's scale"
        )
        raise InputError(f"no likelihood interval could be shown: {why}.")
    if not proof.holds(sample):
        ends = proof.claim["ends"]
        proof = proof.but_for(ends=[e for e in ends if proof.but_for(ends=[e]).holds(sample)])
    told = Claimed([proof.claim], left_out=_left_out(found, proof, names))
    return prove(cases.rule, cases.table, cases.encoding, data, [told], tell)


def _left_out(
    found: LikelihoodIntervals, proof: LikelihoodIntervalProof, names: Sequence[str]
) -> list[str]:
    """Return sentences on what is not claimed."""
    told, open_ones = [], sorted(found.of.undetermined)
    if open_ones:
        told.append(
            f"likelihood intervals of {listed([names[j] for j in open_ones])}: each is made up by "
            "the others, so that no value is excluded; leave a column of them out (--drop)"
        )
    shown = proof.shown
    open_ends = (j for j in range(len(names)) for s in (-1, 1) if (j, s) not in shown)
    short = {*found.reasons, *open_ends} - found.of.undetermined
    return told + [f"likelihood intervals of {why}" for why in _reasons(found, short, names)]


def _reasons(found: LikelihoodIntervals, ends: Iterable[int], names: Sequence[str]) -> list[str]:
    """Return why ends are open, for each reason with the coefficients that have it."""
    having: dict[str, list[str]] = {}
    for j in sorted(ends):
        having.setdefault(found.reasons.get(j, PRECISION), []).append(names[j])
    return [f"{listed(them)}: {why}" for why, them in having.items()]


NOT_CLAIMED = "diverging coefficients: each takes a look at all of a large table"
MOST_DIVERGING = 1 << 19  # in a table (of a sparse one without zeros): each line is checked on all


def shown_diverging(found: Separability, sample: Sample | Rows) -> tuple[list[Claim], list[str]]:
    """Return the claim on diverging coefficients, or why it is left out."""
    if found.verdict == "overlapping":
        return [], []
    if not isinstance(sample, Rows):
        nonzeros = sample.X.nnz if sp.issparse(sample.X) else sample.n * sample.d
        if sample.n + nonzeros <= MOST_DIVERGING:
            return diverging_of(found, sample), []
    return [], [NOT_CLAIMED]


def diverging_of(found: Separability, sample: Sample) -> list[Claim]:
    """Return the claim for separable and touching rows; of others none diverges."""
    shown = found.divergence
    if shown is None:
        return []
    table = SignedRows(with_constant(sample, found.x0)) if found.table is None else found.table
    with one_blas_thread():
        if sp.issparse(sample.X) and table.sparse is not None:
            independent = spanning_rows(table.sparse, table.rank)
        else:
            independent = independent_rows(table.integers(np.arange(sample.n)))
        silent = null_space(sample, independent)
    free: list[Vector] = []
    if found.recession is not None:
        basis = (table.weights(v) for v in found.recession.basis(table))
        free = [*(vector(v) for v in basis), *silent]
    return [
        {
            "kind": "diverging",
            "null_space": silent,
            "independent": independent,
            **with_multipliers(found.witness.rows.tolist(), found.witness.multipliers),
            "free": free,
            "lines": [vector(line) for line in shown.lines],
            "directions": [
                {
                    "index": j,
                    "direction": told.direction,
                    **with_multipliers(told.rows, told.multipliers),
                    "times": [hexadecimal(told.times)],
                }
                for j, told in sorted(shown.bounds.items())
            ],
        }
    ]
