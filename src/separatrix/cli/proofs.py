"""`separatrix prove` and `separatrix verify`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.cli.options import (
    dialect_options,
    fewest_options,
    multiclass_option,
    quiet_option,
    reader_of,
    table_options,
)
from separatrix.cli.outputs import write_files
from separatrix.cli.reading import ways_on
from separatrix.cli.showing import progress, say, write_out

if TYPE_CHECKING:
    from separatrix.proving import Proof
    from separatrix.tables.files.source import Source


@click.command(short_help="Write a proof of what a line can do.")
@click.argument("table", metavar="TABLE")
@table_options
@multiclass_option
@dialect_options
@click.option(
    "--fewest",
    is_flag=True,
    help="Prove the fewest mistakes of any line as well: to the end, or to a limit or Ctrl-C, and "
    "then the bounds reached; a second Ctrl-C, while the proof is written, leaves no file.",
)
@fewest_options
@click.option(
    "--cost-wrong-yes",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    metavar="C",
    help="Prove --fewest, where a yes to a row that is no counts for C mistakes. [default: 1]",
)
@click.option(
    "--cost-wrong-no",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    metavar="C",
    help="Likewise a no to a row that is yes.",
)
@click.option("-o", "--output", metavar="F", required=True, help="Write the proof to F.")
@quiet_option
def prove(  # noqa: PLR0917  # click passes by name
    table: str,
    drop: tuple[str, ...],
    text: tuple[str, ...],
    file_format: str | None,
    degree: int,
    multiclass: str | None,
    fewest: bool,
    fewest_seconds: float | None,
    fewest_nodes: int | None,
    cost_wrong_yes: float,
    cost_wrong_no: float,
    output: str,
    quiet: bool,
    **options: Untyped,
) -> None:
    """Decide whether a line separates TABLE, and write a proof that `verify` checks alone."""
    with progress(quiet) as tell:
        read = reader_of(multiclass, options)
        source = source_of_proof(output, table)
        from separatrix.proving import files_of, prove_fewest_mistakes, prove_separability
        from separatrix.zero_one.limits import Limits
        from separatrix.zero_one.problem import Costs

        limits = Limits.of(fewest_seconds, fewest_nodes)
        costs = Costs.of(cost_wrong_yes, cost_wrong_no)
        fewest = fewest or (limits, costs) != (Limits(), Costs())

        tell("reading")
        with ways_on(table, options["label"]):
            data = read(source, drop=drop, text=text, format=file_format, **options)
        if fewest:
            proof = prove_fewest_mistakes(
                data, source.data, degree, limits, costs, multiclass=multiclass, tell=tell
            )
        else:
            proof = prove_separability(data, source.data, degree, multiclass=multiclass, tell=tell)
        files = files_of(proof, output)
        write_files(files)
    write_out("".join(f"{statement}\n" for statement in proof.statements))
    if not quiet:
        say_how_to_check(proof, list(files), table)


def source_of_proof(path: str, table: str) -> Source:
    """Return the table's file; refuse at once what could not be written or checked again."""
    from separatrix.data import InputError
    from separatrix.proving import refuse_unwritable_proof
    from separatrix.tables.files.source import read_source

    if table == "-":
        raise InputError(
            "a proof needs the table as a file, not stdin: save the table and name that file."
        )
    if path == "-":
        raise InputError("name a file for the proof: its table may have to be written beside it.")
    refuse_unwritable_proof(path, [table])
    return read_source(table)


def table_beside(path: str) -> str:
    """Return where the canonical CSV of a proof would stand."""
    from separatrix.proving import canonical_path

    return canonical_path(path)


def say_how_to_check(proof: Proof, files: Sequence[str], table: str) -> None:
    """Print what a proof leaves out, and the command that checks the files that it stands in."""
    *beside, written = files
    against = beside[0] if beside else table
    for why in proof.left_out:
        say(f"not in the proof: {why}.")
    say(f"anybody can check {written} with: separatrix verify {written} {against}")


@click.command(short_help="Check a proof against its table, from scratch.")
@click.argument("proof", metavar="PROOF")
@click.argument("table", metavar="TABLE...", nargs=-1, required=True)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, max=1e9),
    default=600.0,
    metavar="S",
    help="Give up after S seconds. [default: 600]",
)
@click.option(
    "--memory-limit",
    type=click.FloatRange(min=0, max=1e9),
    default=2048.0,
    metavar="MIB",
    help="Give up rather than take more memory, in MiB. [default: 2048]",
)
def verify(proof: str, table: tuple[str, ...], time_limit: float, memory_limit: float) -> None:
    """Check PROOF against TABLE from scratch; no other part of separatrix takes part.

    A table of several files takes all of them, in the order of the proof: the files of labels last.

    Prints VERIFIED and what was checked (exit code 0), REFUTED (1) or CANNOT CHECK (3) and why.
    """
    from separatrix import verify as alone

    code, answer = alone.check_as_a_command(proof, table, time_limit, memory_limit * 2**20)
    write_out(f"{answer}\n")
    raise click.exceptions.Exit(code)
