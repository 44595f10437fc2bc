"""Proofs about tables in blocks: of `.npy` and CSV as they are, of others on arrays beside them."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from separatrix import verify
from separatrix._types import Untyped
from separatrix.data import Floats, InputError, Sample, in_full
from separatrix.proving.diverging import NOT_CLAIMED, shown_diverging
from separatrix.proving.files import Claimed, Proof, Tell, names_beside, prove_plain
from separatrix.proving.mistakes import contradictions_of, fewest_mistakes_of
from separatrix.proving.several_files import (
    NamedFile,
    prove_files,
    table_part_of_files,
    write_arrays,
)
from separatrix.proving.tables import PlainTable, cells_of, column_of, no_and_yes, places_of
from separatrix.scale import NpySource, Rows
from separatrix.scale.about import About
from separatrix.scale.opening import checked_table
from separatrix.scale.view import Compressed
from separatrix.separation.decide import separability_of
from separatrix.tiles import TILE, tiles
from separatrix.verdict.fewest import told_to
from separatrix.zero_one.limits import Limits
from separatrix.zero_one.minimum_errors import CERTIFIED, fewest_mistakes
from separatrix.zero_one.problem import Question

READ_BY_VERIFY = "fiub"  # kinds of numbers, of 1 to 8 bytes each but for 2-byte floats
MOST_PLAIN = 1 << 20  # numbers of a table that is written as CSV: any budget has room for them
MOST_CELLS = 200_000_000  # of text: verify reads some 10^6 a second
TILES_FOR_A_TILE = 4  # are searched of whose rows a proof names as many as a tile has


def prove_in_blocks(
    table: Rows,
    path: str | os.PathLike[str],
    *,
    fit_intercept: bool = True,
    fewest: Limits | None = None,
    tell: Tell = lambda _: None,
) -> tuple[Proof, list[str]]:
    """Return the proof of whether a line separates a table in blocks, and its files."""
    tell("is it separable?")
    with table.journal.part(f"a proof(fit_intercept={fit_intercept}, fewest={fewest})"):
        return _proven(table, path, fit_intercept, fewest, tell)


def _proven(
    table: Rows, path: str | os.PathLike[str], with_x0: bool, fewest: Limits | None, tell: Tell
) -> tuple[Proof, list[str]]:
    sample = checked_table(table, None)
    found = separability_of(sample, float(with_x0))
    claims = found.claim(sample)
    if not claims:
        what = f"undecided whether a line separates {table.source.described}"
        raise InputError(f"{what}: {found.reason}.")
    more, left_out = shown_diverging(found, sample)
    about = table.source.about
    if fewest is not None:
        of_mistakes, why = _fewest(sample, float(with_x0), fewest, tell)
        claims, left_out = [*claims, *of_mistakes], [*left_out, *why]

    def checked(described: dict[str, Untyped], paths: list[str]) -> tuple[Proof, list[str]]:
        def proof(claims: Sequence[Untyped], left_out: Sequence[str]) -> Proof:
            return prove_files(described, paths, claims, intercept=with_x0, left_out=left_out)

        try:
            return proof([*claims, *more], left_out), paths
        except InputError:
            if not more:
                raise
            return proof(claims, [NOT_CLAIMED]), paths

    if (text := _text_as_it_is(table.source)) is not None:
        tell("checking the proof on the files as they are")
        with contextlib.suppress(InputError):
            return checked(*text)
    if about is not None and table.n * (table.d + 1) <= MOST_PLAIN:
        claimed = [Claimed(claims, more, left_out)]
        proof = prove_plain(_plain(table.as_arrays(), about), claimed, tell, {}, with_x0)
        table.source.refuse_changed()  # the proof names the files as they were read
        return proof, [names_beside(path)[0]]
    as_they_are = _files_as_they_are(table.source)
    tell("reading the files for their SHA-256" if as_they_are else "writing the table as arrays")
    described, paths = as_they_are or _written(table, path)
    tell("checking the proof")
    try:
        return checked(described, paths)
    except BaseException:
        for written in [] if as_they_are else paths:
            Path(written).unlink(missing_ok=True)
        raise


def _fewest(
    table: Sample | Rows, x0: float, limits: Limits, tell: Tell
) -> tuple[list[Untyped], list[str]]:
    """Return the claims of both bounds of the fewest mistakes, and what they leave out."""
    tell("the fewest mistakes of any line")
    if isinstance(table, Rows):
        most = TILES_FOR_A_TILE * CERTIFIED // ((table.d + 1) * TILE)
        limits = replace(limits, nodes=min(limits.nodes, max(1, most)))
    bracket = fewest_mistakes(Question(table, x0, limits), told_to(tell, limits))
    if not isinstance(table, Rows):
        return [fewest_mistakes_of(bracket, tell)], []
    if bracket.upper == 0:
        return [], []
    return contradictions_of(bracket)


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
