"""The table of answers, a row for every row: of a table read at once, or chunk by chunk."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import InputError
from separatrix.files import written_whole
from separatrix.model import TableModel
from separatrix.predicting.answers import Answering, Answers
from separatrix.tables import NewRows, read_rows
from separatrix.tables.files.source import head_of, read_source
from separatrix.tables.options import Reading
from separatrix.tables.read import rows_of_raw
from separatrix.tables.wording import counted

SPECIAL = re.compile('[",\r\n]')
PARQUET = ".parquet"
# the name of a file ("" of one alone), its rows, which of them are answered, and how
Part = tuple[str, NewRows, NDArray[np.int64], Answers]


def answers_csv(
    model_path: str | os.PathLike[str],
    table_path: str | os.PathLike[str],
    *,
    missing: str = "refuse",
    unknown: str = "refuse",
    explain: bool = False,
    threshold: float | None = None,
    learned_from: str | os.PathLike[str] | None = None,
    **options: Untyped,
) -> str:
    """Return a CSV with a row for every row of the table: where it stands, answer and score.

    Models of many labels give a score for each. Models that know probabilities add them. Scores
    are written so that they read back to the same doubles. A label that a spreadsheet would run as
    a formula gets a quote mark before it, and a warning says so. Rows that lack a value which the
    model cannot fill are refused, or with ``missing="blank"`` get an empty answer.

    Parameters
    ----------
    model_path, table_path : str or path
    missing : "refuse" or "blank"
    unknown : "refuse" or "blank"
        Likewise for rows with a category that the model never saw.
    explain : bool
        Add the score's parts, see `explaining.explained`.
    threshold : float or None
        Answer yes above this probability; None: above that which the model remembers, or one half.
    learned_from : str, path or None
        The table that the model was learned from: add whether all lines that separate it agree,
        see `agreeing.agreement`.

    Raises
    ------
    InputError
        When the model or the table cannot be used together.
    """
    answering = Answering.of(model_path, missing, unknown, explain=explain, threshold=threshold)
    table = answering.table
    source = read_source(table_path)
    options = table.read_as(options, source.data)
    rows = read_rows(
        source, table.encoding, known_extra=table.extra, recipes=table.recipes, **options
    )
    form = {name: v for name, v in options.items() if name != "match_names"}
    return in_csv("", rows, *answering.answers(rows, learned_from, form))


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
    n = 0

    def answered() -> Iterator[Part]:
        nonlocal n
        for name, rows in _rows_of(answering.table, table, memory, match_names, options):
            yield name, rows, *answering.answers(rows)
            n += rows.n_rows
            tell(f"predicting: {counted(n, 'row')}")

    with written_whole(output) as path:
        write = _write_parquet if str(output).endswith(PARQUET) else _write_csv
        write(path, answered())
    return n


def _rows_of(
    known: TableModel,
    table: str | Sequence[str],
    memory: int | str | None,
    match_names: bool,
    options: Mapping[str, Untyped],
) -> Iterator[tuple[str, NewRows]]:
    """Yield the rows of files of any size, chunk by chunk."""
    from separatrix.scale.files.chunks import InChunks  # a table read at once does without scale
    from separatrix.scale.paths import file_names, paths_of

    paths = paths_of(table)
    readings = [Reading(**known.read_as(options, head_of(path).data)) for path in paths]
    files = [InChunks.of(path, how, memory) for path, how in zip(paths, readings, strict=True)]
    names = file_names(paths) if len(paths) > 1 else ("",)
    for name, file in zip(names, files, strict=True):
        for raw in file:
            yield name, rows_of_raw(
                raw, known.encoding, known.extra, known.recipes, match_names=match_names,
                decimal=file.reading.decimal,
            )  # fmt: skip


def _write_csv(path: Path, parts: Iterator[Part]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for k, part in enumerate(parts):
            file.write(in_csv(*part, header=k == 0))


def _write_parquet(path: Path, parts: Iterator[Part]) -> None:
    import pyarrow.parquet as pq  # only where it is written

    with ExitStack() as stack:
        writer = None
        for part in parts:
            found = _columns(*part)
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, found.schema))
            elif found.schema.names != writer.schema.names:
                raise InputError(
                    "the parts of scores are more in some blocks of the table than in others, "
                    "which Parquet cannot hold: write a CSV file, or leave --explain out."
                )
            writer.write_table(found)


def _columns(file: str, rows: NewRows, answered: NDArray[np.int64], answers: Answers) -> Untyped:
    """Return answers with where each row stands, as an Arrow table; null where a row has none."""
    import pyarrow as pa

    at = np.full(rows.n_rows, -1)
    at[answered] = np.arange(answered.size)
    places = pa.array(at, mask=at < 0)
    columns = {"file": pa.array([file] * rows.n_rows, pa.string())} if file else {}
    columns[rows.line_word] = pa.array(rows.lines)
    for name, found in answers.items():
        values = pa.array(found, pa.string() if isinstance(found, list) else pa.float64())
        columns[name] = values.take(places)
    return pa.table(columns)


def in_csv(
    file: str, rows: NewRows, answered: NDArray[np.int64], answers: Answers, *, header: bool = True
) -> str:
    """Return output columns as CSV, a row for every row, blank where it has no answer.

    Numbers are written so that they read back to the same doubles.
    """
    text, first = io.StringIO(), [file] if file else []
    columns = {
        name: found if isinstance(found, list) else list(map(repr, found.tolist()))
        for name, found in answers.items()
    }
    # Python before 3.13 leaves a lone carriage return outside quotes
    returns = any("\r" in cell for cell in {file, *columns, *columns["answer"]})
    marks = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    writer = csv.writer(text, lineterminator="\n", quoting=marks)  # type: ignore[arg-type]
    if header:
        writer.writerow([*(["file"] if file else []), rows.line_word, *columns])
    values = zip(*columns.values(), strict=True)
    quoted = any(SPECIAL.search("\0".join(cells)) for cells in (first, *columns.values()))
    if answered.size == rows.n_rows and not quoted:
        begin = [f"{file},{line}" if file else f"{line}" for line in rows.lines.tolist()]
        lines = zip(begin, *columns.values(), strict=True)
        text.writelines(",".join(cells) + "\n" for cells in lines)
        return text.getvalue()
    written = dict(zip(answered.tolist(), values, strict=True))
    blank = ("",) * len(columns)
    for n, line in enumerate(rows.lines.tolist()):
        writer.writerow([*first, line, *written.get(n, blank)])
    return text.getvalue()
