"""The files of a command: written all or none, before anything is printed, and remembered."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import click


@dataclass(slots=True)
class Written:
    """The files that the running command has written.

    Parameters
    ----------
    paths : whole ones
    checkpoint : the file that keeps what is done of a command that has not ended
    """

    paths: list[str] = field(default_factory=list)
    checkpoint: str | None = None

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.paths)

    def __str__(self) -> str:
        """Return "m.json and p.json were written", for a command that did not end well."""
        *first, last = (os.path.basename(path) for path in self.paths)
        names = f"{', '.join(first)} and {last}" if first else last
        return f"{names} {'were' if first else 'was'} written"


def write_files(contents: Mapping[str, str | bytes]) -> None:
    """Write the files of a command, all or none, in this order; `InputError` where it cannot be."""
    from separatrix.files import write_together

    write_together(contents)
    note_written(*contents)


def note_checkpoint(path: str | None) -> None:
    """Remember the file from which the running command can go on; None where it has ended."""
    written = click.get_current_context().find_object(Written)
    if written is not None:
        written.checkpoint = path


def refuse_same_file(outputs: Mapping[str, str | None]) -> None:
    """Raise a usage error where two outputs {option: path} name one file."""
    named: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        first = named.setdefault(os.path.realpath(path), option)
        if first != option:
            raise click.UsageError(f"{first} and {option} name the same file.")


def note_written(*paths: str) -> None:
    """Remember files that the library has written."""
    written = click.get_current_context().find_object(Written)
    if written is not None:
        written.paths.extend(paths)
