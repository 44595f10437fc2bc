"""How the page was made: enough to make it again."""

from __future__ import annotations

from separatrix.report.page.names import Name, Names
from separatrix.tables import Table
from separatrix.tables.wording import counted
from separatrix.verdict.folds import SEED

LONGEST_COMMAND = 300
FROM_PYTHON = "separatrix.to_html(separatrix.judge(...))"


def origin(
    version: str, table: Table, n_folds: int, command: str, names: Names
) -> list[tuple[str, Name]]:
    """Return (what, value) pairs; values that hold words of the user are names."""
    said = [
        ("separatrix", version),
        ("command", command or f"from Python: {FROM_PYTHON}"),
        ("data", table.name),
        ("SHA-256 of the data", table.sha256 or "none: the data were arrays, not a file"),
        ("rows read", counted(table.n_rows_in_file, "row")),
        ("seed", f"{SEED} (of the folds and of pocket's draws)"),
        ("cross-validation", counted(n_folds, "fold") if n_folds else "none"),
    ]
    return [(what, names.of(value, LONGEST_COMMAND)) for what, value in said]
