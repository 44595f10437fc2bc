"""Correct digits on NIST's reference tables for linear regression, where they are at hand."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answer import Adapter
from benchmarks.data import Problem
from benchmarks.references import correct_digits_each

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "reference.json"
TABLES = ("Filip", "Wampler1", "Wampler5", "Longley")


def digits(adapters: Sequence[Adapter], file: Path = FILE) -> dict[str, dict[str, float]]:
    """Return the correct digits of the worst coefficient by table and by name; {} without a file.

    Who is not installed has no entry; whose fit fails has 0 digits.
    """
    if not file.exists():
        return {}
    entries = json.loads(file.read_text(encoding="utf-8"))["nist"]
    found: dict[str, dict[str, float]] = {}
    for table in TABLES:
        problem = problem_of(entries[table])
        found[table] = {}
        for adapter in adapters:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    weights = adapter.prepare(problem)().weights
            except ImportError:
                continue
            except Exception:
                weights = None
            right = 0.0 if weights is None else correct_digits_each(weights, problem.target)
            found[table][adapter.name] = right
    return found


def problem_of(entry: dict[str, Any]) -> Problem:
    """Return a table of NIST's with an intercept; its target is the certified solution."""
    x, y = (np.array(entry["data"][name], dtype=np.float64) for name in ("x", "y"))
    certified = np.array([float(b) for b in entry["certified_beta"]])
    if "polynomial" in entry["model"]:
        x = np.column_stack([x**k for k in range(1, certified.size)])
    return Problem(np.ascontiguousarray(x.reshape(y.size, -1)), y, certified, False)
