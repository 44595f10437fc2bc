"""The table of a command and what is asked of it: one decorator, one frozen object.

A table that does not fit into memory is read in blocks, and so is one for which that is asked.
"""

from __future__ import annotations

import functools
import glob
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click

from separatrix._types import Untyped
from separatrix.cli.options import dialect_options, table_options, together
from separatrix.cli.outputs import OutputFile, note_checkpoint, output_option, refuse_outputs
from separatrix.cli.showing import say

if TYPE_CHECKING:
    from separatrix.scale import Rows
    from separatrix.tables.files.source import Source

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
OF_BLOCKS = ("memory", "scratch", "dask", "workers", "checkpoint")
NOT_OF_THE_TABLE = {
    "table", "lang", "as_json", "quiet", "overwrite", "penalty",  # infer's is of other names
}  # fmt: skip
LEAVE_OUT = (
    "leave it out or, where one file fits into memory, leave --memory and other options of blocks "
    "out"
)


def asks(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a decorator of a command that takes a `Question` for its table and these options."""

    def none() -> None: ...

    known = {option.name for option in cast("Any", together(*options)(none)).__click_params__}

    def decorate(command: Untyped) -> Untyped:
        @functools.wraps(command)
        def run(*, table: str | tuple[str, ...] | None, **given: Untyped) -> Untyped:
            tables = (table,) if isinstance(table, str) else table or ()
            asked = {name: given.pop(name, None) for name in (*OF_BLOCKS, "multiclass")}
            degree, quiet = given.pop("degree", 1), given.pop("quiet", False)
            reading = {key: given.pop(key) for key in [*given] if key in known or key == "group"}
            if asked["multiclass"] is not None and reading.pop("yes") is not None:
                raise click.UsageError(
                    "--yes makes one yes / no question of the labels, --multiclass asks about each "
                    "of them: give one of the two."
                )
            question = Question(tables, reading, degree=degree, quiet=quiet, **asked)
            return command(question, **given)

        return together(*options)(run)

    return decorate


asks_of_table = asks(table_options, dialect_options, blocks_options, cluster_options)


@dataclass(frozen=True, slots=True)
class Question:
    """A table and what was asked of it."""

    tables: tuple[str, ...]  # files and patterns, which are one table
    reading: dict[str, Untyped]  # what `read_table` is asked for
    degree: int = 1
    multiclass: str | None = None
    quiet: bool = False
    memory: str | None = None
    scratch: str | None = None
    dask: str | None = None
    workers: int | None = None
    checkpoint: str | None = None

    @property
    def table(self) -> str:
        """The table, or the first part of one."""
        return self.tables[0]

    @property
    def files(self) -> list[str]:
        """The files that are read, which no output may replace."""
        return [file for name in self.tables for file in files_of(name)]

    @property
    def asked(self) -> dict[str, Untyped]:
        """What makes the table of a proof again."""
        said = {"options": self.reading, "degree": self.degree, "multiclass": self.multiclass}
        return said | {"in_blocks": self.in_blocks}

    @property
    def asks_for_blocks(self) -> bool:
        """Whether it is read in blocks whatever its size: asked for, a pattern or an array."""
        asked = any(getattr(self, name) is not None for name in OF_BLOCKS)
        if self.table == "-":
            if asked:
                raise click.UsageError("stdin is not read in blocks: write it to a file.")
            return False
        several = len(self.tables) > 1 or is_pattern(self.table)
        return asked or several or self.table.endswith(".npy")

    @property
    def in_blocks(self) -> bool:
        """Whether it is read in blocks: asked for, a pattern, or larger than the budget."""
        if self.asks_for_blocks:
            return True
        try:
            size = os.path.getsize(self.table) if os.path.isfile(self.table) else 0
        except OSError:
            return False
        if size < 1 << 24:  # below the least budget: nothing is imported to see that
            return False
        from separatrix.scale import memory_budget

        return size > memory_budget()

    def refuse_outputs(self) -> None:
        """Raise for output files that must not be written, or cannot be."""
        refuse_outputs(*self.files, self.reading["label"])

    @contextmanager
    def opened(
        self, tell: Untyped, source: Source | None = None, *, one_question: bool = False,
        in_blocks: bool = False,
    ) -> Iterator[Untyped]:  # fmt: skip
        """Yield the table, in memory or in blocks; a checkpoint is removed where all ends well."""
        tell("reading")
        with ExitStack() as opened:
            with self.ways_on(one_question=one_question or in_blocks):
                data: Untyped
                if in_blocks:
                    data = opened.enter_context(self._blocks(tell))
                else:
                    from separatrix.tables import read_classes, read_table

                    read = read_table if self.multiclass is None else read_classes
                    data = read(source or self.table, **self.reading)
            yield data

    @contextmanager
    def _blocks(self, tell: Untyped) -> Iterator[Rows]:
        from separatrix.scale.back_ends import cluster
        from separatrix.scale.budget import memory_in_bytes
        from separatrix.scale.tables_of_files import open_table

        memory = None
        if self.memory is not None:
            memory = memory_in_bytes(self.memory, 1 + (self.workers or 0))
        with cluster(self.dask, self.workers) as back_end:
            made = open_table(
                self.table if len(self.tables) == 1 else self.tables, memory=memory,
                scratch=self.scratch, back_end=back_end, checkpoint=self.checkpoint, progress=tell,
                **self.reading,
            )  # fmt: skip
            note_checkpoint(self.checkpoint)
            made.progress = getattr(tell, "of_rows", None)
            if not self.quiet:
                _say_blocks(made)
            with made.journal.explained():
                yield made
            made.journal.remove()
            note_checkpoint(None)

    @contextmanager
    def ways_on(self, *, one_question: bool = False) -> Iterator[None]:
        """Add to what is wrong with the table the command that shows it and proposes options."""
        from separatrix.data import InputError, typed
        from separatrix.tables.labels import ASK_ALL
        from separatrix.tables.wording import TableError

        try:
            yield
        except InputError as error:
            said = typed(error).replace(ASK_ALL, "") if one_question else typed(error)
            if isinstance(error, TableError) and (
                os.path.isfile(self.table) or glob.has_magic(self.table)
            ):
                label = self.reading["label"]
                unknown = f"has no column {label!r}" in said  # the command is to propose one
                named = ["--label", label] if label and not unknown else []
                line = "\n  " if "\n" in said else " "
                check = shlex.join(["separatrix", "check", self.table, *named])
                said += f"{line}To see every column and a command that reads the table: {check}"
            raise InputError(said) from None


def refuse_in_blocks(option: str, way_out: str = LEAVE_OUT) -> NoReturn:
    from separatrix.data import InputError

    raise InputError(f"{option} is not available for a table that is read in blocks: {way_out}.")


def is_pattern(table: str) -> bool:
    return not os.path.exists(table) and glob.has_magic(table)


def files_of(table: str) -> list[str]:
    return sorted(glob.glob(table)) if is_pattern(table) else [table]


def _say_blocks(table: Rows) -> None:
    budget = f"{table.memory / 1e6:,.0f} MB"
    say(f"{table.n:,} rows are read in blocks; the memory budget is {budget} (--memory)")
    if table.journal.resumed:
        say(
            "what the checkpoint keeps is not computed again: the run goes on from there, after "
            f"{table.journal.before:.1f} s"
        )


def infer_command(ctx: click.Context, table: str) -> str:
    """Return `separatrix infer` with the options that were typed to read the table."""
    infer = cast("click.Group", ctx.find_root().command).commands["infer"]
    return shlex.join(["separatrix", "infer", table, *typed_for(ctx, infer)])


def typed_for(ctx: click.Context, other: click.Command) -> list[str]:
    """Return the options that were typed to read the table and that `other` has, too."""
    from separatrix.files import free_name

    known = {option.name for option in other.params} - NOT_OF_THE_TABLE
    words: list[str] = []
    for option in ctx.command.params:
        value = ctx.params.get(option.name or "")
        typed = (
            ctx.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        )
        if not typed or not isinstance(option, click.Option) or option.name not in known:
            continue
        if isinstance(option, OutputFile):
            words += [option.opts[0], free_name(str(value))]
        elif option.name == "group":  # of folds: here a column that is left out
            words += ["--drop", str(value)]
        elif option.is_flag:
            words += [option.opts[0]] * (value == (option.flag_value is not False))
        elif option.name == "parse":
            words += [option.opts[0], ",".join(value or ())]
        else:
            for one in value if option.multiple and value else [value]:
                words += [option.opts[0], str(one)]
    return words
