"""Reading a table to learn from: what a command says where it cannot be read."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, cast

import click

from separatrix._types import Untyped
from separatrix.cli.blocks import Blocks
from separatrix.cli.outputs import OutputFile

if TYPE_CHECKING:
    from separatrix.tables.files.source import Source

NOT_OF_THE_TABLE = {
    "table", "lang", "as_json", "quiet", "overwrite", "penalty",  # infer's is of other names
}  # fmt: skip


@contextmanager
def ways_on(table: str, label: str | None, *, one_question: bool = False) -> Iterator[None]:
    """Add to what is wrong with a table the command that shows all of it and proposes options."""
    from separatrix.data import InputError, typed
    from separatrix.tables.labels import ASK_ALL
    from separatrix.tables.wording import TableError

    try:
        yield
    except InputError as error:
        said = typed(error).replace(ASK_ALL, "") if one_question else typed(error)
        if isinstance(error, TableError) and (os.path.isfile(table) or glob.has_magic(table)):
            unknown = f"has no column {label!r}" in said  # the command is to propose one
            named = ["--label", label] if label and not unknown else []
            line = "\n  " if "\n" in said else " "
            check = shlex.join(["separatrix", "check", table, *named])
            said += f"{line}To see every column and a command that reads the table: {check}"
        raise InputError(said) from None


@contextmanager
def opened_table(  # noqa: PLR0917  # in the order of the work
    table: str, source: Source | None, read: Callable[..., Untyped], options: dict[str, Untyped],
    blocks: Blocks | None, tell: Callable[[str], None], quiet: bool, *, one_question: bool = False,
) -> Iterator[Untyped]:  # fmt: skip
    """Yield the table that is learned from, in memory or in blocks."""
    tell("reading")
    with ExitStack() as opened:
        with ways_on(table, options["label"], one_question=one_question or blocks is not None):
            if blocks is None:
                data = read(source or table, **options)
            else:
                data = opened.enter_context(blocks.opened(table, options, tell, quiet))
        yield data


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
