"""From a table or a verdict to its proof file: what is claimed of each question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, InputError, Sample
from separatrix.proving.claims import Claim, claims_of, mistakes_of
from separatrix.proving.diverging import diverging_of, too_large
from separatrix.proving.files import Claimed, Proof, Tell, prove, prove_questions
from separatrix.proving.fits import fits_told
from separatrix.proving.mistakes import fewest_mistakes_of
from separatrix.separation.decide import Separability, separability_of
from separatrix.tables import ClassTable, Encoding, Table
from separatrix.verdict import MulticlassVerdict, Verdict
from separatrix.verdict.asking import Asked, questions_of
from separatrix.verdict.fewest import Effort, told_to
from separatrix.verdict.judging import classes_without_weightless, encoded, without_weightless
from separatrix.zero_one.limits import NO_LIMITS, Limits
from separatrix.zero_one.minimum_errors import fewest_mistakes
from separatrix.zero_one.problem import EQUAL_COSTS, Costs, Question


@dataclass(frozen=True, slots=True)
class _Question:
    """The rows of one question, and how it is called where there are several."""

    sample: Sample
    table: Table
    name: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """A table, how its columns become features X (N, d), and what is asked by which rule."""

    rule: str | None
    table: Table | ClassTable
    encoding: Encoding
    X: Floats
    asked: Sequence[Asked]

    @classmethod
    def of(cls, table: Table | ClassTable, degree: int, rule: str | None) -> _Asked:
        """Return the questions on the rows with a weight."""
        if isinstance(table, ClassTable):
            table, _ = classes_without_weightless(table)
            return cls(rule, table, *encoded(table.base, degree), questions_of(rule, table))
        if rule is not None:
            raise InputError(
                "the table was read as one yes / no question: leave multiclass out, or read it "
                "with read_classes."
            )
        table, _ = without_weightless(table)
        return cls(rule, table, *encoded(table, degree), ())

    def questions(self) -> Iterator[_Question]:
        """Yield them one by one."""
        if isinstance(self.table, Table):
            yield _Question(_sample(self.table, self.X), self.table, "")
            return
        for one in self.asked:
            table = one.of(self.table)
            sample = _sample(table, self.X[one.rows(self.table.codes)])
            yield _Question(sample, table, f"{table.yes} or {table.no}: ")

    def proof(self, data: bytes, told: Sequence[Claimed], tell: Tell) -> Proof:
        """Return the proof of what is claimed of each."""
        return _proof_of(self.rule, self.table, self.encoding, data, told, tell)


def prove_separability(
    table: Table | ClassTable,
    data: bytes,
    degree: int = 1,
    *,
    multiclass: str | None = None,
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof of whether a line separates the rows of a table.

    Parameters
    ----------
    table : as `read_table` gave it, or `read_classes`
    data : the bytes of its file
    degree : of the products of columns that lines are drawn in
    multiclass : None, or for a table of three labels or more "ova" or "ovo"
        Each against the rest, or each against each.
    tell : told what is being done

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from, or it could not be decided.
    """
    asked, told = _Asked.of(table, degree, multiclass), []
    for question in asked.questions():
        tell(f"{question.name}is it separable?")
        found = separability_of(question.sample, 1.0)
        claims = claims_of(found, question.sample)
        if not claims:
            raise InputError(
                f"{question.name}undecided whether a line separates {question.table.name}: "
                f"{found.reason}."
            )
        tell("writing the proof")
        told.append(Claimed(claims, *_diverging(found, question.sample)))
    return asked.proof(data, told, tell)


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
    """Return the proof of separability (where decided), and of how few mistakes any line makes.

    Parameters
    ----------
    table, data, degree, multiclass : as for `prove_separability`
    limits : of the search; Ctrl-C ends it as well and keeps the bounds. Several questions share
        them, and Ctrl-C ends the search of one.
    costs : what the two kinds of mistakes cost
    tell : told what is being done; a second Ctrl-C, while the proof is written, ends that too

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from.
    """
    asked, told = _Asked.of(table, degree, multiclass), []
    limits = Effort(limits, asked=True).shared(max(1, len(asked.asked))).limits
    for question in asked.questions():
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
        claims = [*claims_of(found, sample), fewest_mistakes_of(bracket, tell)]
        told.append(Claimed(claims, *_diverging(found, sample)))
    return asked.proof(data, told, tell)


def _proof_of(  # noqa: PLR0917  # two callers
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

    Parameters
    ----------
    verdict : on a table
    data : the bytes of its file
    tell : told what is being done

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from.
    """
    if isinstance(verdict, MulticlassVerdict):
        rule, told = verdict.rule, [_claimed_by(one, tell) for one in verdict.questions]
        return _proof_of(rule, verdict.table, verdict.encoding, data, told, tell)
    only = [_claimed_by(verdict, tell)]
    return _proof_of(None, verdict.table, verdict.encoding, data, only, tell)


def _claimed_by(verdict: Verdict, tell: Tell) -> Claimed:
    """Return what a verdict claims of its question."""
    table = verdict.table
    X = verdict.encoding.encode(table.columns, table.lines, table.line_word)
    sample = Sample(X, table.y, verdict.classes, _weights(table))
    claims = [*claims_of(verdict.separability, sample), *mistakes_of(verdict.winner.weights)]
    tell("writing the proof")
    if verdict.fewest_mistakes.upper:
        claims.append(fewest_mistakes_of(verdict.fewest_mistakes, tell))
    more, left_out = _diverging(verdict.separability, sample)
    of_fits, why = fits_told(verdict, sample)
    return Claimed(claims, [*more, *of_fits], [*left_out, *why])


def _diverging(found: Separability, sample: Sample) -> tuple[list[Claim], list[str]]:
    """Return the claim on diverging coefficients, or why it is left out."""
    if found.verdict == "overlapping" or not too_large(sample):
        return diverging_of(found, sample), []
    return [], ["diverging coefficients: each takes a look at all of a large table"]


def _sample(table: Table, X: Floats) -> Sample:
    return Sample(X, table.y, np.array([table.no, table.yes]), _weights(table))


def _weights(table: Table) -> Floats:
    return np.ones(table.y.size) if table.weight is None else table.weight
