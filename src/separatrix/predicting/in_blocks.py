"""Answers for tables larger than memory, written block by block: the file is whole or not there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.files import written_whole
from separatrix.predicting.answers import Answering, in_csv
from separatrix.scale.budget import memory_budget
from separatrix.scale.files.chunks import InChunks
from separatrix.scale.paths import file_names, paths_of
from separatrix.scale.tables_of_files import text_at_once
from separatrix.tables import Rows
from separatrix.tables.options import Reading
from separatrix.tables.read import rows_of_raw
from separatrix.tables.wording import counted

PARQUET = ".parquet"
Part = tuple[str, Rows]  # of a file with its name, which is "" where there is one file alone
NUMBERS = ("score", "probability_of_")  # how the names of columns of numbers begin


def write_answers(
    model_path: str | os.PathLike[str],
    table: str | Sequence[str],
    output: str | os.PathLike[str],
    *,
    missing: str = "refuse",
    unknown: str = "refuse",
    explain: bool = False,
    threshold: float | None = None,
    match_names: bool = False,
    memory: int | str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **options: Untyped,
) -> int:
    """Write what `answers_csv` returns, of files of any size, and return the number of rows."""
    answering = Answering.of(model_path, missing, unknown, explain=explain, threshold=threshold)
    decimal = options.get("decimal") or answering.table.decimal
    reading = Reading(**(options | {"decimal": decimal}))
    at_once = text_at_once(memory_budget(memory))
    paths = paths_of(table)
    files = [InChunks.of(path, reading, at_once) for path in paths]
    names = file_names(paths) if len(paths) > 1 else ("",)

    def parts() -> Iterator[Part]:
        for name, file in zip(names, files, strict=True):
            for raw in file:
                known = answering.table
                yield name, rows_of_raw(
                    raw, known.encoding, known.extra, known.recipes, match_names=match_names,
                    decimal=decimal,
                )  # fmt: skip

    with written_whole(output) as path:
        write = _write_parquet if str(output).endswith(PARQUET) else _write_csv
        return write(path, answering, parts(), tell)


def _write_csv(
    path: Path, answering: Answering, parts: Iterator[Part], tell: Callable[[str], None]
) -> int:
    n = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for name, rows in parts:
            file.write(in_csv(rows, *answering.answers(rows), header=n == 0, file=name))
            n += rows.n_rows
            tell(f"predicting: {counted(n, 'row')}")
    return n


def _write_parquet(
    path: Path, answering: Answering, parts: Iterator[Part], tell: Callable[[str], None]
) -> int:
    import pyarrow.parquet as pq

    n, writer = 0, None
    try:
        for name, rows in parts:
            found = _columns(name, rows, *answering.answers(rows))
            if writer is None:
                writer = pq.ParquetWriter(path, found.schema)
            elif found.schema.names != writer.schema.names:
                raise InputError(
                    "the parts of scores are more in some blocks of the table than in others, "
                    "which Parquet cannot hold: write a CSV file, or leave --explain out."
                )
            writer.write_table(found)
            n += rows.n_rows
            tell(f"predicting: {counted(n, 'row')}")
    finally:
        if writer is not None:
            writer.close()
    return n


def _columns(
    file: str, rows: Rows, answered: np.ndarray, answers: dict[str, list[str]]
) -> pa.Table:
    """Return answers with where each row stands; null where a row has none."""
    at = np.full(rows.n_rows, -1)
    at[answered] = np.arange(answered.size)
    places = pa.array(at, mask=at < 0)
    columns = {"file": pa.array([file] * rows.n_rows, pa.string())} if file else {}
    columns[rows.line_word] = pa.array(rows.lines)
    for name, texts in answers.items():
        numbers = name.startswith(NUMBERS)
        values = pa.array([float(t) for t in texts] if numbers else texts,
                          pa.float64() if numbers else pa.string())  # fmt: skip
        columns[name] = values.take(places)
    return pa.table(columns)
