"""Proofs about tables in blocks: of `.npy` and CSV as they are, of others on arrays beside them."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from separatrix import verify
from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample, in_full
from separatrix.proving.asking import claims_on
from separatrix.proving.files import Proof, Tell, names_beside, prove_plain
from separatrix.proving.several_files import (
    NamedFile,
    prove_files,
    table_part_of_files,
    write_arrays,
)
from separatrix.proving.tables import PlainTable, cells_of, column_of, no_and_yes, places_of
from separatrix.scale import NpySource, Rows, with_constant
from separatrix.scale.about import About
from separatrix.scale.opening import checked_table
from separatrix.scale.view import Compressed
from separatrix.tiles import tiles
from separatrix.zero_one.limits import Limits
from separatrix.zero_one.problem import EQUAL_COSTS

READ_BY_VERIFY = "fiub"  # kinds of numbers, of 1 to 8 bytes each but for 2-byte floats
MOST_PLAIN = 1 << 20  # numbers of a table that is written as CSV: any budget has room for them
MOST_CELLS = 200_000_000  # of text: verify reads some 10^6 a second


def prove_in_blocks(
    table: Rows,
    path: str | os.PathLike[str],
    *,
    fit_intercept: bool = True,
    fewest: Limits | None = None,
    tell: Tell = lambda _: None,
) -> tuple[Proof, list[str]]:
    """Return the proof of whether a line separates a table in blocks, and its files."""
    with table.journal.part(f"a proof(fit_intercept={fit_intercept}, fewest={fewest})"):
        return _proven(table, path, fit_intercept, fewest, tell)


def _proven(
    table: Rows, path: str | os.PathLike[str], with_x0: bool, fewest: Limits | None, tell: Tell
) -> tuple[Proof, list[str]]:
    rows, about, names = checked_table(table, None), table.source.about, table.source.described
    told = claims_on(with_constant(rows, float(with_x0)), fewest, EQUAL_COSTS, ("", names), tell)

    if (text := _text_as_it_is(table.source)) is not None:
        tell("checking the proof on the files as they are")
        with contextlib.suppress(InputError):
            return prove_files(*text, told, intercept=with_x0), text[1]
    if about is not None and table.n * (table.d + 1) <= MOST_PLAIN:
        proof = prove_plain(_plain(table.as_arrays(), about), [told], tell, {}, with_x0)
        table.source.refuse_changed()  # the proof names the files as they were read
        return proof, [names_beside(path)[0]]
    as_they_are = _files_as_they_are(table.source)
    tell("reading the files for their SHA-256" if as_they_are else "writing the table as arrays")
    described, paths = as_they_are or _written(table, path)
    tell("checking the proof")
    try:
        return prove_files(described, paths, told, intercept=with_x0), paths
    except BaseException:
        for written in [] if as_they_are else paths:
            Path(written).unlink(missing_ok=True)
        raise


def _files_as_they_are(source: Untyped) -> tuple[dict[str, Untyped], list[str]] | None:
    """Return how a proof names `.npy` files of rows and of labels; None for what it cannot name."""
    if isinstance(source, Compressed):
        source = source.base
    if not isinstance(source, NpySource) or source.classes is None:
        return None
    files = *source.X, *source.y
    kinds = {file.dtype for file in files}
    odd = any(kind.kind not in READ_BY_VERIFY or kind == np.float16 for kind in kinds)
    if odd or any(file.by_columns for file in files):
        return None
    no, yes = (repr(int(a) if a == int(a) else float(a)) for a in source.classes.tolist())
    rows = [file.stamp.path for file in source.X]
    beside = [file.stamp.path for file in source.y] if source.inside is None else []
    label = source.d if source.inside is None else source.inside
    described = table_part_of_files(
        [NamedFile.at(path) for path in rows],
        n=source.n, label=label, yes=[yes], no=[no],
        columns=[j for j in range(source.d + 1) if j != label],
        label_files=[NamedFile.at(path) for path in beside],
    )  # fmt: skip
    return described, [*rows, *beside]


def _text_as_it_is(source: Untyped) -> tuple[dict[str, Untyped], list[str]] | None:
    """Return how a proof names CSV files; None for what it cannot name, or would read for hours."""
    about = source.about
    if about is None or about.format != "csv" or about.recipes:
        return None
    if about.n_rows_in_file * (source.d + 1) > MOST_CELLS:
        return None
    how = cells_of(about.dialect)
    try:
        with Path(about.paths[0]).open("rb") as file:
            index = places_of(next(iter(verify.Records(file, how)))[1], header=how["header"])
    except (verify.CannotCheck, OSError):
        return None
    no, yes = no_and_yes(about.label_texts, about.yes)
    weight, columns = about.weight_column, about.encoding.columns
    described = table_part_of_files(
        [NamedFile.at(path) for path in about.paths],
        n=source.n, label=index[about.label], yes=yes, no=no, unlabelled=about.label_texts[""],
        columns=[column_of(c, index[c.name]) for c in columns],
        weight=None if weight is None else index[weight], dialect=how, name=about.name,
    )  # fmt: skip
    return described, [*about.paths]


def _plain(sample: Sample, about: About) -> PlainTable:
    """Return few rows as the table that is written beside a proof."""
    weighed = [] if about.weight_column is None else [about.weight_column]
    return PlainTable(
        about.name,
        about.sha256,
        (*about.encoding.feature_names, about.label, *weighed),
        sample.X,
        (sample.y > 0.0).astype(np.int64),
        (about.no, about.yes),
        sample.weight if weighed else None,
    )


def _written(table: Rows, path: str | os.PathLike[str]) -> tuple[dict[str, Untyped], list[str]]:
    """Write the rows as arrays beside the proof."""
    needed = table.n * (8 * table.d + 1)
    free = shutil.disk_usage(Path(path).resolve().parent).free
    if needed > free:
        raise InputError(
            f"the proof of {table.source.described} is made on arrays of {needed:,} bytes beside "
            f"it, and {free:,} are free. Write it to another disk, or save the table as .npy."
        )

    def blocks() -> Iterator[tuple[Floats, Floats]]:
        for start, stop in table.ranges:
            part = table.source.read(start, stop, check=False)
            for tile in tiles(part.n):
                yield in_full(part.X[tile]).astype(np.float64), part.y[tile]
        table.source.refuse_changed()  # the proof names the files as they were read

    about = table.source.about
    original = [] if about is None else [NamedFile.at(one) for one in about.paths]
    return write_arrays(path, blocks(), table.n, table.d, original=original)
