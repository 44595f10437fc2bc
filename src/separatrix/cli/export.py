"""`separatrix export`."""

from __future__ import annotations

import click

from separatrix._types import Untyped
from separatrix.cli.options import dialect_options, quiet_option
from separatrix.cli.outputs import note_written, output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, write_out


@click.command(short_help="Write a model as SQL, ONNX or a scorecard.")
@click.argument("model", metavar="MODEL")
@click.option("--sql", "table", metavar="NAME", help="A SELECT over the database table NAME.")
@click.option(
    "--dialect",
    type=click.Choice(["any", "sqlite", "duckdb", "postgresql"]),
    default="any",
    show_default=True,
    help="The database that will run the SELECT; any: each of the three.",
)
@click.option("--schema", metavar="NAME", help="The schema of the table, if it must be said.")
@click.option(
    "--keep", metavar="COL", multiple=True, help="Hand COL through (its key, say). Repeatable."
)
@output_option("--onnx", "onnx_path", kind="an ONNX graph", help="Write an ONNX graph to F.")
@click.option(
    "--scorecard",
    "rows",
    metavar="TABLE",
    help="A card of whole points, and how many decisions it changes on the rows of TABLE.",
)
@click.option(
    "--points",
    type=click.IntRange(min=1, max=10_000),
    default=100,
    show_default=True,
    help="The most points for one step or level of the card.",
)
@click.option("--json", "as_json", is_flag=True, help="The card as JSON.")
@output_option("-o", "--output", stdout=True, help="Write to F instead of stdout.",
               kind=lambda asked: "a SELECT" if asked["table"] else "a scorecard")  # fmt: skip
@dialect_options
@quiet_option
def export(  # noqa: PLR0917  # click passes by name
    model: str,
    table: str | None,
    dialect: str,
    schema: str | None,
    keep: tuple[str, ...],
    onnx_path: str | None,
    rows: str | None,
    points: int,
    as_json: bool,
    output: str | None,
    quiet: bool,
    file_format: str | None,
    **options: Untyped,
) -> None:
    """Write MODEL in another language: one of --sql, --onnx and --scorecard.

    The SELECT and the graph give the answers and the scores of `predict`, which alone decides the
    sign of a score exactly that is smaller than its own rounding error. Rows that `predict` refuses
    get no answer, nor do those whose score is beyond float64's range.
    """
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

            to_onnx(learner, onnx_path)
            note_written(onnx_path)
            return
        if table is not None:
            from separatrix.exporting import to_sql

            text = to_sql(learner, table, dialect=dialect, schema=schema, keep=keep)
        else:
            from separatrix.exporting import card_for_file

            card = card_for_file(learner, str(rows), points, format=file_format, **options)
            text = card.to_json() if as_json else card.to_text()
        if output not in (None, "-"):
            write_files({str(output): text})
            return
    write_out(text)
