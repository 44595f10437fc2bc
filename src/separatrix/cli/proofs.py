"""`separatrix prove` and `separatrix verify`."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from separatrix._types import Untyped
from separatrix.cli.options import fewest_options, multiclass_option, quiet_option
from separatrix.cli.outputs import (
    FEWEST,
    SEPARABILITY,
    output_option,
    overwrites,
    write_files,
)
from separatrix.cli.question import Question, asks_of_table, files_of, refuse_in_blocks
from separatrix.cli.showing import progress, say, write_out
from separatrix.said import Said

if TYPE_CHECKING:
    from separatrix.proving.files import Proof
    from separatrix.tables.files.source import Source


@click.command(short_help="Write a proof of what a line can do.")
@click.argument("table", metavar="TABLE...", nargs=-1, required=True)
@asks_of_table
@multiclass_option
@click.option("--fewest", is_flag=True, help="Prove the fewest mistakes of any line as well: to "
              "the end, which of some thousand rows may take days, or to a limit or Ctrl-C, and "
              "then the bounds reached; a second Ctrl-C, while the proof is written, leaves no "
              "file. Of a table that does not fit into memory: sets of rows that contradict one "
              "another, as many as a proof may name.")  # fmt: skip
@fewest_options
@click.option("--cost-wrong-yes", type=click.FloatRange(min=0, min_open=True), default=1.0,
              metavar="C", help="Prove --fewest, where a yes to a row that is no counts for C "
              "mistakes. [default: 1]")  # fmt: skip
@click.option("--cost-wrong-no", type=click.FloatRange(min=0, min_open=True), default=1.0,
              metavar="C", help="Likewise a no to a row that is yes.")  # fmt: skip
@output_option("-o", "--output", required=True,
               kind=lambda asked: FEWEST if _asks_for_fewest(**asked) else SEPARABILITY,
               help="Write the proof to F.")  # fmt: skip
@quiet_option
def prove(  # noqa: PLR0917  # click passes by name
    question: Question, fewest: bool, fewest_seconds: float | None, fewest_nodes: int | None,
    cost_wrong_yes: float, cost_wrong_no: float, output: str,
) -> None:  # fmt: skip
    """Decide whether a line separates TABLE, and write a proof that `verify` checks alone."""
    fewest = _asks_for_fewest(**click.get_current_context().params)
    in_blocks, multiclass = question.in_blocks, question.multiclass
    one = question.degree == 1 and multiclass is None and cost_wrong_yes == cost_wrong_no == 1.0
    if in_blocks and not one:
        refuse_in_blocks(
            "a proof of several lines, of products of columns or of costs",
            "leave out --degree, --multiclass, --cost-wrong-yes and --cost-wrong-no",
        )
    with progress(question.quiet) as tell, ExitStack() as opened:
        if "-" in question.tables:
            source_of_proof("-")  # refuses it
        question.refuse_outputs()
        from separatrix.proving.any_size import prove_in_blocks
        from separatrix.proving.asking import prove_separability
        from separatrix.proving.files import names_beside
        from separatrix.zero_one.limits import Limits
        from separatrix.zero_one.problem import Costs

        limits = Limits.of(fewest_seconds, fewest_nodes) if fewest else None
        costs = Costs.of(cost_wrong_yes, cost_wrong_no)
        source = None if in_blocks else source_of_proof(question.table)
        data = opened.enter_context(question.opened(tell, source, in_blocks=in_blocks))
        if source is None:
            proof, against = prove_in_blocks(data, output, fewest=limits, tell=tell)
        else:
            against = [question.table]
            proof = prove_separability(
                data, source.data, question.degree, limits, costs, multiclass=multiclass, tell=tell
            )
        files = files_of_proof(proof, output, question.asked)
        write_files(files)
    write_out("".join(f"{statement}\n" for statement in proof.statements))
    if not question.quiet:
        beside = [one for one in against if one in names_beside(output)]  # of blocks: written there
        say_how_to_check(proof, [*beside, *files], against)


def _asks_for_fewest(**asked: Untyped) -> bool:
    """Return whether the fewest mistakes are to be proven: asked for, or an option of theirs is."""
    limits = asked["fewest_seconds"], asked["fewest_nodes"]
    costs = asked["cost_wrong_yes"], asked["cost_wrong_no"]
    return asked["fewest"] or limits != (None, None) or costs != (1.0, 1.0)


def source_of_proof(table: str) -> Source:
    """Return the table's file; refuse at once what could not be checked again."""
    from separatrix.data import InputError
    from separatrix.tables.files.source import read_source

    if table == "-":
        raise InputError(
            "a proof needs the table as files, not stdin: save the table and name that file."
        )
    return read_source(table)


