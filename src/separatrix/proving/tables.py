"""How a proof file names a table: by SHA-256, and by how its text becomes rows.

A table that is not plain CSV (Parquet, LIBSVM, text that only our own reader understands) is proven
against a canonical CSV of its features.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix import verify
from separatrix.data import Floats, Points, dense
from separatrix.tables import CategoryEncoding, ClassTable, Dialect, Encoding, NumberEncoding, Table
from separatrix.tables.cells import BLANKS, MISSING_TOKENS
from separatrix.tiles import tiles


def csv_description(read: Table | ClassTable, encoding: Encoding, data: bytes) -> dict[str, Any]:
    """Return how a CSV file becomes these rows."""
    table = base_of(read)
    assert table.dialect is not None  # noqa: S101  # a CSV table has one
    how = cells_of(table.dialect)
    index = places_of(next(iter(verify.Records(data, how)))[1], header=how["header"])
    texts = table.label_texts
    if isinstance(read, ClassTable):
        of: Sequence[Sequence[str]] = [texts[name] for name in read.names]
    else:
        of = no_and_yes(texts, table.yes)
    told = {
        "name": table.name, "sha256": table.sha256, "rows": int(table.y.size), "dialect": how,
        "label": _label(index[table.label], of, texts[""], several=read is not table),
        "columns": [column_of(c, index[c.name]) for c in encoding.columns],
    }  # fmt: skip
    if table.weight_column is not None:
        told["weight"] = {"index": index[table.weight_column]}
    return told


def no_and_yes(texts: Mapping[str, Sequence[str]], yes: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the texts that mean no, whichever label they are, and yes."""
    no = [text for name, of in texts.items() if name not in ("", yes) for text in of]
    return sorted(no), texts[yes]


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


def _label(
    index: int, texts: Sequence[Sequence[str]], unlabelled: Sequence[str], *, several: bool
) -> dict[str, Any]:
    """Return the label column as a proof tells it, given the texts of each class."""
    if several:
        means: dict[str, Any] = {"classes": [{"texts": [*some]} for some in texts]}
    else:
        means = {"yes": [*texts[1]], "no": [*texts[0]]}
    return {"index": index, **means, "unlabelled": [*unlabelled]}


def column_of(column: NumberEncoding | CategoryEncoding, index: int) -> dict[str, Any]:
    """Return how a column becomes features; where "+" is a level of it, "-" is a sign."""
    levels = list(column.levels) if isinstance(column, CategoryEncoding) else None
    signs = {"-"} if "+" in (levels or ()) else set()
    missing = [text for text in MISSING_TOKENS if text not in {*signs, *(levels or ())}]
    return {"index": index, "levels": levels, "fill": column.fill, "missing": missing}


@dataclass(frozen=True, slots=True)
class PlainTable:
    """Features, labels and weights of rows, which are written beside a proof as plain CSV."""

    name: str  # of the table that they were made of
    sha256: str  # likewise
    header: tuple[str, ...]  # the features, the label and the weight, if there is one
    X: Points  # (N, d)
    codes: NDArray[np.int64]  # (N,) the place of each row's label
    labels: Sequence[str]  # two, no and yes, or the classes
    weight: Floats | None

    @classmethod
    def of(cls, read: Table | ClassTable, encoding: Encoding) -> PlainTable:
        table = base_of(read)
        X = encoding.encode(table.columns, table.lines, table.line_word)
        asked = read if isinstance(read, ClassTable) else ClassTable.of_two(table)
        weighed = [] if table.weight_column is None else [table.weight_column]
        header = (*encoding.feature_names, table.label, *weighed)
        return cls(table.name, table.sha256, header, X, asked.codes, asked.names, table.weight)

    @property
    def csv(self) -> bytes:
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        writer.writerow(self.header)
        parts = (dense(self.X[tile], "some rows").tolist() for tile in tiles(self.X.shape[0]))
        codes = self.codes.tolist()
        for k, point in enumerate(chain.from_iterable(parts)):
            more = [] if self.weight is None else [repr(float(self.weight[k]))]
            writer.writerow([*map(repr, point), self.labels[codes[k]], *more])
        return out.getvalue().encode()

    def description(self, written: bytes) -> dict[str, Any]:
        """Return how the CSV becomes rows."""
        n, d = self.X.shape
        texts = [[label] for label in self.labels]
        told: dict[str, Any] = {
            "name": self.name, "sha256": hashlib.sha256(written).hexdigest(),
            "rows": n, "original": {"sha256": self.sha256},
            "dialect": {
                "delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."
            },
            "label": _label(d, texts, [], several=len(texts) > 2),
            "columns": [
                {"index": j, "levels": None, "fill": None, "missing": []} for j in range(d)
            ],
        }  # fmt: skip
        if self.weight is not None:
            told["weight"] = {"index": d + 1}
        return told
