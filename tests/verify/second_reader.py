"""A second reader of tables, from `proof.schema.json` alone: csv and fractions, plain and slow."""

import csv
import io
import re
from fractions import Fraction

BLANK = " \t\n\r\v\f"
DECIMAL_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")


def rows_of_text(data: bytes, dialect: dict) -> list[list[str]]:
    """Every record that is not blank."""
    text = data.decode(dialect["encoding"]).lstrip("\ufeff")
    options = {"quotechar": '"'} if dialect["quote"] else {"quoting": csv.QUOTE_NONE}
    if dialect["delimiter"] == "whitespace":
        records = [line.split() for line in text.splitlines()]
    else:
        stream = io.StringIO(text, newline="")
        records = list(csv.reader(stream, delimiter=dialect["delimiter"], **options))
    return [r for r in records if len(r) > 1 or (r and r[0].strip(BLANK))]


def exact(cell: str, decimal: str) -> Fraction:
    """The number as it is written, digit by digit."""
    sign, before, after, power = DECIMAL_NUMBER.fullmatch(cell.replace(decimal, ".")).groups()
    after = after or ""
    digits = int((before + after) or "x")
    value = Fraction(digits) * Fraction(10) ** (int(power or 0) - len(after))
    return -value if sign == "-" else value


def double(value: Fraction) -> Fraction:
    """The nearest double, by the correctly rounded division of whole numbers."""
    return Fraction(value.numerator / value.denominator)


def read(data: bytes, proof: dict) -> tuple[list[list[Fraction]], list[int], list[Fraction]]:
    """The points without x_0, the answers and the weights of the rows that take part."""
    table = proof["table"]
    dialect, label = table["dialect"], table["label"]
    records = rows_of_text(data, dialect)[1 if dialect["header"] else 0 :]
    points, answers, weights = [], [], []
    for record in records:
        point = [_features(record[c["index"]].strip(BLANK), c, dialect) for c in table["columns"]]
        answer = record[label["index"]]
        if None in point or answer in label["unlabelled"]:
            continue
        weight = Fraction(1)
        if table.get("weight"):
            cell = record[table["weight"]["index"]].strip(BLANK)
            weight = double(exact(cell, dialect["decimal"]))
        if weight == 0:
            continue
        assert (answer in label["yes"]) != (answer in label["no"])
        points.append([v for values in point for v in values])
        answers.append(1 if answer in label["yes"] else -1)
        weights.append(weight)
    return points, answers, weights


def _features(cell: str, column: dict, dialect: dict) -> list[Fraction] | None:
    if cell in column["missing"]:
        if column["fill"] is None:
            return None
        if column["levels"] is None:
            return [Fraction(column["fill"])]
        cell = column["fill"]
    if column["levels"] is None:
        return [double(exact(cell, dialect["decimal"]))]
    assert cell in column["levels"]
    return [Fraction(cell == level) for level in column["levels"][1:]]
