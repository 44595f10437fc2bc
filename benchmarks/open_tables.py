"""The real tables whose fewest mistakes nobody has proven: bounds after two minutes, one thread."""

from __future__ import annotations

from pathlib import Path

import separatrix
from separatrix.tables import fit_encoding

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
TABLES = {
    "pima": "open_01/pima.csv",
    "birthwt": "birthwt.csv",
    "heart": "heart_statlog.csv",
    "australian": "open_01/australian.csv",
}
SECONDS = 120.0


def brackets(folder: Path = FOLDER, seconds: float = SECONDS) -> dict[str, dict[str, float]]:
    """Return both bounds, and the lower as a share of the upper, of each table that is there."""
    found = {}
    for name, file in TABLES.items():
        if not (folder / file).exists():
            continue
        table = separatrix.read_table(folder / file, label="label")
        X = fit_encoding(table.columns, "drop").encode(table.columns, table.lines)
        bracket = separatrix.minimum_errors(X, table.y, time_limit=seconds)
        if bracket.interrupted:
            raise KeyboardInterrupt
        lower, upper = bracket.lower, bracket.upper
        found[name] = {"lower": lower, "upper": upper, "share": lower / upper}
    return found
