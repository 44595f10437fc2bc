"""How a proof file names a table: by SHA-256, and by how its text becomes rows.

A table that is not plain CSV (Parquet, LIBSVM, text that only our own reader understands) is proven
against a canonical CSV of its features.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator
from typing import Any

from separatrix import verify
from separatrix.tables import CategoryEncoding, Encoding, NumberEncoding, Table
from separatrix.tables.cells import BLANKS, MISSING_TOKENS


def told_of_csv(table: Table, encoding: Encoding, data: bytes) -> dict[str, Any] | None:
    """Return how a CSV file becomes these rows; None where our reader knows more than the proof."""
    dialect = table.dialect
    assert dialect is not None  # noqa: S101  # a CSV table has one
    how = {
        "delimiter": dialect.delimiter, "encoding": dialect.encoding, "header": dialect.header,
        "quote": dialect.quote, "decimal": dialect.decimal,
    }  # fmt: skip
    rows = verify.records(data, how)
    _, first = next(rows)
    if dialect.header:
        names = [cell if cell.strip(BLANKS) else f"column {k}" for k, cell in enumerate(first, 1)]
    else:
        names, rows = [f"column {k}" for k in range(1, len(first) + 1)], verify.records(data, how)
    index = {name: k for k, name in enumerate(names)}
    label = _told_labels(table, rows, index[table.label])
    if label is None:
        return None
    pluses = _columns_with_plus(data, how)
    told = {
        "name": table.name, "sha256": table.sha256, "rows": int(table.y.size), "dialect": how,
        "label": label,
        "columns": [
            _told_column(c, index[c.name], index[c.name] in pluses) for c in encoding.columns
        ],
    }  # fmt: skip
    if table.weight is not None:
        told["weight"] = {"index": index[table.extra[1]]}  # the label stands before it
    return told


def _told_labels(
    table: Table, rows: Iterator[tuple[int, list[str]]], index: int
) -> dict[str, Any] | None:
    """Return which texts of the label column mean yes, no and nothing."""
    sign = dict(zip(table.lines.tolist(), table.y.tolist(), strict=True))
    texts: dict[float, set[str]] = {1.0: set(), -1.0: set(), 0.0: set()}
    for line, fields in rows:
        answer = fields[index]
        if line in sign:
            texts[sign[line]].add(answer)
        elif answer.strip(BLANKS) in MISSING_TOKENS:
            texts[0.0].add(answer)
    if texts[1.0] & texts[-1.0]:
        return None
    return {
        "index": index, "yes": sorted(texts[1.0]), "no": sorted(texts[-1.0]),
        "unlabelled": sorted(texts[0.0] - texts[1.0] - texts[-1.0]),
    }  # fmt: skip


def _columns_with_plus(data: bytes, how: dict[str, Any]) -> set[int]:
    """Return the columns in which "+" stands: beside it "-" is a sign and not a missing value."""
    return {
        k for _, fields in verify.records(data, how) for k, cell in enumerate(fields)
        if cell.strip(BLANKS) == "+"
    }  # fmt: skip


def _told_column(
    column: NumberEncoding | CategoryEncoding, index: int, has_plus: bool
) -> dict[str, Any]:
    missing = [text for text in MISSING_TOKENS if text != "-" or not has_plus]
    if isinstance(column, CategoryEncoding):
        missing = [text for text in missing if text not in column.levels]
        return {
            "index": index, "levels": list(column.levels), "fill": column.fill, "missing": missing
        }  # fmt: skip
    return {"index": index, "levels": None, "fill": column.fill, "missing": missing}


def canonical_csv(table: Table, encoding: Encoding) -> bytes:
    """Return the features, the answer (yes or no) and the weight of every row as plain CSV."""
    X = encoding.encode(table.columns, table.lines, table.line_word)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    weighed = [] if table.weight is None else ["weight"]
    writer.writerow([*encoding.feature_names, "answer", *weighed])
    for k, point in enumerate(X.tolist()):
        more = [] if table.weight is None else [repr(float(table.weight[k]))]
        writer.writerow([*map(repr, point), "yes" if table.y[k] > 0 else "no", *more])
    return out.getvalue().encode()


def told_of_canonical(table: Table, encoding: Encoding, canonical: bytes) -> dict[str, Any]:
    """Return how the canonical CSV becomes rows."""
    d = len(encoding.feature_names)
    told: dict[str, Any] = {
        "name": table.name, "sha256": hashlib.sha256(canonical).hexdigest(),
        "rows": int(table.y.size), "original": {"sha256": table.sha256},
        "dialect": {
            "delimiter": ",", "encoding": "utf-8", "header": True, "quote": '"', "decimal": "."
        },
        "label": {"index": d, "yes": ["yes"], "no": ["no"], "unlabelled": []},
        "columns": [
            {"index": j, "levels": None, "fill": None, "missing": []} for j in range(d)
        ],
    }  # fmt: skip
    if table.weight is not None:
        told["weight"] = {"index": d + 1}
    return told