def files_of_proof(proof: Proof, path: str, asked: dict[str, Untyped]) -> dict[str, str | bytes]:
    """Return the contents of a proof's files; refuse where one is a table of something else."""
    from separatrix.proving.files import files_of, refuse_another_table, with_asked

    if not overwrites():
        refuse_another_table(path, proof)
    return files_of(with_asked(proof, asked), path)


def say_how_to_check(proof: Proof, files: Sequence[str], tables: Sequence[str]) -> None:
    """Print what a proof leaves out, and the command that checks the files that it stands in."""
    *beside, written = files
    if beside:
        names = ", ".join(beside)
        said = "the table of the proof, its features as numbers, is written beside it: {names}"
        say(Said(said, names=names))
    for why in proof.left_out:
        say(Said("not in the proof: {why}.", why=why))
    command = shlex.join(["separatrix", "verify", written, *(beside or tables)])
    say(Said("anybody can check {file} with: {command}", file=written, command=command))


@click.command(short_help="Check a proof against its table, from scratch.")
@click.argument("proof", metavar="PROOF")
@click.argument("table", metavar="TABLE...", nargs=-1, required=True)
@click.option("--time-limit", type=click.FloatRange(min=0, max=1e9), default=600.0, metavar="S",
              help="Give up after S seconds. [default: 600]")  # fmt: skip
@click.option("--memory-limit", type=click.FloatRange(min=0, max=1e9), default=2048.0,
              metavar="MIB", help="Give up rather than take more memory, in MiB, beside what "
              "Python takes itself. [default: 2048]")  # fmt: skip
def verify(proof: str, table: tuple[str, ...], time_limit: float, memory_limit: float) -> None:
    """Check PROOF against TABLE from scratch, with verify.py and no other part of separatrix.

    Where the table of the proof was written beside it, TABLE may also be the files that it was made
    of, unchanged: then separatrix makes the table again, and verify.py checks that.
    """
    from separatrix import verify as alone

    files = [file for name in table for file in files_of(name) or [name]]
    with ExitStack() as opened:
        made = ""
        if is_made_of(proof, files, memory_limit * 2**20):
            from separatrix.data import InputError, typed
            from separatrix.proving.any_size import made_again

            folder = opened.enter_context(TemporaryDirectory())
            made = (
                f"(Lines and columns are those of the plain table that separatrix made of "
                f"{', '.join(files)}, as the proof says: a step that verify.py does not check.)\n"
            )
            try:
                files = made_again(proof, files, folder)
            except InputError as why:
                write_out(f"CANNOT CHECK: {typed(why)}\n")
                raise click.exceptions.Exit(alone.CANNOT_CHECK) from None
        with alone.ended_after(time_limit):
            code, answer = alone.check_files(proof, files, memory_limit * 2**20)
        write_out(f"{answer}\n{made}")
    raise click.exceptions.Exit(code)


def is_made_of(proof: str, files: Sequence[str], memory_limit: float) -> bool:
    """Return whether the table of a proof was made of these files, and is not these."""
    from separatrix import verify as alone

    before = alone.MOST_MEMORY.set(memory_limit)
    try:
        told = alone.read_proof(Path(proof).read_bytes()).data
        named = [file["sha256"] for file in told["table"]["made_of"]["files"]]
        for file, digest in zip(files, named, strict=True):
            with open(file, "rb") as opened:
                if hashlib.file_digest(opened, "sha256").hexdigest() != digest:
                    return False
    except (alone.CannotCheck, OSError, ValueError, LookupError, TypeError):
        return False
    finally:
        alone.MOST_MEMORY.reset(before)
    return True
