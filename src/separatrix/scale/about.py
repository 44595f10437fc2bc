"""What a table in blocks knows of the files it came from: what models and reports need."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from separatrix.data import InputError
from separatrix.scale.source import file_names
from separatrix.tables import Dialect, Encoding
from separatrix.tables.recipes import Recipe

READ_AT_ONCE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class About:
    """The files of a table in blocks, how they were read, and what is asked of their rows.

    Parameters
    ----------
    name : str
        As messages call the table: the name of the file, or the first of several.
    format : str
        "csv", "parquet", ...; "arrays" for `.npy`.
    paths : tuple of str
    encoding : Encoding
        How columns became features.
    label : str
    no, yes : str
        The labels for -1 and +1.
    n_yes : int
        Rows that are yes, of those that are used.
    n_rows_in_file, n_dropped : int
        All rows, and those left out because a value is missing.
    n_filled : int
        Rows with a missing value that was filled in.
    notes : tuple of str
        Sentences for the user: how files were read, what was dropped and why.
    missing : str
        "drop", "fill" or "level".
    line_word : str
        "line" or "row".
    dialect : Dialect or None
    extra : tuple of str
        The columns that are not features.
    recipes : tuple of Recipe
    weight_column : str or None
    label_texts : (no, yes, missing), each a tuple of str, or None
        What stands in the label column of a CSV file for each; None for other files.
    """

    name: str
    format: str
    paths: tuple[str, ...]
    encoding: Encoding
    label: str
    no: str
    yes: str
    n_yes: int
    n_rows_in_file: int
    n_dropped: int = 0
    n_filled: int = 0
    notes: tuple[str, ...] = ()
    missing: str = "drop"
    line_word: str = "row"
    dialect: Dialect | None = None
    extra: tuple[str, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    weight_column: str | None = None
    label_texts: tuple[tuple[str, ...], ...] | None = None

    @property
    def file_names(self) -> tuple[str, ...]:
        """As people are shown the files."""
        return file_names(self.paths)

    @property
    def sha256(self) -> str:
        """The digest of the file; of several, that of their digests one below the other.

        The files are read for it.
        """
        digests = [_sha256(path) for path in self.paths]
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()


def named(paths: Sequence[str]) -> str:
    """Return how messages call a table of some files."""
    first = Path(paths[0]).name
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"


def _sha256(path: str) -> str:
    made = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while part := file.read(READ_AT_ONCE):
                made.update(part)
    except OSError as error:
        raise InputError(f"cannot read {path!r}: {error.strerror}.") from None
    return made.hexdigest()
