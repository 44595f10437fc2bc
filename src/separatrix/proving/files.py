"""Proof files: what was found out about a table, written so that `verify.py` can check it alone."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from separatrix import verify
from separatrix._version import __version__
from separatrix.certificates import Separability, separability_of
from separatrix.certificates.fewest_mistakes import fewest_mistakes
from separatrix.certificates.mistake_question import NO_LIMITS, Limits
from separatrix.data import Floats, InputError, Sample
from separatrix.files import refuse_unwritable, write_together
from separatrix.proving.claims import Claim, claims_of, mistakes_of
from separatrix.proving.diverging import diverging_of, too_large
from separatrix.proving.fits import fits_told
from separatrix.proving.mistakes import fewest_mistakes_of
from separatrix.proving.tables import canonical_csv, told_of_canonical, told_of_csv
from separatrix.tables import Encoding, Table
from separatrix.verdict import Verdict
from separatrix.verdict.fewest import told_to
from separatrix.verdict.judging import encoded, without_weightless

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file in the making.

    Parameters
    ----------
    text : the file
    canonical : the CSV that it is about, when that is not the table's own file; else None
    statements : what `verify` says of it
    left_out : what is claimed nowhere in it for its size, sentences
    """

    text: str
    canonical: bytes | None
    statements: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def prove_separability(
    table: Table, data: bytes, degree: int = 1, *, tell: Tell = lambda _: None
) -> Proof:
    """Return the proof of whether a line separates the rows of a table.

    Parameters
    ----------
    table : as `read_table` gave it
    data : the bytes of its file
    degree : of the products of columns that lines are drawn in
    tell : told what is being done

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from, or it could not be decided.
    """
    table, encoding, sample = _read(table, degree)
    tell("is it separable?")
    found = separability_of(sample, 1.0)
    claims = claims_of(found, sample)
    if not claims:
        raise InputError(f"undecided whether a line separates {table.name}: {found.reason}.")
    tell("writing the proof")
    more, left_out = _diverging(found, sample)
    return prove(table, encoding, data, claims, more=more, left_out=left_out, tell=tell)


