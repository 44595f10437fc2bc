"""The real tables, as files and as arrays: beside the project, for us and CI, not for users."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from separatrix import read_table
from separatrix.tables import CategoryEncoding, Encoding, Table, fit_encoding

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = SHARED / "data"

needs_shared = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real tables (../shared/data) are not on this machine"
)


@cache
def manifest() -> list[dict]:
    """The tables and their exactly proven verdicts; empty where the folder is absent."""
    path = DATA / "manifest.json"
    return json.loads(path.read_text()) if path.exists() else []


@cache
def ntu(name: str) -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(DATA / "ntu" / name)
    return table[:, :-1], table[:, -1]


@cache
def ntu_answers() -> dict:
    return json.loads((DATA / "ntu" / "answers.json").read_text())


@cache
def reference() -> dict:
    return json.loads((DATA / "reference.json").read_text())


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
