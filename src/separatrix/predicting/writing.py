"""The table of answers, a row for every row: of a table read at once, or chunk by chunk."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix._types import Untyped
from separatrix.data import (
    InputError,
    Points,
    SeparatrixWarning,
    constant_of,
    read_arrays,
    shortened,
)
from separatrix.files import written_whole
from separatrix.model import TableModel, load, table_of, with_threshold
from separatrix.predicting.answers import (
    Answers,
    answerable,
    answers_of,
    as_text,
    explainable,
    explained,
)
from separatrix.scale import with_constant
from separatrix.tables import CategoryEncoding, NewRows, Table
from separatrix.tables.files.formats import read_raw
from separatrix.tables.files.source import head_of, read_source
from separatrix.tables.options import Reading
from separatrix.tables.raw import RawTable
from separatrix.tables.read import asking, read_labelled, rows_of_raw
from separatrix.tables.wording import counted

PARQUET = ".parquet"
# the name of a file ("" of one alone), its rows, which of them are answered, and how
Part = tuple[str, NewRows, NDArray[np.int64], Answers]
Chunk = tuple[str, RawTable, dict[str, Untyped]]  # likewise, its cells, and how they were read
ReadAs = Callable[[bytes], dict[str, Untyped]]  # how the file that begins so is read


def answers_csv(
    model_path: str | os.PathLike[str], table: str | os.PathLike[str],
    *, learned_from: str | os.PathLike[str] | None = None, **how: Untyped,
) -> str:  # fmt: skip
    """Return a CSV with a row for every row of the table: where it stands, answer and score.

    A label that a spreadsheet would run as a formula gets a quote mark before it, and a warning
    says so. `how` are options of `_answered`, and of reading.
    """

    def whole(read_as: ReadAs) -> Iterator[Chunk]:
        source = read_source(table)
        form = read_as(source.data)
        yield "", read_raw(source, Reading(**form)), form

    (part,) = _answered(model_path, whole, learned_from=learned_from, **how)
    return in_csv(*part)


def write_answers(
    model_path: str | os.PathLike[str], table: str | Sequence[str],
    output: str | os.PathLike[str], *, memory: int | str | None = None,
    tell: Callable[[str], None] = lambda _: None, **how: Untyped,
) -> int:  # fmt: skip
    """Write what `answers_csv` returns, of files of any size, and return the number of rows."""
    n = 0

    def parts() -> Iterator[Part]:
        nonlocal n
        for part in _answered(model_path, partial(_in_chunks, table, memory), **how):
            yield part
            n += part[1].n_rows
            tell(f"predicting: {counted(n, 'row')}")

    with written_whole(output) as path:
        write = _write_parquet if str(output).endswith(PARQUET) else _write_csv
        write(path, parts())
    return n


def _answered(
    model_path: str | os.PathLike[str], chunks: Callable[[ReadAs], Iterator[Chunk]],
    *, missing: str = "refuse", unknown: str = "refuse", explain: bool = False,
    threshold: float | None = None, match_names: bool = False,
    learned_from: str | os.PathLike[str] | None = None, **options: Untyped,
) -> Iterator[Part]:  # fmt: skip
    """Yield the answers to each chunk of rows; `InputError` where model and rows do not fit."""
    model = load(model_path)
    if threshold is not None:
        model = with_threshold(model, threshold)
    known = table_of(model)
    if known is None:
        raise InputError(
            f"{str(model_path)!r} was learned from arrays, not from a table: it knows no columns. "
            "Use separatrix.load(path).predict(X) in Python."
        )
    lines = explainable(model) if explain else None
    places = {str(label): k for k, label in enumerate(model.classes_)}
    for name, raw, form in chunks(partial(known.read_as, options)):
        rows = rows_of_raw(
            raw, known.encoding, known.extra, known.recipes, match_names=match_names,
            decimal=form["decimal"],
        )  # fmt: skip
        complete, columns, X = answerable(rows, known.encoding, missing, unknown)
        answers = answers_of(model, X)
        labels = answers["answer"]
        if learned_from is not None:
            answers[COLUMN] = agreement(model, learned_from, X, form)
        if lines is not None:
            chosen = np.array([places[label] for label in labels], dtype=np.int64)
            answers |= explained(lines, columns, X, chosen)
        answers["answer"] = as_text(labels)
        yield name, rows, complete, answers


def _in_chunks(
    table: str | Sequence[str], memory: int | str | None, read_as: ReadAs
) -> Iterator[Chunk]:
    """Yield the rows of files of any size."""
    from separatrix.scale.converting import InChunks  # a table read at once does without scale
    from separatrix.scale.source import file_names, paths_of

    paths = paths_of(table)
    forms = [read_as(head_of(path).data) for path in paths]
    files = [InChunks.of(p, Reading(**form), memory) for p, form in zip(paths, forms, strict=True)]
    names = file_names(paths) if len(paths) > 1 else ("",)
    for name, file, form in zip(names, files, forms, strict=True):
        yield from ((name, raw, form) for raw in file)


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
    text, columns = io.StringIO(), dict[str, list[str]]()
    for name, found in answers.items():
        cells = found if isinstance(found, list) else list(map(repr, found.tolist()))
        if answered.size < rows.n_rows:
            written = dict(zip(answered.tolist(), cells, strict=True))
            cells = [written.get(n, "") for n in range(rows.n_rows)]
        columns[name] = cells
    # Python before 3.13 leaves a lone carriage return outside quotes
    returns = any("\r" in cell for cell in {file, *columns, *columns["answer"]})
    marks = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    writer = csv.writer(text, lineterminator="\n", quoting=marks)  # type: ignore[arg-type]
    if header:
        writer.writerow([*(["file"] if file else []), rows.line_word, *columns])
    files = [[file] * rows.n_rows] if file else []
    writer.writerows(zip(*files, rows.lines.tolist(), *columns.values(), strict=True))
    return text.getvalue()


COLUMN = "separating_lines"
OPEN = "open"
LIMITED = "undecided: limit"
MOST_NODES = 4_000  # boxes for the fewest mistakes, and again for each row: a second or so
MOST_ROWS = 200  # of which each may take that long


def agreement(
    model: Untyped, path: str | os.PathLike[str], X_new: Points, options: Mapping[str, Any]
) -> list[str]:
    """Return for encoded rows (m, d) what all lines that separate the learned table say."""
    if len(model.classes_) > 2:
        raise InputError(
            "--learned-from is about the lines of one yes / no question; this model answers many "
            "labels. Learn with --yes VALUE to ask about one of them."
        )
    table = learned_table(model, path, options)
    X = model.table_.encoding.encode(table.columns, table.lines, table.line_word)
    if X_new.shape[0] == 0:
        return []
    from separatrix.separation.decide import separability_of
    from separatrix.version_space import agree_of
    from separatrix.zero_one.limits import Limits

    sample = with_constant(read_arrays(X, table.y), constant_of(model))
    found = separability_of(sample)
    why = ""
    if found.verdict != "separable" and table.weight is not None:
        why = "its rows have weights"
    elif found.verdict != "separable" and X_new.shape[0] > MOST_ROWS:
        why = f"{X_new.shape[0]:,} rows would take long: ask for {MOST_ROWS} or fewer"
    if why:
        warnings.warn(
            f"no line separates {table.name} (it is {found.verdict}). Whether all lines with the "
            f"fewest mistakes agree is open for every row: {why}.",
            SeparatrixWarning,
            stacklevel=2,
        )
        return [OPEN] * X_new.shape[0]
    asked = agree_of(sample, X_new, Limits(nodes=MOST_NODES))
    if asked.limit:
        warnings.warn(f"{LIMITED}: {asked.limit}.", SeparatrixWarning, stacklevel=2)
    lines = "all" if found.verdict == "separable" else "all with the fewest mistakes"
    said = {
        "no": f"{lines} say {model.classes_[0]}",
        "yes": f"{lines} say {model.classes_[1]}",
        "undecided": "the data do not decide",
    }
    return [
        LIMITED if limited else said[answer]
        for answer, limited in zip(asked.answers.tolist(), asked.limited, strict=True)
    ]


def learned_table(
    model: Untyped, path: str | os.PathLike[str], options: Mapping[str, Any]
) -> Table:
    """Return the table that a model was learned from, read again as it was read then."""
    knows: TableModel = model.table_
    origin = knows.origin
    label, weight = knows.label, None if origin is None else origin.weight
    made = {name for recipe in knows.recipes for name in recipe.names}
    categories = [c for c in knows.encoding.columns if isinstance(c, CategoryEncoding)]
    which = {key: options[key] for key in ("query", "sheet") if key in options}
    reading = Reading(
        drop=[name for name in knows.extra if name not in {label, weight}],
        weight=weight,
        text=[c.name for c in categories if c.name not in made],
        missing="drop" if None in (c.fill for c in knows.encoding.columns) else "fill",
        unlabelled="drop",
        fold_labels=True,  # labels alike but for case are one already, or were refused
        **(options if origin is None else which | origin.options),
    )
    question = asking(reading, str(model.classes_[1]))
    table, _ = read_labelled(reading, path, label, question, knows.recipes)
    if origin is None:
        warnings.warn(
            "this model does not remember which table it was learned from: that it was "
            f"{table.name} is taken on trust.",
            SeparatrixWarning,
            stacklevel=3,
        )
    elif table.sha256 != origin.sha256:
        raise InputError(
            f"{shortened(repr(str(path)))} is not the table that this model was learned from: its "
            f"SHA-256 is {table.sha256}, and the model remembers {origin.sha256}. Give that table, "
            "or learn from this one."
        )
    return table
