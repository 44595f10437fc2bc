"""`separatrix export` and `separatrix predict`: what is done with a model file."""

from __future__ import annotations

import hashlib
import os
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import click

from separatrix._types import Untyped
from separatrix.cli.options import (
    OfOneTable,
    dialect_options,
    quiet_option,
    threshold_option,
)
from separatrix.cli.outputs import note_written, output_option, refuse_outputs, write_files
from separatrix.cli.question import Question, asks, blocks_options
from separatrix.cli.showing import progress, say, write_out
from separatrix.said import Said

LARGEST_COMPARED = 2**28  # bytes of a file that may be the model's table
DIALECTS = ("any", "sqlite", "duckdb", "postgresql", "sqlserver")


@click.command(short_help="Write a model as SQL, ONNX or a scorecard.")
@click.argument("model", metavar="MODEL")
@click.option("--sql", "table", metavar="NAME", help="A SELECT over the database table NAME.")
@click.option("--dialect", type=click.Choice(DIALECTS), default="any", show_default=True,
              help="The database that will run the SELECT; any: each of the "
              "first three.")  # fmt: skip
@click.option("--schema", metavar="NAME", help="The schema of the table, if it must be said.")
@click.option("--keep", metavar="COL", multiple=True,
              help="Hand COL through (its key, say). Repeatable.")  # fmt: skip
@output_option("--onnx", "onnx_path", kind="an ONNX graph", help="Write an ONNX graph to F.")
@click.option("--scorecard", "rows", metavar="TABLE", help="A card of whole points, and how many "
              "decisions it changes on the rows of TABLE.")  # fmt: skip
@click.option("--points", type=click.IntRange(min=1, max=10_000), default=100, show_default=True,
              help="The most points for one step or level of the card.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The card as JSON.")
@output_option("-o", "--output", stdout=True, help="Write to F instead of stdout.",
               kind=lambda asked: "a SELECT" if asked["table"] else "a scorecard")  # fmt: skip
@dialect_options
@quiet_option
def export(  # noqa: PLR0917  # click passes by name
    model: str, table: str | None, dialect: str, schema: str | None, keep: tuple[str, ...],
    onnx_path: str | None, rows: str | None, points: int, as_json: bool, output: str | None,
    quiet: bool, **options: Untyped,
) -> None:  # fmt: skip
    """Write MODEL in another language: one of --sql, --onnx and --scorecard."""
    if [table, onnx_path, rows].count(None) != 2:
        raise click.UsageError("give one of --sql NAME, --onnx F and --scorecard TABLE.")
    with progress(quiet) as tell:
        from separatrix.model import load

        target = onnx_path if onnx_path is not None else output
        if target == "-" and onnx_path is not None:
            raise click.UsageError("--onnx writes bytes: name a file.")
        if onnx_path is not None and output is not None:
            raise click.UsageError("--onnx names its file itself: leave -o out.")
        refuse_outputs(model, rows)
        learner = load(model)
        tell("exporting")
        if onnx_path is not None:
            from separatrix.exporting import to_onnx

            with _ways_round(lambda: _learned_anew(learner, model)):
                to_onnx(learner, onnx_path)
            note_written(onnx_path)
            return
        if table is not None:
            from separatrix.exporting import to_sql

            write = partial(to_sql, learner, table, schema=schema, keep=keep)
            where = [word for name in keep for word in ("--keep", name)]
            where += ["--schema", schema] if schema is not None else []
            typed = ["separatrix", "export", model, "--sql", table, *where, "--dialect"]
            with _ways_round(lambda: [[*typed, other] for other in dialects_of(write)]):
                text = write(dialect=dialect)
        else:
            from separatrix.exporting import card_for_file

            card = card_for_file(learner, str(rows), points, **options)
            text = card.to_json() if as_json else card.to_text()
        if output not in (None, "-"):
            write_files({str(output): text})
            return
    write_out(text)


@contextmanager
def _ways_round(commands: Callable[[], list[list[str]]]) -> Iterator[None]:
    """Add whole commands to what an export refuses."""
    from separatrix.data import InputError, typed

    try:
        yield
    except InputError as error:
        lines = [f"\n  {shlex.join(words)}" for words in commands()]
        raise InputError(f"{typed(error)}{''.join(lines)}") from None


def dialects_of(write: Callable[..., str]) -> Iterator[str]:
    """Yield the dialects in which a SELECT can be written."""
    from separatrix.data import InputError

    for dialect in DIALECTS:
        with suppress(InputError):
            write(dialect=dialect)
            yield dialect


def _learned_anew(learner: Untyped, path: str) -> list[list[str]]:
    """Return the commands that check and learn the model's table, if it is beside it, for ONNX."""
    from separatrix.model import table_of
    from separatrix.tables.checking import check_table, command

    known = table_of(learner)
    if known is None or not known.recipes:
        return []
    sha256 = known.origin and known.origin.sha256
    beside = sorted(Path(path).parent.iterdir())
    files = (p for p in beside if p.is_file() and p.stat().st_size <= LARGEST_COMPARED)
    same = [p for p in files if hashlib.sha256(p.read_bytes()).hexdigest() == sha256]
    table = str(same[0]) if same else "TABLE"
    check = ["separatrix", "check", table, "--label", known.label, "--for", "onnx"]
    found = check_table(table, known.label, target="onnx") if same else None
    return [check, command(found, table)] if found and found.options else [check]


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
        say(Said("the same answers from a database: {command}", command=export))


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
