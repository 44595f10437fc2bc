"""The public tables as arrays, encoded as the manifest says."""

from dataclasses import replace
from functools import cache

import numpy as np

from separatrix import read_table
from separatrix.tables import CategoryEncoding, Encoding, Table, fit_encoding
from tests.shared_data import DATA, manifest


def first_level_as_baseline(encoding: Encoding) -> Encoding:
    """The encoding of reference values and made targets: the baseline is the first sorted level."""
    columns = [
        replace(column, levels=tuple(sorted(column.levels)))
        if isinstance(column, CategoryEncoding)
        else column
        for column in encoding.columns
    ]
    return replace(encoding, columns=tuple(columns))


def is_lecture(entry: dict) -> bool:
    return entry["file"].endswith(".dat")


def read_public(entry: dict) -> Table:
    asked = {"label": "label", "yes": "yes"}
    how = {"label": "last", "yes": "1", "header": False} if is_lecture(entry) else asked
    return read_table(DATA / entry["file"], **how)


@cache
def public_table(name: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """X (N, d), y of -1 / +1 and the names of the features, rows with missing values dropped."""
    entry = next(e for e in manifest() if e["name"] == name)
    table = read_public(entry)
    encoding = first_level_as_baseline(fit_encoding(table.columns, "drop"))
    X = encoding.encode(table.columns, table.lines)
    names = tuple(f"x{j + 1}" for j in range(X.shape[1]))
    return X, table.y, names if is_lecture(entry) else encoding.feature_names
