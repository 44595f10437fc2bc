"""Tables larger than memory on the command line: when they are read in blocks, and how."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import click

from separatrix._types import Untyped
from separatrix.cli.options import dialect_options, table_options, together
from separatrix.cli.outputs import note_checkpoint, output_option
from separatrix.cli.showing import say

if TYPE_CHECKING:
    from separatrix.scale import Rows

blocks_options = together(
    click.option("--memory", metavar="SIZE", help="Read TABLE in blocks, all processes within "
                 "about SIZE, such as 512MB (the least); larger files, and patterns such as "
                 "'big/*.parquet', are in any case. [default: a quarter of what is available]"),
    click.option("--scratch", metavar="DIR", help="Where files that are no plain numbers are "
                 "converted to, for as long as the command runs. [default: TMPDIR]"),
)  # fmt: skip
cluster_options = together(
    click.option("--dask", metavar="ADDRESS", help="Go over blocks on this Dask cluster."),
    click.option("--workers", type=click.IntRange(min=1), metavar="N",
                 help="Go over blocks in N processes of this machine."),
    output_option("--checkpoint", kind="a checkpoint", help="Keep what is done of a table in "
                  "blocks in F, so that a command that was killed goes on where it was."),
)  # fmt: skip
LEAVE_OUT = (
    "leave it out or, where one file fits into memory, leave --memory and other options of blocks "
    "out"
)
reading_options = together(table_options, dialect_options, blocks_options, cluster_options)


@dataclass(frozen=True, slots=True)
class Blocks:
    """What was asked of the reading in blocks."""

    memory: str | None = None
    scratch: str | None = None
    dask: str | None = None
    workers: int | None = None
    checkpoint: str | None = None

    @classmethod
    def taken_from(cls, options: dict[str, Untyped]) -> Blocks:
        """Return them, and take them out of the options of a command."""
        return cls(**{name: options.pop(name, None) for name in cls.__dataclass_fields__})

    def are_asked_for(self, table: str) -> bool:
        """Whether a table is read in blocks whatever its size: asked for, a pattern or an array."""
        asked = (self.memory, self.scratch, self.dask, self.workers, self.checkpoint)
        if table == "-":
            if any(value is not None for value in asked):
                raise click.UsageError("stdin is not read in blocks: write it to a file.")
            return False
        names = is_pattern(table) or table.endswith(".npy")
        return names or any(value is not None for value in asked)

    def are_for(self, table: str) -> bool:
        """Whether a table is read in blocks: asked for, a pattern, or larger than the budget."""
        if self.are_asked_for(table):
            return True
        try:
            size = os.path.getsize(table) if os.path.isfile(table) else 0
        except OSError:
            return False
        if size < 1 << 24:  # below the least budget: nothing is imported to see that
            return False
        from separatrix.scale import memory_budget

        return size > memory_budget()

    @contextmanager
    def opened(
        self, table: str | Sequence[str], options: dict[str, Untyped], tell: Untyped, quiet: bool
    ) -> Iterator[Rows]:
        """Yield a table in blocks; a checkpoint is removed where all ends well."""
        from separatrix.scale.budget import memory_in_bytes
        from separatrix.scale.on_dask import cluster
        from separatrix.scale.tables_of_files import open_table

        memory = None
        if self.memory is not None:
            memory = memory_in_bytes(self.memory, 1 + (self.workers or 0))
        with cluster(self.dask, self.workers) as back_end:
            made = open_table(
                table, memory=memory, scratch=self.scratch, back_end=back_end,
                checkpoint=self.checkpoint, progress=tell, **options,
            )  # fmt: skip
            note_checkpoint(self.checkpoint)
            made.progress = getattr(tell, "of_rows", None)
            if not quiet:
                _say_blocks(made)
            with made.journal.explained():
                yield made
            made.journal.remove()
            note_checkpoint(None)


def refuse_in_blocks(option: str, way_out: str = LEAVE_OUT) -> NoReturn:
    from separatrix.data import InputError

    raise InputError(f"{option} is not available for a table that is read in blocks: {way_out}.")


def is_pattern(table: str) -> bool:
    return not os.path.exists(table) and glob.has_magic(table)


def inputs_of(table: str) -> list[str]:
    """Return the files that are read, which no output may replace."""
    return sorted(glob.glob(table)) if is_pattern(table) else [table]


def _say_blocks(table: Rows) -> None:
    budget = f"{table.memory / 1e6:,.0f} MB"
    say(f"{table.n:,} rows are read in blocks; the memory budget is {budget} (--memory)")
    if table.journal.resumed:
        say(
            "what the checkpoint keeps is not computed again: the run goes on from there, after "
            f"{table.journal.before:.1f} s"
        )
