"""`separatrix predict`."""

from __future__ import annotations

import os
import shlex
import warnings
from functools import partial

import click

from separatrix._types import Untyped
from separatrix.cli.export import dialects_of
from separatrix.cli.options import (
    OfOneTable,
    dialect_options,
    quiet_option,
    threshold_option,
)
from separatrix.cli.outputs import note_written, output_option, refuse_outputs, write_files
from separatrix.cli.question import Question, asks, blocks_options
from separatrix.cli.showing import progress, say, write_out


@click.command(cls=OfOneTable, short_help="Answer every row of a table with a model.")
@click.argument("model", metavar="MODEL")
@click.argument("table", metavar="TABLE")
@output_option("-o", "--output", kind="answers", stdout=True,
               help="Write the answers to F instead of stdout.")  # fmt: skip
@click.option("--match-names", is_flag=True, help="Match columns by name; ignore their order and "
              "those that the model does not know.")  # fmt: skip
@click.option("--missing", type=click.Choice(["refuse", "blank"]), default="refuse",
              show_default=True, help="Refuse rows that lack a value the model cannot fill, or "
              "leave their answers empty.")  # fmt: skip
@click.option("--unknown", type=click.Choice(["refuse", "blank"]), default="refuse",
              show_default=True, help="Refuse rows with a category that the model never saw, or "
              "leave their answers empty.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Add the score's parts: intercept, then part_1, "
              "part_2, ... from the biggest, each \"'column': value -> what it adds\"."
              )  # fmt: skip
@threshold_option
@click.option("--learned-from", metavar="TABLE", help="The table that MODEL was learned from: add "
              "whether all lines that separate it say the same label, or the data do not decide. "
              "If no line separates it: the same of all lines with the fewest mistakes (undecided: "
              "limit where a limit was met; open for more than 200 rows).")  # fmt: skip
@asks(dialect_options, blocks_options)
@quiet_option
def predict(
    question: Question, model: str, output: str | None, learned_from: str | None,
    **how: Untyped,
) -> None:  # fmt: skip
    """Answer every row of TABLE with MODEL: a CSV of line, answer, score (and probability)."""
    table, how = question.table, how | question.reading
    in_blocks = question.in_blocks or (output or "").endswith(".parquet")
    if in_blocks and (output in (None, "-") or learned_from is not None):
        raise click.UsageError(
            "answers for a table that is read in blocks go to a file, with -o F, and without "
            "--learned-from."
        )
    with progress(question.quiet) as tell:
        from separatrix.predicting import answers_csv, write_answers

        if output == "-":
            output = None
        refuse_outputs(model, *question.files, learned_from)
        tell("predicting")
        if in_blocks and output is not None:
            write_answers(model, table, output, memory=question.memory, tell=tell, **how)
            note_written(output)
        else:
            answers = answers_csv(model, table, learned_from=learned_from, **how)
            if output is not None:
                write_files({output: answers})
    if output is None:
        write_out(answers)
    if not question.quiet and (export := _export_command(model, table)):
        say(f"the same answers from a database: {export}")


def _export_command(model: str, table: str) -> str:
    """Return the command that writes the model as SQL; "" where SQL cannot say it."""
    from separatrix.exporting import to_sql
    from separatrix.model import load

    stem = os.path.basename(table).partition(".")[0]
    name = stem if stem.isidentifier() else "new_rows"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dialect = next(dialects_of(partial(to_sql, load(model), name)), "")
    said = ["--dialect", dialect] * (dialect != "any")
    return shlex.join(["separatrix", "export", model, "--sql", name, *said]) if dialect else ""
