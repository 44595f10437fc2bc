"""Where the real tables are: beside the project, for us and for CI, not for users."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

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
