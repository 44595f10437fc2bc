"""Proof files: what was found out about a table, written so that `verify.py` can check it alone.

A proof names its table by SHA-256 and says how its text becomes rows, so a stranger reads the same
rows from the same bytes. A table that is not plain CSV (Parquet, LIBSVM, text that only our own
reader understands) is proven against a canonical CSV of its features, written beside the proof.

Whole numbers and rationals are written in hexadecimal ("-1f/3"), which any length reads quickly;
doubles as decimal text that reads back to the same double. `proofs.schema.json` is the format.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from separatrix import verify
from separatrix._version import __version__
from separatrix.certificates import Separability, separability_of
from separatrix.certificates.cone import DataRows, signed_rows
from separatrix.certificates.exact import column_exponents, independent_rows, nullspace
from separatrix.data import Floats, InputError, Sample
from separatrix.files import refuse_unwritable, write_whole
from separatrix.tables import CategoryEncoding, Encoding, NumberEncoding, Table, fit_encoding
from separatrix.tables.cells import BLANKS, MISSING_TOKENS
from separatrix.verdict import Verdict

Claim = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof file in the making.

    Parameters
    ----------
    text : the file
    canonical : the CSV that it is about, when that is not the table's own file; else None
    statements : what `verify` says of it
    """

    text: str
    canonical: bytes | None
    statements: tuple[str, ...]


def prove_separability(table: Table, data: bytes, degree: int = 1) -> Proof:
    """Return the proof of whether a line separates the rows of a table.

    Parameters
    ----------
    table : as `read_table` gave it
    data : the bytes of its file
    degree : of the products of columns that lines are drawn in

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from, or it could not be decided.
    """
    table = _without_weightless(table)
    encoding = fit_encoding(table.columns, table.missing, degree)
    X = encoding.encode(table.columns, table.lines, table.line_word)
    sample = Sample(X, table.y, np.array([table.no, table.yes]), np.ones(table.y.size))
    found = separability_of(sample, 1.0)
    claims = claims_of(found, sample)
    if not claims:
        raise InputError(f"undecided whether a line separates {table.name}: {found.reason}.")
    return prove(table, encoding, data, claims)


def prove_verdict(verdict: Verdict, data: bytes) -> Proof:
    """Return the proof of what a verdict claims: separability, and the mistakes of its winner.

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from.
    """
    table = verdict.table
    X = verdict.encoding.encode(table.columns, table.lines, table.line_word)
    sample = Sample(X, table.y, verdict.classes, np.ones(table.y.size))
    claims = [*claims_of(verdict.separability, sample), *mistakes_of(verdict.winner.weights)]
    return prove(table, verdict.encoding, data, claims)


def prove(table: Table, encoding: Encoding, data: bytes, claims: Sequence[Claim]) -> Proof:
    """Return the proof file of some claims about a table, after checking it as a stranger would.

    Parameters
    ----------
    table : its rows with a weight above 0
    encoding : how they become features
    data : the bytes of its file
    claims : from `claims_of` and its like

    Raises
    ------
    InputError
        When these are not the bytes that the table was read from.
    """
    if hashlib.sha256(data).hexdigest() != table.sha256:
        raise InputError(f"{table.name} has changed since it was read: read it again.")
    canonical = None
    plain = table.format == "csv" and encoding.monomials is None
    told = _told(table, encoding, data) if plain else None
    if told is None:
        canonical = _canonical(table, encoding)
        told = _told_of_canonical(table, encoding, canonical)
    content = {"claim": [], "format": verify.FORMAT, "version": verify.VERSION}
    content |= {"made_by": __version__, "table": told, "intercept": True, "claims": list(claims)}
    against = data if canonical is None else canonical
    # the words are the verifier's own: a claim that does not verify is never written
    statements = verify.statements(_text(content).encode(), against)
    content["claim"] = statements
    return Proof(_text(content), canonical, tuple(statements))


def write(proof: Proof, path: str | os.PathLike[str]) -> list[str]:
    """Write a proof, and beside it the canonical CSV where there is one; return the paths.

    Raises
    ------
    InputError
        When a file cannot be written.
    """
    written = []
    if proof.canonical is not None:
        beside = canonical_path(path)
        write_whole(beside, proof.canonical)
        written.append(beside)
    write_whole(path, proof.text)
    return [*written, os.fspath(path)]