def prove_fewest_mistakes(
    table: Table,
    data: bytes,
    degree: int = 1,
    limits: Limits = NO_LIMITS,
    *,
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof of separability (where decided), and of how few mistakes any line makes.

    Parameters
    ----------
    table, data, degree : as for `prove_separability`
    limits : of the search, and what mistakes cost; Ctrl-C ends it as well and keeps the bounds
    tell : told what is being done; a second Ctrl-C, while the proof is written, ends that too

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from.
    """
    table, encoding, sample = _read(table, degree)
    tell("is it separable?")
    found = separability_of(sample, 1.0)
    lines = [] if found.weights is None else [found.weights]
    separating = found.line if found.separable else None
    tell("the fewest mistakes of any line")
    bracket = fewest_mistakes(sample, 1.0, limits, told_to(tell), lines, separating=separating)
    tell("writing the proof")
    more, left_out = _diverging(found, sample)
    claims = [*claims_of(found, sample), fewest_mistakes_of(bracket, sample, tell)]
    return prove(table, encoding, data, claims, more=more, left_out=left_out, tell=tell)


def prove_verdict(verdict: Verdict, data: bytes, *, tell: Tell = lambda _: None) -> Proof:
    """Return the proof of what a verdict claims: separability, mistakes, optima, PLA and its bound.

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
    table = verdict.table
    X = verdict.encoding.encode(table.columns, table.lines, table.line_word)
    sample = Sample(X, table.y, verdict.classes, _weights(table))
    claims = [*claims_of(verdict.separability, sample), *mistakes_of(verdict.winner.weights)]
    tell("writing the proof")
    if verdict.fewest_mistakes.upper:
        claims.append(fewest_mistakes_of(verdict.fewest_mistakes, sample, tell))
    more, left_out = _diverging(verdict.separability, sample)
    of_fits, why = fits_told(verdict, sample)
    more, left_out = [*more, *of_fits], [*left_out, *why]
    return prove(table, verdict.encoding, data, claims, more=more, left_out=left_out, tell=tell)


def _diverging(found: Separability, sample: Sample) -> tuple[list[Claim], list[str]]:
    """Return the claim on diverging coefficients, or why it is left out."""
    if found.verdict == "overlapping" or not too_large(sample):
        return diverging_of(found, sample), []
    return [], ["diverging coefficients: each takes a look at all of a large table"]


def prove(
    table: Table,
    encoding: Encoding,
    data: bytes,
    claims: Sequence[Claim],
    *,
    more: Sequence[Claim] = (),
    left_out: Sequence[str] = (),
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof file of some claims about a table, after checking it as a stranger would.

    Parameters
    ----------
    table : its rows with a weight above 0
    encoding : how they become features
    data : the bytes of its file
    claims : from `claims_of` and its like
    more : claims to be left out, and that said, where they do not check
    left_out : sentences on what is not claimed, for people
    tell : told what is being done

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from.
    """
    if hashlib.sha256(data).hexdigest() != table.sha256:
        raise InputError(f"{table.name} has changed since it was read: read it again.")
    canonical = None
    plain = table.format == "csv" and encoding.monomials is None
    told = None
    if plain:
        with contextlib.suppress(verify.CannotCheck):  # how it is read is nothing for strangers
            told = told_of_csv(table, encoding, data)
    if told is None:
        canonical = canonical_csv(table, encoding)
        told = told_of_canonical(table, encoding, canonical)
    content = {"claim": [], "format": verify.FORMAT, "version": verify.VERSION}
    content |= {"made_by": __version__, "table": told, "intercept": True}
    against = data if canonical is None else canonical
    # the words are the verifier's own: a claim that does not verify is never written
    tell("checking the proof as a stranger would")
    try:
        statements = _stated(content, [*claims, *more], against)
    except (verify.CannotCheck, verify.Refuted):
        more, unchecked = _that_check(content, more, against)
        left_out = [*left_out, *unchecked]
        statements = _stated(content, [*claims, *more], against)
    content["claim"] = statements
    if left_out:
        content["left_out"] = list(left_out)
    return Proof(_text(content), canonical, tuple(statements), tuple(left_out))


def _stated(content: dict[str, Any], claims: Sequence[Claim], against: bytes) -> list[str]:
    """Return what the verifier says of a file with these claims, which they now are."""
    content["claims"] = list(claims)
    return verify.statements(_text(content).encode(), against)


def _that_check(
    content: dict[str, Any], more: Sequence[Claim], against: bytes
) -> tuple[list[Claim], list[str]]:
    """Return the further claims that check by themselves, and sentences on those that do not.

    A number of a million digits in one of them must not cost the others their proof.
    """
    checked, left_out = [], []
    for claim in more:
        try:
            _stated(content, [claim], against)
        except (verify.CannotCheck, verify.Refuted) as why:
            left_out.append(f"{claim['kind']}: {why}")
        else:
            checked.append(claim)
    return checked, left_out


def write(proof: Proof, path: str | os.PathLike[str]) -> list[str]:
    """Write a proof, and beside it the canonical CSV where there is one; return the paths.

    Raises
    ------
    InputError
        When a file cannot be written.
    """
    files = files_of(proof, path)
    write_together(files)
    return list(files)


def files_of(proof: Proof, path: str | os.PathLike[str]) -> dict[str, str | bytes]:
    """Return the contents of a proof's files by path: its canonical CSV if it has one, then it."""
    files: dict[str, str | bytes] = {}
    if proof.canonical is not None:
        files[canonical_path(path)] = proof.canonical
    files[os.fspath(path)] = proof.text
    return files


def canonical_path(path: str | os.PathLike[str]) -> str:
    """Return where the canonical CSV of a proof stands: "proof.json" has "proof.table.csv"."""
    return str(Path(path).with_suffix("")) + ".table.csv"


def refuse_unwritable_proof(path: str | os.PathLike[str], inputs: Sequence[str]) -> None:
    """Raise `InputError` before any work when the proof or its table cannot be written."""
    refuse_unwritable(path, inputs)
    refuse_unwritable(canonical_path(path), inputs)


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _read(table: Table, degree: int) -> tuple[Table, Encoding, Sample]:
    """Return the rows with a weight, how they become features, and these."""
    table, _ = without_weightless(table)
    encoding, X = encoded(table, degree)
    sample = Sample(X, table.y, np.array([table.no, table.yes]), _weights(table))
    return table, encoding, sample


def _weights(table: Table) -> Floats:
    return np.ones(table.y.size) if table.weight is None else table.weight
