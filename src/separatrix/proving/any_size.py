"""Proofs about tables in blocks: of plain files as they are, of others on files beside them."""

from __future__ import annotations

import contextlib
import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix import verify
from separatrix._types import Untyped
from separatrix.data import InputError, in_full
from separatrix.proving.files import WRONG, Proof, Tell, begun, checked, refused_as_input
from separatrix.proving.plain import Block, PlainTable, about_rows, as_it_is, described, sha256_of
from separatrix.scale import NpySource, Rows, with_constant
from separatrix.scale.opening import checked_table
from separatrix.scale.view import Compressed
from separatrix.tables import ClassTable, fit_encoding, read_classes, read_table
from separatrix.tables.options import ReadingOptions
from separatrix.tiles import tiles

if TYPE_CHECKING:
    from separatrix.zero_one.limits import Limits

READ_BY_VERIFY = "fiub"  # kinds of numbers, of 1 to 8 bytes each but for 2-byte floats
MOST_CELLS = 200_000_000  # of text: verify reads some 10^6 a second


def prove_in_blocks(
    table: Rows,
    path: str | os.PathLike[str],
    *,
    fewest: Limits | None = None,
    tell: Tell = lambda _: None,
) -> tuple[Proof, list[str]]:
    """Return the proof of whether a line separates a table in blocks, and its files."""
    with table.journal.part(f"a proof(fewest={fewest})"):
        return _proven(table, path, fewest, tell)


def _proven(
    table: Rows, path: str | os.PathLike[str], fewest: Limits | None, tell: Tell
) -> tuple[Proof, list[str]]:
    from separatrix.proving.asking import claims_on  # `made_again` proves nothing
    from separatrix.zero_one.problem import EQUAL_COSTS

    rows, names = with_constant(checked_table(table, None), 1.0), table.source.described
    told = [claims_on(rows, fewest, EQUAL_COSTS, ("", names), tell)]

    plain = _text_as_it_is(table.source) or _arrays_as_they_are(table.source)
    if plain is not None:
        tell("checking the proof on the files as they are")
        with contextlib.suppress(*WRONG):
            return checked(begun(plain[0]), told, plain[1]), plain[1]
    tell("writing the table of the proof")
    made = plain_table(table)
    _refuse_no_room(made, path, names)
    paths = made.write(path)
    tell("checking the proof")
    files = [{"name": Path(one).name, "sha256": sha256_of(one)} for one in paths]
    try:
        with refused_as_input(names):
            proof = checked(begun(made.description(files)), told, paths)
    except BaseException:
        for written in paths:
            Path(written).unlink(missing_ok=True)
        raise
    return proof, paths


def _named(path: str | os.PathLike[str]) -> dict[str, str]:
    return {"name": Path(path).name, "sha256": sha256_of(path)}


def _arrays_as_they_are(source: Untyped) -> tuple[dict[str, Any], list[str]] | None:
    """Return how a proof names `.npy` files of rows and of labels; None for what it cannot name."""
    source = source.base if isinstance(source, Compressed) else source
    if not isinstance(source, NpySource) or len(source.X) > 1:
        return None
    files = source.files
    odd = any(f.dtype.kind not in READ_BY_VERIFY or f.dtype == np.float16 for f in files)
    if odd or len(files) > 2 or any(file.by_columns for file in files):
        return None
    paths = [file.stamp.path for file in files]
    index = source.d if source.inside is None else source.inside
    columns = [j for j in range(source.d + 1) if j != index]
    label = {"index": index, "classes": _texts(source.classes)}
    return described("npy", [*map(_named, paths)], label, columns), paths


def _texts(classes: Untyped) -> list[str]:
    """Return how the labels of arrays are written."""
    told = (int(a) if isinstance(a, int | float) and a == int(a) else a for a in classes.tolist())
    return [str(a) for a in told]


