"""Reading a table to learn from: what a command says where it cannot be read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ways_on(table: str, label: str | None, *, one_question: bool = False) -> Iterator[None]:
    """Add to what is wrong with a table the command that shows all of it and proposes options.

    With `one_question` nothing is said of --multiclass, which the command does not have.
    """
    from separatrix.data import InputError, typed
    from separatrix.tables.labels import ASK_ALL
    from separatrix.tables.problems import TableError

    try:
        yield
    except InputError as error:
        said = typed(error).replace(ASK_ALL, "") if one_question else typed(error)
        if isinstance(error, TableError) and os.path.isfile(table):
            named = ["--label", label] if label else []
            check = shlex.join(["separatrix", "check", table, *named])
            line = "\n  " if "\n" in said else " "
            said = f"{said}{line}To see every column and a command that reads the table: {check}"
        raise InputError(said) from None
