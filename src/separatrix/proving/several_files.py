"""Proofs about tables of several files, which are never in memory as a whole.

A table of CSV files or of .npy files is proven as it is. Any other (Parquet, a query, text that
only our own reader understands) is proven on .npy files of its features and labels, which are
written beside the proof and named in it together with the SHA-256 of the files that they were made
of.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from separatrix import verify
from separatrix._types import Untyped
from separatrix.data import Floats, InputError
from separatrix.proving.diverging import NOT_CLAIMED
from separatrix.proving.files import Claimed, Proof, as_text, begun, names_beside

PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file of a table."""

    name: str  # for people
    sha256: str  # of its bytes, in hexadecimal

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> NamedFile:
        """Return that of a path, after reading it once, in pieces."""
        digest = hashlib.sha256()
        try:
            with Path(path).open("rb") as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
        except OSError as error:
            raise InputError(f"{os.fspath(path)!r} cannot be read: {error}") from None
        return cls(Path(path).name, digest.hexdigest())


def table_part_of_files(
    files: Sequence[NamedFile],
    *,
    n: int,
    label: int,
    yes: Sequence[str],
    no: Sequence[str],
    columns: Sequence[int | Mapping[str, Untyped]],
    label_files: Sequence[NamedFile] = (),
    dialect: Mapping[str, Untyped] | None = None,
    unlabelled: Sequence[str] = (),
    weight: int | None = None,
    original: Sequence[NamedFile] = (),
    name: str = "",
) -> dict[str, Any]:
    """Return the part of a proof file that names a table of files, one behind the other."""
    told: dict[str, Any] = {"name": name or files[0].name, "files": [asdict(f) for f in files]}
    if label_files:
        told["labels"] = [asdict(f) for f in label_files]
    if original:
        told["original"] = [asdict(f) for f in original]
    told |= {
        "rows": n,
        "dialect": {"format": verify.NPY} if dialect is None else dict(dialect),
        "label": {"index": label, "yes": [*yes], "no": [*no], "unlabelled": [*unlabelled]},
        "columns": [
            {"index": c, "levels": None, "fill": None, "missing": []}
            if isinstance(c, int) else dict(c) for c in columns
        ],
    }  # fmt: skip
    if weight is not None:
        told["weight"] = {"index": weight}
    return told


def prove_files(
    table: Mapping[str, Untyped],
    paths: Sequence[str | os.PathLike[str]],
    told: Claimed,
    *,
    intercept: bool = True,
) -> Proof:
    """Return the proof file of some claims about a table of files, after checking it."""
    content = begun({}, intercept) | {"table": dict(table)}
    content["claims"] = [*told.claims, *told.more]
    try:
        proof = verify.read_proof(as_text(content).encode())
        found = verify.stated(proof, verify.streamed(proof, [os.fspath(p) for p in paths]))
    except (verify.CannotCheck, verify.Refuted) as why:
        if told.more:
            less = Claimed(told.claims, (), [NOT_CLAIMED, *told.left_out])
            return prove_files(table, paths, less, intercept=intercept)
        raise InputError(
            f"no proof about {table.get('name')} can be written: verify answers that {why}."
        ) from None
    content["claim"] = found
    if told.left_out:
        content["left_out"] = list(told.left_out)
    return Proof(as_text(content), None, tuple(found), tuple(told.left_out))


def write_arrays(
    path: str | os.PathLike[str],
    blocks: Iterable[tuple[Floats, Floats]],
    n: int,
    d: int,
    *,
    original: Sequence[NamedFile] = (),
) -> tuple[dict[str, Any], list[str]]:
    """Write the features and labels of a table as .npy files, block by block."""
    paths = [*names_beside(path)[1:]]
    began = [f"{name}.part" for name in paths]
    try:
        hashes = _write_blocks(began, blocks, n, d)
        for part, name in zip(began, paths, strict=True):
            Path(part).replace(name)
    except OSError as error:
        raise InputError(f"cannot write {paths[0]!r}: {error.strerror}.") from None
    finally:
        for part in began:
            Path(part).unlink(missing_ok=True)
    files = [NamedFile(Path(p).name, sha256) for p, sha256 in zip(paths, hashes, strict=True)]
    told = table_part_of_files(
        files[:1], n=n, label=d, yes=["1"], no=["-1"], columns=range(d), label_files=files[1:],
        original=original,
    )  # fmt: skip
    return told, paths


def _write_blocks(
    paths: Sequence[str], blocks: Iterable[tuple[Floats, Floats]], n: int, d: int
) -> list[str]:
    """Write the two files; return the SHA-256 of each."""
    digests = [hashlib.sha256(), hashlib.sha256()]
    with Path(paths[0]).open("wb") as table, Path(paths[1]).open("wb") as labels:

        def put(*parts: bytes) -> None:
            for file, digest, data in zip((table, labels), digests, parts, strict=True):
                digest.update(data)
                file.write(data)

        put(_header("<f8", (n, d)), _header("|i1", (n,)))
        n_written = 0
        for X, y in blocks:
            if X.shape != (y.size, d) or not np.isfinite(X).all():
                raise InputError(f"rows {n_written + 1:,} and on are not {d} finite numbers each.")
            answers = np.where(y > 0, 1, -1).astype("i1")
            put(np.ascontiguousarray(X, "<f8").tobytes(), answers.tobytes())
            n_written += y.size
    if n_written != n:
        raise InputError(f"the table has {n_written:,} rows where {n:,} were announced.")
    return [digest.hexdigest() for digest in digests]


def _header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Return the beginning of an .npy file, as numpy writes it."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    room = -(len(text) + 11) % 64
    head = text.encode() + b" " * room + b"\n"
    return verify.MAGIC + b"\1\0" + len(head).to_bytes(2, "little") + head
