"""A second reader of tables, from `proof.schema.json` alone: csv, numpy, fractions; plain, slow."""

import csv
import io
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np

DECIMAL_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")


def exact(cell: str) -> Fraction:
    """The number as it is written, digit by digit."""
    sign, before, after, power = DECIMAL_NUMBER.fullmatch(cell).groups()
    after = after or ""
    digits = int((before + after) or "x")
    value = Fraction(digits) * Fraction(10) ** (int(power or 0) - len(after))
    return -value if sign == "-" else value


def double(value: Fraction) -> Fraction:
    """The nearest double, by the correctly rounded division of whole numbers."""
    return Fraction(value.numerator / value.denominator)


def rows_of(data: bytes | list[bytes], told: dict) -> list[list]:
    """The cells of each row: texts of CSV, numbers of arrays."""
    if told["format"] == "csv":
        text = (data if isinstance(data, bytes) else data[0]).decode("utf-8")
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    files = [np.load(io.BytesIO(file)) for file in data]
    if told["format"] == "csr":
        values, indices, indptr, *files = files
        X = np.zeros((indptr.size - 1, len(told["columns"])))
        for n, (start, stop) in enumerate(pairwise(indptr)):
            X[n, indices[start:stop]] = values[start:stop]
        files = [X, *files]
    return [
        [c for part in parts for c in np.atleast_1d(part).tolist()]
        for parts in zip(*files, strict=True)
    ]


def number(cell) -> Fraction:
    return double(exact(cell)) if isinstance(cell, str) else Fraction(cell)


def read(data, proof: dict, yes=None, no=None) -> tuple[list, list[int], list[Fraction]]:
    """The points without x_0, the answers and the weights of the rows of a question."""
    told = proof["table"]
    label = told["label"]
    no, yes = ([a] for a in label["classes"]) if yes is None else (no, yes)
    points, answers, weights = [], [], []
    for row in rows_of(data, told):
        answer = row[label["index"]]
        if not isinstance(answer, str):
            answer = str(int(answer))
        if answer not in {*yes, *no}:
            assert answer in label["classes"]
            continue
        weights.append(Fraction(1) if told.get("weight") is None else number(row[told["weight"]]))
        points.append([v for c in told["columns"] for v in _features(row, c)])
        answers.append(1 if answer in yes else -1)
    return points, answers, weights


def _features(row: list, column) -> list[Fraction]:
    if not isinstance(column, dict):
        return [number(row[column])]
    cell = row[column["index"]]
    assert cell in column["levels"]
    return [Fraction(cell == level) for level in column["levels"][1:]]
