"""From a table or a verdict to its proof file: what is claimed of each question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.certificates.statement import Claim
from separatrix.data import InputError, Sample
from separatrix.proving.diverging import diverging_of, too_large
from separatrix.proving.files import Claimed, Proof, Tell, prove, prove_questions
from separatrix.proving.fits import claims_of_fits
from separatrix.proving.mistakes import contradictions_of, fewest_mistakes_of, mistakes_of
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables import ClassTable, Encoding, Table
from separatrix.verdict import MulticlassVerdict, Verdict
from separatrix.verdict.cases import Cases
from separatrix.verdict.fewest import Effort, told_to
from separatrix.zero_one.limits import NO_LIMITS, Limits
from separatrix.zero_one.minimum_errors import fewest_mistakes
from separatrix.zero_one.problem import EQUAL_COSTS, Costs, Question


@dataclass(frozen=True, slots=True)
class Asked:
    """The rows of one question, and how it is called where there are several."""

    sample: Sample
    name: str


def asked_questions(cases: Cases) -> Iterator[Asked]:
    for pair in cases.pairs:
        table, name = cases.asked(pair)
        yield Asked(cases.rows.asked(pair, np.array([table.no, table.yes])), name)


def prove_separability(
    table: Table | ClassTable,
    data: bytes,
    degree: int = 1,
    *,
    multiclass: str | None = None,
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof of whether a line separates the rows of a table."""
    cases, told = Cases.of(table, multiclass, degree), []
    for question in asked_questions(cases):
        tell(f"{question.name}is it separable?")
        found = separability_of(question.sample, 1.0)
        claims = found.claim(question.sample)
        if not claims:
            raise InputError(
                f"{question.name}undecided whether a line separates {cases.base.name}: "
                f"{found.reason}."
            )
        tell("writing the proof")
        told.append(Claimed(claims, *_diverging(found, question.sample)))
    return proof_of(cases.rule, cases.table, cases.encoding, data, told, tell)


def prove_fewest_mistakes(
    table: Table | ClassTable,
    data: bytes,
    degree: int = 1,
    limits: Limits = NO_LIMITS,
    costs: Costs = EQUAL_COSTS,
    *,
    multiclass: str | None = None,
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof of separability (where decided), and of how few mistakes any line makes."""
    cases, told = Cases.of(table, multiclass, degree), []
    limits = Effort(limits, asked=True).shared(len(cases.pairs)).limits
    for question in asked_questions(cases):
        sample = question.sample
        tell(f"{question.name}is it separable?")
        found = separability_of(sample, 1.0)
        lines = [] if found.weights is None else [found.weights]
        separating = found.line if found.separable else None
        tell(f"{question.name}the fewest mistakes of any line")
        bracket = fewest_mistakes(
            Question(sample, 1.0, limits, costs), told_to(tell), lines, separating=separating
        )
        tell("writing the proof")
        claims = [*found.claim(sample), fewest_mistakes_of(bracket, tell)]
        told.append(Claimed(claims, *_diverging(found, sample)))
    return proof_of(cases.rule, cases.table, cases.encoding, data, told, tell)


def proof_of(  # noqa: PLR0917  # two callers
    rule: str | None,
    table: Table | ClassTable,
    encoding: Encoding,
    data: bytes,
    told: Sequence[Claimed],
    tell: Tell,
) -> Proof:
    if isinstance(table, ClassTable):
        return prove_questions(str(rule), table, encoding, data, told, tell=tell)
    (only,) = told
    return prove(
        table, encoding, data, only.claims, more=only.more, left_out=only.left_out, tell=tell
    )


def prove_verdict(
    verdict: Verdict | MulticlassVerdict, data: bytes, *, tell: Tell = lambda _: None
) -> Proof:
    """Return the proof of what a verdict claims: separability, mistakes, optima, PLA and its bound.

    Of three labels or more these are the claims on each question; on the answers of several lines
    together nothing is claimed.
    """
    if isinstance(verdict, MulticlassVerdict):
        rule, told = verdict.rule, [_claimed_by(one, tell) for one in verdict.questions]
        return proof_of(rule, verdict.table, verdict.encoding, data, told, tell)
    only = [_claimed_by(verdict, tell)]
    return proof_of(None, verdict.table, verdict.encoding, data, only, tell)


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
    more, left_out = _diverging(verdict.separability, sample)
    of_fits, why = claims_of_fits(verdict, sample)
    return Claimed(claims, [*more, *of_fits], [*unclaimed, *left_out, *why])


def _diverging(found: Separability, sample: Sample) -> tuple[list[Claim], list[str]]:
    """Return the claim on diverging coefficients, or why it is left out."""
    if found.verdict == "overlapping" or not too_large(sample):
        return diverging_of(found, sample), []
    return [], ["diverging coefficients: each takes a look at all of a large table"]
