"""What a table in blocks knows of the files it came from: what models and reports need."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from separatrix.data import InputError
from separatrix.scale.paths import file_names
from separatrix.tables import Dialect, Encoding
from separatrix.tables.recipes import Recipe


@dataclass(frozen=True, slots=True)
class About:
    """The files of a table in blocks, how they were read, and what is asked of their rows."""

    name: str  # as messages call the table: the name of the file, or the first of several
    format: str  # "csv", "parquet", ...; "arrays" for `.npy`
    paths: tuple[str, ...]
    encoding: Encoding  # how columns became features
    label: str
    no: str
    yes: str
    n_yes: int  # rows that are yes, of those that are used
    n_rows_in_file: int
    n_dropped: int = 0
    n_filled: int = 0  # rows with a missing value that was filled in
    notes: tuple[str, ...] = ()
    missing: str = "drop"  # "drop", "fill" or "level"
    line_word: str = "row"  # "line" or "row"
    dialect: Dialect | None = None
    extra: tuple[str, ...] = ()  # the columns that are not features
    recipes: tuple[Recipe, ...] = ()
    weight_column: str | None = None
    rest: tuple[str, ...] = ()  # the labels that are no, where several are
    warnings: tuple[str, ...] = ()  # of the notes those that ask for a look
    label_texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # as they are written

    @property
    def file_names(self) -> tuple[str, ...]:
        return file_names(self.paths)

    @property
    def sha256(self) -> str:
        """The digest of the file; of several, that of their digests one below the other."""
        digests = []
        for path in self.paths:
            try:
                with Path(path).open("rb") as file:
                    digests.append(hashlib.file_digest(file, "sha256").hexdigest())
            except OSError as error:
                raise InputError(f"cannot read {path!r}: {error.strerror}.") from None
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