def _text_as_it_is(source: Untyped) -> tuple[dict[str, Any], list[str]] | None:
    """Return how a proof names a CSV file; None for one that is none, or long."""
    about = source.about
    if about is None or about.n_rows_in_file * (source.d + 1) > MOST_CELLS:
        return None
    if about.n_filled or about.n_rows_in_file != source.n or len(about.paths) > 1:
        return None
    with Path(about.paths[0]).open("rb") as file:
        first = file.readline()
    told = as_it_is(about, about.encoding, first, [_named(about.paths[0])])
    return None if told is None else (told, [*about.paths])


def plain_table(table: Rows) -> PlainTable:
    """Return the rows as they are written beside the proof."""
    about, d = table.source.about, table.d

    def blocks() -> Iterator[Block]:
        for start, stop in table.ranges:
            part = table.source.read(start, stop)
            for tile in tiles(part.n):
                X, y = in_full(part.X[tile]).astype(np.float64), part.y[tile]
                weight = None if about is None or about.weight_column is None else part.weight[tile]
                yield X, (y > 0.0).astype(np.int64), weight
        table.source.refuse_changed()  # the proof names the files as they were read

    if about is None:
        source = table.source.base if isinstance(table.source, Compressed) else table.source
        made_of: dict[str, Any] = {}
        if isinstance(source, NpySource):
            files = [_named(file.stamp.path) for file in source.files]
            made_of = {"files": files, "rows": source.n, "notes": []}
            made_of |= {"label_files": 0 if source.inside is not None else len(source.y)}
        names, labels = tuple(f"x{j + 1}" for j in range(d)), _texts(source.classes)
        return PlainTable(
            source.described, names, "labels", labels, None, table.n, blocks(), made_of
        )
    files = [_named(one) for one in about.paths]
    return PlainTable(
        about.name, tuple(about.encoding.feature_names), about.label, [about.no, about.yes],
        about.weight_column, table.n, blocks(), about_rows(files, about),
    )  # fmt: skip


def _refuse_no_room(made: PlainTable, path: str | os.PathLike[str], names: str) -> None:
    needed = made.n * (8 * len(made.names) + 9)
    free = shutil.disk_usage(Path(path).resolve().parent).free
    if needed > free:
        raise InputError(
            f"the proof of {names} is made on files of {needed:,} bytes beside it, and {free:,} "
            "are free. Write it to another disk, or save the table as .npy."
        )


OPTIONS = {"label", "yes", *ReadingOptions.__annotations__}


def made_again(
    proof: str | os.PathLike[str], files: Sequence[str], folder: str | os.PathLike[str]
) -> list[str]:
    """Write the plain table of a proof into a folder; return its files.

    Raises
    ------
    InputError
        Where another table comes of these files.
    """
    try:
        told = verify.read_proof(Path(proof).read_bytes()).data
        made_of = told["table"]["made_of"]
        asked = made_of["asked"]
        options = {name: a for name, a in asked["options"].items() if name in OPTIONS}
        rule, degree = asked["multiclass"], int(asked["degree"])
        of_rows = len(files) - made_of.get("label_files", 0)
        y = files[of_rows:] or ("label_files" in made_of and int(options["label"]))
    except (OSError, LookupError, TypeError, ValueError, AttributeError, verify.CannotCheck):
        raise InputError(f"{os.fspath(proof)!r} does not say how its table was made.") from None
    form = told["table"]["format"]
    if "label_files" in made_of:
        made = plain_table(Rows(NpySource(files[:of_rows], y)))
    elif asked.get("in_blocks"):
        from separatrix.scale.tables_of_files import open_table

        made = plain_table(open_table(list(files), **options))
    else:
        read = read_table if rule is None else read_classes
        with warnings.catch_warnings(action="ignore"):  # said when the proof was made
            of_file = read(files[0], **options)
        rows = of_file.base if isinstance(of_file, ClassTable) else of_file
        encoding = fit_encoding(rows.columns, rows.missing, degree)
        made = PlainTable.of(of_file, encoding)
    if made.form == form:
        paths = made.write(Path(folder) / "proof")
        if [sha256_of(path) for path in paths] == [f["sha256"] for f in told["table"]["files"]]:
            return paths
    raise InputError(
        f"{', '.join(files)}, read as the proof says, gives another table than that of the proof: "
        "the proof was changed, or another version of separatrix made it. Make the proof again."
    )
