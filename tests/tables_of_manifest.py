"""The public tables as arrays, encoded as the manifest says."""

from dataclasses import replace
from functools import cache

import numpy as np

from separatrix import read_table
from separatrix.tables import CategoryEncoding, Encoding, fit_encoding
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


@cache
def public_table(name: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """X (N, d), y of -1 / +1 and the names of the features, rows with missing values dropped."""
    entry = next(e for e in manifest() if e["name"] == name)
    lecture = entry["file"].endswith(".dat")
    options = (
        {"label": "last", "yes": "1", "header": False}
        if lecture
        else {"label": "label", "yes": "yes"}
    )
    table = read_table(DATA / entry["file"], **options)
    encoding = first_level_as_baseline(fit_encoding(table.columns, "drop"))
    X = encoding.encode(table.columns, table.lines)
    names = tuple(f"x{j + 1}" for j in range(X.shape[1])) if lecture else encoding.feature_names
    return X, table.y, names