def canonical_path(path: str | os.PathLike[str]) -> str:
    """Return where the canonical CSV of a proof stands: "proof.json" has "proof.table.csv"."""
    return str(Path(path).with_suffix("")) + ".table.csv"


def refuse_unwritable_proof(path: str | os.PathLike[str], inputs: Sequence[str]) -> None:
    """Raise `InputError` before any work when the proof or its table cannot be written."""
    refuse_unwritable(path, inputs)
    refuse_unwritable(canonical_path(path), inputs)


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


# ---------------------------------------------------------------------- how the table is read


def _without_weightless(table: Table) -> Table:
    if table.weight is None or table.weight.all():
        return table
    rows = np.flatnonzero(table.weight)
    return replace(
        table,
        columns=tuple(column.take(rows) for column in table.columns),
        y=table.y[rows],
        weight=table.weight[rows],
        group=None,
        lines=table.lines[rows],
    )


def _told(table: Table, encoding: Encoding, data: bytes) -> dict[str, Any] | None:
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


# ---------------------------------------------------------------------- the canonical CSV


def _canonical(table: Table, encoding: Encoding) -> bytes:
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


def _told_of_canonical(table: Table, encoding: Encoding, canonical: bytes) -> dict[str, Any]:
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


# ---------------------------------------------------------------------- claims


def claims_of(found: Separability, sample: Sample) -> list[Claim]:
    """Return what a separability answer claims; nothing where it is undecided."""
    if found.verdict == "undecided":
        return []
    if found.verdict == "separable":
        claims = [{"kind": "separable", "weights": hexadecimals(found.exact_weights)}]
        proof = found.margin_proof
        if proof is not None:
            claims.append(
                {
                    "kind": "margin",
                    "weights": hexadecimals(found.exact_weights),
                    **_multipliers(proof.rows, proof.multipliers),
                }
            )
        return claims
    if found.verdict == "touching":
        assert found.refusal is not None  # noqa: S101  # not separable
        return [
            {
                "kind": "touching",
                "weights": hexadecimals(found.exact_weights),
                **_multipliers(found.refusal.rows, found.refusal.multipliers),
            }
        ]
    rows = found.witness.rows.tolist()
    spanning = {
        "kind": "overlapping",
        "null_space": _null_space(sample, rows),
        **_multipliers(rows, found.witness.multipliers),
    }
    refusal = found.refusal
    if refusal is None or len(refusal.rows) == len(rows):
        return [spanning]
    return [{"kind": "not separable", **_multipliers(refusal.rows, refusal.multipliers)}, spanning]


def mistakes_of(weights: Floats) -> list[Claim]:
    """Return the claim that recounts the mistakes of a line (1+d,); none for no line at all."""
    if not weights.any():
        return []
    return [{"kind": "mistakes", "weights": [float(w) for w in weights]}]


def hexadecimal(value: Fraction | int) -> str:
    """Return "-1f" or "-1f/3"."""
    value = Fraction(value)
    above = format(value.numerator, "x")
    return above if value.denominator == 1 else f"{above}/{value.denominator:x}"


def hexadecimals(values: Sequence[Fraction] | None) -> list[str]:
    """Return the same for several numbers."""
    return [hexadecimal(value) for value in values or ()]


def _multipliers(rows: Sequence[int], multipliers: Sequence[int]) -> Claim:
    return {
        "rows": [int(n) for n in rows],
        "multipliers": [hexadecimal(int(a)) for a in multipliers],
    }


def _null_space(sample: Sample, rows: Sequence[int]) -> list[list[str]]:
    """Return a basis of the lines that vanish on these rows, hence on all."""
    values = signed_rows(sample, 1.0)
    exponents = column_exponents(values)
    integers = DataRows(values, exponents).take(rows)
    basis, _ = nullspace([integers[i] for i in independent_rows(integers)], sample.d + 1)
    units = [Fraction(2) ** int(-e) for e in exponents]
    return [
        hexadecimals([a * unit for a, unit in zip(vector, units, strict=True)]) for vector in basis
    ]
