"""Proof files: what was found out about a table, written so that `verify.py` can check it alone."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix import verify
from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.data import InputError
from separatrix.files import write_together
from separatrix.proving.plain import BESIDE, ENDS, PlainTable, as_it_is, base_of, beside
from separatrix.tables import ClassTable, Encoding, Table

if TYPE_CHECKING:
    from separatrix.certificates.statement import Claim

Tell = Callable[[str], None]
WRONG = verify.CannotCheck, verify.Refuted


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file in the making."""

    text: str  # the file
    statements: tuple[str, ...]  # what `verify` says of it
    left_out: tuple[str, ...] = ()  # what is claimed nowhere in it for its size, sentences
    # the files of its table that are still to be written beside it, by how their names end
    beside: dict[str, bytes] = field(default_factory=dict)


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
    """Return the proof of claims about a table's own file, or one that is written beside it."""
    base = base_of(table)
    if hashlib.sha256(data).hexdigest() != base.sha256:
        raise InputError(f"{base.name} has changed since it was read: read it again.")
    head: dict[str, Any] = {"multiclass": rule} if isinstance(table, ClassTable) else {}
    file = {"name": base.name, "sha256": base.sha256}
    plain = as_it_is(table, encoding, data.partition(b"\n")[0], [file])
    if plain is not None and not (base.weight is not None and (base.weight == 0.0).any()):
        tell("checking the proof as a stranger would")
        with contextlib.suppress(verify.CannotCheck):
            return checked(begun(plain, head), told, [data])
    made = PlainTable.of(table, encoding)
    files = made.files()
    named = [{"sha256": hashlib.sha256(data).hexdigest()} for data in files.values()]
    tell("checking the proof as a stranger would")
    with refused_as_input(made.name):
        return checked(begun(made.description(named), head), told, [*files.values()], files)


@contextlib.contextmanager
def refused_as_input(name: str) -> Untyped:
    """Say what a table is like of which no proof can be written."""
    try:
        yield
    except WRONG as why:
        raise InputError(
            f"no proof about {name} can be written: verify answers that {why}. Bring columns "
            "of very different sizes closer together by powers of two, which change no answer."
        ) from None


def begun(table: dict[str, Any], head: Mapping[str, Untyped] = {}) -> dict[str, Any]:
    """Return a proof without claims."""
    return {
        "claim": [], "format": verify.FORMAT, "version": verify.VERSION, **head,
        "made_by": __version__, "intercept": True, "table": table,
    }  # fmt: skip


def checked(
    content: dict[str, Any],
    told: Sequence[Claimed],
    against: Sequence[bytes | str],
    files: dict[str, bytes] | None = None,
) -> Proof:
    """Return the proof; the words in it are the verifier's own, so that every claim verifies."""
    try:
        statements = _stated(content, told, against)
    except WRONG:
        told = _that_check(content, told, against)
        statements = _stated(content, told, against)
    content["claim"] = statements
    left_out = [
        f"question {k}, {why}" if len(told) > 1 else why
        for k, one in enumerate(told, 1) for why in one.left_out
    ]  # fmt: skip
    if left_out:
        content["left_out"] = left_out
    return Proof(as_text(content), tuple(statements), tuple(left_out), files or {})


def _opened(stack: ExitStack, against: Sequence[bytes | str]) -> list[Untyped]:
    return [
        io.BytesIO(one) if isinstance(one, bytes) else stack.enter_context(Path(one).open("rb"))
        for one in against
    ]


def _stated(
    content: dict[str, Any], told: Sequence[Claimed], against: Sequence[bytes | str]
) -> list[str]:
    """Return what the verifier says of a file with these claims, which they now are."""
    claims = [[*one.claims, *one.more] for one in told]
    if "multiclass" not in content:
        (content["claims"],) = claims
    else:
        content["questions"] = [{"claims": some} for some in claims]
    proof = verify.read_proof(as_text(content).encode())
    with ExitStack() as stack:
        return verify.stated(proof, verify.opened(proof, _opened(stack, against)))


def _that_check(
    content: dict[str, Any], told: Sequence[Claimed], against: Sequence[bytes | str]
) -> list[Claimed]:
    """Return the claims without further ones that do not check, which cost no other its proof."""
    _stated(content, [Claimed(one.claims) for one in told], against)
    proof, kept = verify.read_proof(as_text(content).encode()), []
    with ExitStack() as stack:
        table = verify.opened(proof, _opened(stack, against))
        for question, one in zip(verify.questions(proof, table), told, strict=True):
            good, left_out = [], list(one.left_out)
            for claim in one.more:
                data = json.loads(json.dumps(claim))
                try:
                    verify.checked(question._replace(claims=[data]))
                except WRONG as why:
                    left_out.append(f"{claim['kind']}: {why}")
                else:
                    good.append(claim)
            kept.append(Claimed(one.claims, good, left_out))
    return kept


def with_asked(proof: Proof, asked: Mapping[str, Untyped]) -> Proof:
    """Return the proof with what its table was asked for, where that was made of another."""
    content = json.loads(proof.text)
    if "made_of" not in content["table"]:
        return proof
    content["table"]["made_of"]["asked"] = asked
    return replace(proof, text=as_text(content))


def write(proof: Proof, path: str | os.PathLike[str]) -> list[str]:
    """Write a proof, and beside it the files of its table that are not there; return the paths."""
    refuse_another_table(path, proof)
    files = files_of(proof, path)
    write_together(files)
    return list(files)


def files_of(proof: Proof, path: str | os.PathLike[str]) -> dict[str, str | bytes]:
    """Return the contents of a proof's files by path: those of its table, then it."""
    files: dict[str, str | bytes] = {beside(path, end): data for end, data in proof.beside.items()}
    return files | {os.fspath(path): proof.text}


def refuse_another_table(path: str | os.PathLike[str], proof: Proof) -> None:
    """Raise `InputError` where a file beside a proof would replace one of no proof at `path`."""
    for end, data in proof.beside.items():
        table, former = Path(beside(path, end)), Path(path)
        if not table.is_file() or (found := table.read_bytes()) == data:
            continue
        digest = hashlib.sha256(found).hexdigest().encode()
        if not former.is_file() or digest not in former.read_bytes():
            raise InputError(
                "the table of the proof is to be written beside it as "
                f"{str(table)!r}, and another file has that name: give the proof another name, or "
                "move that file."
            )


def names_beside(path: str | os.PathLike[str]) -> list[str]:
    """Return what a proof may bring."""
    return [beside(path, end) for end in (*chain(*ENDS.values()), *BESIDE)]


def as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
