"""Likelihood intervals of coefficients, as claims that `verify.py` checks by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from separatrix.certificates.likelihood_interval import LikelihoodIntervalProof
from separatrix.data import InputError, Sample
from separatrix.inference.intervals.intervals import LikelihoodIntervals, likelihood_intervals
from separatrix.inference.maximum import Maximum
from separatrix.proving.asking import asked_questions
from separatrix.proving.files import Claimed, Proof, Tell, prove
from separatrix.tables import ClassTable, Table
from separatrix.verdict.cases import Cases
from separatrix.verdict.findings import listed


def prove_likelihood_intervals(
    table: Table | ClassTable,
    data: bytes,
    *,
    level: float = 0.95,
    columns: Sequence[int] | None = None,
    multiclass: str | None = None,
    tell: Tell = lambda _: None,
) -> Proof:
    cases, told = Cases.of(table, multiclass, 1), []
    names = ["intercept", *cases.encoding.feature_names]
    for sample, name in asked_questions(cases):
        tell(f"{name}likelihood intervals")
        told.append(claimed_intervals(sample, level, columns, names, name))
    return prove(cases.rule, cases.table, cases.encoding, data, told, tell)


def claimed_intervals(
    sample: Sample,
    level: float,
    columns: Sequence[int] | None,
    names: Sequence[str],
    asked: str = "",
) -> Claimed:
    """Return the claim on the intervals of a question, and sentences on what is left out."""
    found = likelihood_intervals(Maximum.of(sample), level, columns)
    proof = found.certificate
    if proof is None or not (proof.ends or proof.infinite):
        raise InputError(
            f"{asked}no likelihood interval could be shown: no dual point of doubles bounds the "
            "likelihood. Bring columns nearer to 0 and to one another's scale."
        )
    if not proof.holds(sample):
        good = (end for end in proof.ends if replace(proof, ends=(end,)).holds(sample))
        proof = replace(proof, ends=tuple(good))
    return Claimed([proof.claim()], left_out=_left_out(found, proof, names))


def _left_out(
    found: LikelihoodIntervals, proof: LikelihoodIntervalProof, names: Sequence[str]
) -> list[str]:
    told = []
    open_ones = sorted(found.of.undetermined)
    if open_ones:
        them = listed([names[j] for j in open_ones])
        told.append(f"likelihood intervals: others make up {them}, so that no value is excluded")
    shown = {(end.index, end.side) for end in proof.ends} | {(j, s) for j, s, _ in proof.infinite}
    asked = {int(j) for j in range(len(names)) if not np.isnan(found.lower[j])}
    short = sorted({*found.reasons, *(j for j in asked for s in (-1, 1) if (j, s) not in shown)})
    if short := [j for j in short if j not in open_ones]:
        them = listed([names[j] for j in short])
        told.append(f"likelihood intervals: rounding leaves open where those of {them} end")
    return told
