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

from separatrix import verify
from separatrix._version import __version__
from separatrix.certificates.statement import Claim
from separatrix.data import InputError
from separatrix.files import write_together
from separatrix.proving.tables import PlainTable, base_of, csv_description
from separatrix.tables import ClassTable, Encoding, Table

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file in the making."""

    text: str  # the file
    # the CSV that it is about, when that is not the table's own file; else None
    canonical: bytes | None
    statements: tuple[str, ...]  # what `verify` says of it
    left_out: tuple[str, ...] = ()  # what is claimed nowhere in it for its size, sentences


@dataclass(frozen=True, slots=True)
class Claimed:
    """What is claimed of one question."""

    claims: Sequence[Claim]  # of certificates, by their `claim`
    more: Sequence[Claim] = ()  # claims to be left out, and that said, where they do not check
    left_out: Sequence[str] = ()  # sentences on what is not claimed, for people


def prove(  # noqa: PLR0917  # four callers
    rule: str | None,
    table: Table | ClassTable,
    encoding: Encoding,
    data: bytes,
    told: Sequence[Claimed],
    tell: Tell = lambda _: None,
) -> Proof:
    """Return the proof of claims about a table's own CSV, or the canonical one where it must be."""
    base = base_of(table)
    if hashlib.sha256(data).hexdigest() != base.sha256:
        raise InputError(f"{base.name} has changed since it was read: read it again.")
    head: dict[str, Any] = {"multiclass": rule} if isinstance(table, ClassTable) else {}
    if base.format == "csv" and encoding.monomials is None and not base.recipes:
        content = begun(head)
        with contextlib.suppress(verify.CannotCheck):
            content["table"] = csv_description(table, encoding, data)
            tell("checking the proof as a stranger would")
            return _checked(content, told, data, None)
    return prove_plain(PlainTable.of(table, encoding), told, tell, head)


def prove_plain(
    plain: PlainTable,
    told: Sequence[Claimed],
    tell: Tell,
    head: dict[str, Any],
    intercept: bool = True,
) -> Proof:
    """Return the proof of claims about a table that is written beside it as plain CSV."""
    content, canonical = begun(head, intercept), plain.csv
    content["table"] = plain.description(canonical)
    tell("checking the proof as a stranger would")
    try:
        return _checked(content, told, canonical, canonical)
    except (verify.CannotCheck, verify.Refuted) as why:
        raise InputError(
            f"no proof about {plain.name} can be written: verify answers that {why}. Bring columns "
            "of very different sizes closer together by powers of two, which change no answer."
        ) from None


def begun(head: dict[str, Any], intercept: bool = True) -> dict[str, Any]:
    return {
        "claim": [], "format": verify.FORMAT, "version": verify.VERSION, **head,
        "made_by": __version__, "intercept": intercept,
    }  # fmt: skip


def _checked(
    content: dict[str, Any], told: Sequence[Claimed], against: bytes, canonical: bytes | None
) -> Proof:
    """Return the proof; the words in it are the verifier's own, so that every claim verifies."""
    try:
        statements = _stated(content, told, against)
    except (verify.CannotCheck, verify.Refuted):
        told = _that_check(content, told, against)
        statements = _stated(content, told, against)
    content["claim"] = statements
    left_out = [
        f"question {k}, {why}" if len(told) > 1 else why
        for k, one in enumerate(told, 1) for why in one.left_out
    ]  # fmt: skip
    if left_out:
        content["left_out"] = left_out
    return Proof(as_text(content), canonical, tuple(statements), tuple(left_out))


def _stated(content: dict[str, Any], told: Sequence[Claimed], against: bytes) -> list[str]:
    """Return what the verifier says of a file with these claims, which they now are."""
    claims = [[*one.claims, *one.more] for one in told]
    if "multiclass" not in content:
        (content["claims"],) = claims
    else:
        classes = [part["texts"] for part in content["table"]["label"]["classes"]]
        asked = verify.asked_by(content["multiclass"], len(classes))
        content["questions"] = [
            {"yes": classes[yes], "no": [text for k in no for text in classes[k]], "claims": some}
            for (no, yes), some in zip(asked, claims, strict=True)
        ]
    return verify.statements(as_text(content).encode(), against)


def _that_check(content: dict[str, Any], told: Sequence[Claimed], against: bytes) -> list[Claimed]:
    """Return the claims without further ones that do not check, which cost no other its proof."""
    _stated(content, [Claimed(one.claims) for one in told], against)
    proof = verify.read_proof(as_text(content).encode())
    table = verify.read_table(against, proof.data)
    kept = []
    for question, one in zip(verify.questions(proof, table), told, strict=True):
        good, left_out = [], list(one.left_out)
        for claim in one.more:
            data = json.loads(json.dumps(claim))
            try:
                verify.is_a_claim(data)
                verify.checked(question._replace(claims=[data]))
            except (verify.CannotCheck, verify.Refuted) as why:
                left_out.append(f"{claim['kind']}: {why}")
            else:
                good.append(claim)
        kept.append(Claimed(one.claims, good, left_out))
    return kept


def write(proof: Proof, path: str | os.PathLike[str]) -> list[str]:
    """Write a proof, and beside it the canonical CSV where there is one; return the paths."""
    if proof.canonical is not None:
        refuse_another_table(path, proof.canonical)
    files = files_of(proof, path)
    write_together(files)
    return list(files)


def files_of(proof: Proof, path: str | os.PathLike[str]) -> dict[str, str | bytes]:
    """Return the contents of a proof's files by path: its canonical CSV if it has one, then it."""
    files: dict[str, str | bytes] = {}
    if proof.canonical is not None:
        files[names_beside(path)[0]] = proof.canonical
    files[os.fspath(path)] = proof.text
    return files


def refuse_another_table(path: str | os.PathLike[str], canonical: bytes) -> None:
    """Raise `InputError` where the canonical CSV would replace one of no proof at `path`."""
    table, former = Path(names_beside(path)[0]), Path(path)
    if not table.is_file() or (found := table.read_bytes()) == canonical:
        return
    digest = hashlib.sha256(found).hexdigest().encode()
    if not former.is_file() or digest not in former.read_bytes():
        raise InputError(
            f"the table of the proof is to be written beside it as {str(table)!r}, and another "
            "file has that name: give the proof another name, or move that file."
        )


def names_beside(path: str | os.PathLike[str]) -> tuple[str, str, str]:
    """Return what a proof may bring: its table as CSV, or as an array, and the array of labels."""
    start = Path(path).with_suffix("")
    return f"{start}.table.csv", f"{start}.table.npy", f"{start}.labels.npy"


def as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
