"""How a proof file names a table: by SHA-256, and by how its text becomes rows.

A table that is not plain CSV (Parquet, LIBSVM, text that only our own reader understands) is proven
against a canonical CSV of its features.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from separatrix import verify
from separatrix.data import dense
from separatrix.tables import CategoryEncoding, ClassTable, Dialect, Encoding, NumberEncoding, Table
from separatrix.tables.cells import BLANKS, MISSING_TOKENS
from separatrix.tiles import tiles


def csv_description(
    read: Table | ClassTable, encoding: Encoding, data: bytes
) -> dict[str, Any] | None:
    """Return how a CSV file becomes these rows; None where our reader knows more than the proof."""
    table = base_of(read)
    dialect = table.dialect
    assert dialect is not None  # noqa: S101  # a CSV table has one
    how = cells_of(dialect)
    pluses: set[int] = set()
    rows = _watched(verify.Records(data, how), pluses)
    begin = next(rows)
    if not dialect.header:
        rows = chain([begin], rows)
    index = places_of(begin[1], header=dialect.header)
    label = _labels(read, rows, index[table.label])
    if label is None:
        return None
    told = {
        "name": table.name, "sha256": table.sha256, "rows": int(table.y.size), "dialect": how,
        "label": label,
        "columns": [column_of(c, index[c.name], index[c.name] in pluses) for c in encoding.columns],
    }  # fmt: skip
    if table.weight_column is not None:
        told["weight"] = {"index": index[table.weight_column]}
    return told


def cells_of(dialect: Dialect) -> dict[str, Any]:
    """Return how a CSV file becomes cells, as a proof has it."""
    return {
        "delimiter": dialect.delimiter, "encoding": _encoding(dialect.encoding),
        "header": dialect.header, "quote": dialect.quote, "decimal": dialect.decimal,
    }  # fmt: skip


def places_of(first: Sequence[str], *, header: bool) -> dict[str, int]:
    """Return the place of each column by its name, from the first record of a file."""
    return {
        cell if header and cell.strip(BLANKS) else f"column {k + 1}": k
        for k, cell in enumerate(first)
    }


def base_of(table: Table | ClassTable) -> Table:
    """Return the rows, whatever is asked of them."""
    return table.base if isinstance(table, ClassTable) else table


def _encoding(codec: str) -> str:
    """Return the name of an encoding in proofs; one that they do not know as it is."""
    names = {python: name for name, python in verify.ENCODINGS.items()}
    return names.get(codecs.lookup(codec).name, codec)


def _labels(
    table: Table | ClassTable, rows: Iterator[tuple[int, list[str]]], index: int
) -> dict[str, Any] | None:
    """Return which texts of the label column mean yes, no (or which class) and nothing."""
    codes, names = _classes(table)
    code = dict(zip(base_of(table).lines.tolist(), codes, strict=True))
    texts: list[set[str]] = [set() for _ in names]
    nothing = set()
    for line, fields in rows:
        answer = fields[index]
        if line in code:
            texts[code[line]].add(answer)
        elif answer.strip(BLANKS) in MISSING_TOKENS:
            nothing.add(answer)
    known = set[str]().union(*texts)
    if len(known) < sum(map(len, texts)):
        return None
    return _label(table, index, [sorted(some) for some in texts], sorted(nothing - known))


def _classes(table: Table | ClassTable) -> tuple[list[int], Sequence[str]]:
    """Return the class of each row as a place among their names."""
    if isinstance(table, ClassTable):
        return table.codes.tolist(), table.names
    return [int(y > 0) for y in table.y.tolist()], ("no", "yes")


def _label(
    table: Table | ClassTable, index: int, texts: Sequence[list[str]], unlabelled: list[str]
) -> dict[str, Any]:
    """Return the label column as a proof tells it, given the texts of each class."""
    if isinstance(table, ClassTable):
        means: dict[str, Any] = {"classes": [{"texts": some} for some in texts]}
    else:
        means = {"yes": texts[1], "no": texts[0]}
    return {"index": index, **means, "unlabelled": unlabelled}


def _watched(
    records: Iterable[tuple[int, list[str]]], pluses: set[int]
) -> Iterator[tuple[int, list[str]]]:
    """Yield records; note columns in which "+" stands, where "-" is a sign and no missing value."""
    for line, fields in records:
        pluses.update(k for k, cell in enumerate(fields) if cell.strip(BLANKS) == "+")
        yield line, fields


def column_of(
    column: NumberEncoding | CategoryEncoding, index: int, has_plus: bool
) -> dict[str, Any]:
    """Return how a column becomes features; where "+" stands in it, "-" is a sign."""
    levels = list(column.levels) if isinstance(column, CategoryEncoding) else None
    signs = {"-"} if has_plus else set()
    missing = [text for text in MISSING_TOKENS if text not in {*signs, *(levels or ())}]
    return {"index": index, "levels": levels, "fill": column.fill, "missing": missing}


def canonical_csv(read: Table | ClassTable, encoding: Encoding) -> bytes:
    """Return the features, the answer (yes, no or a class) and the weight of each row as CSV."""
    table = base_of(read)
    codes, names = _classes(read)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    weighed = [] if table.weight is None else ["weight"]
    writer.writerow([*encoding.feature_names, "answer", *weighed])
    parts = (dense(X[tile], "some rows").tolist() for tile in tiles(X.shape[0]))
    for k, point in enumerate(chain.from_iterable(parts)):
        more = [] if table.weight is None else [repr(float(table.weight[k]))]
        writer.writerow([*map(repr, point), names[codes[k]], *more])
    return out.getvalue().encode()


def canonical_description(
    read: Table | ClassTable, encoding: Encoding, canonical: bytes
) -> dict[str, Any]:
    """Return how the canonical CSV becomes rows."""
    table, names = base_of(read), _classes(read)[1]
    d = len(encoding.feature_names)
    told: dict[str, Any] = {
        "name": table.name, "sha256": hashlib.sha256(canonical).hexdigest(),
        "rows": int(table.y.size), "original": {"sha256": table.sha256},
        "dialect": {
            "delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."
        },
        "label": _label(read, d, [[name] for name in names], []),
        "columns": [
            {"index": j, "levels": None, "fill": None, "missing": []} for j in range(d)
        ],
    }  # fmt: skip
    if table.weight is not None:
        told["weight"] = {"index": d + 1}
    return told
