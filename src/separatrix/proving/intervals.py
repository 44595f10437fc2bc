"""Likelihood intervals of coefficients, as claims that `verify.py` checks by itself."""

from __future__ import annotations

from collections.abc import Sequence

from separatrix.certificates.likelihood_interval import LikelihoodIntervalProof
from separatrix.data import InputError
from separatrix.inference.intervals.intervals import LikelihoodIntervals, likelihood_intervals
from separatrix.inference.maximum import Maximum
from separatrix.proving.asking import asked_questions
from separatrix.proving.files import Claimed, Proof, Tell, prove
from separatrix.tables import Table
from separatrix.verdict.cases import Cases
from separatrix.verdict.findings import listed


def prove_likelihood_intervals(
    table: Table, data: bytes, *, level: float = 0.95, tell: Tell = lambda _: None
) -> Proof:
    cases = Cases.of(table, None)
    tell("likelihood intervals")
    ((sample, _),) = asked_questions(cases)
    found = likelihood_intervals(Maximum.of(sample), level)
    proof = found.certificate
    if proof is None or not proof.shown:
        raise InputError(
            "no likelihood interval could be shown: no dual point of doubles bounds the "
            "likelihood. Bring columns nearer to 0 and to one another's scale."
        )
    if not proof.holds(sample):
        ends = proof.claim["ends"]
        proof = proof.but_for(ends=[e for e in ends if proof.but_for(ends=[e]).holds(sample)])
    names = ["intercept", *cases.encoding.feature_names]
    told = Claimed([proof.claim], left_out=_left_out(found, proof, names))
    return prove(cases.rule, cases.table, cases.encoding, data, [told], tell)


def _left_out(
    found: LikelihoodIntervals, proof: LikelihoodIntervalProof, names: Sequence[str]
) -> list[str]:
    """Return sentences on what is not claimed."""
    told, open_ones = [], sorted(found.of.undetermined)
    if open_ones:
        them = listed([names[j] for j in open_ones])
        told.append(f"likelihood intervals: others make up {them}, so that no value is excluded")
    shown = proof.shown
    open_ends = (j for j in range(len(names)) for s in (-1, 1) if (j, s) not in shown)
    short = {*found.reasons, *open_ends}
    if them := listed([names[j] for j in sorted(short - found.of.undetermined)]):
        told.append(f"likelihood intervals: rounding leaves open where those of {them} end")
    return told
