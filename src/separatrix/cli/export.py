"""`separatrix export`."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import click

from separatrix._types import Untyped
from separatrix.cli.options import dialect_options, quiet_option
from separatrix.cli.outputs import note_written, output_option, refuse_outputs, write_files
from separatrix.cli.showing import progress, write_out

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
